import type { Mark } from '../../core/brief-page.ts'
import { clipText } from '../../core/canonical.ts'
import { collapseSpaces } from '../../core/text.ts'
import { itemNames, stands, type WorkField, type WorkState } from '../../core/work.ts'
import { isTyped } from '../digest/state.ts'
import { type BriefSection, briefSectionsOf, saysAnything } from './brief-sections.ts'
import type { TalkSection, Talks } from './brief-talk.ts'
import { type EarlierFields, isOfEarlierTask } from './newest-task.ts'

/** What the world said about one item of the work: `index` is its place in the field, 0 for a text. */
export interface ItemCheck {
  field: WorkField
  index: number
  mark: Mark
  /** Why it is stale or cannot be verified; empty for a fresh one. */
  note: string
}

export interface Drift {
  branch: { was: string; now: string } | null
  /** Null where nobody can tell: no git, or the commit is gone. */
  commitsSince: number | null
  filesChanged: number
  filesGone: number
  /** Where the plan stands now, if that is not where it was saved. */
  planStep: string | null
}

export interface BriefInput {
  work: WorkState
  stream: string
  savedAtMs: number
  nowMs: number
  checks: readonly ItemCheck[]
  drift: Drift
  learnings: readonly string[]
  /** What shows the whole of it; `savepoint show <stream>` without one. It is short, and nobody's text. */
  command?: string
  /** What must be known before all else, in a few short lines. */
  notes?: readonly string[]
  talks?: Talks | null
  /** What was saved for an earlier task, or long before the rest. */
  earlier?: EarlierFields
  merged?: readonly TalkSection[]
  /** The session has lost its context: whether the focus still holds is asked in any case. */
  asksFocus?: boolean
  /** What shows it to people. Of a ledger it is always asked whether its focus still holds. */
  shownIn?: ShownIn
  /** What it tells of, in words, where that is not saved work. */
  subject?: string
}

export type ShownIn = 'checkpoint' | 'ledger' | 'note'

/** What to ask before going on: whether something is still the focus, or to confirm a claim. */
export interface Question {
  kind: 'focus' | 'confirm'
  about: string
}

/** Everything that a resuming agent could be told, before a budget cuts it. */
export interface Brief extends Pick<BriefInput, 'stream' | 'drift' | 'notes' | 'subject'> {
  command: string | null
  ageMs: number
  stale: number
  unverifiable: number
  questions: Question[]
  sections: BriefSection[]
  shownIn: ShownIn
}

/** Takes out of a text what nobody sees. The result holds no line break but `\n`. */
export type Clean = (text: string) => string

/** A brief of the work, with every text cleaned and every item in a line of its own. */
export function briefOf(input: BriefInput, clean: Clean): Brief {
  const { stream, savedAtMs, nowMs, checks, drift } = input
  const line = (text: string) => collapseSpaces(clean(text))
  const countMarked = (mark: Mark) => checks.filter((check) => check.mark === mark).length
  const subject = line(input.subject ?? sessionOf(input))
  return {
    stream: line(stream),
    command: input.command ?? null,
    ageMs: Math.max(0, nowMs - savedAtMs),
    drift: {
      ...drift,
      branch: drift.branch && { was: line(drift.branch.was), now: line(drift.branch.now) },
      planStep: drift.planStep === null ? null : line(drift.planStep),
    },
    stale: countMarked('stale'),
    unverifiable: countMarked('unverifiable'),
    questions: questionsOf(input, clean),
    sections: briefSectionsOf(input, clean),
    ...(input.notes?.length ? { notes: input.notes.map(line) } : {}),
    ...(subject === '' ? {} : { subject }),
    shownIn: input.shownIn ?? 'checkpoint',
  }
}

/** Nobody saved anything: then the brief is the session's. */
function sessionOf({ talks, work }: BriefInput): string {
  if (!talks || saysAnything(work)) return ''
  return `Session ${talks.main.id.slice(0, 8)} ${talks.main.state}; nothing was saved manually`
}

const MAX_QUESTIONS = 3
/** A question quotes what it is about; the whole of it stands in its section. */
const QUOTE = 90

/**
 * One to three questions where there is something to ask, none where there is not: whether the focus still holds
 * where the world has moved, and the claims that nobody confirmed, newest decision first.
 */
export function questionsOf(
  { work, drift, asksFocus = false, shownIn, talks = null, earlier }: BriefInput,
  clean: Clean,
): Question[] {
  const { decisions, constraints, rules, facts } = work
  // What an agent asked its user is an open question, and no assumption.
  const questions = work.questions.filter(({ origin }) => origin !== 'agent')
  const standing = decisions.filter(stands).reverse()
  const found: Question[] = []
  const ask = (kind: Question['kind'], text: string) => {
    const about = clipText(collapseSpaces(clean(text)), QUOTE)
    if (about !== '' && found.length < MAX_QUESTIONS) found.push({ kind, about })
  }
  if (asksFocus || shownIn === 'ledger' || hasDrift(drift))
    ask('focus', focusOf(work, earlier, clean) || lastTyped(talks))
  for (const { text, confirmed } of [...standing, ...constraints, ...questions, ...rules, ...facts]) {
    if (found.length >= MAX_QUESTIONS) break
    if (!confirmed) ask('confirm', text)
  }
  return found
}

/** An answer may be an option in the agent's words, and says nothing without its question. */
const lastTyped = (talks: Talks | null) =>
  talks?.main.digest.requests.findLast(
    (request) => isTyped(request, talks.around.trusted) && request.text !== '',
  )?.text ?? ''

const FOCUS = ['now', 'next', 'state', 'intent', 'problem'] as const

/** What the work was about when it was saved, in the most exact words there are; nothing of an earlier task. */
function focusOf(work: WorkState, earlier: BriefInput['earlier'], clean: Clean): string {
  const fields = FOCUS.filter((field) => !isOfEarlierTask(earlier, field))
  const lines = fields.flatMap((field) => clean(itemNames(work, field)[0] ?? '').split('\n', 20))
  return lines.find((line) => line.trim() !== '') ?? ''
}

export const hasDrift = ({ branch, commitsSince, filesChanged, filesGone, planStep }: Drift) =>
  branch !== null || (commitsSince ?? 0) > 0 || filesChanged > 0 || filesGone > 0 || planStep !== null

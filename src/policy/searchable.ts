import { clipText, sha256 } from '../core/canonical.ts'
import type { Checkpoint } from '../core/checkpoint.ts'
import { decisionSentence } from '../core/decision.ts'
import { REJECTED, type Searchable } from '../core/searchable.ts'
import type { Session } from '../core/session.ts'
import { type Decision, learningsIn, type WorkState } from '../core/work.ts'
import { accomplishmentsOf } from './registry.ts'

/** A record has no more characters than this: what a search is for stands in sentences, not in whole files. */
const MOST_CHARACTERS = 16_000

/**
 * What a checkpoint says that its parent did not say: a record of the new lines, and one for each decision and each
 * learning. Work carries all that is known from one checkpoint to the next, so without the parent every hit would
 * come back hundreds of times.
 */
export function searchableOf(
  checkpoint: Checkpoint,
  parent: Checkpoint | null,
  kind: 'run' | 'work',
): Searchable[] {
  if (kind === 'run') return snapshotRecords(checkpoint)
  const known = new Set(parent ? linesOf(parent) : [])
  return [
    ...decisionRecords(checkpoint.work.decisions, parent?.work.decisions ?? []),
    ...learningRecords(checkpoint, parent),
    ...recordOf(
      checkpoint.id,
      'checkpoint',
      linesOf(checkpoint).filter((line) => !known.has(line)),
    ),
  ]
}

/** What a session was about, in its user's words; one in which nothing was said is not worth finding. */
export function searchableSession(session: Session, requests: readonly string[]): Searchable[] {
  const lines = linesIn([
    ...accomplishmentsOf(session),
    ...session.outcomes.flatMap((one) => [one.outcomeName, one.lastTask, one.workSummary]),
    ...requests,
    session.lastPrompt?.text ?? '',
  ])
  const branch = session.environment.gitBranch
  return lines.length === 0 ? [] : recordOf(session.id, 'session', [...lines, ...(branch ? [branch] : [])])
}

/** Timers take a snapshot every two minutes, of whatever is there: those say nothing by themselves. */
function snapshotRecords({ id, triggers, work, change }: Checkpoint): Searchable[] {
  if (triggers.length > 0 && triggers.every(({ kind }) => kind === 'timer')) return []
  const { step, plan, fault } = work.position
  const title = plan?.steps.find((one) => one.id === step)?.title
  const words = [
    step === null ? '' : title === undefined || title === step ? step : `${step}: ${title}`,
    fault === null ? '' : `${fault.reasonCode}: ${fault.message}`,
    ...triggers.map(({ note }) => note),
    ...change.commands.map(({ name, result, reason_code, summary }) =>
      [result, name, reason_code, summary].filter(Boolean).join(' '),
    ),
    change.summary,
  ]
  return recordOf(id, 'run', linesIn(words))
}

/** A decision that is new, has another reason, or was superseded. */
function decisionRecords(now: readonly Decision[], before: readonly Decision[]): Searchable[] {
  const byText = new Map<string, Decision[]>()
  for (const one of before) byText.set(keyOf(one.text), [...(byText.get(keyOf(one.text)) ?? []), one])
  return now.flatMap((one): Searchable[] => {
    const known = byText.get(keyOf(one.text)) ?? []
    const isSame = known.some(({ why, supersededBy }) => why === one.why && supersededBy === one.supersededBy)
    const [record] = isSame ? [] : factRecord('decision', one.text, decisionSentence(one), one.why)
    if (record === undefined) return []
    if (one.rejected !== undefined && one.supersededBy !== null)
      return [{ ...record, superseded: `${REJECTED}${one.rejected}` }]
    if (one.supersededBy !== null) return [{ ...record, superseded: one.supersededBy }]
    return [
      known.some(({ supersededBy }) => supersededBy !== null) ? { ...record, superseded: null } : record,
    ]
  })
}

function learningRecords(checkpoint: Checkpoint, parent: Checkpoint | null): Searchable[] {
  const known = new Set(parent ? allLearnings(parent).map(keyOf) : [])
  return allLearnings(checkpoint)
    .filter((text) => !known.has(keyOf(text)))
    .flatMap((text) => factRecord('learning', text, text))
}

const allLearnings = ({ work, completion }: Checkpoint): string[] => [
  ...learningsIn(work),
  ...(completion?.learnings ?? []),
]

/** Equal words make one record, whichever checkpoint says them; a decision with another reason is another record. */
function factRecord(kind: 'decision' | 'learning', said: string, sentence: string, why = ''): Searchable[] {
  const [key, reason] = [keyOf(said), keyOf(why)]
  if (key === '') return []
  const id = `${kind}-${sha256(`${kind}\n${key}`).slice(0, 12)}`
  return recordOf(reason === '' ? id : `${id}-${sha256(reason).slice(0, 12)}`, kind, [sentence])
}

/** What makes two texts one: their words, whatever their case, spaces and last full stop. */
const keyOf = (text: string) =>
  text
    .normalize('NFC')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[.!]+$/, '')

const linesOf = ({ work, change, completion }: Checkpoint): string[] =>
  linesIn([
    change.summary,
    ...(completion ? [completion.outcome] : []),
    ...textsOf(work),
    ...[...work.artifacts, ...change.artifacts].map(({ path, description }) =>
      description === '' ? path : `${path}: ${description}`,
    ),
  ])

const textsOf = (work: WorkState): string[] => [
  ...[work.now, work.state, work.problem, work.intent],
  ...[work.next, work.blockers, work.questions, work.rules, work.constraints, work.facts, work.done].flatMap(
    (list) => list.map(({ text }) => text),
  ),
  ...work.references.filter(({ kind }) => kind !== 'learning').map(({ text }) => text),
]

/** The lines of some texts, each once; the marks of a match have no place in them. */
const linesIn = (texts: readonly string[]): string[] => [
  ...new Set(
    texts
      .flatMap((text) => text.split(/[\r\n]+/))
      .map((line) => line.replace(CONTROLS, ' ').trim())
      .filter((line) => /[\p{L}\p{N}]/u.test(line)),
  ),
]

const CONTROLS = /\p{Cc}+/gu

function recordOf(id: string, kind: Searchable['kind'], lines: readonly string[]): Searchable[] {
  const text = clipText(linesIn(lines).join('\n'), MOST_CHARACTERS)
  return text === '' ? [] : [{ id, kind, text }]
}

import type { CommandOutcome } from '../../core/checkpoint.ts'
import {
  type Artifact,
  addItems,
  type Decision,
  type Item,
  OVERHEARD,
  type OverheardField,
  stands,
  type WorkState,
} from '../../core/work.ts'
import { carryForward } from '../carry.ts'
import { withoutCorrected } from '../correct.ts'
import { clipRequest, saysTask } from '../session-lifecycle.ts'
import { describeFailure, isFailing } from './calls.ts'
import { inOneLine, shorten } from './quote.ts'
import { type Check, type Digest, isTyped, type Request } from './state.ts'
import { isTaskListStale } from './tell-parts.ts'
import { openQuestion } from './tell-words.ts'

/** What a digest says of the work, and since when. Only acts make claims: an answered question, an approved plan. */
export interface DigestWork {
  heard: Pick<WorkState, OverheardField>
  /** When each field was last spoken of; null where nothing was said. */
  times: Record<OverheardField, string | null>
  decisions: Decision[]
  done: Array<{ text: string; at: string }>
  artifacts: Artifact[]
}

const LONGEST = { request: 300, question: 400 }
const MOST_NEXT = 10

/** The work as a digest tells it. Without trust nothing of it is in an agent's or a program's words. */
export function deriveWork(
  digest: Digest,
  { trusted, nameFile }: { trusted: boolean; nameFile: (path: string) => string | null },
): DigestWork {
  const { requests, tasks, tasksAt, checks, openQuestions, turn } = digest
  const typed = requests.filter((request) => isTyped(request, trusted))
  const first = taskRequests(digest, trusted)[0] ?? typed[0]
  const newest = typed.at(-1)
  const open = trusted && !isTaskListStale(digest) ? tasks.filter(({ state }) => state !== 'done') : []
  const asked = trusted ? shorten(openQuestion(digest), LONGEST.question) : ''
  const red = trusted ? checks.filter(isFailing) : []
  return {
    heard: {
      intent: first ? quoteRequest(first) : '',
      now: newest && newest !== first ? quoteRequest(newest) : '',
      next: open.slice(0, MOST_NEXT).map(({ text }): Item => ({ text })),
      questions: asked === '' ? [] : [{ text: asked, origin: 'agent', confirmed: false }],
      blockers: red.map((one) => ({ text: `Failing: ${describeFailure(one)}` })),
    },
    times: {
      intent: first?.at ?? null,
      now: newest?.at ?? null,
      next: tasksAt,
      questions: openQuestions?.at ?? turn.at(-1)?.at ?? newest?.at ?? null,
      blockers: checks.at(-1)?.at ?? null,
    },
    decisions: trusted ? decisionsIn(digest) : [],
    done: trusted ? stepsDone(digest) : [],
    artifacts: artifactsIn(digest, nameFile),
  }
}

export const taskRequests = ({ requests }: Digest, trusted: boolean): Request[] =>
  requests.filter((request) => isTyped(request, trusted) && saysTask(request))

function quoteRequest({ how, about, text }: Request): string {
  const words = shorten(inOneLine(text), LONGEST.request)
  return how === 'command' ? `/${about} ${words}`.trim() : words
}

/** Answered questions and approved plans, oldest first. The same question answered again replaces the answer. */
function decisionsIn({ requests, plan }: Digest): Decision[] {
  const answers = requests.filter(({ how, text }) => how === 'answer' && !/[?？]\s*$/.test(text))
  const textOf = ({ about, text }: { about: string; text: string }) =>
    `${shorten(inOneLine(about), 160)} → ${shorten(inOneLine(text), 200)}`
  const newest = new Map(answers.map((one) => [one.about, textOf(one)]))
  const decided = answers.map((one): Decision => {
    const [text, last] = [textOf(one), newest.get(one.about) ?? '']
    return { ...BY_USER, text, supersededBy: last === text ? null : last }
  })
  if (plan?.verdict === 'approved') decided.push({ ...BY_USER, text: `Plan approved: ${plan.title}` })
  return [...new Map(decided.map((one) => [one.text, one])).values()]
}

const BY_USER = { origin: 'user', confirmed: true, why: '', supersededBy: null } as const

function stepsDone({ finishedTasks, commits }: Digest): DigestWork['done'] {
  const named = commits.filter(({ subject }) => subject !== '')
  const committed = named.map(({ subject, at }) => ({ text: `Committed: ${subject}`, at }))
  return [...finishedTasks, ...committed].sort((a, b) => (a.at < b.at ? -1 : 1))
}

/** The files of the workspace that were changed, the newest last. */
function artifactsIn({ files }: Digest, nameFile: (path: string) => string | null): Artifact[] {
  const found = new Map<string, Artifact>()
  for (const { path, action } of files) {
    const name = nameFile(path)
    if (name === null) continue
    const made = action === 'modified' && found.get(name)?.action === 'created'
    found.delete(name)
    found.set(name, { path: name, action: made ? 'created' : action, description: '' })
  }
  return [...found.values()]
}

/** The newest request that says what is to be done, in a line, for lists of sessions; nothing that only looks typed. */
export function newestTask(digest: Digest): { at: string; text: string } | null {
  const newest = taskRequests(digest, false).at(-1)
  return newest ? { at: newest.at, text: clipRequest(quoteRequest(newest)) } : null
}

/** What commands came to, as a checkpoint keeps it. */
export const listCommandOutcomes = ({ checks }: Digest, trusted: boolean): CommandOutcome[] =>
  checks
    .filter((one) => !one.failed || isFailing(one))
    .map(({ family, failed, ms, detail, code }: Check) => ({
      ...{ kind: 'shell', name: family, result: failed ? 'FAIL' : 'PASS', duration_ms: ms },
      ...(code === null ? {} : { reason_code: `exit_${code}` }),
      summary: trusted ? detail : '',
    }))

/** What was running when the transcript was last read. */
export const listCallsInFlight = ({ calls }: Digest) =>
  calls.flatMap(({ id, kind, what, at, isInBackground }) =>
    kind === 'call' && !isInBackground
      ? []
      : [{ id, kind: kind === 'subagent' ? kind : ('background' as const), what, since: at }],
  )

/**
 * What was known, with what a session's talk adds. A field that somebody saved stays until somebody saves another: what
 * was said since is told beside it. Doing it again changes nothing.
 */
export function mergeSessionWork(
  known: WorkState,
  { heard: told, times, decisions: chosen, done, artifacts }: DigestWork,
  savedAt: string | null,
): WorkState {
  const heard = { ...told }
  for (const field of ['next', 'blockers', 'questions'] as const)
    Object.assign(heard, { [field]: withoutCorrected<Item>(known, field, told[field]) })
  const decisions = withoutCorrected(known, 'decisions', chosen)
  const overheard = new Set(known.overheard ?? [])
  const work = { ...known }
  for (const field of OVERHEARD) {
    const at = times[field]
    const isSaved = !overheard.has(field) && !isEmpty(known[field])
    const isNews = at !== null && (savedAt === null || at > savedAt)
    if (isSaved || (isEmpty(heard[field]) && !isNews)) continue
    Object.assign(work, { [field]: heard[field] })
    if (isEmpty(heard[field])) overheard.delete(field)
    else overheard.add(field)
  }
  return {
    ...carryForward(work, { artifacts: withKnownDescriptions(known.artifacts, artifacts) }),
    decisions: addItems(withNewestAnswers(known.decisions, decisions), decisions),
    done: addItems(known.done, done),
    overheard: OVERHEARD.filter((field) => overheard.has(field)),
  }
}

const isEmpty = (value: string | readonly unknown[]) =>
  typeof value === 'string' ? value.trim() === '' : value.length === 0

/** A question that was answered anew has its newest answer, also where another was kept already. */
function withNewestAnswers(known: readonly Decision[], fresh: readonly Decision[]): Decision[] {
  const newest = new Map(fresh.filter(stands).map(({ text }) => [questionOf(text), text]))
  return known.map((one) => {
    const answer = newest.get(questionOf(one.text))
    // What somebody struck out, or replaced by something else than another answer, stays as it is.
    const isStruck = one.supersededBy === one.text
    const isByHand =
      isStruck || (one.supersededBy !== null && questionOf(one.supersededBy) !== questionOf(one.text))
    return answer === undefined || isByHand
      ? one
      : { ...one, supersededBy: answer === one.text ? null : answer }
  })
}

const questionOf = (text: string) => text.split(' → ', 1)[0] ?? text

/** A known file keeps what was said about it, and stays `created` while it is only modified. */
const withKnownDescriptions = (known: readonly Artifact[], fresh: readonly Artifact[]): Artifact[] =>
  fresh.map((one) => {
    const { action, description } = known.find(({ path }) => path === one.path) ?? one
    const isMade = one.action === 'modified' && action === 'created'
    return { ...one, action: isMade ? action : one.action, description }
  })

import { ageOf } from '../../core/text.ts'
import type { Origin, WorkField } from '../../core/work.ts'
import { didSomething } from '../digest/outcome.ts'
import { taskRequests } from '../digest/work.ts'
import { isTaskDone, type Talk, type Talks } from './brief-talk.ts'

export type OriginKind = 'save' | 'delta' | 'handoff' | 'document' | 'ledger' | 'import' | 'session'

/** The checkpoint in which an item of the work first stood, and has stood since. */
export interface ItemOrigin {
  kind: OriginKind
  stream: string
  sequence: number
  checkpoint: string
  at: string
  session: string | null
  /** Whose word it was there, where that is known. */
  by: Origin | null
  /** The checkpoint since which it is the word of the user, or of a file of theirs; null where it was so at once. */
  confirmed: { by: Origin; sequence: number; checkpoint: string } | null
  /** It was not followed any further back: the item may be older. */
  isOlder: boolean
}

export const originKey = (field: WorkField, item: string) => `${field}\n${item}`

/** Fields that tell of one task. Decisions, rules and facts hold beyond it. */
export const TASK_FIELDS = ['problem', 'intent', 'state', 'now', 'next', 'blockers', 'questions'] as const
export type TaskField = (typeof TASK_FIELDS)[number]

/** When each field of the task was last said, and in which session. */
export type SaidFields = ReadonlyMap<TaskField, Pick<ItemOrigin, 'at' | 'session' | 'isOlder'>>

/** What is told with its age, because something newer is known. */
export interface EarlierFields {
  /** A session was asked for something after these were saved: its newest request leads the brief. */
  hasNewerTask: boolean
  /** How long ago each was saved, in words. */
  ages: ReadonlyMap<string, string>
  /** Those that are not told any more: the session that said them ended with its task done, and left nothing to do. */
  over: ReadonlySet<string>
}

/** Whether a field is told behind the newest task, and not in its own section. */
export const isOfEarlierTask = (earlier: EarlierFields | undefined, field: string) =>
  earlier?.hasNewerTask === true && earlier.ages.has(field)

const DAY_MS = 86_400_000

/**
 * Which saved fields are of an earlier task: those from before the newest session's first request, and within one
 * conversation those that are a day older than its newest. Where no session asked for anything since, what the work is
 * about stays in its place, with its age where it is a day older than the rest.
 */
export function findEarlierFields(said: SaidFields, talks: Talks | null, nowMs: number): EarlierFields {
  const isEarlier = earlierTest(talks)
  const fields = [...said]
  const earlier = fields.filter(([, field]) => isEarlier(field))
  const newestMs = Math.max(...fields.map(([, { at }]) => Date.parse(at)))
  const isOld = ([field, { at }]: (typeof fields)[number]) =>
    (field === 'problem' || field === 'intent') && newestMs - Date.parse(at) > DAY_MS
  const shown = earlier.length > 0 ? earlier : fields.filter(isOld)
  const sayAge = ({ at, isOlder }: { at: string; isOlder: boolean }) =>
    `${isOlder ? 'over ' : ''}${ageOf(nowMs - Date.parse(at))} ago`
  return {
    hasNewerTask: earlier.length > 0,
    over: new Set(talks ? earlier.filter(overTest(talks, said)).map(([field]) => field) : []),
    ages: new Map(shown.map(([field, one]) => [field, sayAge(one)])),
  }
}

function earlierTest(talks: Talks | null): (said: Pick<ItemOrigin, 'at' | 'session'>) => boolean {
  const asked =
    talks && didSomething(talks.main.digest) ? taskRequests(talks.main.digest, talks.around.trusted) : []
  const [first] = asked
  const newest = asked.at(-1)
  if (talks === null || !first || !newest) return () => false
  const conversation = sessionsOfConversation(talks)
  return ({ at, session }) => {
    const isOthers = session === null || !conversation.has(session)
    return (isOthers && at < first.at) || Date.parse(newest.at) - Date.parse(at) > DAY_MS
  }
}

/** Where work stood is over with its task; what it is about, too, where that session left nothing to be done next. */
function overTest({ before, around: { trusted } }: Talks, said: SaidFields) {
  const done = new Set(before.filter((talk) => isTaskDone(talk, trusted)).map(({ id }) => id))
  const isOpen = (session: string) =>
    said.get('next')?.session === session || said.get('questions')?.session === session
  return ([field, { session }]: [TaskField, { session: string | null }]) => {
    if (session === null || !done.has(session)) return false
    const isAbout = field === 'problem' || field === 'intent'
    return isAbout ? !isOpen(session) : field === 'state' || field === 'now' || field === 'blockers'
  }
}

/** The session itself, and those that it goes on from after a clear or a fork. */
function sessionsOfConversation({ main, before }: Talks): ReadonlySet<string> {
  const ids = new Set([main.id])
  let one: Talk | undefined = main
  while (one?.parent && !ids.has(one.parent)) {
    const { parent }: Talk = one
    ids.add(parent)
    one = before.find(({ id }) => id === parent)
  }
  return ids
}

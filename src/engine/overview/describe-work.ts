import type { Checkpoint } from '../../core/checkpoint.ts'
import { nameKey, streamId } from '../../core/id.ts'
import { CORRECTABLE, type WorkState } from '../../core/work.ts'
import { itemToCorrect } from '../../policy/match-item.ts'
import { isSessionStream } from '../../policy/resolve.ts'
import { claimsIn } from '../../policy/save.ts'
import type { CheckpointRow, StreamSummary } from '../../store/log.ts'
import type { Context } from '../context/context.ts'

export type FocusedRows = ReadonlyArray<{ workspace: string; stream: string }>

/** Work whose beginning was undone counts as not there. */
export const isPresent = ({ gist }: Pick<StreamSummary, 'gist'>) => gist.document?.stands !== null

export const workspacesFocusedOn = (focused: FocusedRows, stream: string) =>
  focused.filter((one) => one.stream === stream).map(({ workspace }) => workspace)

export function standingWord(head: StreamSummary, focused: FocusedRows): 'focused' | 'open' | 'archived' {
  if (head.gist.document?.archived) return 'archived'
  return focused.some(({ stream }) => stream === head.stream.id) ? 'focused' : 'open'
}

/** Nobody named it: a session saved by itself. */
export const isSavedBySession = ({ stream, gist }: StreamSummary) =>
  isSessionStream(stream.name) && (gist.document?.created ?? '') === ''

/** Finds the stream that a name means in a list of heads; a document may say the name of before a rename. */
export function nameFinder(heads: readonly StreamSummary[]) {
  const keyOf = (repository: string, name: string) => `${repository} ${nameKey(name)}`
  const byName = new Map(heads.map(({ stream }) => [keyOf(stream.repository, stream.name), stream.id]))
  const ids = new Set(heads.map(({ stream }) => stream.id))
  return (repository: string, name: string | null): string | null => {
    if (name === null || name === '') return null
    const former = streamId(repository, name)
    return byName.get(keyOf(repository, name)) ?? (ids.has(former) ? former : null)
  }
}

/** What may be shown: an agent that opened the page is shown nothing that came with a repository and was not reviewed. */
export const isShownTo =
  ({ speaker }: Pick<Context, 'speaker'>) =>
  ({ foreign }: { foreign: boolean }) =>
    !(foreign && speaker === 'agent')

/** What the save that takes over merged work notes as the reason of its last checkpoint. */
const MERGED_INTO = /\bmerged into ([^:]+)/

/**
 * A piece of work as the tree shows it. `parent`: what it was forked from, null where that is not known here. `merged`: it
 * was closed because its branch was merged. `sequence`: the number of its newest checkpoint; `checkpoints`: how many are
 * still there.
 */
export function describeWork(
  head: StreamSummary,
  focused: FocusedRows,
  findStream: ReturnType<typeof nameFinder>,
) {
  const { stream, gist, at, progress, foreign } = head
  const { document } = gist
  return {
    ...{ id: stream.id, name: stream.name, parent: findStream(stream.repository, document?.parent ?? null) },
    ...{ standing: standingWord(head, focused), focusedIn: workspacesFocusedOn(focused, stream.id) },
    ...{ branch: document?.branch ?? null, plan: document?.plan ?? null, merged: document?.merged === true },
    mergedInto: document?.merged ? (MERGED_INTO.exec(document.why)?.[1] ?? null) : null,
    ...{ isOfSession: isSavedBySession(head), foreign, progress, createdAt: stream.createdAt, updatedAt: at },
    ...{ sequence: stream.headSequence, checkpoints: stream.live },
    ...{ problem: document?.problem ?? '', next: document?.next ?? '' },
  }
}

const textsOf = (items: ReadonlyArray<{ text: string }>) => items.map(({ text }) => text)

/** Where work stands, in the words of its newest checkpoint. */
export const describeState = ({ work }: Checkpoint) => ({
  goal: work.intent,
  now: work.now || work.state,
  next: textsOf(work.next),
  blockers: textsOf(work.blockers),
  openQuestions: work.questions.length,
  unconfirmed: claimsIn(work).filter(({ confirmed }) => !confirmed).length,
})

/** The items of the work that can be confirmed, rejected, reworded or removed. */
export const listCorrectable = (work: WorkState) =>
  CORRECTABLE.flatMap((field) => work[field].flatMap((_, index) => itemToCorrect(work, field, index) ?? []))

export const describePoint = ({ sequence, id, at, progress, gist, removedAt, foreign }: CheckpointRow) => ({
  ...{ sequence, checkpoint: id, at, progress, removedAt, foreign },
  ...{ why: gist.document?.why ?? '', branch: gist.document?.branch ?? null },
})

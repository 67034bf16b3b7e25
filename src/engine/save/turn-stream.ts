import { noChange } from '../../core/checkpoint.ts'
import { checkpointId } from '../../core/id.ts'
import { instant } from '../../core/ports.ts'
import { ReasonError } from '../../core/reason.ts'
import { type StandingLine, standingLines } from '../../core/standing-line.ts'
import { emptyWork } from '../../core/work.ts'
import type { DocumentCommit, WorkRow } from '../../store/acts.ts'
import type { ActRecord, NewView, StreamState } from '../../store/local-state.ts'
import type { Context } from '../context/context.ts'
import { streamStateOf } from '../documents/act-record.ts'
import { isAutomatic } from '../documents/automatic.ts'
import { leavingDocument } from '../documents/checkpoint-of.ts'
import { claimName, documentRefusalOf } from '../documents/find-stream.ts'
import { setStatusText } from '../documents/set-focus.ts'
import { isTakenPath, type Survey } from '../documents/survey.ts'
import { provenanceOf } from '../trust/here.ts'

/** A file that an undo or a redo changes, or leaves because somebody changed it since. */
export interface TurnedFile {
  path: string
  state: 'written' | 'removed' | 'left'
}

/** A stream of an act: what must stand for it to be turned, and what stands afterwards. */
export interface StreamTurn {
  id: string
  from: StreamState | null
  to: StreamState | null
  names: { from: string; to: string }
  /** What the act is called, and what its checkpoint says. */
  label: string
  note: string
}

/** The two sides of a stream, by the way that the act is turned. */
export const sidesOf = (
  { before, after, name, formerName = name }: ActRecord['streams'][number],
  isRedo: boolean,
): Pick<StreamTurn, 'from' | 'to' | 'names'> =>
  isRedo
    ? { from: before, to: after, names: { from: formerName, to: name } }
    : { from: after, to: before, names: { from: name, to: formerName } }

/** Puts a stream back to before or after an act, by another checkpoint: nothing goes. Refused where somebody saved since. */
export async function turnStream(context: Context, survey: Survey, turn: StreamTurn) {
  const { id, from, to, names } = turn
  const row = [...survey.rows, ...survey.withdrawn].find(({ stream }) => stream.id === id)
  if (!row) throw new ReasonError('stream_unknown', { id: names.from })
  const trouble = survey.troubles.find(({ path }) => path === row.view?.path)
  if (trouble) throw documentRefusalOf(trouble, row.stream.name)
  const present = streamStateOf(survey, row)
  // A file that is still to be written is not away: nobody removed it.
  const isAway = present.view === null && row.view?.state !== 'pending' && (from?.view ?? null) !== null
  const there = { present, isAway }
  const isAsLeft =
    present.view === null || (present.view.path === from?.view?.path && present.view.hash === from.view.hash)
  if (from?.head === to?.head) {
    const { name, renames } = turnName(survey, row, turn)
    const placed = isAsLeft
      ? placeDocument(context, row, to, { ...there, appended: null })
      : // Somebody edited it since: of the text only its status is taken back.
        { commit: to?.view ? await setStatusText(context, row, to.view.current) : {}, view: null }
    // No checkpoint says it where only a document's status changes.
    return { ...placed, name, commit: { ...placed.commit, renames }, checkpoint: null }
  }
  if (!isAsLeft || !(await isAtState(context, row, from))) throw overtaken(row, turn)
  const { name, renames } = turnName(survey, row, turn)
  const { checkpoint, foreign } = await checkpointOf(context, survey, row, turn)
  const placed = placeDocument(context, row, to, { ...there, appended: checkpoint.id })
  return {
    name,
    commit: { ...placed.commit, renames, appends: [{ checkpoint, after: row.stream.headId, foreign }] },
    checkpoint: checkpoint.id,
    view: placed.view,
  }
}

const overtaken = ({ stream }: WorkRow, { label }: StreamTurn) =>
  new ReasonError('undo_overtaken', { id: stream.name, act: label, sequence: stream.headSequence })

/** The name goes back where the act gave it; work that begins again takes back its own, which another may have now. */
function turnName(survey: Survey, row: WorkRow, turn: StreamTurn) {
  const { names, from } = turn
  const { name } = row.stream
  if (name === names.to || (from !== null && names.from === names.to)) return { name, renames: [] }
  if (from !== null && name !== names.from) throw overtaken(row, turn)
  return { name: names.to, renames: claimName(survey, row.stream, names.to) }
}

/** Whether nobody saved since. What a session saved by itself is no act of anybody's, and does not count. */
async function isAtState({ store }: Context, { stream }: WorkRow, state: StreamState | null) {
  const history = await store.log.readHistory(stream.id)
  const lines = standingLines(history.map(({ id, gist }) => ({ id, stands: gist.document?.stands })))
  if (state !== null && !lines.has(state.head)) return false
  const wanted = state === null ? undefined : lines.get(state.head)?.id
  let line: StandingLine | null = lines.get(stream.headId) ?? null
  while (line !== null && line.id !== wanted) {
    const stored = await store.log.readCheckpoint(line.id)
    if (stored?.state !== 'whole' || !isAutomatic(stored.checkpoint)) return false
    line = line.before
  }
  return line?.id === wanted
}

/** The checkpoint with which another stands again: its work, its time and its place, for a reason of today. */
async function checkpointOf(context: Context, survey: Survey, row: WorkRow, { to, note }: StreamTurn) {
  const { ports, store, settings } = context
  const nowMs = ports.now()
  const at = instant(nowMs)
  const again = {
    id: checkpointId(nowMs, row.stream.headSequence + 1, ports.random),
    stream: row.stream.id,
    parent: row.position.checkpoint,
    triggers: [{ kind: 'manual' as const, note, at }],
    change: noChange(),
  }
  if (to === null) {
    const health = { pressure: 'low' as const, protected: [], dropped: 0, profile: settings.policy_profile }
    const nothing = { at, progress: 'in_progress' as const, work: emptyWork(), health }
    return {
      checkpoint: { ...nothing, ...again, provenance: provenanceOf(survey), stands: null },
      foreign: false,
    }
  }
  const stored = await store.log.readCheckpoint(to.head)
  if (stored?.state !== 'whole')
    throw new ReasonError('checkpoint_integrity_mismatch', {
      path: `${row.stream.name} #${to.sequence} in the store`,
      problem: 'it is no longer readable',
    })
  const { document, provenance } = stored.checkpoint
  const shown = document && to.view ? { document: { ...document, hash: to.view.hash } } : {}
  return {
    checkpoint: {
      ...{ ...stored.checkpoint, ...again, ...shown, stands: to.head },
      provenance: provenance ?? { branch: null, commit: null, author: null },
    },
    foreign: stored.row.foreign,
  }
}

/** The document as it was then. `isAway`: the user or git removed the file since, and it is not written again. */
function placeDocument(
  context: Context,
  { stream, view, position }: WorkRow,
  to: StreamState | null,
  { present, isAway, appended }: { present: StreamState; isAway: boolean; appended: string | null },
): { commit: Partial<DocumentCommit>; view: TurnedFile | null } {
  const checkpoint = appended ?? position.checkpoint
  const place = { stream: stream.id, checkpoint }
  const standing = present.view && view ? standingHash(view) : null
  const wanted = to?.view ?? null
  if (wanted === null) {
    if (view === null) return { commit: {}, view: null }
    const { path, hash } = view
    return {
      commit: { views: [{ ...leavingDocument(place, { path, hash: standing ?? hash }), base: hash }] },
      view: present.view && { path, state: 'removed' },
    }
  }
  const { path, hash, current } = wanted
  const versions = [{ ...place, hash, current, problem: null }]
  const document: NewView = { kind: 'document', ...place, ...wanted, state: 'published' }
  const isThere = view?.path === path
  if (isAway) return { commit: { versions, views: [document] }, view: null }
  if (isThere && standing === hash)
    return { commit: { versions, views: [{ ...document, stamp: view.stamp }] }, view: null }
  const base = isThere ? standing : null
  if (base === null && isTakenPath(context, path)) throw new ReasonError('document_taken', { path })
  return {
    commit: {
      versions,
      views: [
        { ...document, base, state: 'pending' },
        ...(present.view && !isThere ? [leavingDocument(place, present.view)] : []),
      ],
    },
    view: { path, state: 'written' },
  }
}

/** What stands on the disk as far as we know: a write that is still owed has not happened. */
const standingHash = ({ state, base, hash }: NonNullable<WorkRow['view']>) =>
  state === 'pending' ? base : hash

import { BY_HAND } from '../../core/checkpoint.ts'
import type { Artifact } from '../../core/work.ts'
import type { WorkRow } from '../../store/acts.ts'
import type { Context } from '../context/context.ts'
import { NOTICES } from '../context/notices.ts'
import type { Survey } from './survey.ts'

/** A delta is for people: more files than this are counted, not listed. */
const MOST_ROWS = 40

const UNTOLD = { rows: [], total: 0, isTold: false }

/**
 * The files that git says changed since a document's last delta, without our own: the rows to write, how many there
 * are, and whether git said anything at all.
 */
export async function changesSinceDelta(
  context: Context,
  survey: Survey,
  row: WorkRow,
): Promise<{ rows: Artifact[]; total: number; isTold: boolean }> {
  const { place, notices, settings } = context
  if (place.git === null) return UNTOLD
  if (!survey.trusted) {
    notices.push(NOTICES.changesNotAsked)
    return UNTOLD
  }
  const { commit, atMs, told: known } = await lastDelta(context, row)
  const { isOurs, listChangedSince } = await import('../../workspace/git-changes.ts')
  const { changes, problem } = await listChangedSince(place, commit, atMs, known)
  if (problem !== null) notices.push(NOTICES.changesUnknown(problem))
  const files = changes.filter(({ path }) => !isOurs(path, settings.ledger_path))
  const rest = files.length - MOST_ROWS
  const told = { total: files.length, isTold: problem === null }
  if (rest <= 0) return { ...told, rows: files }
  const more = { path: '', action: '', description: `${rest} further files` }
  return { ...told, rows: [...files.slice(0, MOST_ROWS), more] }
}

/** The newest checkpoint on this line that this program made by a verb: a delta, or the beginning. */
async function lastDelta({ store }: Context, row: WorkRow) {
  const told = new Set<string>()
  for (let id: string | null = row.position.checkpoint; id !== null; ) {
    const stored = await store.log.readCheckpoint(id)
    if (stored?.state !== 'whole') break
    const { triggers, provenance, at, parent, work } = stored.checkpoint
    for (const { path } of work.artifacts) told.add(path)
    const isDelta = triggers.some(({ kind, note }) => kind !== 'adopted' && note === BY_HAND.delta)
    if (isDelta || parent === null) return { commit: provenance?.commit ?? null, atMs: Date.parse(at), told }
    id = parent
  }
  return { commit: null, atMs: 0, told }
}

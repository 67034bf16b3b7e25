import { ReasonError } from '../../core/reason.ts'
import { writeOutDocument } from '../../formats/checkpoint-md/extend.ts'
import type { WorkRow } from '../../store/acts.ts'
import type { CheckpointRow } from '../../store/log.ts'
import type { Context } from '../context/context.ts'
import { newestWholePoint } from './newest-whole-point.ts'

/** A point of a stream with the exact text of its document. */
export interface PointText {
  sequence: number
  checkpoint: string
  at: string
  text: string
}

/** The point with a sequence number; where this workspace stands without one. */
export async function pointAt(context: Context, row: WorkRow, at?: number): Promise<PointText> {
  const { stream, position } = row
  if (at === undefined || at === position.sequence) {
    const text = row.view ? await context.store.log.readText(row.view.hash) : null
    const { sequence, checkpoint, at: time } = position
    if (text !== null) return { sequence, checkpoint, at: time, text }
  }
  const wanted = at ?? (await newestWholePoint(context, position.checkpoint)).sequence
  const found = (await context.store.log.readHistory(stream.id)).find(({ sequence }) => sequence === wanted)
  return readPointText(context, stream, found, wanted)
}

/** The document at a point, whatever workspace asks; what one would say where there was none. */
export async function readPointText(
  context: Pick<Context, 'store'>,
  stream: WorkRow['stream'],
  found: CheckpointRow | undefined,
  at: number,
): Promise<PointText> {
  const { log } = context.store
  const stored = found ? await log.readCheckpoint(found.id) : null
  const checkpoint = stored?.state === 'whole' ? stored.checkpoint : null
  const hash = checkpoint?.document?.hash
  const text =
    hash === undefined ? checkpoint && writeOutDocument(stream.name, checkpoint) : await log.readText(hash)
  if (!found || text === null) throw new ReasonError('checkpoint_unknown', { id: stream.name, at })
  return { sequence: found.sequence, checkpoint: found.id, at: found.at, text }
}

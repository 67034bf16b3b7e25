import { ADOPTED, BY_HAND, BY_HAND_ABOUT, type Checkpoint } from '../../core/checkpoint.ts'
import { itemNames, type WorkField, type WorkState } from '../../core/work.ts'
import { type ItemOrigin, type OriginKind, originKey } from '../../policy/brief/item-origin.ts'
import { type SaidFields, TASK_FIELDS, type TaskField } from '../../policy/brief/newest-task.ts'
import type { Store } from '../../store/store.ts'
import { isAutomatic } from '../documents/automatic.ts'

/** A checkpoint with its number in its stream. */
export interface NumberedCheckpoint {
  checkpoint: Checkpoint
  sequence: number
}

interface OriginWalk {
  work: WorkState
  fields: ReadonlyArray<Exclude<WorkField, 'position'>>
  /** So many parents are read. */
  most: number
}

/**
 * The checkpoint in which each item of some fields first stood, and has stood since: one walk along the parents, which
 * ends as soon as all are found. An item that the first checkpoint does not have, as after an edit of the ledger, has
 * none.
 */
export async function findItemOrigins(
  store: Store,
  start: NumberedCheckpoint,
  { work, fields, most }: OriginWalk,
): Promise<Map<string, ItemOrigin>> {
  const origins = new Map<string, ItemOrigin>()
  const namesIn = (one: WorkState) =>
    new Set(fields.flatMap((field) => itemNames(one, field).map((name) => originKey(field, name))))
  const told = namesIn(work)
  let open = [...namesIn(start.checkpoint.work)].filter((key) => told.has(key))
  let one = start
  for (let step = 0; open.length > 0; step += 1) {
    const { parent } = one.checkpoint
    const stored = parent === null || step >= most ? null : await store.log.readCheckpoint(parent)
    const isRead = stored?.state === 'whole'
    const before = isRead ? namesIn(stored.checkpoint.work) : new Set()
    const origin = originAt(one, !isRead && parent !== null)
    for (const key of open) if (!before.has(key)) origins.set(key, origin)
    open = open.filter((key) => before.has(key))
    if (isRead) one = { checkpoint: stored.checkpoint, sequence: stored.row.sequence }
  }
  return origins
}

const originAt = ({ checkpoint, sequence }: NumberedCheckpoint, isOlder: boolean): ItemOrigin => ({
  ...{ kind: originKind(checkpoint), stream: checkpoint.stream, sequence, checkpoint: checkpoint.id },
  ...{ at: checkpoint.at, session: checkpoint.session ?? null, isOlder },
})

function originKind(checkpoint: Checkpoint): OriginKind {
  if (isAutomatic(checkpoint)) return 'session'
  const [{ kind, note } = { kind: 'manual', note: '' }] = checkpoint.triggers
  if (note.startsWith(BY_HAND_ABOUT.handedOff)) return 'handoff'
  if (kind !== 'adopted') return note === BY_HAND.delta ? 'delta' : 'save'
  if (note.startsWith(ADOPTED.imported)) return 'import'
  return note === ADOPTED.ledger ? 'ledger' : 'document'
}

/** So far back it is looked for when each field was said: a start has no more time. */
const MOST_STEPS = 30

/** When each field of the task was last said: the time of its newest item. */
export async function readSaidFields(
  store: Store,
  start: NumberedCheckpoint,
  work: WorkState,
): Promise<SaidFields> {
  const origins = await findItemOrigins(store, start, { work, fields: TASK_FIELDS, most: MOST_STEPS })
  const said = new Map<TaskField, ItemOrigin>()
  for (const field of TASK_FIELDS) {
    const found = itemNames(work, field).map((name) => origins.get(originKey(field, name)))
    // What is in no checkpoint yet was said just now.
    if (found.some((one) => one === undefined)) continue
    for (const one of found) {
      const known = said.get(field)
      if (one && (!known || known.at < one.at)) said.set(field, one)
    }
  }
  return said
}

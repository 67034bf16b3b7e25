import { ADOPTED, BY_HAND, BY_HAND_ABOUT, type Checkpoint } from '../../core/checkpoint.ts'
import { type Claim, itemNames, type WorkField, type WorkState } from '../../core/work.ts'
import {
  type ItemOrigin,
  type OriginKind,
  originKey,
  TASK_FIELDS,
  type TaskField,
} from '../../policy/brief/newest-task.ts'
import { isUsersClaim } from '../../policy/whose-word.ts'
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
 * The checkpoint in which each item of some fields first stood, and has stood since: one walk back, which ends as soon
 * as all are found. An undo, a redo or a restore says nothing itself: the walk goes on at the checkpoint that it brought
 * back. An item that the first checkpoint does not have, as after an edit of the ledger, has none.
 */
export async function findItemOrigins(
  store: Store,
  start: NumberedCheckpoint,
  { work, fields, most }: OriginWalk,
): Promise<Map<string, ItemOrigin>> {
  const origins = new Map<string, ItemOrigin>()
  const confirmations = new Map<string, ItemOrigin['confirmed']>()
  const told = itemsIn(work, fields)
  let items = itemsIn(start.checkpoint.work, fields)
  let open = [...items.keys()].filter((key) => told.has(key))
  let one = start
  for (let step = 0; open.length > 0; step += 1) {
    const { parent, stands: previous = parent, id: checkpoint, stream, at, session = null } = one.checkpoint
    const stored = previous === null || step >= most ? null : await store.log.readCheckpoint(previous)
    const isRead = stored?.state === 'whole'
    const before: ReturnType<typeof itemsIn> = isRead ? itemsIn(stored.checkpoint.work, fields) : new Map()
    const { sequence } = one
    const origin = {
      ...{ kind: originKind(one.checkpoint), stream, sequence, checkpoint, at, session },
      isOlder: !isRead && previous !== null,
    }
    for (const key of open) {
      const [item, older] = [items.get(key), before.get(key)]
      if (older === undefined)
        origins.set(key, { ...origin, by: item?.origin ?? null, confirmed: confirmations.get(key) ?? null })
      else if (item?.origin && isUsersClaim(item) && !isUsersClaim(older) && !confirmations.has(key))
        confirmations.set(key, { by: item.origin, sequence, checkpoint })
    }
    open = open.filter((key) => before.has(key))
    items = before
    if (isRead) one = { checkpoint: stored.checkpoint, sequence: stored.row.sequence }
  }
  return origins
}

/** The items of some fields by `originKey`; of a claim, also whose word it is. */
function itemsIn(work: WorkState, fields: OriginWalk['fields']): Map<string, Partial<Claim>> {
  const items = new Map<string, Partial<Claim>>()
  for (const field of fields)
    for (const [index, name] of itemNames(work, field).entries()) {
      // `as`: of what is in the lists only claims say whose word they are.
      const item = (typeof work[field] === 'string' ? {} : work[field][index]) as Partial<Claim>
      items.set(originKey(field, name), item)
    }
  return items
}

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
export async function readSaidFields(store: Store, start: NumberedCheckpoint, work: WorkState) {
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

import { BY_HAND, type Checkpoint, saysSaved, type Trigger, type TriggerKind } from '../../core/checkpoint.ts'
import { clearFields, emptyWork, itemNames, KNOWLEDGE, OVERHEARD, type WorkState } from '../../core/work.ts'
import type { Store } from '../../store/store.ts'

/** Why a session's talk is saved without anybody asking. */
const AUTOMATIC: readonly TriggerKind[] = ['session-end', 'pressure', 'compaction', 'timer', 'error']

/** Whether nobody asked for it: a session's talk was saved by itself. */
export const isAutomatic = ({ session, triggers }: Checkpoint) =>
  session !== undefined && triggers.every((one) => AUTOMATIC.includes(one.kind) && !isByHand(one))

/** Who saves may give any of these reasons. */
const isByHand = ({ note }: Trigger) => note === BY_HAND.delta || saysSaved(note)

/** The lists that an automatic checkpoint may have added to. */
const ALL = [...KNOWLEDGE, 'done', 'artifacts'] as const
type List = (typeof ALL)[number]

/** So far back a checkpoint's origins are looked for. */
const MOST_STEPS = 200

/** Whether an older version took this from a session's talk, sentence by sentence. */
export const isOlderReading = (checkpoint: Checkpoint) =>
  checkpoint.work.overheard === undefined && isAutomatic(checkpoint)

/**
 * A checkpoint without the claims that an older version made of sentences it overheard: nobody saved them. Those are
 * the ones that came with an automatic checkpoint, in this one or in one that it goes on from.
 */
export async function withoutOlderReading(store: Store, checkpoint: Checkpoint): Promise<Checkpoint> {
  if (checkpoint.work.overheard !== undefined) return checkpoint
  const isEnd = ({ work }: Checkpoint) => work.overheard !== undefined
  const { added, saved } = await originsOf(store, checkpoint, KNOWLEDGE, isEnd)
  if (added.size === 0 && !isAutomatic(checkpoint)) return checkpoint
  const overheard = isAutomatic(checkpoint)
    ? OVERHEARD.filter((field) => JSON.stringify(checkpoint.work[field]) !== JSON.stringify(saved[field]))
    : []
  return { ...checkpoint, work: { ...withoutAdded(checkpoint, added, saved), overheard } }
}

/** What people and agents saved of the work: nothing in it was taken from a session's talk. */
export async function readSavedByHand(store: Store, checkpoint: Checkpoint): Promise<WorkState> {
  const { added, saved } = await originsOf(store, checkpoint, ALL, () => false)
  const work = withoutAdded(checkpoint, added, saved)
  return { ...clearFields(work, work.overheard), overheard: [] }
}

/** When somebody last saved it by hand; null where nobody did, or where that is too far back. */
export async function readHandSaveTime(store: Store, checkpoint: Checkpoint): Promise<string | null> {
  let one: Checkpoint | null = checkpoint
  for (let step = 0; one !== null && step < MOST_STEPS; step += 1) {
    if (!isAutomatic(one)) return one.at
    one = await readParent(store, one)
  }
  return null
}

async function readParent({ log }: Store, { parent }: Checkpoint): Promise<Checkpoint | null> {
  const stored = parent === null ? null : await log.readCheckpoint(parent)
  return stored?.state === 'whole' ? stored.checkpoint : null
}

const keyOf = (list: List, name: string) => `${list}\n${name}`

/** What automatic checkpoints added to some lists, and the newest work that somebody saved. */
async function originsOf(
  store: Store,
  checkpoint: Checkpoint,
  lists: readonly List[],
  isEnd: (one: Checkpoint) => boolean,
): Promise<{ added: ReadonlySet<string>; saved: WorkState }> {
  const added = new Set<string>()
  let saved: WorkState | null = null
  let one: Checkpoint | null = checkpoint
  for (let step = 0; one !== null && step < MOST_STEPS && !isEnd(one); step += 1) {
    const parent: Checkpoint | null = await readParent(store, one)
    if (isAutomatic(one))
      for (const key of addedKeys(one.work, parent?.work ?? emptyWork(), lists)) added.add(key)
    else saved ??= one.work
    one = parent
  }
  return { added, saved: saved ?? one?.work ?? emptyWork() }
}

const addedKeys = (work: WorkState, before: WorkState, lists: readonly List[]) =>
  lists.flatMap((list) => {
    const known = new Set(itemNames(before, list))
    return itemNames(work, list)
      .filter((name) => !known.has(name))
      .map((name) => keyOf(list, name))
  })

function withoutAdded(checkpoint: Checkpoint, added: ReadonlySet<string>, saved: WorkState): WorkState {
  const { work } = checkpoint
  const lists = ALL.map((list) => {
    const names = itemNames(work, list)
    return [list, work[list].filter((_, at) => !added.has(keyOf(list, names[at] ?? '')))]
  })
  const { problem, state } = isAutomatic(checkpoint) ? saved : work
  return { ...work, problem, state, ...Object.fromEntries(lists) }
}

import { collapseSpaces } from '../core/text.ts'
import { itemKey, type ListedItem, stillOverheard, type WorkState } from '../core/work.ts'
import { overlayItem } from './carry.ts'
import { noteVanished } from './correct.ts'

/**
 * The work after a file said how things stand. What its format holds is as the file says, the rest is as it was; an
 * item that is known keeps what the format has no room for: whose word it is, when it was done, how a file looked.
 *
 * `shown` is what the file said before somebody wrote into it, where that is known: only what differs is news. What came
 * to be known since is not in the file, and that it is not there says nothing.
 */
export function mergeEditedWork(
  before: WorkState,
  said: Partial<WorkState>,
  shown: Partial<WorkState> | null = null,
): WorkState {
  const work: WorkState = { ...before, ...said, position: mergePosition(before, said, shown) }
  if (shown)
    for (const field of TEXTS)
      if (collapseSpaces(said[field] ?? '') === collapseSpaces(shown[field] ?? ''))
        work[field] = before[field]
  for (const [field, value] of Object.entries(said)) {
    if (!Array.isArray(value)) continue
    // `as`: where one of them holds a list, all do.
    const listIn = (one: object) => (Reflect.get(one, field) ?? []) as ListedItem[]
    Reflect.set(work, field, mergeLists(listIn(before), listIn(said), shown && listIn(shown)))
  }
  return stillOverheard(before, noteVanished(before, work))
}

const TEXTS = ['problem', 'intent', 'state', 'now'] as const

/** A format holds only some fields of a position: empty ones, and what stood there before, leave the known values. */
function mergePosition(
  { position }: WorkState,
  { position: said }: Partial<WorkState>,
  shown: Partial<WorkState> | null,
): WorkState['position'] {
  const isAsShown = (name: string, value: unknown) =>
    shown?.position !== undefined &&
    JSON.stringify(Reflect.get(shown.position, name)) === JSON.stringify(value)
  const news = Object.entries(said ?? {}).filter(([name, value]) => !isAsShown(name, value))
  return overlayItem(position, Object.fromEntries(news))
}

function mergeLists(old: ListedItem[], fresh: ListedItem[], shown: ListedItem[] | null): ListedItem[] {
  const byKey = (items: ListedItem[]) => new Map(items.map((item) => [itemKey(item), item]))
  const [known, told, page] = [byKey(old), byKey(fresh), shown && byKey(shown)]
  const kept = fresh.flatMap((item) => {
    const key = itemKey(item)
    const mine = known.get(key)
    // It stood there, and another save took it away since.
    if (mine === undefined) return page?.has(key) ? [] : [item]
    const isAsShown = page !== null && JSON.stringify(page.get(key)) === JSON.stringify(item)
    return [isAsShown ? mine : overlayItem(mine, item)]
  })
  // It came with another save: whoever wrote into the file never saw it.
  const later = old.filter((item) => !told.has(itemKey(item)) && page !== null && !page.has(itemKey(item)))
  return [...kept, ...later]
}

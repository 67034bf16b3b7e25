import { collapseSpaces } from '../core/text.ts'
import { stillOverheard, type WorkField, type WorkState } from '../core/work.ts'

type ListField = {
  [Field in WorkField]: WorkState[Field] extends readonly unknown[] ? Field : never
}[WorkField]
type ItemOf<Field extends ListField> = WorkState[Field][number]

/** Items that a format cannot show: their absence from a file does not mean that they were deleted. */
export type HiddenItems = { [Field in ListField]?: (item: ItemOf<Field>) => boolean }

/** What makes an item of a list the same one. */
const KEYS = {
  decisions: ({ text }) => text,
  constraints: ({ text }) => text,
  rules: ({ text }) => text,
  facts: ({ text }) => text,
  done: ({ text }) => text,
  next: ({ text }) => text,
  blockers: ({ text }) => text,
  questions: ({ text }) => text,
  artifacts: ({ path }) => path,
  references: ({ kind, text }) => `${kind}\n${text}`,
} as const satisfies { [Field in ListField]: (item: ItemOf<Field>) => string }

// `as`: these are the table's own keys.
const LISTS = Object.keys(KEYS) as ListField[]

/** What the merge knows about the format and the file. */
interface MergeOptions {
  unshown?: HiddenItems
  /**
   * What the file said before somebody wrote into it, where that is known: only what differs is news. What came to be
   * known since is not in the file, and that it is not there says nothing.
   */
  shown?: Partial<WorkState> | null
}

/**
 * The work after a file said how things stand. What its format holds is as the file says, the rest is as it was; an
 * item that is known keeps what the format has no room for: whose word it is, when it was done, how a file looked.
 */
export function mergeEditedWork(
  before: WorkState,
  said: Partial<WorkState>,
  { unshown = {}, shown = null }: MergeOptions = {},
): WorkState {
  const work: WorkState = { ...before, ...said, position: mergePosition(before, said) }
  if (shown)
    for (const field of TEXTS)
      if (norm(said[field] ?? '') === norm(shown[field] ?? '')) work[field] = before[field]
  for (const field of LISTS)
    if (said[field] !== undefined) mergeListField(work, field, before, unshown, shown)
  return stillOverheard(before, work)
}

const TEXTS = ['problem', 'intent', 'state', 'now'] as const

/** A format holds only some fields of a position: empty ones leave the known values. */
function mergePosition(
  { position }: WorkState,
  { position: said }: Partial<WorkState>,
): WorkState['position'] {
  const told = Object.entries(said ?? {}).filter(([, value]) => value !== '' && value !== null)
  return { ...position, ...Object.fromEntries(told) }
}

const NONE: ReadonlySet<string> = new Set()

function mergeListField<Field extends ListField>(
  work: WorkState,
  field: Field,
  before: WorkState,
  unshown: HiddenItems,
  shown: Partial<WorkState> | null,
): void {
  type Item = ItemOf<Field>
  // `as`: the compiler does not see that a field's list holds the field's items.
  const key = (item: Item) => norm((KEYS[field] as (one: Item) => string)(item))
  const isUnshown = (unshown[field] ?? (() => false)) as (item: Item) => boolean
  const old = before[field] as Item[]
  const fresh = work[field] as Item[]
  const known = new Map(old.map((item) => [key(item), item]))
  const page = shown && new Map(((shown[field] ?? []) as Item[]).map((item) => [key(item), item]))
  const told = page === null && unshown[field] === undefined ? NONE : new Set(fresh.map(key))
  // It stood there, and another save took it away since.
  const isGone = (item: Item) => page?.has(key(item)) === true && !known.has(key(item))
  // It came with another save: whoever wrote into the file never saw it.
  const isLater = (item: Item) => page !== null && !page.has(key(item)) && !told.has(key(item))
  const isAsShown = (item: Item) =>
    page !== null && JSON.stringify(page.get(key(item))) === JSON.stringify(item)
  const kept = fresh
    .filter((item) => !isGone(item))
    .map((item) => {
      const mine = known.get(key(item))
      if (mine === undefined) return item
      return isAsShown(item) ? mine : overlayItem(mine, item)
    })
  const later = old.filter((item) => !isUnshown(item) && isLater(item))
  const hidden = old.filter((item) => isUnshown(item) && !told.has(key(item)))
  work[field] = [...hidden, ...kept, ...later] as WorkState[Field]
}

/** Formats join lines and trim. A document may have thousands of items, and nearly none of them needs it. */
const norm = (text: string) => (LOOSE.test(text) ? collapseSpaces(text) : text)
const LOOSE = /^\s|\s$|\s\s|[^\S ]/

/** The fresh values win; an empty value, or an origin of only `file`, keeps the known one. */
function overlayItem<Item extends object>(item: Item, fresh: Item): Item {
  if (isSame(item, fresh)) return item
  const both = { ...item, ...fresh }
  for (const [name, value] of Object.entries(item)) {
    const said: unknown = Reflect.get(fresh, name)
    // That nothing superseded it is something that a format says.
    const isNull = said === null && name !== 'supersededBy'
    if (said === undefined || said === '' || isNull || (name === 'origin' && said === 'file'))
      Reflect.set(both, name, value)
  }
  return both
}

/** Nearly all of a long list is as it was: that is found out without making anything. */
function isSame(item: object, fresh: object): boolean {
  for (const name in item) if (Reflect.get(item, name) !== Reflect.get(fresh, name)) return false
  for (const name in fresh) if (!(name in item)) return false
  return true
}

import type { WorkState } from '../core/work.ts'

type ListField = {
  [Field in keyof WorkState]: WorkState[Field] extends readonly unknown[] ? Field : never
}[keyof WorkState]
type ItemOf<Field extends ListField> = WorkState[Field][number]

/** The items of a list that a format cannot show: that they are not in it says nothing. */
export type Unshown = { [Field in ListField]?: (item: ItemOf<Field>) => boolean }

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

/**
 * The work after a file said how things stand. What its format holds is as the file says, the rest is as it was; an
 * item that is known keeps what the format has no room for: whose word it is, when it was done, how a file looked.
 */
export function taken(before: WorkState, said: Partial<WorkState>, unshown: Unshown = {}): WorkState {
  const work: WorkState = { ...before, ...said, position: placed(before, said) }
  for (const field of LISTS) if (said[field] !== undefined) take(work, field, before, unshown)
  return work
}

/** A format that knows of a position knows only some of it. */
function placed({ position }: WorkState, { position: said }: Partial<WorkState>): WorkState['position'] {
  const told = Object.entries(said ?? {}).filter(([, value]) => value !== '' && value !== null)
  return { ...position, ...Object.fromEntries(told) }
}

function take<Field extends ListField>(
  work: WorkState,
  field: Field,
  before: WorkState,
  unshown: Unshown,
): void {
  type Item = ItemOf<Field>
  // `as`: the compiler does not see that a field's list holds the field's items.
  const key = KEYS[field] as (item: Item) => string
  const isUnshown = (unshown[field] ?? (() => false)) as (item: Item) => boolean
  const old = before[field] as Item[]
  const fresh = work[field] as Item[]
  const known = new Map(old.map((item) => [norm(key(item)), item]))
  const kept = fresh.map((item) => overlaid(known.get(norm(key(item))), item))
  work[field] = [...old.filter(isUnshown), ...kept] as WorkState[Field]
}

/** Formats join lines and trim. */
const norm = (text: string) => text.replace(/\s+/g, ' ').trim()

/** What an item says counts; where it says nothing, or only that a file said it, what was known stays. */
const overlaid = <Item extends object>(item: Item | undefined, fresh: Item): Item => ({
  ...item,
  ...fresh,
  ...(item &&
    Object.fromEntries(
      Object.entries(item).filter(([name]) => {
        const value: unknown = Reflect.get(fresh, name)
        // That nothing superseded it is something that a format says.
        const isNull = value === null && name !== 'supersededBy'
        return value === undefined || value === '' || isNull || (name === 'origin' && value === 'file')
      }),
    )),
})

import { collapseSpaces } from '../../core/text.ts'
import { type CheckpointDocument, decodeDocument, listItems, type SectionName, sectionText } from './codec.ts'
import { lineBreakOf } from './edit.ts'
import { unreadError, withBlock } from './extend-block.ts'
import {
  applyEdits,
  bulletOf,
  commentsIn,
  type Edit,
  linesAt,
  type PlacedItem,
  placedItems,
} from './placed-items.ts'
import { type Spelling, saysNothing } from './spell.ts'

interface SpokenItem {
  text: string
  kind?: string
  why?: string
  confirmed?: boolean
  supersededBy?: string | null
}

/** What an item says, whatever its blanks, whose word it is and when it was done. */
export const itemSignature = ({ kind, text, why = '', confirmed, supersededBy = null }: SpokenItem) =>
  JSON.stringify([
    kind,
    collapseSpaces(text),
    collapseSpaces(why),
    confirmed,
    supersededBy && collapseSpaces(supersededBy),
  ])
const keyOf = ({ kind = '', text }: SpokenItem) => `${kind}:${collapseSpaces(text)}`

interface ListChange<Value> {
  spelling: Spelling<Value>
  before: readonly Value[]
  after: readonly Value[]
  /** What a document says elsewhere, and need not be said again. */
  elsewhere?: (document: CheckpointDocument) => readonly Value[]
}

/** What is to be written, as it will be read. */
interface NewItem<Value> {
  content: string
  value: Value
  keys: string[]
}

/** What stands there, and what it says. */
type KnownItem<Value> = PlacedItem & { value: Value; said: string }

/** A list with what is new behind its last item, and what changed where it stands. Nothing is taken out of it. */
export function extendList<Value extends SpokenItem>(
  text: string,
  name: SectionName,
  { spelling, before, after, elsewhere = () => [] }: ListChange<Value>,
): string {
  const unchanged = new Set(before.map(itemSignature))
  if (after.every((value) => unchanged.has(itemSignature(value)))) return text
  const document = decodeDocument(text)
  const known = itemsOf(document, name).flatMap((place) => {
    const value = spelling.read(place.item)
    return value === null ? [] : [{ ...place, value, said: itemSignature(value) }]
  })
  const said = new Set([...known.map((one) => one.said), ...elsewhere(document).map(itemSignature)])
  const fresh: NewItem<Value>[] = []
  const wanted = new Set<string>()
  for (const one of after) {
    const asked = itemSignature(one)
    wanted.add(asked)
    if (unchanged.has(asked) || said.has(asked)) continue
    const content = spelling.write(one)
    const value = content === '' ? null : spelling.read(content)
    if (value === null) continue
    const written = itemSignature(value)
    wanted.add(written)
    if (said.has(written)) continue
    said.add(written)
    fresh.push({ content, value, keys: [keyOf(one), keyOf(value)] })
  }
  if (fresh.length === 0) return text

  const open = known.filter((one) => !wanted.has(one.said))
  const { changes, additions } = sortChanges(fresh, open)
  const isPlaced = [...changes.keys()].every(({ end }) => end > 0)
  const extended = isPlaced ? withItems(text, name, changes, additions) : text
  const now = listItems(sectionText(decodeDocument(extended), name))
  const told = new Set(now.flatMap((item) => spelling.read(item) ?? []).map(itemSignature))
  const isRead =
    fresh.every(({ value }) => told.has(itemSignature(value))) &&
    known.every((one) => changes.has(one) || told.has(one.said))
  if (!isRead) throw unreadError(text, name)
  return extended
}

/** What stands there and says something else now, and what is new. */
function sortChanges<Value extends SpokenItem>(
  fresh: readonly NewItem<Value>[],
  open: readonly KnownItem<Value>[],
) {
  const changes = new Map<PlacedItem, string>()
  const additions: string[] = []
  for (const { content, keys } of fresh) {
    const place = open.find((one) => keys.includes(keyOf(one.value)) && !changes.has(one))
    if (place) changes.set(place, content)
    else additions.push(content)
  }
  return { changes, additions }
}

/** The items of a section; where their places cannot be told, they are at the very start. */
const itemsOf = (document: CheckpointDocument, name: SectionName): PlacedItem[] =>
  placedItems(document, name) ??
  listItems(sectionText(document, name)).map((item) => ({ item, start: 0, end: 0 }))

function withItems(
  text: string,
  name: SectionName,
  changes: ReadonlyMap<PlacedItem, string>,
  additions: readonly string[],
): string {
  const placed = placedItems(decodeDocument(text), name) ?? []
  const last = placed.at(-1)
  const edits = [...changes].map(([place, content]) => replaceItem(text, place, content))
  if (additions.length === 0) return applyEdits(text, edits)
  if (!last || placed.every(({ item }) => saysNothing(item)))
    return withBlock(applyEdits(text, edits), name, withBullets('- ', additions))
  // Behind a line that is no part of the list only an empty line begins one again.
  const end =
    text
      .slice(last.start, last.end)
      .trimEnd()
      .split(/\r\n|\n|\r/)
      .at(-1) ?? ''
  const isApart = bulletOf(end) === '' && !/^\s/.test(end)
  const lines = withBullets(styleOf(text, placed), additions)
  const added = linesAt(text, last.end, isApart ? ['', ...lines] : lines, lineBreakOf(text))
  return applyEdits(text, [...edits, added])
}

/** An item with another content, in one line behind its own mark; its comments stay. */
function replaceItem(text: string, { start, end }: PlacedItem, content: string): Edit {
  const lines = text.slice(start, end)
  const bullet = bulletOf(lines)
  const lineBreak = /[\r\n]*$/.exec(lines)?.[0] ?? ''
  const said = [content, ...commentsIn(lines.slice(bullet.length))].join(' ')
  return { start, end, put: bullet + said + lineBreak }
}

/** The mark of the newest item that is in no other one. */
function styleOf(text: string, placed: readonly PlacedItem[]): string {
  const bullets = placed.map(({ start, end }) => bulletOf(text.slice(start, end))).filter((one) => one !== '')
  const indent = (bullet: string) => bullet.length - bullet.trimStart().length
  const least = bullets.reduce((most, bullet) => Math.min(most, indent(bullet)), 3)
  const bullet = bullets.findLast((one) => indent(one) <= least) ?? '-'
  return `${' '.repeat(indent(bullet))}${bullet.trim()} `
}

/** Items with a mark; behind one with a number the numbers go on. */
function withBullets(mark: string, contents: readonly string[]): string[] {
  const [, indent = '', number, point = ''] = /^( *)(\d{1,8})([.)])/.exec(mark) ?? []
  return contents.map((content, at) =>
    number === undefined ? `${mark}${content}` : `${indent}${Number(number) + 1 + at}${point} ${content}`,
  )
}

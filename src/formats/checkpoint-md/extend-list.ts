import { collapseSpaces } from '../../core/text.ts'
import { itemKey, type WorkState } from '../../core/work.ts'
import { applyEdits } from '../markdown/splice.ts'
import { trimLines } from './codec.ts'
import { commentTexts, type PlacedItem, placedItems } from './items.ts'
import { ACTION, type Action, isTicked, type Spelling, saysNothing } from './spell.ts'

interface SpokenItem {
  text: string
  kind?: string
  why?: string
  confirmed?: boolean
  supersededBy?: string | null
  rejected?: string
}

/** What an item says, whatever its blanks, whose word it is and when it was done. */
const itemSignature = ({ kind, text, why = '', confirmed, supersededBy = null, rejected }: SpokenItem) =>
  JSON.stringify([
    kind,
    collapseSpaces(text),
    collapseSpaces(why),
    confirmed,
    supersededBy && collapseSpaces(supersededBy),
    ...(supersededBy === null || rejected === undefined ? [] : [collapseSpaces(rejected)]),
  ])

interface ListChange<Value> {
  spelling: Spelling<Value>
  before: readonly Value[]
  after: readonly Value[]
  /** What somebody took out, or said in other words: all else that is only in the document stays. */
  corrected?: ReadonlyArray<Pick<SpokenItem, 'kind' | 'text'> & { to?: string }>
}

/** A list with what is new behind its last item, what changed where it stands, and without what was taken out. */
export function extendList<Value extends SpokenItem>(
  body: string,
  { spelling, before, after, corrected = [] }: ListChange<Value>,
): string {
  const old = new Set(before.map(itemSignature))
  const fresh = after.filter((value) => !old.has(itemSignature(value))).map(spelling.write)
  const standing = new Set(after.map(itemKey))
  const gone = new Map(
    corrected.filter((one) => !standing.has(itemKey(one))).map((one) => [itemKey(one), one]),
  )
  if (fresh.length === 0 && gone.size === 0) return body
  const known = placedItems(body).items.flatMap((place) => {
    const value = spelling.read(place.item)
    return value === null ? [] : [{ place, key: itemKey(value), said: itemSignature(value) }]
  })
  const said = new Set(known.map((one) => one.said))
  const wanted = new Set(
    [...after, ...fresh.flatMap((content) => spelling.read(content) ?? [])].map(itemSignature),
  )
  const changes = new Map<PlacedItem, string>()
  const additions: string[] = []
  for (const content of fresh) {
    const value = spelling.read(content)
    if (value === null || said.has(itemSignature(value))) continue
    said.add(itemSignature(value))
    const isFormer = (key: string) => {
      const { kind, to } = gone.get(key) ?? {}
      return to !== undefined && itemKey({ kind, text: to }) === itemKey(value)
    }
    const same = known.find(
      ({ key, said: is, place }) =>
        (key === itemKey(value) || isFormer(key)) && !wanted.has(is) && !changes.has(place),
    )
    if (same) changes.set(same.place, content)
    else additions.push(content)
  }
  const edits = [...changes].map(([{ start, end, bullet }, content]) => {
    const comments = commentTexts(body.slice(start + bullet.length, end))
    return { start, end, put: `${[bullet + content, ...comments].join(' ')}\n` }
  })
  const removals = known
    .filter(({ key, place }) => gone.has(key) && !changes.has(place))
    .map(({ place: { start, end } }) => ({ start, end, put: '' }))
  const inOrder = [...edits, ...removals].sort((a, b) => a.start - b.start)
  const kept = trimLines(applyEdits(body, inOrder))
  return appendItems(kept.trim() === '' && removals.length > 0 ? 'None' : kept, additions)
}

/** Adds items in the style of the last one that is in no other one; numbers go on. */
export function appendItems(body: string, contents: readonly string[]): string {
  const { items } = placedItems(body)
  const last = items.at(-1)
  if (contents.length === 0) return body
  if (!last || items.every(({ item }) => saysNothing(item)))
    return addBlock(
      body,
      contents.map((content) => `- ${content}`),
    )
  const bullets = items.map(({ bullet }) => bullet).filter((bullet) => bullet !== '')
  const least = Math.min(3, ...bullets.map(indentOf))
  const style = bullets.findLast((bullet) => indentOf(bullet) <= least) ?? '-'
  const mark = markFrom(style, 1)
  const lines = contents.map((content) => `${' '.repeat(indentOf(style))}${mark()} ${content}`)
  // Behind a line that is no part of the list only an empty line begins one again.
  const end = body.slice(last.start, last.end).trimEnd().split('\n').at(-1) ?? ''
  const isApart = placedItems(end).items[0]?.bullet === '' && !/^\s/.test(end)
  return insertLines(body, last.end, isApart ? ['', ...lines] : lines)
}

const indentOf = (bullet: string) => bullet.length - bullet.trimStart().length

/** The marks of items to come: the same one, or numbers that go on `by` so many behind it. */
function markFrom(bullet: string, by: number): () => string {
  const [, number, point = ''] = /^\s*(\d{1,8})([.)])/.exec(bullet) ?? []
  let count = Number(number) + by
  return () => (number === undefined ? bullet.trim() || '-' : `${count++}${point}`)
}

/** Puts a block at the end of a section: where there was nothing but a placeholder, in the place of that. */
export function addBlock(body: string, lines: readonly string[]): string {
  const { items } = placedItems(body)
  const [first, last] = [items[0], items.at(-1)]
  if (first && last && items.every(({ item }) => saysNothing(item)))
    return insertLines(body.slice(0, first.start) + body.slice(last.end), first.start, lines)
  return insertLines(body, body.length, body === '' ? lines : ['', ...lines])
}

/** Lines that go to where a line begins, or where the text has no break yet. */
function insertLines(body: string, at: number, lines: readonly string[]): string {
  const head = body.slice(0, at)
  const gap = head === '' || head.endsWith('\n') ? '' : '\n'
  return trimLines(`${head}${gap}${lines.join('\n')}\n${body.slice(at)}`)
}

const KINDS = ['next', 'blockers', 'questions'] as const

const actionsOf = (work: WorkState, kind: Action['kind']): Action[] =>
  work[kind].map((item) => ({ kind, text: item.text, confirmed: !('confirmed' in item) || item.confirmed }))

const isSame = (some: readonly Action[], others: readonly Action[]) =>
  some.map(itemSignature).join('\n') === others.map(itemSignature).join('\n')

/** Next Actions replaced where they changed. What is ticked stays; what is said again stays as it is written. */
export function replaceActions(body: string, before: WorkState, after: WorkState): string {
  const { items, comments } = placedItems(body)
  const values = items.map(({ item }) => ACTION.read(item))
  let isChanged = false
  const wanted = KINDS.flatMap((kind) => {
    const here = values.flatMap((value) => (value?.kind === kind ? [value] : []))
    const asked = actionsOf(after, kind)
    const written = asked.flatMap((action) => ACTION.read(ACTION.write(action)) ?? [])
    const isSaid = isSame(asked, actionsOf(before, kind)) || isSame(asked, here) || isSame(written, here)
    if (!isSaid) isChanged = true
    return isSaid ? here : written
  })
  if (!isChanged) return body
  const box = items.some(({ item }) => item.startsWith('[ ]')) ? '[ ] ' : ''
  const standing = values.map((value) => value && itemSignature(value))
  const entries: Array<number | string> = [
    ...items.flatMap(({ item }, at) => (isTicked(item) ? [at] : [])),
    ...wanted.map((value) => {
      const at = standing.indexOf(itemSignature(value))
      if (at < 0) return box + ACTION.write(value)
      standing[at] = null
      return at
    }),
  ]
  const loose = comments.filter(({ isLoose }) => isLoose).map(({ text }) => text)
  return [...loose, layOut(body, items, entries) || 'None'].join('\n\n')
}

/** The list, with marks as the section has them: items that stand there, by their place, and new ones. */
function layOut(body: string, items: readonly PlacedItem[], entries: ReadonlyArray<number | string>): string {
  const mark = markFrom(items[0]?.bullet ?? '', 0)
  const list: string[] = []
  let previous = -2
  for (const entry of entries) {
    const place = typeof entry === 'number' ? items[entry] : undefined
    const isBelow = entry === previous + 1
    // Behind more than a line only an empty line begins a new item whatever came before.
    if (list.at(-1)?.includes('\n')) list.push('')
    if (!place?.bullet) list.push(`${mark()} ${place?.item ?? entry}`)
    else list.push(outdent(body.slice(place.start, place.end).trimEnd(), place.bullet, isBelow, mark))
    previous = typeof entry === 'number' && place?.bullet ? entry : -2
  }
  return list.join('\n')
}

/** An item as it is written. What was inside another one comes out of it where that is gone; numbers are new. */
function outdent(lines: string, bullet: string, isBelow: boolean, mark: () => string): string {
  const indent = indentOf(bullet)
  if (indent > 1 && isBelow) return lines
  return lines.replace(new RegExp(`^[ \\t]{0,${indent}}`, 'gm'), '').replace(/^\d+[.)]/, mark)
}

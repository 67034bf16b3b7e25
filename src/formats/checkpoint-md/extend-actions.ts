import type { WorkState } from '../../core/work.ts'
import { decodeDocument, listItems, sectionText } from './codec.ts'
import { replaceSection } from './edit.ts'
import { unreadError } from './extend-block.ts'
import { itemSignature } from './extend-list.ts'
import { bulletOf, commentLines, type PlacedItem, placedItems } from './placed-items.ts'
import { ACTION, type Action, isTicked } from './spell.ts'

const NAME = 'Next Actions'
const KINDS = ['next', 'blockers', 'questions'] as const

const actionsOf = (work: WorkState, kind: Action['kind']): Action[] =>
  work[kind].map((item) => ({
    kind,
    text: item.text,
    confirmed: 'confirmed' in item ? item.confirmed : true,
  }))

/** An action of the new list: the lines that say it already, or what is to be written. */
interface ActionEntry {
  /** Its place among the items that stand there. */
  at: number | null
  content: string
}

/** Next Actions replaced where they changed. What is ticked stays; what is said again stays as it is written. */
export function replaceActions(text: string, before: WorkState, after: WorkState): string {
  if (KINDS.every((kind) => isSame(actionsOf(after, kind), actionsOf(before, kind)))) return text
  const document = decodeDocument(text)
  const said = listItems(sectionText(document, NAME))
  const values = said.map(ACTION.read)
  let isChanged = false
  const wanted = KINDS.flatMap((kind) => {
    const here = values.filter((value) => value?.kind === kind).flatMap((value) => value ?? [])
    const asked = actionsOf(after, kind)
    const written = asked.map(ACTION.write).flatMap((content) => ACTION.read(content) ?? [])
    const isSaid = isSame(asked, actionsOf(before, kind)) || isSame(asked, here) || isSame(written, here)
    if (!isSaid) isChanged = true
    return isSaid ? here : written
  })
  if (!isChanged) return text

  const placed = placedItems(document, NAME) ?? []
  const entries = entriesOf(said, values, wanted)
  const lines = layOut(text, placed, entries)
  const comments = commentLines(document, NAME, placed)
  const body = lines === '' ? 'None' : lines
  const replaced = replaceSection(text, NAME, [...comments, body].join('\n\n'))
  const read = listItems(sectionText(decodeDocument(replaced), NAME)).flatMap(
    (item) => ACTION.read(item) ?? [],
  )
  const kinds = KINDS.flatMap((kind) => read.filter((value) => value.kind === kind))
  if (!isSame(kinds, wanted)) throw unreadError(text, NAME)
  return replaced
}

const isSame = (some: readonly Action[], others: readonly Action[]) =>
  some.length === others.length &&
  some.every((value, at) => {
    const other = others[at]
    return other !== undefined && itemSignature(value) === itemSignature(other)
  })

function entriesOf(
  said: readonly string[],
  values: ReadonlyArray<Action | null>,
  wanted: readonly Action[],
): ActionEntry[] {
  const places = new Map<string, number[]>()
  for (const [at, value] of values.entries()) {
    if (value === null) continue
    const same = places.get(itemSignature(value)) ?? []
    same.push(at)
    places.set(itemSignature(value), same)
  }
  const hasBoxes = said.some((item) => item.startsWith('[ ]'))
  return [
    ...[...said.entries()].filter(([, item]) => isTicked(item)).map(([at, content]) => ({ at, content })),
    ...wanted.map((value) => ({
      at: places.get(itemSignature(value))?.shift() ?? null,
      content: `${hasBoxes ? '[ ] ' : ''}${ACTION.write(value)}`,
    })),
  ]
}

/** The list, with marks as the document has them. */
function layOut(text: string, placed: readonly PlacedItem[], entries: readonly ActionEntry[]): string {
  const bullets = placed.map(({ start, end }) => bulletOf(text.slice(start, end)))
  const [, number, point = ''] = /^\s*(\d{1,8})([.)])/.exec(bullets[0] ?? '') ?? []
  let count = Number(number)
  const mark = () => (number === undefined ? (bullets[0] ?? '').trim() || '-' : `${count++}${point}`)
  let previous = null as number | null
  let list = ''
  let item = ''
  for (const { at, content } of entries) {
    const place = at === null ? undefined : placed[at]
    const bullet = at === null ? '' : (bullets[at] ?? '')
    const isBelow = at !== null && previous === at - 1
    const before = item
    if (!place || bullet === '') item = `${mark()} ${content}`
    else item = rewriteItem(text.slice(place.start, place.end).trimEnd(), bullet, isBelow, mark)
    // Behind more than a line only an empty line begins a new item whatever came before.
    list += (list === '' ? '' : /[\r\n]/.test(before) ? '\n\n' : '\n') + item
    previous = place && bullet !== '' ? at : null
  }
  return list
}

/** An item as it is written. What was inside another one comes out of it where that is gone; numbers are new. */
function rewriteItem(lines: string, bullet: string, isBelow: boolean, mark: () => string): string {
  const indent = bullet.length - bullet.trimStart().length
  if (indent > 1 && isBelow) return lines
  return lines.replace(new RegExp(`^[ \\t]{0,${indent}}`, 'gm'), '').replace(/^\d+[.)]/, mark)
}

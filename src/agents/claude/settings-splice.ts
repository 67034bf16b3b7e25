import { indentAt, type Node, nodeEnd, type Sheet } from './settings-sheet.ts'

interface Cut {
  from: number
  to: number
  put: string
}

/** The new text; no character outside of the cuts is touched. */
function cutAll(text: string, cuts: readonly Cut[]): string {
  let made = text
  for (const { from, to, put } of cuts.toSorted((a, b) => b.from - a.from))
    made = made.slice(0, from) + put + made.slice(to)
  return made
}

/** What stands between two values: where its comma is, and where its last comment or comma ends. */
interface Gap {
  comma: number | null
  end: number
  endsInLineComment: boolean
}

function gapIn(text: string, from: number, to: number): Gap {
  const gap: Gap = { comma: null, end: from, endsInLineComment: false }
  for (const { 0: token, index } of text.slice(from, to).matchAll(/\/\/[^\r\n]*|\/\*[\s\S]*?\*\/|,/g)) {
    if (token === ',') gap.comma ??= from + index
    gap.end = from + index + token.length
    gap.endsInLineComment = token.startsWith('//')
  }
  return gap
}

const hasBreak = (text: string) => /[\r\n]/.test(text)

/** A value as the file would write it, for a place whose line is indented so. */
function formatValue({ unit, eol }: Sheet, value: unknown, indent: string, isOneLine: boolean): string {
  return isOneLine
    ? JSON.stringify(value)
    : JSON.stringify(value, null, unit).replaceAll('\n', `${eol}${indent}`)
}

/** A new member of an object, or without a name a new element of an array, after all that are there. */
export function appendMember(sheet: Sheet, container: Node, value: unknown, name?: string): string {
  const { text, eol, unit } = sheet
  const [first] = container.children ?? []
  const last = container.children?.at(-1)
  const close = nodeEnd(container) - 1
  const gap = gapIn(text, last ? nodeEnd(last) : container.offset + 1, close)
  const isSpread = first
    ? hasBreak(text.slice(container.offset, first.offset)) || gap.endsInLineComment
    : !sheet.isOneLine
  const outer = indentAt(text, container.offset)
  const indent =
    first && hasBreak(text.slice(container.offset, first.offset))
      ? indentAt(text, first.offset)
      : outer + unit
  const key = name === undefined ? '' : `${JSON.stringify(name)}: `
  const item = key + formatValue(sheet, value, indent, !isSpread)
  const before = isSpread ? eol + indent : last ? ' ' : ''
  const after = isSpread && !last && !hasBreak(text.slice(gap.end, close)) ? eol + outer : ''
  const cuts = [{ from: gap.end, to: gap.end, put: before + item + after }]
  if (last && gap.comma === null) {
    const at = nodeEnd(last)
    // Two at one place are one: their order would be chance.
    if (at === gap.end) return cutAll(text, [{ from: at, to: at, put: `,${before}${item}` }])
    cuts.push({ from: at, to: at, put: ',' })
  }
  return cutAll(text, cuts)
}

/** Takes a member or an element out, with its comma and its line; comments beside it stay. */
export function removeMember({ text }: Sheet, container: Node, child: Node): string {
  const children = container.children ?? []
  const at = children.indexOf(child)
  const [previous, next] = [children[at - 1], children[at + 1]]
  const close = nodeEnd(container) - 1
  const before = gapIn(text, previous ? nodeEnd(previous) : container.offset + 1, child.offset)
  const after = gapIn(text, nodeEnd(child), next?.offset ?? close)
  // A line comment needs the line break after it, where none follows the child.
  const isBroken = /^[ \t]*,?[ \t]*[\r\n]/.test(text.slice(nodeEnd(child), nodeEnd(container)))
  const from = before.endsInLineComment && !isBroken ? child.offset : before.end
  const cuts: Cut[] = [{ from, to: nodeEnd(child), put: '' }]
  const comma = after.comma ?? (previous ? before.comma : null)
  if (comma !== null) cuts.push({ from: comma, to: comma + 1, put: '' })
  const made = cutAll(text, mergeCuts(cuts))
  if (previous || next) return made
  const removed = text.length - made.length
  const inner = made.slice(container.offset + 1, close - removed)
  return inner.trim() === '' ? made.slice(0, container.offset + 1) + made.slice(close - removed) : made
}

/** Cuts that touch become one. */
function mergeCuts(cuts: readonly Cut[]): Cut[] {
  const made: Cut[] = []
  for (const cut of cuts.toSorted((a, b) => a.from - b.from)) {
    const before = made.at(-1)
    if (before && before.to >= cut.from) before.to = Math.max(before.to, cut.to)
    else made.push({ ...cut })
  }
  return made
}

/** Puts another value in the place of one, spread over lines where the old one was. */
export function replaceValue(sheet: Sheet, node: Node, value: unknown): string {
  const { text } = sheet
  const isOneLine = !hasBreak(text.slice(node.offset, nodeEnd(node)))
  return replaceRaw(sheet, node, formatValue(sheet, value, indentAt(text, node.offset), isOneLine))
}

/** Puts a text in the place of a value, character for character. */
export const replaceRaw = ({ text }: Sheet, node: Node, raw: string): string =>
  cutAll(text, [{ from: node.offset, to: nodeEnd(node), put: raw }])

// By its ES modules: the other form of the package cannot be put into a bundle.
import {
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser/lib/esm/main.js'
import type { SettingsProblem } from '../../core/agent-setup.ts'

export type { Node }

/** A settings file as it stands, with the places of all its parts. */
export interface Sheet {
  readonly text: string
  readonly root: Node
  /** One step of indentation, as the file has it. */
  readonly unit: string
  readonly eol: string
  /** All of it stands on one line, and so will what comes to it. */
  readonly isOneLine: boolean
}

/** What is wrong, in words; other mistakes keep the parser's own. */
const WORDS: Record<string, string> = {
  CommaExpected: 'missing comma',
  ColonExpected: 'missing colon',
  ValueExpected: 'missing value',
  PropertyNameExpected: 'missing setting name',
  CloseBraceExpected: 'missing closing brace',
  CloseBracketExpected: 'missing closing bracket',
  EndOfFileExpected: 'text after the end',
  UnexpectedEndOfString: 'an unterminated string',
  UnexpectedEndOfComment: 'an unterminated comment',
  InvalidSymbol: 'an unquoted word',
  InvalidCharacter: 'an invalid character in a string',
}

/** Reads JSON with comments, as the client does. `text` comes without a byte order mark. */
export function readSheet(text: string): Sheet | SettingsProblem {
  const errors: ParseError[] = []
  let root: Node | undefined
  try {
    root = parseTree(text, errors, { allowTrailingComma: true })
  } catch (error) {
    // The parser calls itself for each level.
    if (!(error instanceof RangeError)) throw error
    return { line: 1, problem: 'nested too deeply' }
  }
  const [first] = errors
  if (first) {
    const name = printParseErrorCode(first.error)
    return { line: lineAt(text, first.offset), problem: WORDS[name] ?? name }
  }
  if (root?.type !== 'object') return { line: 1, problem: 'not a JSON object' }
  return {
    text,
    root,
    unit: unitOf(text, root),
    eol: /\r\n|\n|\r/.exec(text)?.[0] ?? '\n',
    isOneLine: (root.children ?? []).length > 0 && !/[\r\n]/.test(text.trim()),
  }
}

export const lineAt = (text: string, offset: number) => text.slice(0, offset).split(/\r\n|\n|\r/).length

/** The indentation of the first setting, where it has a line of its own. */
function unitOf(text: string, { offset, children: [first] = [] }: Node): string {
  const indent = first && /[\r\n]([ \t]+)$/.exec(text.slice(offset, first.offset))?.[1]
  return indent ?? '  '
}

/** The whitespace at the begin of the line in which something stands. */
export function indentAt(text: string, offset: number): string {
  const start = Math.max(text.lastIndexOf('\n', offset - 1), text.lastIndexOf('\r', offset - 1)) + 1
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? ''
}

/** The member of an object with its name and its value. Of a name that is there twice readers take the last. */
export function memberOf(node: Node | undefined, name: string): { member: Node; value: Node } | null {
  if (node?.type !== 'object') return null
  const member = (node.children ?? []).findLast(({ children: [key] = [] }) => key?.value === name)
  const value = member?.children?.[1]
  return member && value ? { member, value } : null
}

/** The names of an object's members, in their order. */
export const memberKeys = (node: Node): string[] =>
  (node.children ?? []).map(({ children: [key] = [] }) => String(key?.value))

export const plainValue = (node: Node | undefined): unknown => (node ? getNodeValue(node) : undefined)

export const nodeEnd = ({ offset, length }: Node) => offset + length

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
  const comma = last && gap.comma === null ? ',' : ''
  const at = last ? nodeEnd(last) : gap.end
  return text.slice(0, at) + comma + text.slice(at, gap.end) + before + item + after + text.slice(gap.end)
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
  const comma = after.comma ?? (previous ? before.comma : null)
  let made = text.slice(0, from) + text.slice(nodeEnd(child))
  if (comma !== null) {
    const there = comma < from ? comma : comma - (nodeEnd(child) - from)
    made = made.slice(0, there) + made.slice(there + 1)
  }
  if (previous || next) return made
  const removed = text.length - made.length
  const inner = made.slice(container.offset + 1, close - removed)
  return inner.trim() === '' ? made.slice(0, container.offset + 1) + made.slice(close - removed) : made
}

/** Puts another value in the place of one, spread over lines where the old one was. */
export function replaceValue(sheet: Sheet, node: Node, value: unknown): string {
  const { text } = sheet
  const isOneLine = !hasBreak(text.slice(node.offset, nodeEnd(node)))
  return replaceRaw(sheet, node, formatValue(sheet, value, indentAt(text, node.offset), isOneLine))
}

/** Puts a text in the place of a value, character for character. */
export const replaceRaw = ({ text }: Sheet, node: Node, raw: string): string =>
  text.slice(0, node.offset) + raw + text.slice(nodeEnd(node))

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
  CommaExpected: 'a comma is missing',
  ColonExpected: 'a colon is missing',
  ValueExpected: 'a value is missing',
  PropertyNameExpected: 'the name of a setting is missing',
  CloseBraceExpected: 'a closing brace is missing',
  CloseBracketExpected: 'a closing bracket is missing',
  EndOfFileExpected: 'something comes after the end',
  UnexpectedEndOfString: 'a string does not end',
  UnexpectedEndOfComment: 'a comment does not end',
  InvalidSymbol: 'a word that is not JSON',
  InvalidCharacter: 'a character that may not stand in a string',
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
    return { line: 1, problem: 'it is nested too deeply' }
  }
  const [first] = errors
  if (first) {
    const name = printParseErrorCode(first.error)
    return { line: lineAt(text, first.offset), problem: WORDS[name] ?? name }
  }
  if (root?.type !== 'object') return { line: 1, problem: 'it is not an object' }
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

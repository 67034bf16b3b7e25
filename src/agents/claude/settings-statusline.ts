import type { StatusLine } from '../../core/agent-setup.ts'
import { memberOf, plainValue, type Sheet } from './settings-sheet.ts'
import { appendMember, removeMember, replaceRaw } from './settings-splice.ts'

const OURS = /[\\/]bin[\\/]savepoint-hook(?:\.cjs)?['"]? statusline(?: |$)/

export function statusLineIn({ text, root }: Sheet): StatusLine {
  const found = memberOf(root, 'statusLine')?.value
  if (!found) return { kind: 'none' }
  const node = memberOf(found, 'command')?.value
  const command = plainValue(node)
  if (!node || typeof command !== 'string' || plainValue(memberOf(found, 'type')?.value) !== 'command')
    return { kind: 'strange' }
  if (OURS.test(command)) return { kind: 'ours', command }
  const raw = text.slice(node.offset, node.offset + node.length)
  // `as`: the value of an object node.
  const { type: _type, command: _command, ...rest } = plainValue(found) as Record<string, unknown>
  return { kind: 'other', command, raw, rest }
}

/** Ours in the place of the command that is there, with its other settings left; else a status line of ours. */
export function setStatusLine(sheet: Sheet, command: string, rest: Record<string, unknown> = {}): string {
  const found = memberOf(sheet.root, 'statusLine')?.value
  const node = found && memberOf(found, 'command')?.value
  if (node) return replaceRaw(sheet, node, JSON.stringify(command))
  return appendMember(sheet, sheet.root, { type: 'command', command, ...rest }, 'statusLine')
}

/** Takes ours out: the command that stood there comes back as it was written, else the whole of it goes. */
export function unsetStatusLine(sheet: Sheet, raw: string | null): string {
  const found = memberOf(sheet.root, 'statusLine')
  if (!found || statusLineIn(sheet).kind !== 'ours') return sheet.text
  const node = memberOf(found.value, 'command')?.value
  return raw !== null && node ? replaceRaw(sheet, node, raw) : removeMember(sheet, sheet.root, found.member)
}

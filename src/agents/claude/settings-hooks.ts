import type { HookChange, HookCommand, SettingsProblem } from '../../core/agent-setup.ts'
import { HOOKS } from './hook-table.ts'
import {
  appendMember,
  lineAt,
  memberKeys,
  memberOf,
  type Node,
  plainValue,
  removeMember,
  replaceValue,
  type Sheet,
} from './settings-sheet.ts'

/** One change of the text; null where nothing is left to do. */
export type SettingsStep = { text: string; change?: HookChange } | null

const OURS = /[\\/]bin[\\/]savepoint-hook(?:\.cjs)?$/

/** The launcher that a handler names, of whatever home; null where the handler is not one of ours. */
function launcherOf(handler: unknown): string | null {
  if (typeof handler !== 'object' || handler === null) return null
  const { command, args } = handler as { command?: unknown; args?: unknown }
  const paths = [command, Array.isArray(args) ? args[0] : null]
  return paths.find((path): path is string => typeof path === 'string' && OURS.test(path)) ?? null
}

interface FoundHandler {
  event: string
  handler: Node
  launcher: string
  /** What it stands in, from the inside out, each with the child that leads to it. */
  levels: ReadonlyArray<readonly [container: Node, child: Node]>
}

/** All handlers of ours, in the order of the file. */
export function oursIn({ root }: Sheet): FoundHandler[] {
  const hooks = memberOf(root, 'hooks')
  if (hooks?.value.type !== 'object') return []
  return [...new Set(memberKeys(hooks.value))].flatMap((event) => {
    const list = memberOf(hooks.value, event)
    if (list?.value.type !== 'array') return []
    const outer = [
      [hooks.value, list.member],
      [root, hooks.member],
    ] as const
    return (list.value.children ?? []).flatMap((group) => {
      const handlers = memberOf(group, 'hooks')?.value
      if (handlers?.type !== 'array') return []
      return (handlers.children ?? []).flatMap((handler) => {
        const launcher = launcherOf(plainValue(handler))
        if (launcher === null) return []
        const levels = [[handlers, handler], [list.value, group], ...outer] as const
        return [{ event, handler, launcher, levels }]
      })
    })
  })
}

/** Why hooks cannot be put in: what stands in their place has another shape, and it is not ours to change. */
export function hooksProblem({ text, root }: Sheet): SettingsProblem | null {
  const hooks = memberOf(root, 'hooks')?.value
  if (!hooks) return null
  const wrong = (node: Node, problem: string) => ({ line: lineAt(text, node.offset), problem })
  if (hooks.type !== 'object') return wrong(hooks, '"hooks" is not an object')
  for (const event of Object.keys(HOOKS)) {
    const groups = memberOf(hooks, event)?.value
    if (groups && groups.type !== 'array') return wrong(groups, `"${event}" is not a list`)
  }
  return null
}

/**
 * The next thing that keeps every event from having exactly one handler of ours, and that as it should be; without a
 * command, from having none. What a handler leaves empty goes with it, but for the lists that are `kept`.
 */
export function hookStep(sheet: Sheet, command: HookCommand | null, kept: readonly string[]): SettingsStep {
  const wanted: Record<string, object> = Object.fromEntries(
    Object.entries(command ? HOOKS : {}).map(([event, timeout]) => [
      event,
      { type: 'command', ...command, timeout },
    ]),
  )
  const ours = oursIn(sheet)
  for (const [at, found] of ours.entries()) {
    const { event, handler } = found
    const isFirst = ours.findIndex((other) => other.event === event) === at
    if (!wanted[event] || !isFirst)
      return { text: removeHandler(sheet, found, kept), change: { event, what: 'removed' } }
    if (JSON.stringify(plainValue(handler)) !== JSON.stringify(wanted[event]))
      return { text: replaceValue(sheet, handler, wanted[event]), change: { event, what: 'updated' } }
  }
  const missing = Object.keys(wanted).find((event) => ours.every((found) => found.event !== event))
  return missing === undefined ? null : addHandler(sheet, missing, wanted[missing])
}

function addHandler(sheet: Sheet, event: string, handler: unknown): SettingsStep {
  const change = { event, what: 'added' } as const
  const group = { hooks: [handler] }
  const hooks = memberOf(sheet.root, 'hooks')?.value
  if (!hooks) return { text: appendMember(sheet, sheet.root, {}, 'hooks') }
  const groups = memberOf(hooks, event)?.value
  return groups
    ? { text: appendMember(sheet, groups, group), change }
    : { text: appendMember(sheet, hooks, [group], event), change }
}

/** The lists for hooks that a file has, empty or not: `hooks` itself, and those of its events. */
export function hookListsIn({ root }: Sheet): string[] {
  const hooks = memberOf(root, 'hooks')?.value
  return hooks ? ['hooks', ...memberKeys(hooks)] : []
}

/** Takes a handler out, with each list around it that it leaves empty, as far as those are not kept. */
function removeHandler(sheet: Sheet, { event, levels }: FoundHandler, kept: readonly string[]): string {
  const mayGo = [true, !kept.includes(event), !kept.includes('hooks')]
  const found = levels.find(([container, child], at) => !mayGo[at] || !isBare(sheet, container, child))
  return found ? removeMember(sheet, ...found) : sheet.text
}

/** A list with nothing but this in it: no neighbour, and no comment that would go with it. */
function isBare({ text }: Sheet, { offset, length, children = [] }: Node, child: Node): boolean {
  const around =
    text.slice(offset + 1, child.offset) + text.slice(child.offset + child.length, offset + length - 1)
  return children.length === 1 && around.replace(',', '').trim() === ''
}

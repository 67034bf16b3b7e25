import type { HookChange, HookCommand, SettingsProblem } from '../../core/agent-setup.ts'
import { HOOKS } from './hook-table.ts'
import { lineAt, memberKeys, memberOf, type Node, plainValue, type Sheet } from './settings-sheet.ts'
import { appendMember, removeMember, replaceValue } from './settings-splice.ts'

/** One change of the text; null where nothing is left to do. */
export type SettingsStep = { text: string; change?: HookChange; made?: string } | null

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
  member: Node
  groups: Node
  group: Node
  handlers: Node
  handler: Node
}

/** All handlers of ours, in the order of the file. */
function oursIn({ root }: Sheet): FoundHandler[] {
  const hooks = memberOf(root, 'hooks')?.value
  if (hooks?.type !== 'object') return []
  return [...new Set(memberKeys(hooks))].flatMap((event) => {
    const found = memberOf(hooks, event)
    if (found?.value.type !== 'array') return []
    const { member, value: groups } = found
    return (groups.children ?? []).flatMap((group) => {
      const handlers = memberOf(group, 'hooks')?.value
      if (handlers?.type !== 'array') return []
      return (handlers.children ?? [])
        .filter((handler) => launcherOf(plainValue(handler)) !== null)
        .map((handler) => ({ event, member, groups, group, handlers, handler }))
    })
  })
}

/** The events that have a handler of ours. */
export const hookedEvents = (sheet: Sheet): string[] => [...new Set(oursIn(sheet).map(({ event }) => event))]

/** The launchers that our handlers name; more than one where they were set up from several homes. */
export const launchersIn = (sheet: Sheet): string[] => [
  ...new Set(oursIn(sheet).flatMap(({ handler }) => launcherOf(plainValue(handler)) ?? [])),
]

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

/** The next thing that keeps every event from having exactly one handler of ours, and that as it should be. */
export function hookStep(sheet: Sheet, command: HookCommand): SettingsStep {
  const wanted: Record<string, object> = Object.fromEntries(
    Object.entries(HOOKS).map(([event, timeout]) => [event, { type: 'command', ...command, timeout }]),
  )
  const ours = oursIn(sheet)
  for (const [at, found] of ours.entries()) {
    const { event, handler } = found
    const isFirst = ours.findIndex((other) => other.event === event) === at
    if (!wanted[event] || !isFirst)
      return { text: removeHandler(sheet, found, null), change: { event, what: 'removed' } }
    if (JSON.stringify(plainValue(handler)) !== JSON.stringify(wanted[event]))
      return { text: replaceValue(sheet, handler, wanted[event]), change: { event, what: 'updated' } }
  }
  const missing = Object.keys(HOOKS).find((event) => ours.every((found) => found.event !== event))
  return missing === undefined ? null : addHandler(sheet, missing, wanted[missing])
}

function addHandler(sheet: Sheet, event: string, handler: unknown): SettingsStep {
  const change = { event, what: 'added' } as const
  const group = { hooks: [handler] }
  const hooks = memberOf(sheet.root, 'hooks')?.value
  if (!hooks) return { text: appendMember(sheet, sheet.root, {}, 'hooks'), made: 'hooks' }
  const groups = memberOf(hooks, event)?.value
  return groups
    ? { text: appendMember(sheet, groups, group), change }
    : { text: appendMember(sheet, hooks, [group], event), change, made: event }
}

/** The next handler of ours taken out, with what it leaves empty; of lists that others made only with null. */
export function unhookStep(sheet: Sheet, made: readonly string[] | null): SettingsStep {
  const [found] = oursIn(sheet)
  return found
    ? { text: removeHandler(sheet, found, made), change: { event: found.event, what: 'removed' } }
    : null
}

function removeHandler(sheet: Sheet, found: FoundHandler, made: readonly string[] | null): string {
  const { event, member, groups, group, handlers, handler } = found
  const isOurs = (name: string) => made === null || made.includes(name)
  const isAlone = (container: Node, child: Node) => isBare(sheet, container, child)
  if (!isAlone(handlers, handler)) return removeMember(sheet, handlers, handler)
  if (!isAlone(groups, group) || !isOurs(event)) return removeMember(sheet, groups, group)
  const hooks = memberOf(sheet.root, 'hooks')
  if (!hooks) return sheet.text
  if (!isAlone(hooks.value, member) || !isOurs('hooks')) return removeMember(sheet, hooks.value, member)
  return removeMember(sheet, sheet.root, hooks.member)
}

/** A list with nothing but this in it: no neighbour, and no comment that would go with it. */
function isBare({ text }: Sheet, { offset, length, children = [] }: Node, child: Node): boolean {
  const around =
    text.slice(offset + 1, child.offset) + text.slice(child.offset + child.length, offset + length - 1)
  return children.length === 1 && around.replace(',', '').trim() === ''
}

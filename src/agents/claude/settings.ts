import { isDeepStrictEqual } from 'node:util'
import {
  type HookChange,
  type HookCommand,
  isMalformed,
  type SettingsFacts,
  type SettingsProblem,
  type SplicedSettings,
  type StatusLine,
  type WantedSettings,
} from '../../core/agent-setup.ts'
import { parseOrUndefined } from '../../core/json.ts'
import { HOOKS } from './hook-table.ts'
import {
  appendMember,
  lineAt,
  memberKeys,
  memberOf,
  type Node,
  nodeEnd,
  plainValue,
  readSheet,
  removeMember,
  replaceRaw,
  replaceValue,
  type Sheet,
} from './settings-sheet.ts'

/** The name of our marketplace, and the plugins that `init` installs from it: the first brings the second along. */
export const MARKET = 'savepoint'
export const OUR_PLUGINS: readonly string[] = [`context@${MARKET}`, `savepoint@${MARKET}`]

const BOM = '\uFEFF'
const DAYS = 'cleanupPeriodDays'

/** A file without a word in it counts as one without settings. */
const bodyOf = (text: string) => {
  const body = text.startsWith(BOM) ? text.slice(1) : text
  return { bom: body === text ? '' : BOM, body: body.trim() === '' ? '{}\n' : body }
}

export function readFacts(text: string): SettingsFacts | SettingsProblem {
  const sheet = readSheet(bodyOf(text).body)
  if (isMalformed(sheet)) return sheet
  const ours = oursIn(sheet)
  const settingOf = (name: string) => plainValue(memberOf(sheet.root, name)?.value)
  const days = settingOf(DAYS)
  const ifSet = (name: string) => (settingOf(name) === true ? name : null)
  return {
    hooked: [...new Set(ours.map(({ event }) => event))],
    launchers: [...new Set(ours.map(({ launcher }) => launcher))],
    isPlain: parseOrUndefined(sheet.text) !== undefined,
    statusLine: statusLineIn(sheet),
    hooksStoppedBy: ifSet('disableAllHooks'),
    hooksManagedBy: ifSet('allowManagedHooksOnly'),
    deletesTranscripts: typeof days === 'number' ? { setting: DAYS, days } : null,
    plugin: pluginIn(settingOf('enabledPlugins')),
    plugins: Object.keys(Object(settingOf('enabledPlugins'))).filter((name) => OUR_PLUGINS.includes(name)),
    ...marketIn(settingOf('extraKnownMarketplaces')),
  }
}

/** A plugin of our name from another marketplace is not ours: it has none of our hooks. */
function pluginIn(plugins: unknown): boolean | null {
  const found: unknown = Object(plugins)[`savepoint@${MARKET}`]
  return found === undefined ? null : found !== false && found !== null
}

function marketIn(markets: unknown): Pick<SettingsFacts, 'market' | 'source'> {
  const found: unknown = Object(markets)[MARKET]
  if (found === undefined) return { market: null, source: null }
  const { source: kind, path, repo, url } = Object(Object(found).source)
  const name: unknown = [repo, url, path].find((one) => typeof one === 'string')
  return {
    market: kind === 'directory' && typeof path === 'string' ? path : null,
    source: typeof name === 'string' ? name : JSON.stringify(found),
  }
}

/**
 * Whether a file says no more than it did before, in its settings and its comments. The client writes the whole file
 * anew, in an order of its own, and leaves lists empty when it takes out plugins: neither counts.
 */
export function saysTheSame(before: string, text: string, going: readonly string[]): boolean {
  const then = contentOf(before, [])
  return then !== null && isDeepStrictEqual(then, contentOf(text, going))
}

const COMMENT = /"(?:\\.|[^"\\])*"|(\/\/[^\r\n]*|\/\*[\s\S]*?\*\/)/g

function contentOf(text: string, going: readonly string[]): object | null {
  const sheet = readSheet(bodyOf(text).body)
  if (isMalformed(sheet)) return null
  const { enabledPlugins, extraKnownMarketplaces, ...others } = Object(plainValue(sheet.root))
  const lists = [enabledPlugins, extraKnownMarketplaces].map((list) =>
    Object.entries(Object(list)).filter(([name]) => !going.includes(name)),
  )
  const comments = [...sheet.text.matchAll(COMMENT)].flatMap(([, comment]) => comment ?? [])
  return { others, lists: lists.map((list) => Object.fromEntries(list)), comments }
}

/** The file with what is wanted in it, and every other character as it was; the same text where nothing is to do. */
export function withSavepoint(
  text: string,
  { hooks, statusLine, before }: WantedSettings,
): SplicedSettings | SettingsProblem {
  const { bom, body } = bodyOf(text)
  const first = readSheet(body)
  if (isMalformed(first)) return first
  const command = hooks === 'out' ? null : hooks
  const problem = command && hooksProblem(first)
  if (problem) return problem
  const then = readSheet(bodyOf(before).body)
  const old = isMalformed(then) ? null : then
  const changes: HookChange[] = []
  let sheet = first
  // Step after step, each from the text that the one before left.
  for (;;) {
    const step = hooks && hookStep(sheet, command, old ? hookListsIn(old) : [])
    if (!step) break
    if (step.change) changes.push(step.change)
    sheet = reread(step.text)
  }
  if (statusLine === 'out') sheet = reread(takeOutStatusLine(sheet, old))
  else if (statusLine) sheet = reread(putStatusLine(sheet, statusLine))
  return { text: sheet.text === body ? text : bom + sheet.text, changes }
}

function reread(text: string): Sheet {
  const sheet = readSheet(text)
  if (isMalformed(sheet)) throw new Error(`the merge broke line ${sheet.line}: ${sheet.problem}`)
  return sheet
}

const OUR_LINE = /[\\/]bin[\\/]savepoint-hook(?:\.cjs)?['"]? statusline(?: |$)/

function statusLineIn({ text, root }: Sheet): StatusLine {
  const found = memberOf(root, 'statusLine')?.value
  if (!found) return { kind: 'none' }
  const node = memberOf(found, 'command')?.value
  const command = plainValue(node)
  if (!node || typeof command !== 'string' || plainValue(memberOf(found, 'type')?.value) !== 'command')
    return { kind: 'strange' }
  if (OUR_LINE.test(command)) return { kind: 'ours', command }
  const raw = text.slice(node.offset, nodeEnd(node))
  // `as`: the value of an object node.
  const { type: _type, command: _command, ...rest } = plainValue(found) as Record<string, unknown>
  return { kind: 'other', command, raw, rest }
}

/** Ours in the place of the command that is there, with its other settings left; else a status line of ours. */
function putStatusLine(sheet: Sheet, { command, rest }: { command: string; rest: object }): string {
  const now = statusLineIn(sheet)
  if (now.kind === 'ours' && now.command === command) return sheet.text
  const node = memberOf(memberOf(sheet.root, 'statusLine')?.value, 'command')?.value
  return node
    ? replaceRaw(sheet, node, JSON.stringify(command))
    : appendMember(sheet, sheet.root, { type: 'command', command, ...rest }, 'statusLine')
}

/** Ours goes, and the command that stood there before comes back as it was written. */
function takeOutStatusLine(sheet: Sheet, old: Sheet | null): string {
  const found = memberOf(sheet.root, 'statusLine')
  const node = memberOf(found?.value, 'command')?.value
  if (!found || !node || statusLineIn(sheet).kind !== 'ours') return sheet.text
  const before = old && statusLineIn(old)
  return before?.kind === 'other'
    ? replaceRaw(sheet, node, before.raw)
    : removeMember(sheet, sheet.root, found.member)
}

/** One change of the text; null where nothing is left to do. */
type SettingsStep = { text: string; change?: HookChange } | null

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
function oursIn({ root }: Sheet): FoundHandler[] {
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
function hooksProblem({ text, root }: Sheet): SettingsProblem | null {
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
function hookStep(sheet: Sheet, command: HookCommand | null, kept: readonly string[]): SettingsStep {
  const wanted = new Map(
    Object.entries(command ? HOOKS : {}).map(([event, timeout]) => [
      event,
      { type: 'command', ...command, timeout },
    ]),
  )
  for (const found of oursIn(sheet)) {
    const { event, handler } = found
    const mine = wanted.get(event)
    // A second one of the same event is one too many.
    if (!wanted.delete(event))
      return { text: removeHandler(sheet, found, kept), change: { event, what: 'removed' } }
    if (JSON.stringify(plainValue(handler)) !== JSON.stringify(mine))
      return { text: replaceValue(sheet, handler, mine), change: { event, what: 'updated' } }
  }
  const [missing] = wanted
  return missing ? addHandler(sheet, ...missing) : null
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
function hookListsIn({ root }: Sheet): string[] {
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
function isBare({ text }: Sheet, list: Node, child: Node): boolean {
  const around = text.slice(list.offset + 1, child.offset) + text.slice(nodeEnd(child), nodeEnd(list) - 1)
  return list.children?.length === 1 && around.replace(',', '').trim() === ''
}

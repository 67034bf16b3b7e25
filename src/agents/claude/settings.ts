import { isDeepStrictEqual } from 'node:util'
import {
  isMalformed,
  type SettingsFacts,
  type SettingsProblem,
  type SplicedSettings,
  type StatusLine,
  type WantedSettings,
} from '../../core/agent-setup.ts'
import { parseOrUndefined } from '../../core/json.ts'
import { hookListsIn, hookStep, hooksProblem, oursIn } from './settings-hooks.ts'
import {
  appendMember,
  memberOf,
  plainValue,
  readSheet,
  removeMember,
  replaceRaw,
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
  const old = readSheet(bodyOf(before).body)
  const merged: SplicedSettings = { text, changes: [] }
  let sheet = first
  // Step after step, each from the text that the one before left.
  for (;;) {
    const step = hooks && hookStep(sheet, command, isMalformed(old) ? [] : hookListsIn(old))
    if (!step) break
    if (step.change) merged.changes.push(step.change)
    sheet = reread(step.text)
  }
  if (statusLine === 'out') sheet = reread(takeOutStatusLine(sheet, isMalformed(old) ? null : old))
  else if (statusLine) sheet = reread(putStatusLine(sheet, statusLine))
  return sheet.text === body ? merged : { ...merged, text: bom + sheet.text }
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
  const raw = text.slice(node.offset, node.offset + node.length)
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

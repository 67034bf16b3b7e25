import {
  isMalformed,
  type SettingsFacts,
  type SettingsProblem,
  type SplicedSettings,
  type StatusLine,
  type WantedSettings,
} from '../../core/agent-setup.ts'
import { hookStep, hooksProblem, oursIn } from './settings-hooks.ts'
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
    isPlain: isPlainJson(sheet.text),
    statusLine: statusLineIn(sheet),
    hooksStoppedBy: ifSet('disableAllHooks'),
    hooksManagedBy: ifSet('allowManagedHooksOnly'),
    deletesTranscripts: typeof days === 'number' ? { setting: DAYS, days } : null,
    plugin: pluginIn(settingOf('enabledPlugins')),
    plugins: Object.keys(Object(settingOf('enabledPlugins'))).filter((name) => OUR_PLUGINS.includes(name)),
    ...marketIn(settingOf('extraKnownMarketplaces')),
  }
}

function isPlainJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return false
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
 * What a settings file says, as a value, without the lists that the client leaves empty when it takes out plugins, and
 * without the names that are `going`. Undefined where it is not the JSON that the client reads.
 */
export function withoutPlugins(text: string, going: readonly string[] = []): unknown {
  const body = text.replace(BOM, '')
  if (!isPlainJson(body)) return undefined
  const { enabledPlugins, extraKnownMarketplaces, ...others } = Object(JSON.parse(body))
  const rest = Object.entries({ enabledPlugins, extraKnownMarketplaces })
    .map(
      ([name, found]) =>
        [name, Object.entries(Object(found)).filter(([one]) => !going.includes(one))] as const,
    )
    .filter(([, found]) => found.length > 0)
    .map(([name, found]) => [name, Object.fromEntries(found)] as const)
  return { ...others, ...Object.fromEntries(rest) }
}

/** The file with what is wanted in it, and every other character as it was; the same text where nothing is to do. */
export function withSavepoint(
  text: string,
  { hooks, made = null, statusLine }: WantedSettings,
): SplicedSettings | SettingsProblem {
  const { bom, body } = bodyOf(text)
  const first = readSheet(body)
  if (isMalformed(first)) return first
  const command = hooks === 'out' ? null : hooks
  const problem = command && hooksProblem(first)
  if (problem) return problem
  const merged: SplicedSettings = { text, changes: [], made: [] }
  let sheet = first
  // Step after step, each from the text that the one before left.
  for (;;) {
    const step = hooks && hookStep(sheet, command, made)
    if (!step) break
    if (step.change) merged.changes.push(step.change)
    if (step.made) merged.made.push(step.made)
    sheet = reread(step.text)
  }
  if (statusLine) sheet = reread(changeStatusLine(sheet, statusLine))
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

/**
 * With a command: ours in the place of the one that is there, with its other settings left; else a status line of ours.
 * With `before`: ours goes, and the command that stood there comes back as it was written.
 */
function changeStatusLine(sheet: Sheet, wanted: NonNullable<WantedSettings['statusLine']>): string {
  const found = memberOf(sheet.root, 'statusLine')
  const node = memberOf(found?.value, 'command')?.value
  const now = statusLineIn(sheet)
  if ('before' in wanted) {
    if (!found || now.kind !== 'ours') return sheet.text
    const { before } = wanted
    return before !== null && node
      ? replaceRaw(sheet, node, before)
      : removeMember(sheet, sheet.root, found.member)
  }
  const { command, rest } = wanted
  if (now.kind === 'ours' && now.command === command) return sheet.text
  return node
    ? replaceRaw(sheet, node, JSON.stringify(command))
    : appendMember(sheet, sheet.root, { type: 'command', command, ...rest }, 'statusLine')
}

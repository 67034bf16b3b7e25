import {
  isMalformed,
  type SettingsFacts,
  type SettingsProblem,
  type SplicedSettings,
  type WantedSettings,
} from '../../core/agent-setup.ts'
import { hookedEvents, hookStep, hooksProblem, launchersIn, unhookStep } from './settings-hooks.ts'
import { memberOf, plainValue, readSheet, type Sheet } from './settings-sheet.ts'
import { setStatusLine, statusLineIn, unsetStatusLine } from './settings-statusline.ts'

/** The name of our marketplace, and the plugins that `init` installs from it: the first brings the second along. */
export const MARKET = 'savepoint'
export const OUR_PLUGINS: readonly string[] = [`context@${MARKET}`, `savepoint@${MARKET}`]

const BOM = '\uFEFF'
const DAYS = 'cleanupPeriodDays'
/** More steps than a file can need; a text that is never finished is a mistake of ours. */
const MAX_STEPS = 10_000

/** A file without a word in it counts as one without settings. */
const bodyOf = (text: string) => {
  const body = text.startsWith(BOM) ? text.slice(1) : text
  return { bom: body === text ? '' : BOM, body: body.trim() === '' ? '{}\n' : body }
}

export function readFacts(text: string): SettingsFacts | SettingsProblem {
  const sheet = readSheet(bodyOf(text).body)
  if (isMalformed(sheet)) return sheet
  const settingOf = (name: string) => plainValue(memberOf(sheet.root, name)?.value)
  const days = settingOf(DAYS)
  const ifSet = (name: string) => (settingOf(name) === true ? name : null)
  return {
    hooked: hookedEvents(sheet),
    launchers: launchersIn(sheet),
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

/** The file with what is wanted in it, and every other character as it was; the same text where nothing is missing. */
export function withSavepoint(
  text: string,
  { hooks, made = null, statusLine }: WantedSettings,
): SplicedSettings | SettingsProblem {
  const { bom, body } = bodyOf(text)
  const merged: SplicedSettings = { text, changes: [], made: [] }
  const first = readSheet(body)
  if (isMalformed(first)) return first
  const command = hooks === 'out' ? null : hooks
  const problem = command && hooksProblem(first)
  if (problem) return problem
  let sheet = first
  if (command) sheet = runSteps(sheet, merged, (now) => hookStep(now, command))
  if (hooks === 'out') sheet = runSteps(sheet, merged, (now) => unhookStep(now, made))
  if (statusLine && !hasStatusLine(sheet, statusLine.command))
    sheet = reread(setStatusLine(sheet, statusLine.command, statusLine.rest))
  return sheet.text === body ? merged : { ...merged, text: bom + sheet.text }
}

const hasStatusLine = (sheet: Sheet, command: string) => {
  const now = statusLineIn(sheet)
  return now.kind === 'ours' && now.command === command
}

/**
 * The file without anything of ours. `made` as `withSavepoint` told it: only what it made goes where it is empty; null
 * where nobody remembers. `statusLine`: the command to put back, as it was written.
 */
export function withoutSavepoint(
  text: string,
  { made, statusLine }: { made: readonly string[] | null; statusLine: string | null },
): SplicedSettings | SettingsProblem {
  const { bom, body } = bodyOf(text)
  const merged: SplicedSettings = { text, changes: [], made: [] }
  const first = readSheet(body)
  if (isMalformed(first)) return first
  let sheet = runSteps(first, merged, (now) => unhookStep(now, made))
  sheet = reread(unsetStatusLine(sheet, statusLine))
  return sheet.text === body ? merged : { ...merged, text: bom + sheet.text }
}

/** SettingsStep after step, each from the text that the one before left. */
function runSteps(
  from: Sheet,
  merged: SplicedSettings,
  next: (sheet: Sheet) => ReturnType<typeof hookStep>,
): Sheet {
  let sheet = from
  for (let round = 0; round < MAX_STEPS; round += 1) {
    const step = next(sheet)
    if (step === null) return sheet
    if (step.change) merged.changes.push(step.change)
    if (step.made) merged.made.push(step.made)
    sheet = reread(step.text)
  }
  throw new Error('the settings are never finished')
}

function reread(text: string): Sheet {
  const sheet = readSheet(text)
  if (isMalformed(sheet)) throw new Error(`the merge broke line ${sheet.line}: ${sheet.problem}`)
  return sheet
}

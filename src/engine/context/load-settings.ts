import { homedir } from 'node:os'
import { join } from 'node:path'
import type { SettingEntry, ShownValue } from '../../config/session-block.ts'
import {
  defaultSettings,
  forEachSetting,
  SETTINGS,
  type SettingName,
  type Settings,
} from '../../config/settings.ts'
import { describeError, ReasonError } from '../../core/reason.ts'
import { decodeUtf8 } from '../../core/text.ts'
import { readPlainFile } from '../../fs/disk.ts'

const MAX_BYTES = 64 * 1024

type Environment = Readonly<Record<string, string | undefined>>

/** A file that settings may stand in. */
interface ConfigFile {
  path: string
  by: 'user' | 'repository'
  state: 'read' | 'absent' | 'unusable'
}

/** What cannot be used: a whole file, or where it names a setting that line of it. */
export interface ConfigProblem {
  path: string
  problem: string
  setting: string | null
}

/** A value that a file says and that does not count. */
interface IgnoredValue {
  setting: SettingName
  value: ShownValue
  path: string
  why: 'overridden' | 'userOnly' | 'invalid'
}

/** Where the settings in force come from. */
export interface Config {
  /** `default`, or the path of the file that set it. */
  origins: Record<SettingName, string>
  /** In the order in which they are read: the later one wins. */
  files: ConfigFile[]
  problems: ConfigProblem[]
  passedOver: IgnoredValue[]
}

/** The user's own settings file. */
export function userConfigPath(env: Environment, platform = process.platform): string {
  if (platform === 'win32')
    return join(env.APPDATA ?? join(homedir(), 'AppData', 'Roaming'), 'savepoint', 'config.yml')
  const config = env.XDG_CONFIG_HOME
  const folder = config?.startsWith('/') ? config : join(env.HOME ?? homedir(), '.config')
  return join(folder, 'savepoint', 'config.yml')
}

/** Where settings come from when no file says anything. */
export const defaultConfig = (): Config => ({
  ...{ origins: forEachSetting(() => 'default'), files: [], problems: [], passedOver: [] },
})

/**
 * The settings in force: defaults, then the user's file, then the repository's, then its local one. It never
 * fails: what cannot be used is passed over and told, and the caller decides whether it goes on.
 */
export async function loadSettings(root: string, env: Environment): Promise<{ settings: Settings } & Config> {
  const loaded = { settings: defaultSettings(), ...defaultConfig() }
  const sources = [
    { path: userConfigPath(env), by: 'user' },
    { path: join(root, '.agents.yml'), by: 'repository' },
    { path: join(root, '.agents.local.yml'), by: 'repository' },
  ] as const
  for (const { path, by } of sources) {
    const found = await readSettings(path)
    const state = found === null ? 'absent' : 'problem' in found ? 'unusable' : 'read'
    loaded.files.push({ path, by, state })
    if (found === null) continue
    if ('problem' in found) loaded.problems.push({ path, problem: found.problem, setting: null })
    else for (const entry of found.entries) apply(loaded, entry, { path, by })
  }
  return loaded
}

/** The later file wins; what does not count is kept with the reason. */
function apply(
  { settings, origins, problems, passedOver }: { settings: Settings } & Config,
  { name, value, shown, line, problem: unusable }: SettingEntry,
  { path, by }: Pick<ConfigFile, 'path' | 'by'>,
): void {
  const tell = (problem: string) =>
    problems.push({ path, problem: `line ${line}: ${problem}`, setting: name })
  if (name === '<<') {
    if (unusable !== null) tell(unusable)
    return
  }
  const row = SETTINGS[name]
  if (row.from === 'user' && by === 'repository') {
    passedOver.push({ setting: name, value: shown, path, why: 'userOnly' })
    return
  }
  const wanted = row.problem(value)
  const problem = unusable ?? (wanted && `\`session.${name}\` must be ${wanted}`)
  if (problem !== null) {
    passedOver.push({ setting: name, value: shown, path, why: 'invalid' })
    tell(problem)
    return
  }
  if (origins[name] !== 'default')
    passedOver.push({ setting: name, value: settings[name], path: origins[name], why: 'overridden' })
  origins[name] = path
  Object.assign(settings, { [name]: value })
}

async function readSettings(path: string): Promise<{ entries: SettingEntry[] } | { problem: string } | null> {
  let bytes: Buffer | null
  try {
    bytes = readPlainFile(path, MAX_BYTES)
  } catch (error) {
    return { problem: unreadable(error) }
  }
  if (bytes === null) return null
  // A byte order mark is no part of the settings.
  const text = decodeUtf8(bytes)?.replace(/^\uFEFF/, '')
  if (text === undefined) return { problem: 'it is not UTF-8 text' }
  // The parser is loaded with the first file: most workspaces have none.
  return (await import('../../config/session-block.ts')).readSessionBlock(text)
}

/** The file is named already. */
function unreadable(error: unknown): string {
  if (!(error instanceof ReasonError)) return describeError(error)
  return error.reason === 'file_too_large' ? `larger than ${MAX_BYTES} bytes` : String(error.data.problem)
}

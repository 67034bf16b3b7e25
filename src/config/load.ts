import { homedir } from 'node:os'
import { join } from 'node:path'
import { describe, ReasonError } from '../core/reason.ts'
import { readPlainFile } from '../fs/disk.ts'
import { defaultSettings, isSettingName, SETTINGS, type Settings } from './settings.ts'

const MAX_BYTES = 64 * 1024

type Environment = Readonly<Record<string, string | undefined>>

/** The user's own settings file. */
export function userConfigPath(env: Environment, platform = process.platform): string {
  if (platform === 'win32')
    return join(env.APPDATA ?? join(homedir(), 'AppData', 'Roaming'), 'savepoint', 'config.yml')
  const config = env.XDG_CONFIG_HOME
  return join(
    config?.startsWith('/') ? config : join(env.HOME ?? homedir(), '.config'),
    'savepoint',
    'config.yml',
  )
}

/** The settings in force: defaults, then the user's file, then the repository's, then its local one. */
export async function loadSettings(root: string, env: Environment): Promise<Settings> {
  const settings = defaultSettings()
  const sources = [
    { path: userConfigPath(env), by: 'user' },
    { path: join(root, '.agents.yml'), by: 'repository' },
    { path: join(root, '.agents.local.yml'), by: 'repository' },
  ] as const
  for (const { path, by } of sources) {
    const block = (await readYaml(path))?.session
    if (block === undefined || block === null) continue
    if (!isRecord(block)) throw invalid(path, '`session` must hold settings, a line each')
    apply(settings, block, path, by)
  }
  return settings
}

/** Keys that are not ours belong to other tools and are left alone. */
function apply(
  settings: Settings,
  block: Record<string, unknown>,
  path: string,
  by: 'user' | 'repository',
): void {
  for (const [name, value] of Object.entries(block)) {
    if (!isSettingName(name)) continue
    const row = SETTINGS[name]
    if (row.from === 'user' && by === 'repository') continue
    const problem = row.problem(value)
    if (problem !== null) throw invalid(path, `\`session.${name}\` must be ${problem}`)
    Object.assign(settings, { [name]: value })
  }
}

async function readYaml(path: string): Promise<Record<string, unknown> | null> {
  try {
    const text = readPlainFile(path, MAX_BYTES)?.toString('utf8')
    if (text === undefined) return null
    const { parse } = await import('yaml')
    const value: unknown = parse(text, { maxAliasCount: 0 })
    return isRecord(value) ? value : {}
  } catch (error) {
    throw invalid(path, describe(error))
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const invalid = (path: string, problem: string) => new ReasonError('config_invalid', { path, problem })

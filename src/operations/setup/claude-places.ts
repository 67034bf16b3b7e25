import { accessSync, constants, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, isAbsolute, join, resolve } from 'node:path'
import { isMalformed, readFacts, type SettingsFacts } from '../../agents/claude/settings.ts'
import { errorCode, ReasonError } from '../../core/reason.ts'
import { readPlainFile } from '../../fs/disk.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export type Scope = 'project' | 'user'

/** A file that the client takes settings from; a later one counts more, but the managed one counts most. */
export interface SettingsPlace {
  kind: 'managed' | 'user' | 'project' | 'local'
  path: string
}

/** Where an administrator sets what users cannot change. */
const MANAGED: Partial<Record<NodeJS.Platform, string>> = {
  darwin: '/Library/Application Support/ClaudeCode/managed-settings.json',
  win32: 'C:\\Program Files\\ClaudeCode\\managed-settings.json',
}

export const claudeFolder = (env: Environment) =>
  env.CLAUDE_CONFIG_DIR ? resolve(env.CLAUDE_CONFIG_DIR) : join(env.HOME ?? homedir(), '.claude')

export function settingsPlaces(root: string, env: Environment, platform = process.platform): SettingsPlace[] {
  return [
    { kind: 'managed', path: MANAGED[platform] ?? '/etc/claude-code/managed-settings.json' },
    { kind: 'user', path: join(claudeFolder(env), 'settings.json') },
    { kind: 'project', path: join(root, '.claude', 'settings.json') },
    { kind: 'local', path: join(root, '.claude', 'settings.local.json') },
  ]
}

/** The settings file of a scope: for a project the one that is not committed. */
export const settingsPath = (scope: Scope, root: string, env: Environment): string =>
  settingsPlaces(root, env).find(({ kind }) => kind === (scope === 'user' ? 'user' : 'local'))?.path ?? ''

/** Whether the client is on this machine: its program on PATH, or the folder that it makes for itself. */
export function hasClaude(env: Environment, platform = process.platform): boolean {
  const names = platform === 'win32' ? ['claude.exe', 'claude.cmd'] : ['claude']
  return (
    onPath(env, names) !== null ||
    statSync(claudeFolder(env), { throwIfNoEntry: false })?.isDirectory() === true
  )
}

/** The client's program, where it can be started without a shell; null where it cannot, or is not on PATH. */
export const findClaude = (env: Environment, platform = process.platform) =>
  onPath(env, platform === 'win32' ? ['claude.exe'] : ['claude'])

/** A folder that is named from where one stands may be anybody's: it is passed over. */
const onPath = (env: Environment, names: readonly string[]): string | null =>
  (env.PATH ?? '')
    .split(delimiter)
    .filter(isAbsolute)
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find(isProgram) ?? null

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return false
  }
}

export const MAX_SETTINGS_BYTES = 4 * 1024 * 1024

export interface KnownPlace extends SettingsPlace {
  /** Null where there is no such file, or it cannot be read. */
  facts: SettingsFacts | null
  /** Why it cannot be read. */
  problem: string | null
}

/** What all settings files say that concerns us. One that cannot be read is told, and the others are looked at. */
export function readPlaces(places: readonly SettingsPlace[]): KnownPlace[] {
  return places.map((place) => {
    try {
      const bytes = readPlainFile(place.path, MAX_SETTINGS_BYTES)
      if (bytes === null) return { ...place, facts: null, problem: null }
      const facts = readFacts(bytes.toString('utf8'))
      return isMalformed(facts)
        ? { ...place, facts: null, problem: `line ${facts.line}: ${facts.problem}` }
        : { ...place, facts, problem: null }
    } catch (error) {
      if (!(error instanceof ReasonError)) throw error
      return { ...place, facts: null, problem: error.message }
    }
  })
}

/** What keeps hooks from being run whatever a file says, in sentences. */
export function hindrances(places: readonly KnownPlace[]): string[] {
  return places.flatMap(({ path, facts }) => [
    ...(facts?.isPlain === false
      ? [`${path} has comments or a comma too many: Claude Code passes over the whole file, silently.`]
      : []),
    ...(facts?.disableAllHooks
      ? [`No hook runs while "disableAllHooks" is set in ${path}: take it out there.`]
      : []),
    ...(facts?.allowManagedHooksOnly
      ? [`${path} has "allowManagedHooksOnly": only hooks run that your administrator has set.`]
      : []),
  ])
}

/** Whether our plugin is switched on, which has the hooks itself: the file that counts most decides. */
export const hasPlugin = (places: readonly KnownPlace[]) =>
  places.findLast(({ facts }) => (facts?.plugin ?? null) !== null)?.facts?.plugin === true

/** The folder that the client reads our plugins from, as a settings file says; null where it is no folder. */
export const pluginMarket = (places: readonly KnownPlace[]): string | null =>
  places.findLast(({ facts }) => (facts?.market ?? null) !== null)?.facts?.market ?? null

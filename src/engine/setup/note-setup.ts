import type { SplicedSettings } from '../../core/agent-setup.ts'
import { sha256 } from '../../core/canonical.ts'
import { instant } from '../../core/ports.ts'
import type { Context } from '../context/context.ts'
import type { CommandNote } from './command-file.ts'
import { keepSettings, readSetups, type Setup, writeSetups } from './record.ts'
import { hashOf, missingFolder, type SettingsFile } from './settings-file.ts'
import type { SetupRequest } from './setup-request.ts'
import type { LinePlan } from './statusline-plan.ts'

/** What becomes of the settings file. */
export interface SettingsPlan {
  file: SettingsFile
  merged: SplicedSettings
  line: LinePlan | null
  key: string
  /** Something of ours stands in the file already. */
  hasOurs: boolean
  /** Null where nothing is to change. */
  bytes: Buffer | null
}

/** What was done beside the file. */
export interface SideEffects {
  exclude: string | null
  command: CommandNote | null
}

export const setupOf = (home: string, target: string): Setup | undefined =>
  readSetups(home)?.find(({ settings }) => settings === target)

/** Notes down what is about to be done, with a copy of what stands there: after a crash it can be undone. */
export function rememberSetup(
  { home, ports, identity, place }: Context,
  asked: SetupRequest,
  { file, merged, line, hasOurs, bytes }: SettingsPlan,
  { exclude, command }: SideEffects,
): void {
  const setups = readSetups(home.path) ?? []
  const old = setups.find(({ settings }) => settings === file.target)
  const isPlugin = old?.plugin === true || asked.plugin?.isInstalled === true
  const isNoted = old
    ? old.plugin === isPlugin && (command === null || JSON.stringify(command) === JSON.stringify(old.command))
    : !hasOurs && !isPlugin
  if (bytes === null && isNoted) return
  const hash = hashOf(file)
  const isAsLeft = old !== undefined && old.after !== null && old.after === hash
  const known = hasOurs || old?.plugin ? old : undefined
  const isChanging = bytes !== null || isPlugin
  const backup = isChanging && file.bytes ? keepSettings(home.path, file.bytes, ports) : null
  const setup: Setup = {
    agent: asked.client.agent,
    scope: asked.scope,
    settings: file.target,
    workspace: asked.scope === 'project' ? identity.workspace : null,
    root: asked.scope === 'project' ? place.root : null,
    at: instant(ports.now()),
    before: old && (isAsLeft || old.plugin) ? old.before : { hash, backup },
    after: bytes !== null && !isPlugin && (isAsLeft || !hasOurs) ? sha256(bytes) : null,
    made: hasOurs ? (known?.made ? [...known.made, ...merged.made] : null) : merged.made,
    folder: known ? known.folder : missingFolder(file),
    statusline: line?.raw ?? known?.statusline ?? null,
    exclude: exclude ?? old?.exclude ?? null,
    plugin: isPlugin,
    command: command ?? old?.command ?? null,
  }
  writeSetups(home.path, [...setups.filter((other) => other !== old), setup], ports)
}

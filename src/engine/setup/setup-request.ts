import type { AgentSetUp, Scope } from '../../core/agent-setup.ts'
import type { Launcher } from './launcher.ts'
import type { ServerLauncher } from './mcp-launcher.ts'
import type { PluginCopy } from './plugin-copy.ts'
import type { KnownPlace } from './settings-places.ts'

/** What is asked for, with all questions answered. */
export interface SetupRequest {
  client: AgentSetUp
  scope: Scope
  /** The settings file, as the user knows it. */
  path: string
  places: readonly KnownPlace[]
  launcher: Launcher
  /** Hooks of ours in the settings: put in, taken out because the plugin has them, or left as they stand. */
  hooks: 'in' | 'out' | 'left'
  wantsLine: boolean
  /** What the plugin needs in the home; null where it is not to be touched. */
  plugin: PluginParts | null
}

export interface PluginParts {
  copy: PluginCopy
  server: ServerLauncher
  /** Installed by this command, or only brought up to date. */
  isInstalled: boolean
}

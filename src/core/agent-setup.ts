import type { Environment } from './agent.ts'
import type { AgentName } from './session.ts'

/** For whom something is set up: one workspace, or all that the user works in. */
export type Scope = 'project' | 'user'

/** A file that an agent takes settings from; a later one counts more, but the managed one counts most. */
export interface SettingsPlace {
  kind: 'managed' | 'user' | 'project' | 'local'
  path: string
}

/** A program that an agent starts without a shell. */
export interface HookCommand {
  command: string
  args: readonly string[]
}

export interface HookChange {
  event: string
  what: 'added' | 'updated' | 'removed'
}

/** What a settings file says of the status line. */
export type StatusLine =
  | { kind: 'none' }
  | { kind: 'ours'; command: string }
  /** `raw`: the command as the file writes it, to be put back; `rest`: its other settings. */
  | { kind: 'other'; command: string; raw: string; rest: Record<string, unknown> }
  /** Something that no command can be chained into. */
  | { kind: 'strange' }

/** Why a settings file cannot be read, or what is wanted cannot be put into it. */
export interface SettingsProblem {
  line: number
  problem: string
}

export const isMalformed = <T extends object>(found: T | SettingsProblem): found is SettingsProblem =>
  'problem' in found

/** What a settings file says that concerns us. */
export interface SettingsFacts {
  /** Events with a hook of ours. */
  hooked: string[]
  /** The launchers that those hooks name. */
  launchers: string[]
  /** False where it has comments, or commas that trail: the agent passes over the whole of such a file. */
  isPlain: boolean
  statusLine: StatusLine
  /** The setting in it that stops all hooks; null where none does. */
  hooksStoppedBy: string | null
  /** The setting in it by which only an administrator's hooks run; null where none does. */
  hooksManagedBy: string | null
  /** After how many days transcripts are deleted, and which setting says so; null where the file does not say. */
  deletesTranscripts: { setting: string; days: number } | null
  /** Whether our plugin is switched on or off here; null where the file does not say. */
  plugin: boolean | null
  /** Those of our plugins that it names, switched on or off. */
  plugins: string[]
  /** The folder that it says our plugins come from; null where it says none. */
  market: string | null
  /** What it names as our marketplace, a folder or not; null where it names none. */
  source: string | null
}

/** What is to stand in a settings file. */
export interface WantedSettings {
  /** Null where hooks are to stay as they are, `out` where ours are to go. */
  hooks: HookCommand | 'out' | null
  /** The command of our status line, and its other settings where there is none yet; null to leave it alone. */
  statusLine: { command: string; rest: Record<string, unknown> } | 'out' | null
  /**
   * The file before ours came into it, empty where nobody remembers. What it had comes back when ours goes: lists that
   * are empty, and the command of the status line as it was written.
   */
  before: string
}

/** A settings file after a change. */
export interface SplicedSettings {
  text: string
  changes: HookChange[]
}

/** How a settings file is read and changed. All that is not ours stays as it is, character for character. */
export interface SettingsSplice {
  read(text: string): SettingsFacts | SettingsProblem
  /** With what is wanted in it, and without what is to go; the same text where nothing is to do. */
  put(text: string, wanted: WantedSettings): SplicedSettings | SettingsProblem
  /** Whether a file says no more than it did before, but for plugins and marketplaces that are `going`. */
  saysTheSame(before: string, text: string, going: readonly string[]): boolean
}

/** What a plugin starts. */
export interface PluginStarts {
  hook: HookCommand
  server: HookCommand
}

/** A plugin that an agent says it has. */
export interface InstalledPlugin {
  id?: string
  scope?: string
  enabled?: boolean
  projectPath?: string
  readFromFolder?: string
}

/** A word of the agent's own that only a file in a folder of commands can take. */
export interface CommandFile {
  word: string
  /** What it means without that file. */
  otherwise: string
  /** What answers besides. */
  besides: string
  /** Its text, below the folder of the plugins. */
  source: string
  /** Where it is below a workspace, as git names it. */
  projectFile: string
  userPath(env: Environment): string
}

/** Commands of the agent's own program, as the words behind its name. */
export interface PluginCommands {
  install(folder: string, scope: Scope): string[][]
  uninstall(plugins: readonly string[], scope: Scope): string[][]
  update: string[]
  removeMarket: string[]
  list: string[]
}

/** Our plugins for an agent: files in plugins/<agent>, which its own program installs. */
export interface PluginSetUp {
  /** The name of our marketplace, and the plugins that are installed from it. */
  market: string
  plugins: readonly string[]
  /** The files of the plugins that name what is started, by their paths below the folder, with their text. */
  files(starts: PluginStarts): Record<string, string>
  /** The one that says their version. */
  manifest: string
  commandFile: CommandFile
  commands: PluginCommands
  /** How it calls a scope in its answers. */
  scopeName(scope: Scope): string
  /** What `list` printed; null where that says nothing. */
  installed(out: string): InstalledPlugin[] | null
  /** What a person types in the agent to the same end. */
  typed(words: readonly string[]): string
  /** The variables that its program is run with: asked for one thing, it is to do nothing else meanwhile. */
  environment(env: Environment): Environment
}

/**
 * How an agent is set up: a description that engine/setup performs for any agent. What is a function here makes a text
 * or a path of what it is given, and looks at nothing.
 */
export interface AgentSetUp {
  agent: AgentName
  label: string
  /** Its program on PATH: by names that can be started without a shell, and by all. */
  programs(platform: string): { started: readonly string[]; found: readonly string[] }
  /** The folder that it makes for itself when it is first started. */
  folder(env: Environment): string
  places(root: string, env: Environment, platform: string): SettingsPlace[]
  /** The settings of a project that are not committed, as git names the file. */
  localFile: string
  /** The events that are followed. */
  events: readonly string[]
  settings: SettingsSplice
  /** Null where nothing but hooks can be set up. */
  plugin: PluginSetUp | null
}

/** An agent that our plugins can be installed into. */
export type PluginClient = AgentSetUp & { plugin: PluginSetUp }

export const takesPlugins = (client: AgentSetUp): client is PluginClient => client.plugin !== null

import { join } from 'node:path'
import type { AgentSetUp, InstalledPlugin, PluginSetUp, Scope } from '../../core/agent-setup.ts'
import { parseOrUndefined } from '../../core/json.ts'
import { claudeFolder } from './config-folder.ts'
import { HOOKS } from './hook-table.ts'
import { LABEL, NAME } from './name.ts'
import { pluginFiles } from './plugin.ts'
import { MARKET, OUR_PLUGINS, readFacts, saysTheSame, withSavepoint } from './settings.ts'

/** Where an administrator sets what users cannot change. */
const MANAGED: Readonly<Record<string, string>> = {
  darwin: '/Library/Application Support/ClaudeCode/managed-settings.json',
  win32: 'C:\\Program Files\\ClaudeCode\\managed-settings.json',
}

/** A plugin for a project is switched on in the settings that are not committed. */
const scopeName = (scope: Scope) => (scope === 'user' ? 'user' : 'local')
const scopeWords = (scope: Scope) => ['--scope', scopeName(scope)]

/** The first brings the second along. */
const [CONTEXT = ''] = OUR_PLUGINS

const plugin: PluginSetUp = {
  market: MARKET,
  plugins: OUR_PLUGINS,
  files: pluginFiles,
  manifest: 'savepoint/.claude-plugin/plugin.json',
  commandFile: {
    word: '/checkpoint',
    otherwise: '/rewind',
    besides: '/savepoint:checkpoint',
    source: 'commands/checkpoint.md',
    projectFile: '.claude/commands/checkpoint.md',
    userPath: (env) => join(claudeFolder(env), 'commands', 'checkpoint.md'),
  },
  commands: {
    install: (folder, scope) => [
      ['plugin', 'marketplace', 'add', folder],
      ['plugin', 'install', CONTEXT, ...scopeWords(scope)],
    ],
    uninstall: (plugins, scope) => plugins.map((name) => ['plugin', 'uninstall', name, ...scopeWords(scope)]),
    update: ['plugin', 'marketplace', 'update', MARKET],
    removeMarket: ['plugin', 'marketplace', 'remove', MARKET],
    list: ['plugin', 'list', '--json'],
  },
  scopeName,
  installed: parseInstalled,
  // It asks for the scope itself.
  typed: (words) => `/${words.filter((_, at) => !isScope(words, at)).join(' ')}`,
  environment({ CLAUDE_CONFIG_DIR: folder, ...env }) {
    const quiet = { NO_COLOR: '1', DISABLE_AUTOUPDATER: '1', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' }
    // An empty name is none to us; the client would take it for the folder that it is run in.
    return { ...env, ...quiet, ...(folder ? { CLAUDE_CONFIG_DIR: folder } : {}) }
  },
}

const isScope = (words: readonly string[], at: number) =>
  words[at] === '--scope' || words[at - 1] === '--scope'

function parseInstalled(out: string): InstalledPlugin[] | null {
  const rows = parseOrUndefined(out)
  // `as`: members of another kind are unequal to all that they are compared with.
  return Array.isArray(rows) ? (rows as InstalledPlugin[]) : null
}

export const claudeSetUp: AgentSetUp = {
  agent: NAME,
  label: LABEL,
  programs: (platform) =>
    platform === 'win32'
      ? { started: ['claude.exe'], found: ['claude.exe', 'claude.cmd'] }
      : { started: ['claude'], found: ['claude'] },
  folder: claudeFolder,
  places: (root, env, platform) => [
    { kind: 'managed', path: MANAGED[platform] ?? '/etc/claude-code/managed-settings.json' },
    { kind: 'user', path: join(claudeFolder(env), 'settings.json') },
    { kind: 'project', path: join(root, '.claude', 'settings.json') },
    { kind: 'local', path: join(root, '.claude', 'settings.local.json') },
  ],
  localFile: '.claude/settings.local.json',
  events: Object.keys(HOOKS),
  settings: { read: readFacts, put: withSavepoint, saysTheSame },
  plugin,
}

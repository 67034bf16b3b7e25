import type { HookCommand, PluginStarts } from '../../core/agent-setup.ts'
import { HOOKS } from './hook-table.ts'
import { NAME } from './name.ts'

/** A program that finds Savepoint, as a plugin names it that may be read from anywhere. */
const START = `\${CLAUDE_PLUGIN_ROOT}/start.cjs`

/** What the plugin starts where nobody set it up: `init` names launchers in the home instead. */
export const PLUGIN_STARTS: PluginStarts = {
  hook: { command: 'node', args: [START, 'hook', NAME] },
  server: { command: 'node', args: [START, 'mcp'] },
}

/** The files of the plugins that name what is started, by their paths below plugins/claude, with their text. */
export const pluginFiles = ({ hook, server }: PluginStarts): Record<string, string> => ({
  'savepoint/hooks/hooks.json': textOf(pluginHooks(hook)),
  'savepoint/.mcp.json': textOf(pluginServers(server.command, server.args)),
})

/** Every event that is followed, with one handler. */
export const pluginHooks = ({ command, args }: HookCommand) => ({
  description: 'Records each session and briefs the next one.',
  hooks: Object.fromEntries(
    Object.entries(HOOKS).map(([event, timeout]) => [
      event,
      [{ hooks: [{ type: 'command', command, args, timeout }] }],
    ]),
  ),
})

/** One server: its tools are `mcp__plugin_savepoint_savepoint__…` to the client. */
export const pluginServers = (command: string, args: readonly string[]) => ({
  mcpServers: { savepoint: { command, args } },
})

const textOf = (value: object) => `${formatJson(value, '')}\n`

/** JSON with a list of plain values in one line, as the repository formats it. */
function formatJson(value: unknown, indent: string): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const inner = `${indent}  `
  const isList = Array.isArray(value)
  const parts = Object.entries(value).map(
    ([name, one]) => `${isList ? '' : `${JSON.stringify(name)}: `}${formatJson(one, inner)}`,
  )
  const [open, close] = isList ? '[]' : '{}'
  if (isList && value.every((one) => typeof one !== 'object')) return `${open}${parts.join(', ')}${close}`
  return `${open}\n${parts.map((part) => inner + part).join(',\n')}\n${indent}${close}`
}

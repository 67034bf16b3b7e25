import { type AgentSetUp, type Scope, takesPlugins } from '../../core/agent-setup.ts'
import { ReasonError } from '../../core/reason.ts'
import type { Context } from '../context/context.ts'
import { findProgram } from './find-program.ts'
import { serverLauncherIn } from './launcher.ts'
import { copyChange, pluginCopy } from './plugin-copy.ts'
import type { SetupRequest } from './set-up.ts'
import { hasPlugin, type KnownPlace, pluginMarket } from './settings-places.ts'

/** Hooks for all projects would be run besides a plugin that is there for one: null, or where they stand. */
export const hooksForAll = (places: readonly KnownPlace[], scope: Scope): string | null =>
  (scope === 'project' && places.find(({ kind, facts }) => kind === 'user' && facts?.hooked.length)?.path) ||
  null

/** Whether the plugin is wanted: as the command says, else as a person answers; null where nobody says. */
export async function wantsPlugin(
  { ask, env, place }: Context,
  client: AgentSetUp,
  places: readonly KnownPlace[],
  scope: Scope,
  said: boolean | null,
): Promise<boolean | null> {
  if (!takesPlugins(client)) {
    if (said !== true) return false
    throw new ReasonError('usage_invalid', { problem: `there is no plugin for ${client.label}` })
  }
  const doubled = hooksForAll(places, scope)
  if (said === true && doubled !== null)
    throw new ReasonError('usage_invalid', {
      problem: `${doubled} has hooks for all projects, so they would run twice; use --plugin --scope user`,
    })
  if (said !== null || ask === null || hasPlugin(places, scope) || doubled !== null) return said
  if (findProgram(client, env, place.root) === null) return said
  const [answer = ''] = await ask([
    'Install the plugin (tools, skills and slash commands as well as hooks)? (Y/n)',
  ])
  return !/^no?$/i.test(answer.trim())
}

/** What is to be done for the plugin, and with hooks in the settings. */
export function planPlugin(
  { home }: Context,
  client: AgentSetUp,
  places: readonly KnownPlace[],
  scope: Scope,
  isWanted: boolean,
): Pick<SetupRequest, 'hooks' | 'plugin'> {
  const isOn = hasPlugin(places, scope)
  if (!takesPlugins(client) || (!isWanted && !isOn)) return { hooks: 'in', plugin: null }
  const server = serverLauncherIn(home.path)
  const copy = pluginCopy(home.path, client)
  if (copy === null && isWanted)
    throw new ReasonError('plugin_not_installed', {
      label: client.label,
      problem: `this package has no folder plugins/${client.agent}`,
      typed: 'install Savepoint again, then run savepoint init --plugin',
    })
  // A plugin from elsewhere, such as a clone, needs nothing of this home.
  const isFromHere = copy !== null && (pluginMarket(places) === copy.folder || copyChange(copy) !== 'made')
  const plugin = copy && (isWanted || isFromHere) ? { client, copy, server, isInstalled: isWanted } : null
  return { hooks: 'out', plugin }
}

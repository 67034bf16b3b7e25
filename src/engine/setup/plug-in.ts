import { existsSync } from 'node:fs'
import { takesPlugins } from '../../core/agent-setup.ts'
import type { Context } from '../context/context.ts'
import type { SetupChange } from './change.ts'
import type { CommandPlan } from './command-file.ts'
import { marketElsewhere, noteMarket } from './market.ts'
import { rememberSetup, type SettingsPlan, type SideEffects } from './note-setup.ts'
import { installPlugins, slashCommandsOf } from './plugin-commands.ts'
import { putCommand } from './prepare.ts'
import { hasPlugin, placesHere, pluginMarket } from './settings-places.ts'
import type { SetupRequest } from './setup-request.ts'

/** Why the client did not install the plugin, and what a person types to have it; null where there is nothing to say. */
export interface PluginResult {
  problem: string | null
  typed: string | null
}

/** Lets the client install the plugin; first all is noted, so that whatever comes of it can be undone. */
export async function plugIn(
  context: Context,
  asked: SetupRequest,
  {
    first,
    command,
    beside,
    changes,
  }: { first: SettingsPlan; command: CommandPlan | null; beside: SideEffects; changes: SetupChange[] },
): Promise<PluginResult> {
  const { client } = asked
  if (!asked.plugin?.isInstalled || !takesPlugins(client)) return { problem: null, typed: null }
  const { folder } = asked.plugin.copy
  const other = otherMarket(asked)
  if (other === null) noteMarket(context, client)
  const old = pluginMarket(asked.places)
  if (old !== null && !existsSync(old) && old !== folder)
    context.notices.push(
      `The marketplace \`${client.plugin.market}\` was ${old}, which is not there: now it is ${folder}.`,
    )
  rememberSetup(context, asked, first, beside)
  if (command) changes.push(...(await putCommand(context, command)))
  if (other !== null) return other
  const root = asked.scope === 'project' ? context.place.root : null
  const isChanged = changes.some(({ path }) => path === folder)
  const ran = await installPlugins(context, client, { scope: asked.scope, root }, folder, { isChanged })
  changes.push(...ran.changes)
  const isOn = hasPlugin(placesHere(client, context.place.root, context.env), asked.scope)
  const problem = ran.problem ?? (isOn ? null : 'it says that it did, and no settings of yours say so')
  return { problem, typed: null }
}

/** Their marketplace stays: they may have the plugin from there, or give it up. */
export function otherMarket({
  client,
  places,
  plugin,
}: SetupRequest): { problem: string; typed: string } | null {
  if (!plugin?.isInstalled || !takesPlugins(client)) return null
  const other = marketElsewhere(client, places, plugin.copy.folder)
  if (other === null) return null
  const { market, commands } = client.plugin
  const [, install = ''] = slashCommandsOf(client, commands.install(plugin.copy.folder, 'project'))
  return {
    problem: `it has a marketplace \`${market}\` of your own, from ${other}, which stays.`,
    typed: `${install}, to have it from there; or ${slashCommandsOf(client, [commands.removeMarket])}, and then give this command again`,
  }
}

/** What the client would be asked for, as far as its settings tell: nothing is run to find out. */
export function commandsAhead({ client, scope, places, plugin }: SetupRequest): string[][] {
  if (!plugin?.isInstalled || !takesPlugins(client)) return []
  if (marketElsewhere(client, places, plugin.copy.folder) !== null) return []
  const factsOf = (wanted: string) => places.find(({ kind }) => kind === wanted)?.facts
  const isOn = factsOf(scope === 'user' ? 'user' : 'local')?.plugin === true
  const isFrom = factsOf('user')?.market === plugin.copy.folder
  return isOn && isFrom ? [] : client.plugin.commands.install(plugin.copy.folder, scope)
}

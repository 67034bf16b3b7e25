import { isMalformed, type PluginClient, takesPlugins } from '../../core/agent-setup.ts'
import type { Context } from '../context/context.ts'
import type { SetupChange } from './change.ts'
import { isNamedElsewhere, isOurMarket } from './market.ts'
import { setupOf } from './note-setup.ts'
import { type CommandRun, marketReaders, ranChange, runAll, slashCommandsOf } from './plugin-commands.ts'
import { copyFolder, dropCopy } from './plugin-copy.ts'
import { readSettingsFile } from './settings-file.ts'
import type { TakeOutPlace } from './take-out.ts'

/** What the client did not do, and what a person types to have it done. */
export interface ManualStep {
  label: string
  problem: string
  typed: string[]
}

/** The commands that take our plugins out of one settings file; none where it does not name them. */
export function pluginsToRemove(context: Context, { client, scope, path, root }: TakeOutPlace): string[][] {
  if (!takesPlugins(client)) return []
  const file = readSettingsFile(path, root)
  const facts = client.settings.read(file.text)
  const isOurs = setupOf(context.home.path, file.target)?.plugin === true || isOurMarket(context, client)
  return isOurs && !isMalformed(facts) ? client.plugin.commands.uninstall(facts.plugins, scope) : []
}

/** Lets the client take our plugins out of one place. */
export async function unplug(
  context: Context,
  place: TakeOutPlace,
): Promise<CommandRun & { stuck: ManualStep | null }> {
  const { client } = place
  const commands = pluginsToRemove(context, place)
  if (!takesPlugins(client)) return { changes: [], problem: null, stuck: null }
  const ran = await runAll(context, client, commands, place.root)
  const left = commands.slice(ran.changes.length)
  return {
    ...ran,
    stuck:
      ran.problem === null
        ? null
        : { label: client.label, problem: ran.problem, typed: slashCommandsOf(client, left) },
  }
}

/** The marketplace and the copy, once the client has nothing from it any more. */
export async function closeMarket(
  context: Context,
  client: PluginClient,
): Promise<{ changes: SetupChange[]; stuck: ManualStep | null }> {
  const { home } = context
  const { removeMarket } = client.plugin.commands
  const changes: SetupChange[] = []
  const isOurs = isOurMarket(context, client)
  if (!isOurs && !dropCopy(home.path, client.agent, { dryRun: true })) return { changes, stuck: null }
  const readers = await marketReaders(context, client, isOurs ? null : copyFolder(home.path, client.agent))
  // A client that does not say what it has may have something from there, as long as its settings name it.
  if (isNamedElsewhere(context, client) || (readers === null ? isOurs : readers.length > 0)) {
    context.notices.push(stillRead(context, client, readers ?? []))
    return { changes, stuck: null }
  }
  if (isOurs) {
    const ran = await runAll(context, client, [removeMarket], null)
    changes.push(...ran.changes)
    if (ran.problem !== null)
      return {
        changes,
        stuck: { label: client.label, problem: ran.problem, typed: slashCommandsOf(client, [removeMarket]) },
      }
  }
  if (dropCopy(home.path, client.agent)) changes.push(copyGone(context, client))
  return { changes, stuck: null }
}

const stillRead = ({ home }: Context, { agent, label }: PluginClient, readers: readonly string[]) =>
  `${copyFolder(home.path, agent)} stays, with what it starts: ${label} may still read plugins from it${readers.length > 0 ? `, for ${readers.join(', ')}` : ''}.`

const copyGone = ({ home }: Context, { agent }: PluginClient): SetupChange => ({
  path: copyFolder(home.path, agent),
  what: 'removed',
  about: 'nobody reads it any more',
  diff: null,
})

/** What `closeMarket` would do, as far as settings tell: nothing is run to find out. */
export const marketAhead = (context: Context, client: PluginClient): SetupChange[] => [
  ...(isOurMarket(context, client) ? [ranChange(client, client.plugin.commands.removeMarket)] : []),
  ...(dropCopy(context.home.path, client.agent, { dryRun: true }) ? [copyGone(context, client)] : []),
]

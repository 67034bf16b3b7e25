import { existsSync } from 'node:fs'
import { AGENTS, agentNames } from '../../agents/table.ts'
import { type AgentSetUp, takesPlugins } from '../../core/agent-setup.ts'
import { EXIT, ReasonError } from '../../core/reason.ts'
import type { Context } from '../../engine/context/context.ts'
import { removePrivate } from '../../engine/context/private-json.ts'
import type { SetupChange } from '../../engine/setup/change.ts'
import { dropCommand } from '../../engine/setup/command-file.ts'
import { launcherIn, targetHere } from '../../engine/setup/launcher.ts'
import { forgetMarket, marketBack } from '../../engine/setup/market.ts'
import { serverLauncherIn, serverTargetHere } from '../../engine/setup/mcp-launcher.ts'
import { ranChange } from '../../engine/setup/plugin-commands.ts'
import { copyFolder } from '../../engine/setup/plugin-copy.ts'
import { readSetups, type Setup, writeSetups } from '../../engine/setup/record.ts'
import { removeEmpty } from '../../engine/setup/remove-empty.ts'
import { settingsPath } from '../../engine/setup/settings-places.ts'
import { setupLock } from '../../engine/setup/setup-lock.ts'
import { planTakeOut, planTidying, type TakeOutPlace, takeOut } from '../../engine/setup/take-out.ts'
import {
  closeMarket,
  type ManualStep,
  marketAhead,
  pluginsToRemove,
  unplug,
} from '../../engine/setup/unplug.ts'
import { defineVerb } from '../define/verb.ts'
import { sayChanges } from './say-changes.ts'

/** The settings files that are meant: those of this workspace and of the user, or all that are noted. */
function placesOf(
  { place, home, env }: Context,
  clients: readonly AgentSetUp[],
  scope: 'project' | 'user' | 'all' | undefined,
): TakeOutPlace[] {
  return clients.flatMap((client) => {
    const pathOf = (of: 'project' | 'user') => settingsPath(client, of, place.root, env)
    const project = { client, scope: 'project', path: pathOf('project'), root: place.root } as const
    const user = { client, scope: 'user', path: pathOf('user'), root: null } as const
    if (scope === 'project') return [project]
    if (scope === 'user') return [user]
    if (scope === undefined) return [project, user]
    const noted = (readSetups(home.path) ?? [])
      .filter(({ agent }) => agent === client.agent)
      .map(({ scope: of, settings, root }) => ({ client, scope: of, path: settings, root }))
      .filter(({ path, root }) => existsSync(root ?? path) && path !== project.path && path !== user.path)
    return [project, user, ...noted]
  })
}

/** The launchers, once nothing that is noted needs them. Where nothing was ever noted, somebody may still name them. */
function dropLaunchers({ home }: Context, { dryRun }: { dryRun: boolean }): SetupChange[] {
  const launchers = [launcherIn(home.path, targetHere()), serverLauncherIn(home.path, serverTargetHere())]
  return launchers.flatMap(({ path, folder, name }) => {
    if (!existsSync(path)) return []
    if (!dryRun) {
      removePrivate(folder, name)
      removeEmpty(folder)
    }
    return [{ path, what: 'removed', about: 'nothing is set up any more', diff: null }]
  })
}

/** A workspace that was removed took its settings with it. Those of a plugin are the client's to make, and to remove. */
const isThere = ({ settings, plugin, root }: Setup) =>
  existsSync(settings) || (plugin && root !== null && existsSync(root))

export const uninstall = defineVerb({
  name: 'uninstall',
  summary: 'Take out what init put into the settings of an agent',
  detail:
    'Without --scope: out of the settings of this workspace, and out of your own; --scope all also out of every other workspace that was set up. A settings file that nobody has edited since gets back the bytes that it had; out of others exactly our entries are taken. Plugins are taken out by the client itself. Saved work stays, and so does the trust in this workspace.',
  fields: {
    agent: {
      kind: 'choice',
      choices: agentNames(AGENTS),
      value: 'NAME',
      about: agentNames(AGENTS).join(' or '),
    },
    scope: {
      kind: 'choice',
      choices: ['project', 'user', 'all'],
      value: 'SCOPE',
      about: 'project, user or all',
    },
    dryRun: { kind: 'flag', about: 'show what would be taken out, and write nothing' },
  },
  examples: ['savepoint uninstall', 'savepoint uninstall --dry-run', 'savepoint uninstall --scope all'],
  access: ({ dryRun }) => (dryRun ? 'read' : 'write'),
  async perform(context, { agent, scope, dryRun }) {
    const { home, agents } = context
    const meantAgents = agents.filter(({ name }) => agent === undefined || agent === name)
    const clients = await Promise.all(meantAgents.map((one) => one.setUp()))
    const places = placesOf(context, clients, scope)
    // Before anything is done: a file that cannot be read leaves all as it is.
    const meant = new Set(places.map((place) => planTakeOut(context, place).file.target))
    const noted = readSetups(home.path)
    const others = (noted ?? []).filter((setup) => !meant.has(setup.settings) && isThere(setup))
    const changes: SetupChange[] = []
    const stuck: ManualStep[] = []
    for (const client of clients) {
      const own = places.filter((place) => place.client === client)
      const isLastPlugin = !others.some(({ agent: of, plugin }) => plugin && of === client.agent)
      const done = dryRun
        ? { changes: await foreseeChanges(context, client, own, isLastPlugin), stuck: [] }
        : await setupLock(context, () => allOf(context, client, own, isLastPlugin))
      changes.push(...done.changes)
      stuck.push(...done.stuck)
    }
    // A client may have the plugin in a workspace that nobody noted: then the copy is there, and needs them.
    const isNeeded = !dryRun && agents.some(({ name }) => existsSync(copyFolder(home.path, name)))
    if (noted !== null && others.length === 0 && !isNeeded)
      changes.push(...dropLaunchers(context, { dryRun }))
    const left = stuck.length > 0 ? (readSetups(home.path) ?? []) : others
    return {
      agent: agentNames(meantAgents).join(', '),
      dryRun: dryRun,
      changes,
      left: left.map(({ settings }) => settings),
      plugin: stuck.length === 0 ? null : reasonOf(stuck).toJSON(),
      home: home.path,
    }
  },
  say: ({ dryRun, changes, left, plugin, home }, { columns }) =>
    [
      ...(changes.length === 0
        ? plugin === null
          ? ['Nothing of Savepoint is in these settings.']
          : []
        : [dryRun ? 'To be taken out; nothing was written:' : 'Taken out:']),
      ...(changes.length > 0 ? [sayChanges(changes, columns, { diffs: dryRun })] : []),
      ...(plugin ? [plugin.message, plugin.hint] : []),
      ...(left.length > 0 && !plugin
        ? [`Still set up (savepoint uninstall --scope all): ${left.join(', ')}`]
        : []),
      `Your saved work stays, in ${home}.`,
    ].join('\n'),
  failure: ({ plugin }) =>
    plugin && { exit: EXIT.unwritten, reason: plugin.reason, message: plugin.message, hint: plugin.hint },
})

const reasonOf = (stuck: readonly ManualStep[]) =>
  new ReasonError('plugin_not_removed', {
    label: [...new Set(stuck.map(({ label }) => label))].join(', '),
    problem: [...new Set(stuck.map(({ problem }) => problem))].join('; '),
    typed: [...new Set(stuck.flatMap(({ typed }) => typed))].join(', '),
  })

async function foreseeChanges(
  context: Context,
  client: AgentSetUp,
  places: readonly TakeOutPlace[],
  isLastPlugin: boolean,
): Promise<SetupChange[]> {
  const closing = isLastPlugin && takesPlugins(client) ? client : null
  const going = [...(client.plugin?.plugins ?? []), ...(closing ? [closing.plugin.market] : [])]
  const changes = [
    ...places.flatMap((place) => pluginsToRemove(context, place)).map((words) => ranChange(client, words)),
    ...(closing ? marketAhead(context, closing) : []),
  ]
  for (const place of places) {
    const { change, setup, bytes } = planTakeOut(context, place, going)
    if (change) changes.push(change)
    if (setup?.command)
      changes.push(...(await dropCommand(context, client, setup.command, setup.root, { dryRun: true })))
    if (setup) changes.push(...planTidying(context, client, setup, bytes === null))
  }
  const back = closing ? marketBack(context, closing, going) : []
  return [...changes, ...back.filter(({ path }) => changes.every((change) => change.path !== path))]
}

/**
 * First the client, which writes the settings itself, then what is ours in them. A place whose plugin the client does
 * not take out stays as it is: its hooks still need what was set up.
 */
async function allOf(
  context: Context,
  client: AgentSetUp,
  places: readonly TakeOutPlace[],
  isLastPlugin: boolean,
) {
  const changes: SetupChange[] = []
  const stuck: ManualStep[] = []
  const free: TakeOutPlace[] = []
  for (const place of places) {
    const ran = await unplug(context, place)
    changes.push(...ran.changes)
    if (ran.stuck) stuck.push(ran.stuck)
    else free.push(place)
  }
  if (isLastPlugin && stuck.length === 0 && takesPlugins(client)) {
    const closed = await closeMarket(context, client)
    changes.push(...closed.changes)
    if (closed.stuck) stuck.push(closed.stuck)
  }
  for (const place of free)
    if (stuck.length === 0 || planTakeOut(context, place).setup?.plugin !== true)
      changes.push(...(await takeOut(context, place)))
  if (stuck.length === 0 && takesPlugins(client)) changes.push(...(await forgetMarket(context, client)))
  const { home, ports } = context
  const noted = readSetups(home.path)
  if (noted) writeSetups(home.path, noted.filter(isThere), ports)
  return { changes, stuck }
}

import { existsSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { type AgentSetUp, type Scope, takesPlugins } from '../../core/agent-setup.ts'
import type { Context } from '../context/context.ts'
import { SETUP_CHANGES } from '../context/notices.ts'
import { removePrivate } from '../context/private-json.ts'
import { type FailedCommands, runCommands } from './client-program.ts'
import { showToGit } from './git-exclude.ts'
import {
  bytesBefore,
  changeJournal,
  keepSettings,
  readSetupJournal,
  readSetups,
  type Setup,
  setupOf,
} from './journal.ts'
import { launcherIn, serverLauncherIn } from './launcher.ts'
import { closeMarket, isOurMarket, namesOurMarket } from './plug-in.ts'
import { copyFolder } from './plugin-copy.ts'
import {
  describeChange,
  factsAt,
  factsIn,
  type SetupPlace,
  setupPlace,
  withoutOurs,
} from './settings-places.ts'
import {
  diffOf,
  type FileStep,
  performStep,
  readSetupFile,
  removeEmpty,
  removeEmptyFolder,
  rewriteFile,
  type SetupFile,
  type SetupRun,
  setupChange,
} from './setup-run.ts'
import { chainKey, writeChain } from './statusline-plan.ts'

/** Takes agents out of settings files; the answer is what a person has to do, and what is still set up. */
export async function takeOutAgents(
  run: SetupRun,
  clients: readonly AgentSetUp[],
  scope: Scope | 'all' | undefined,
): Promise<{ stuck: FailedCommands[]; left: string[] }> {
  const { home, agents } = run.context
  const places = clients.map((client) => placesOf(run.context, client, scope))
  // Before anything is done: a file that cannot be read leaves all as it is.
  const meant = new Set(
    places.flat().map((place) => {
      const file = readSetupFile(place)
      factsIn(place.client, file)
      return file.target
    }),
  )
  const noted = readSetupJournal(home.path)?.setups
  const others = (noted ?? []).filter((setup) => !meant.has(setup.settings) && isThere(setup))
  const stuck: FailedCommands[] = []
  for (const [at, client] of clients.entries())
    stuck.push(...(await takeOutAgent(run, client, places[at] ?? [], others)))
  // A client may have the plugin in a workspace that nobody noted: then the copy is there, and needs them.
  const isNeeded = !run.dryRun && agents.some(({ name }) => existsSync(copyFolder(home.path, name)))
  // Where nothing was ever noted, somebody may still name them.
  const isLast = noted !== undefined && others.length === 0 && !isNeeded
  for (const { path } of isLast ? [launcherIn(home.path), serverLauncherIn(home.path)] : [])
    if (existsSync(path))
      await performStep(run, setupChange('removed', path, SETUP_CHANGES.unused), () => {
        removePrivate(dirname(path), basename(path))
        removeEmpty(dirname(path))
      })
  const left = stuck.length > 0 ? readSetups(home.path) : others
  return { stuck, left: left.map(({ settings }) => settings) }
}

/** The settings files that are meant: those of this workspace and of the user, or all that are noted. */
function placesOf(context: Context, client: AgentSetUp, scope: Scope | 'all' | undefined): SetupPlace[] {
  if (scope === 'project' || scope === 'user') return [setupPlace(context, client, scope)]
  const here = [setupPlace(context, client, 'project'), setupPlace(context, client, 'user')]
  if (scope === undefined) return here
  const noted = readSetups(context.home.path)
    .filter(({ agent, root, settings }) => agent === client.agent && existsSync(root ?? settings))
    .map(({ scope: of, settings, root }) => ({ client, scope: of, path: settings, root }))
  return [...here, ...noted.filter(({ path }) => here.every((place) => place.path !== path))]
}

/** A workspace that was removed took its settings with it. Those of a plugin are the client's to make, and to remove. */
const isThere = ({ settings, plugin, root }: Setup) =>
  existsSync(settings) || (plugin && root !== null && existsSync(root))

/**
 * First the client, which writes the settings itself, then what is ours in them. A place whose plugin the client does
 * not take out stays as it is: its hooks still need what was set up.
 */
async function takeOutAgent(
  run: SetupRun,
  client: AgentSetUp,
  places: readonly SetupPlace[],
  others: readonly Setup[],
): Promise<FailedCommands[]> {
  const { context } = run
  const { home } = context
  const stuck: FailedCommands[] = []
  const free: SetupPlace[] = []
  /** What the client has taken out, which in a dry run still stands in the files. */
  const going: string[] = []
  for (const place of places) {
    const plugins = pluginsIn(context, place)
    const commands = client.plugin?.commands.uninstall(plugins, place.scope) ?? []
    const failed = takesPlugins(client) ? await runCommands(run, client, commands, place.root) : null
    going.push(...plugins)
    if (failed) stuck.push(failed)
    else free.push(place)
  }
  const isLast = !others.some(({ agent, plugin }) => plugin && agent === client.agent)
  if (isLast && stuck.length === 0 && takesPlugins(client)) {
    const { isClosed, failed } = await closeMarket(run, client)
    if (isClosed) going.push(client.plugin.market)
    if (failed) stuck.push(failed)
    else free.push(...marketPlace(context, client, places))
  }
  for (const place of free) {
    const isPlugin = setupOf(home.path, readSetupFile(place).target)?.plugin
    if (stuck.length === 0 || !isPlugin) await takeOut(run, place, going)
  }
  if (!run.dryRun) forgetGone(context, client)
  return stuck
}

/** Forgets settings that are gone, and what a file was before once nothing of ours is left in it. */
function forgetGone(context: Context, client: AgentSetUp): void {
  const { home, ports } = context
  changeJournal(home.path, ports, (journal) => {
    const setups = journal.setups.filter(isThere)
    const isNeeded = (target: string) =>
      setups.some(({ settings }) => settings === target) ||
      (takesPlugins(client) && namesOurMarket(context, client, target))
    const kept = Object.entries(journal.before).filter(([target]) => isNeeded(target))
    return { setups, before: Object.fromEntries(kept) }
  })
}

/** Those of our plugins that a settings file names; none where they are not from us. */
function pluginsIn(context: Context, place: SetupPlace): string[] {
  const { client } = place
  if (!takesPlugins(client)) return []
  const file = readSetupFile(place)
  const isOurs = setupOf(context.home.path, file.target)?.plugin === true || isOurMarket(context, client)
  return isOurs ? factsIn(client, file).plugins : []
}

/** The user's settings, into which the client wrote the marketplace, where nothing else of ours is in them. */
function marketPlace(context: Context, client: AgentSetUp, places: readonly SetupPlace[]): SetupPlace[] {
  const user = setupPlace(context, client, 'user')
  const isNoted = bytesBefore(context.home.path, readSetupFile(user).target) !== undefined
  if (!isNoted || places.some(({ path }) => path === user.path)) return []
  const facts = factsAt(client, user.path)
  return facts && facts.hooked.length === 0 && facts.statusLine.kind !== 'ours' ? [user] : []
}

/** Takes ours out of one settings file, and undoes what was done around it. */
export async function takeOut(run: SetupRun, place: SetupPlace, going: readonly string[]): Promise<void> {
  const { context } = run
  const { home, ports } = context
  const { client, scope } = place
  const { target } = readSetupFile(place)
  const setup = setupOf(home.path, target)
  await rewriteFile(run, place, (file) => planTakeOut(context, place, file, going))
  if (!run.dryRun) writeChain(home.path, chainKey(scope, target), null, ports)
  if (setup === undefined) return
  const others = readSetups(home.path).filter(({ settings }) => settings !== target)
  await dropCommand(run, client, setup)
  // Another worktree of the repository may need the line as well.
  const isShared = (wanted: string, noteOf: (other: Setup) => string | null | undefined) =>
    others.some((other) => noteOf(other) === wanted)
  const { exclude, command, folder } = setup
  if (exclude !== null && !isShared(exclude, (other) => other.exclude))
    await showToGit(run, exclude, client.localFile)
  if (command?.exclude && client.plugin && !isShared(command.exclude, (other) => other.command?.exclude))
    await showToGit(run, command.exclude, client.plugin.commandFile.projectFile)
  if (folder !== null) await removeEmptyFolder(run, folder, SETUP_CHANGES.folderEmpty)
  if (!run.dryRun) changeJournal(home.path, ports, () => ({ setups: others }))
}

/** Takes the command file out while it is as we wrote it, with the folder that was made for it. */
async function dropCommand(run: SetupRun, { plugin }: AgentSetUp, { command, root }: Setup): Promise<void> {
  if (command === null) return
  const { path, hash, folder } = command
  const change = setupChange('removed', path, plugin?.commandFile.word ?? '')
  await rewriteFile(run, { path, root }, (file) => ({
    bytes: null,
    change: file.hash === hash ? change : null,
  }))
  if (folder !== null) await removeEmptyFolder(run, folder)
}

/** Its old bytes come back where it says no more than they did; else what is ours is taken out of it. */
function planTakeOut(
  { home, ports }: Context,
  { client, path }: SetupPlace,
  file: SetupFile,
  going: readonly string[],
): FileStep {
  const old = bytesBefore(home.path, file.target)
  const { bytes, changes } = withoutOurs(client, file, old, going)
  if (file.bytes === null || bytes?.equals(file.bytes)) return { bytes, change: null }
  const line = factsIn(client, file).statusLine.kind === 'ours' ? SETUP_CHANGES.statusLineRestored : ''
  const [what, about] =
    bytes === null
      ? (['removed', SETUP_CHANGES.fileEmpty] as const)
      : bytes === old
        ? (['restored', SETUP_CHANGES.restored] as const)
        : (['changed', describeChange(changes, line)] as const)
  const change = setupChange(what, path, about, diffOf(file, bytes?.toString('utf8') ?? ''))
  return { bytes, change, note: () => void keepSettings(home.path, file.bytes, ports) }
}

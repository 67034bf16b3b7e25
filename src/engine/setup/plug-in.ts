import { existsSync, lstatSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type AgentSetUp, type PluginClient, type Scope, takesPlugins } from '../../core/agent-setup.ts'
import { sha256 } from '../../core/canonical.ts'
import { ReasonError } from '../../core/reason.ts'
import type { Context } from '../context/context.ts'
import { NOTICES, SETUP_CHANGES } from '../context/notices.ts'
import {
  type FailedCommands,
  findProgram,
  hasInstalled,
  isSamePath,
  marketReaders,
  runCommands,
} from './client-program.ts'
import { hideFromGit } from './git-exclude.ts'
import { changeJournal, readSetupJournal, setupOf } from './journal.ts'
import {
  copyChange,
  copyFolder,
  homeOfCopy,
  type PluginCopy,
  pluginCopy,
  pluginFileText,
} from './plugin-copy.ts'
import type { SetupRequest } from './set-up.ts'
import {
  factsAt,
  hasPlugin,
  type KnownPlace,
  noteBefore,
  placesHere,
  pluginMarket,
  setupPlace,
} from './settings-places.ts'
import {
  missingFolder,
  performStep,
  readSetupFile,
  removeEmpty,
  rewriteFile,
  type SetupFile,
  type SetupRun,
  setupChange,
} from './setup-run.ts'

/** What the plugin needs in the home. */
export interface PluginParts {
  client: PluginClient
  copy: PluginCopy
  /** Installed by this command, or only brought up to date. */
  isInstalled: boolean
}

/** Where an agent is to be set up, and what all its settings say. */
type AskedPlace = Pick<SetupRequest, 'client' | 'places' | 'scope'>

/** A request by which the plugin is installed. */
type InstallRequest = SetupRequest & { plugin: PluginParts }

/** Hooks for all projects would be run besides a plugin that is there for one: null, or where they stand. */
export const hooksForAll = (places: readonly KnownPlace[], scope: Scope): string | null =>
  (scope === 'project' && places.find(({ kind, facts }) => kind === 'user' && facts?.hooked.length)?.path) ||
  null

/** Whether the plugin is wanted: as the command says, else as a person answers; null where nobody says. */
export async function wantsPlugin(
  { ask, env, place }: Context,
  { client, places, scope }: AskedPlace,
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
  { client, places, scope }: AskedPlace,
  isWanted: boolean,
): Pick<SetupRequest, 'hooks' | 'plugin'> {
  if (!takesPlugins(client) || !(isWanted || hasPlugin(places, scope))) return { hooks: 'in', plugin: null }
  const copy = pluginCopy(home.path, client)
  if (copy === null && isWanted)
    throw new ReasonError('plugin_not_installed', {
      label: client.label,
      problem: `this package has no folder plugins/${client.agent}`,
      typed: 'install Savepoint again, then run savepoint init --plugin',
    })
  // A plugin from elsewhere, such as a clone, needs nothing of this home.
  const isFromHere = copy !== null && (pluginMarket(places) === copy.folder || copyChange(copy) !== 'made')
  return {
    hooks: 'out',
    plugin: copy && (isWanted || isFromHere) ? { client, copy, isInstalled: isWanted } : null,
  }
}

/**
 * Puts the file for a word of the client's in its place, and keeps it out of git. Somebody else's stays, also one that
 * came this very moment.
 */
export async function putCommand(
  run: SetupRun,
  { scope, root, plugin: { client, copy } }: InstallRequest,
  settings: string,
  isTrusted: boolean,
): Promise<void> {
  const { home, env, place, ports, notices } = run.context
  const { word, otherwise, besides, source, projectFile, userPath } = client.plugin.commandFile
  const path = scope === 'user' ? userPath(env) : join(place.root, projectFile)
  const bytes = Buffer.from(pluginFileText(copy, source))
  const hash = sha256(bytes)
  const old = setupOf(home.path, settings)?.command ?? null
  const isTheirs = (file: SetupFile) => ![null, hash, old?.hash].includes(file.hash)
  const isHidden = root !== null && !isTheirs(readSetupFile({ path, root }))
  const exclude = isHidden ? await hideFromGit(run, projectFile, isTrusted) : null
  await rewriteFile(run, { path, root }, (file) => {
    if (isTheirs(file)) {
      notices.push(NOTICES.commandOfOthers(path, word, besides))
      return { bytes, change: null }
    }
    const folder = old?.folder ?? missingFolder(file)
    const command = { path, hash, folder, exclude: exclude ?? old?.exclude ?? null }
    const what = file.bytes === null ? 'made' : 'changed'
    const about = SETUP_CHANGES.command(word, otherwise)
    return {
      bytes,
      change: file.hash === hash ? null : setupChange(what, path, about),
      note: () =>
        changeJournal(home.path, ports, ({ setups }) => ({
          setups: setups.map((setup) => (setup.settings === settings ? { ...setup, command } : setup)),
        })),
    }
  })
}

/** Lets the client install the plugin from the copy; where it has it from there already, it looks at it again. */
export async function installPlugin(run: SetupRun, asked: InstallRequest): Promise<FailedCommands | null> {
  const { context } = run
  const { scope, root, places } = asked
  const { client, copy } = asked.plugin
  const { market, commands, typed } = client.plugin
  const old = pluginMarket(places)
  if (old !== null && !existsSync(old) && old !== copy.folder)
    context.notices.push(NOTICES.marketMoved(market, old, copy.folder))
  const install = commands.install(copy.folder, scope)
  if (!(await isThere(run, asked))) {
    const failed = await runCommands(run, client, install, root)
    if (failed !== null || run.dryRun) return failed
  } else if (run.changes.some(({ path }) => path === copy.folder)) {
    const failed = await runCommands(run, client, [commands.update], root)
    if (failed !== null) return failed
  }
  if (hasPlugin(placesHere(client, context.place.root, context.env), scope)) return null
  const problem = 'it reported success, but your settings do not have the plugin'
  return { label: client.label, problem, typed: install.map(typed) }
}

/** In a dry run nothing is run to find out: it is as its settings say. */
async function isThere(run: SetupRun, { scope, root, places, plugin }: InstallRequest): Promise<boolean> {
  const { folder } = plugin.copy
  if (!run.dryRun) return await hasInstalled(run.context, plugin.client, folder, scope, root)
  const factsOf = (wanted: string) => places.find(({ kind }) => kind === wanted)?.facts
  const isOn = factsOf(scope === 'user' ? 'user' : 'local')?.plugin === true
  return isOn && factsOf('user')?.market === folder
}

/**
 * A marketplace of our name that the user has from elsewhere, such as a clone: the client knows one of a name, and
 * would forget theirs. Theirs stays: they may have the plugin from there, or give it up. A copy in another home is
 * ours, and what is gone is nobody's.
 */
export function refuseOtherMarket({ places, plugin }: InstallRequest): FailedCommands | null {
  const { client, copy } = plugin
  const isOurs = (folder: string) =>
    isSamePath(folder, copy.folder) || !existsSync(folder) || homeOfCopy(folder) !== null
  const theirs = places.find(
    ({ kind, facts }) =>
      kind !== 'project' && facts?.source && !(facts.market !== null && isOurs(facts.market)),
  )
  if (!theirs) return null
  const { market, commands, typed } = client.plugin
  const [, install = ''] = commands.install(copy.folder, 'project').map(typed)
  return {
    label: client.label,
    problem: `it already has another marketplace \`${market}\`, from ${theirs.facts?.source}.`,
    typed: [`${install}, to use that one; or ${typed(commands.removeMarket)}, then run this command again`],
  }
}

/** Whether the client reads our plugins from the copy in this home. */
export const isOurMarket = ({ place, env, home }: Context, client: PluginClient): boolean =>
  isSamePath(pluginMarket(placesHere(client, place.root, env)), copyFolder(home.path, client.agent))

/** Whether settings, wherever they are, name the copy as what our plugins are read from. */
export const namesOurMarket = ({ home }: Context, client: PluginClient, path: string): boolean =>
  isSamePath(factsAt(client, path)?.market, copyFolder(home.path, client.agent))

/** Before the client writes our marketplace into the user's settings: what they were is kept until it goes. */
export function noteMarket(context: Context, client: AgentSetUp): void {
  const file = readSetupFile(setupPlace(context, client, 'user'))
  changeJournal(context.home.path, context.ports, ({ before }) => ({
    before: { ...before, [file.target]: noteBefore(context, client, file) },
  }))
}

/** The marketplace and the copy go once the client has nothing from there any more. */
export async function closeMarket(
  run: SetupRun,
  client: PluginClient,
): Promise<{ isClosed: boolean; failed: FailedCommands | null }> {
  const { context } = run
  const copy = copyFolder(context.home.path, client.agent)
  const isOurs = isOurMarket(context, client)
  const hasCopy = lstatSync(copy, { throwIfNoEntry: false }) !== undefined
  if ((isOurs || hasCopy) && (await isRead(run, client, copy, isOurs)))
    return { isClosed: false, failed: null }
  const commands = isOurs ? [client.plugin.commands.removeMarket] : []
  const failed = await runCommands(run, client, commands, null)
  if (failed === null && hasCopy)
    await performStep(run, setupChange('removed', copy, SETUP_CHANGES.unread), () => {
      rmSync(copy, { recursive: true })
      removeEmpty(dirname(copy))
    })
  return { isClosed: failed === null && isOurs, failed }
}

/** Whether the client still reads plugins from the copy, as far as can be told; that is told to the user. */
async function isRead(
  { context, dryRun }: SetupRun,
  client: PluginClient,
  copy: string,
  isOurs: boolean,
): Promise<boolean> {
  // In a dry run nothing is run to find out.
  const readers = dryRun ? [] : await marketReaders(context, client, isOurs ? null : copy)
  // Settings of another folder of the client, which were written at its time, may still name the copy.
  const user = setupPlace(context, client, 'user').path
  const noted = Object.keys(readSetupJournal(context.home.path)?.before ?? {})
  const isNamed = noted.some((path) => !isSamePath(path, user) && namesOurMarket(context, client, path))
  // A client that does not say what it has may have something from there, as long as its settings name it.
  if (!isNamed && !(readers === null ? isOurs : readers.length > 0)) return false
  context.notices.push(NOTICES.marketStays(copy, client.label, readers ?? []))
  return true
}

import type { AgentSetUp, Scope } from '../../core/agent-setup.ts'
import { instant } from '../../core/ports.ts'
import type { Context } from '../context/context.ts'
import { NOTICES, SETUP_CHANGES } from '../context/notices.ts'
import { vouchForWorkspace } from '../trust/give-trust.ts'
import { trustHere } from '../trust/trusted.ts'
import type { FailedCommands } from './client-program.ts'
import { hideFromGit } from './git-exclude.ts'
import { bytesBefore, changeJournal, readSetups, type Setup } from './journal.ts'
import { type Launcher, launcherChange, launcherIn, serverLauncherIn, writeLauncher } from './launcher.ts'
import { installPlugin, noteMarket, type PluginParts, putCommand, refuseOtherMarket } from './plug-in.ts'
import { copyChange, writeCopy } from './plugin-copy.ts'
import {
  describeChange,
  factsIn,
  hasPlugin,
  type KnownPlace,
  noteBefore,
  placesHere,
  refuseMalformed,
  type SetupPlace,
} from './settings-places.ts'
import {
  diffOf,
  type FileStep,
  missingFolder,
  performStep,
  readSetupFile,
  rewriteFile,
  type SetupFile,
  type SetupRun,
  setupChange,
} from './setup-run.ts'
import { chainKey, type LinePlan, planLine, statusLinesOf, writeChain } from './statusline-plan.ts'
import { takeOut } from './take-out.ts'

/** What is asked for, with all questions answered. */
export interface SetupRequest extends SetupPlace {
  places: readonly KnownPlace[]
  /** Hooks of ours in the settings: put in, taken out because the plugin has them, or left as they stand. */
  hooks: 'in' | 'out' | 'left'
  wantsLine: boolean
  /** Null where the plugin is not to be touched. */
  plugin: PluginParts | null
}

/**
 * Sets an agent up; the answer is what the client did not do for the plugin. The order is the promise: until the
 * settings name what is started, nothing has changed for the agent, and hooks go only once the plugin has them. What a
 * crash leaves undone, the next `init` does.
 */
export async function setUp(run: SetupRun, asked: SetupRequest): Promise<FailedCommands | null> {
  const { context } = run
  const { client, scope, root } = asked
  const install = asked.plugin?.isInstalled ? { ...asked, plugin: asked.plugin } : null
  // Before anything is done: a file that cannot be read leaves all as it is.
  const first = planSettings(context, asked, readSetupFile(asked))
  const isTrusted = await trustWorkspace(run, scope)
  await writeParts(run, asked)
  // Only a file of ours is kept out of git: the local settings of a project, with something of ours in it.
  const isHidden = root !== null && (first.change !== null || first.hasOurs || install !== null)
  const exclude = isHidden ? await hideFromGit(run, client.localFile, isTrusted) : null
  let failed: FailedCommands | null = null
  if (install) {
    const refused = refuseOtherMarket(install)
    // First all is noted, so that whatever comes of it can be undone.
    if (!run.dryRun && refused === null) noteMarket(context, client)
    if (!run.dryRun) noteSetup(context, asked, first, exclude)
    await putCommand(run, install, first.file.target, isTrusted)
    failed = refused ?? (await installPlugin(run, install))
  }
  // Where the plugin has no hooks yet, those that are there go on.
  const settled = failed === null ? asked : { ...asked, hooks: 'left' as const }
  const earlier = run.changes.splice(0)
  await rewriteFile(run, asked, (file) => {
    const plan = planSettings(context, settled, file)
    return { ...plan, note: () => noteSetup(context, settled, plan, exclude) }
  })
  // The settings are what the user looks for first.
  run.changes.push(...earlier)
  if (failed === null && install && scope === 'user') await takeOutHooks(run, client)
  return failed
}

async function trustWorkspace(run: SetupRun, scope: Scope): Promise<boolean> {
  const { context } = run
  const trust = scope === 'user' ? 'vouched' : await trustHere(context)
  if (trust === 'vouched') return true
  if (context.speaker === 'agent') {
    context.notices.push(NOTICES.trustByUserOnly)
    return trust === 'own'
  }
  const change = setupChange('trusted', context.place.root, SETUP_CHANGES.trusted)
  await performStep(run, change, () => vouchForWorkspace(context))
  return !run.dryRun || trust === 'own'
}

/** What has to stand in the home before anybody names it: launchers before the copy that names them. */
async function writeParts(run: SetupRun, { hooks, wantsLine, plugin }: SetupRequest): Promise<void> {
  const { ports, home } = run.context
  const writeScript = async (script: Launcher, about: string) => {
    const what = launcherChange(script)
    if (what !== null)
      await performStep(run, setupChange(what, script.path, about), () => writeLauncher(script, ports))
  }
  if (hooks === 'in' || wantsLine || plugin)
    await writeScript(launcherIn(home.path), SETUP_CHANGES.hookLauncher)
  if (plugin === null) return
  await writeScript(serverLauncherIn(home.path), SETUP_CHANGES.serverLauncher)
  const { copy } = plugin
  const what = copyChange(copy)
  if (what !== null)
    await performStep(run, setupChange(what, copy.folder, SETUP_CHANGES.plugin), () => writeCopy(copy, ports))
}

interface SettingsPlan extends FileStep {
  file: SetupFile
  line: LinePlan | null
  /** Something of ours stands in the file already. */
  hasOurs: boolean
}

function planSettings({ home }: Context, asked: SetupRequest, file: SetupFile): SettingsPlan {
  const { client, scope, path, places, hooks } = asked
  const { statusLine, hooked } = factsIn(client, file)
  const launcher = launcherIn(home.path)
  const lines = statusLinesOf(statusLine, places, scope)
  const line = planLine(lines, asked.wantsLine, launcher, chainKey(scope, file.target))
  const { text, changes } = refuseMalformed(
    path,
    client.settings.put(file.text, {
      hooks: hooks === 'in' ? launcher.start(client.agent) : hooks === 'out' ? 'out' : null,
      statusLine: line,
      before: bytesBefore(home.path, file.target)?.toString('utf8') ?? '',
    }),
  )
  const what = file.bytes === null ? 'made' : 'changed'
  const about = describeChange(changes, line ? SETUP_CHANGES.statusLine : '')
  const change = text === file.text ? null : setupChange(what, path, about, diffOf(file, text))
  const hasOurs = hooked.length > 0 || statusLine.kind === 'ours'
  return { file, line, hasOurs, bytes: Buffer.from(text), change }
}

/** Notes down what is about to be done, and what stands there without us: after a crash it can be undone. */
function noteSetup(
  context: Context,
  { client, scope, root, plugin }: SetupRequest,
  { file, line, hasOurs, change }: SettingsPlan,
  exclude: string | null,
): void {
  const { home, ports, identity } = context
  changeJournal(home.path, ports, ({ setups, before }) => {
    const old = setups.find(({ settings }) => settings === file.target)
    const isPlugin = old?.plugin === true || plugin?.isInstalled === true
    const isNoted = old ? old.plugin === isPlugin : !hasOurs && !isPlugin
    if (change === null && isNoted) return {}
    const setup: Setup = {
      agent: client.agent,
      scope,
      root,
      settings: file.target,
      workspace: scope === 'project' ? identity.workspace : null,
      at: instant(ports.now()),
      folder: hasOurs || old?.plugin ? (old?.folder ?? null) : missingFolder(file),
      exclude: exclude ?? old?.exclude ?? null,
      plugin: isPlugin,
      command: old?.command ?? null,
    }
    return {
      setups: [...setups.filter((other) => other !== old), setup],
      before: { ...before, [file.target]: noteBefore(context, client, file) },
    }
  })
  if (line && line.chain !== undefined) writeChain(home.path, chainKey(scope, file.target), line.chain, ports)
}

/**
 * Once the plugin is there for all projects, hooks that were put into single ones would be run besides it. A file
 * with our status line is left to its user: another command would lose that line.
 */
async function takeOutHooks(run: SetupRun, client: AgentSetUp): Promise<void> {
  const { home, env, notices } = run.context
  for (const { agent, scope, settings, root, plugin } of readSetups(home.path)) {
    if (agent !== client.agent || root === null || plugin) continue
    const places = placesHere(client, root, env)
    const facts = places.find(({ kind }) => kind === 'local')?.facts
    // Its repository may have switched the plugin off.
    if (!facts?.hooked.length || !hasPlugin(places, 'project')) continue
    if (facts.statusLine.kind === 'ours') notices.push(NOTICES.settingsBesidePlugin(settings, root))
    else await takeOut(run, { client, scope, path: settings, root }, [])
  }
}

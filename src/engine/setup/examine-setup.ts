import { accessSync, constants, existsSync, type StatsFs, statfsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type AgentSetUp, type PluginClient, takesPlugins } from '../../core/agent-setup.ts'
import { describeError, errorCode } from '../../core/reason.ts'
import { readPlainFile } from '../../fs/disk.ts'
import type { Context } from '../context/context.ts'
import { FINDINGS, type Finding, type FindingWords, type Starter } from '../context/findings.ts'
import { isProgram } from './client-program.ts'
import { readSetups, type Setup } from './journal.ts'
import { hookTarget, type Launcher, launcherIn, serverLauncherIn, targetIn } from './launcher.ts'
import { copyChange, copyFolder, homeOfCopy, pluginCopy, pluginFileText } from './plugin-copy.ts'
import {
  committedPlugin,
  hasPlugin,
  hookHindrances,
  type KnownPlace,
  placesHere,
  pluginMarket,
} from './settings-places.ts'

const MAX_BYTES = 1024 * 1024
/** Transcripts that go sooner may be gone before a session is taken up again. */
const FEW_DAYS = 3
const SOME_DAYS = 14
/** Less than this does not hold the log of one write. */
const LITTLE_BYTES = 1024 * 1024
/** The numbers of tmpfs and of ramfs on Linux. */
const IN_MEMORY = new Set([0x01021994, 0x858458f6])

type ReportFinding = (level: Finding['level'], words: FindingWords) => void

/** Whether an agent is set up so that its sessions are really recorded. Says nothing where there is no agent. */
export async function examineSetup(context: Context, findings: Finding[]): Promise<void> {
  const say: ReportFinding = (level, words) => void findings.push({ level, ...words, fixed: null })
  let isAny = false
  for (const agent of context.agents) isAny = examineClient(context, await agent.setUp(), say) || isAny
  if (isAny) examineHome(context.home.path, say)
}

/** Whether one agent is set up here, and what is wrong with that. */
function examineClient({ place, home, env }: Context, client: AgentSetUp, say: ReportFinding): boolean {
  const places = placesHere(client, place.root, env)
  const hooked = new Set(places.flatMap(({ facts }) => facts?.hooked ?? []))
  for (const { path, problem } of places)
    if (problem !== null) say('warning', FINDINGS.settingsUnreadable(path, problem))
  if (hooked.size === 0 && !hasPlugin(places, 'project')) {
    const isPrepared = ({ agent, plugin, root }: Setup) =>
      agent === client.agent && plugin && (root ?? place.root) === place.root
    if (readSetups(home.path).some(isPrepared)) say('warning', FINDINGS.pluginPrepared(client.label))
    else if (existsSync(client.folder(env))) say('note', FINDINGS.agentNotSetUp(client.label))
    return false
  }
  for (const hindrance of hookHindrances(client, places)) say('warning', FINDINGS.hooksHindered(hindrance))
  const missing = client.events.filter((event) => !hooked.has(event))
  if (missing.length > 0 && !hasPlugin(places, 'project')) say('warning', FINDINGS.hooksMissing(missing))
  for (const path of new Set(places.flatMap(({ facts }) => facts?.launchers ?? [])))
    examineLauncher('hooks', path, launcherIn(home.path), say)
  examinePlugin(client, places, home.path, say)
  examineCleanup(client, places, say)
  return true
}

/** The client deletes old transcripts; what is not read by then is lost. */
function examineCleanup({ label }: AgentSetUp, places: readonly KnownPlace[], say: ReportFinding): void {
  const saying = places.flatMap(({ kind, path, facts }) =>
    facts?.deletesTranscripts ? [{ kind, path, ...facts.deletesTranscripts }] : [],
  )
  const place = saying.find(({ kind }) => kind === 'managed') ?? saying.at(-1)
  if (place === undefined || place.days >= SOME_DAYS) return
  const { days, setting, path } = place
  say(days < FEW_DAYS ? 'warning' : 'note', FINDINGS.transcriptsDeletedEarly(label, days, setting, path))
}

/** Whether a plugin that is switched on can do its work, and does it alone. */
function examinePlugin(
  client: AgentSetUp,
  places: readonly KnownPlace[],
  home: string,
  say: ReportFinding,
): void {
  if (!takesPlugins(client)) return
  const [isOn, committed] = [hasPlugin(places, 'project'), committedPlugin(places)]
  for (const { path, kind } of places.filter(({ facts }) => facts?.hooked.length))
    if (isOn) say('warning', FINDINGS.hooksTwice(path, kind === 'user'))
    else if (committed !== null) say('note', FINDINGS.hooksPerhapsTwice(path, committed, client.label))
  const folder = isOn ? pluginMarket(places) : null
  // A plugin from a repository is the client's to keep.
  if (folder === null) return
  if (!existsSync(folder)) {
    say('error', FINDINGS.pluginGone(folder))
    return
  }
  const isOurs = folder === copyFolder(home, client.agent)
  if (isOurs) examineCopy(client, home, say)
  // Of a clone nothing is known.
  const from = isOurs ? home : homeOfCopy(folder)
  if (from === null) return
  examineLauncher('pluginHooks', launcherIn(from).path, launcherIn(home), say)
  examineLauncher('pluginServer', serverLauncherIn(from).path, serverLauncherIn(home), say)
}

/** The copy in this home: as this version would write it. */
function examineCopy(client: PluginClient, home: string, say: ReportFinding): void {
  const { manifest } = client.plugin
  const copy = pluginCopy(home, client)
  if (copy === null || copyChange(copy) === null) return
  const { folder } = copy
  const [theirs, mine] = [versionAt(join(folder, manifest)), versionIn(pluginFileText(copy, manifest))]
  if (theirs === mine) say('warning', FINDINGS.pluginChanged(folder))
  else say('warning', FINDINGS.pluginOfOtherVersion(folder, theirs, mine))
}

/** The launcher that somebody names: there, of this home, and with all that it starts. */
function examineLauncher(starter: Starter, path: string, mine: Launcher, say: ReportFinding): void {
  if (path !== mine.path)
    say('warning', FINDINGS.launcherOfOtherHome(starter, path, dirname(dirname(mine.path))))
  const text = readPlainFile(path, MAX_BYTES)?.toString('utf8')
  const target = text === undefined ? null : targetIn(text)
  if (text === undefined) say('error', FINDINGS.launcherGone(starter, path))
  else if (process.platform !== 'win32' && !isProgram(path))
    say('error', FINDINGS.launcherNotRunnable(starter, path))
  else if (target === null) say('warning', FINDINGS.launcherOfOthers(starter, path))
  if (target === null) return
  const { node, bundle } = target
  if (!isProgram(node)) say('warning', FINDINGS.nodeGone(starter, path, node))
  const [theirs, ours] = [bundle, hookTarget().bundle].map((built) =>
    versionAt(join(dirname(dirname(built)), 'package.json')),
  )
  if (!existsSync(bundle)) say('error', FINDINGS.programGone(starter, path, bundle))
  else if (theirs !== ours)
    say('warning', FINDINGS.programOfOtherVersion(starter, theirs ?? null, ours ?? null))
}

/** The version that a manifest says; null where that cannot be told. */
const versionAt = (path: string) => versionIn(readPlainFile(path, MAX_BYTES)?.toString('utf8') ?? '')

const versionIn = (text: string) => /"version":\s*"([^"]*)"/.exec(text)?.[1] ?? null

/** Whether the home can be written, and lasts. */
function examineHome(home: string, say: ReportFinding): void {
  let disk: StatsFs
  try {
    accessSync(home, constants.W_OK)
    disk = statfsSync(home)
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    say('error', FINDINGS.homeNotWritable(home, describeError(error)))
    return
  }
  const free = disk.bavail * disk.bsize
  if (free < LITTLE_BYTES) say('error', FINDINGS.diskFull(home, free))
  const fate = impermanenceOf(disk.type, statSync(home).dev === statSync('/').dev)
  if (fate !== null) say('note', FINDINGS.homeImpermanent(home, fate))
}

/** Why what is on a file system will not last: it is in memory, or in the layer that goes with a container. */
export function impermanenceOf(
  type: number,
  isRoot: boolean,
  isContainer = existsSync('/.dockerenv') || existsSync('/run/.containerenv'),
): 'memory' | 'container' | null {
  if (IN_MEMORY.has(type)) return 'memory'
  return isContainer && isRoot ? 'container' : null
}

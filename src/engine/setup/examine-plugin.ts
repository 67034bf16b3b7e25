import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type AgentSetUp, type PluginClient, takesPlugins } from '../../core/agent-setup.ts'
import { readPlainFile } from '../../fs/disk.ts'
import { FINDINGS, type Finding, type FindingWords, type Starter } from '../context/findings.ts'
import { isProgram } from './find-program.ts'
import { hookTarget, type Launcher, launcherIn, serverLauncherIn, type Target, targetIn } from './launcher.ts'
import { copyChange, copyFolder, homeOfCopy, pluginCopy, pluginFileText } from './plugin-copy.ts'
import { committedPlugin, hasPlugin, type KnownPlace, pluginMarket } from './settings-places.ts'

const MAX_BYTES = 1024 * 1024

export type ReportFinding = (level: Finding['level'], words: FindingWords) => void

/** Whether a plugin that is switched on can do its work, and does it alone. */
export function examinePlugin(
  client: AgentSetUp,
  places: readonly KnownPlace[],
  home: string,
  say: ReportFinding,
): void {
  if (!takesPlugins(client)) return
  const [isOn, committed] = [hasPlugin(places, 'project'), committedPlugin(places)]
  for (const { path, facts } of places)
    if (facts && facts.hooked.length > 0 && isOn) say('warning', FINDINGS.hooksTwice(path))
    else if (facts && facts.hooked.length > 0 && committed !== null)
      say('note', FINDINGS.hooksPerhapsTwice(path, committed, client.label))
  if (!isOn) return
  const folder = pluginMarket(places)
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
  const [theirs, mine] = [
    versionIn(read(join(copy.folder, manifest))),
    versionIn(pluginFileText(copy, manifest)),
  ]
  say(
    'warning',
    theirs === mine
      ? FINDINGS.pluginChanged(copy.folder)
      : FINDINGS.pluginOfOtherVersion(copy.folder, theirs, mine),
  )
}

const read = (path: string) => readPlainFile(path, MAX_BYTES)?.toString('utf8') ?? ''

const versionIn = (text: string) => /"version":\s*"([^"]*)"/.exec(text)?.[1] ?? null

/** The launcher that somebody names: there, of this home, and with all that it starts. */
export function examineLauncher(starter: Starter, path: string, mine: Launcher, say: ReportFinding): void {
  if (path !== mine.path) say('warning', FINDINGS.launcherOfOtherHome(starter, path, dirname(mine.folder)))
  const text = readPlainFile(path, MAX_BYTES)?.toString('utf8')
  const target = text === undefined ? null : targetIn(text)
  if (text === undefined) say('error', FINDINGS.launcherGone(starter, path))
  else if (process.platform !== 'win32' && !isProgram(path))
    say('error', FINDINGS.launcherNotRunnable(starter, path))
  else if (target === null) say('warning', FINDINGS.launcherOfOthers(starter, path))
  if (target !== null) examineTarget(starter, path, target, say)
}

function examineTarget(starter: Starter, path: string, { node, bundle }: Target, say: ReportFinding): void {
  if (!isProgram(node)) say('warning', FINDINGS.nodeGone(starter, path, node))
  const [theirs, mine] = [versionAt(bundle), versionAt(hookTarget().bundle)]
  if (!existsSync(bundle)) say('error', FINDINGS.programGone(starter, path, bundle))
  else if (theirs !== mine) say('warning', FINDINGS.programOfOtherVersion(starter, theirs, mine))
}

/** The version of the package that a bundle belongs to; null where that cannot be told. */
const versionAt = (bundle: string) => versionIn(read(join(dirname(dirname(bundle)), 'package.json')))

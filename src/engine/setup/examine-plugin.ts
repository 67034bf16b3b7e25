import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type AgentSetUp, isMalformed, type PluginClient, takesPlugins } from '../../core/agent-setup.ts'
import { readPlainFile } from '../../fs/disk.ts'
import { examineLauncher, type ReportFinding } from './examine-launcher.ts'
import { launcherIn, targetHere } from './launcher.ts'
import { serverLauncherIn, serverTargetHere } from './mcp-launcher.ts'
import { copyChange, copyFolder, pluginCopy, pluginFileText } from './plugin-copy.ts'
import { committedPlugin, hasPlugin, type KnownPlace, pluginMarket } from './settings-places.ts'

const AGAIN = 'savepoint init --plugin'
const MAX_BYTES = 1024 * 1024

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
    if (facts && facts.hooked.length > 0 && isOn)
      say('warning', `Hooks are in ${path} and in the plugin: each event is recorded twice.`, AGAIN)
    else if (facts && facts.hooked.length > 0 && committed !== null)
      say(
        'note',
        `Hooks are in ${path}, and ${committed} switches on a plugin of our name: where ${client.label} has it, each event is recorded twice.`,
        AGAIN,
      )
  if (!isOn) return
  const folder = pluginMarket(places)
  // A plugin from a repository is the client's to keep.
  if (folder === null) return
  if (!existsSync(folder)) {
    say('error', `The plugin is read from ${folder}, which is not there: no session is recorded.`, AGAIN)
    return
  }
  if (folder === copyFolder(home, client.agent)) examineCopy(client, home, say)
  examineStarts(client, folder, home, say)
}

/** The copy in this home: as this version would write it. */
function examineCopy(client: PluginClient, home: string, say: ReportFinding): void {
  const { manifest } = client.plugin
  const { server } = serverLauncherIn(home, serverTargetHere())
  const copy = pluginCopy(home, client, { hook: launcherIn(home, targetHere()).hook(client.agent), server })
  if (copy === null || copyChange(copy) === null) return
  const [theirs, mine] = [
    versionIn(read(join(copy.folder, manifest))),
    versionIn(pluginFileText(copy, manifest)),
  ]
  say(
    'warning',
    theirs === mine
      ? `The plugin in ${copy.folder} is not as this Savepoint has it.`
      : `The plugin in ${copy.folder} is ${theirs ? `of version ${theirs}` : 'not whole'}, this is ${mine}.`,
    AGAIN,
  )
}

/** What its hooks and its server start, where those are launchers of a home. */
function examineStarts(
  { plugin, settings }: PluginClient,
  folder: string,
  home: string,
  say: ReportFinding,
): void {
  const facts = settings.read(read(join(folder, plugin.hooksFile)))
  for (const path of isMalformed(facts) ? [] : facts.launchers)
    examineLauncher(path, launcherIn(home, targetHere()), say, {
      who: 'Hooks of the plugin start',
      todo: AGAIN,
    })
  const found = /"([^"]*[\\/]bin[\\/]savepoint-mcp(?:\.cjs)?)"/.exec(read(join(folder, plugin.serverFile)))
  if (found)
    // `as`: a string in quotes is a string.
    examineLauncher(JSON.parse(found[0]) as string, serverLauncherIn(home, serverTargetHere()), say, {
      who: 'The plugin starts',
      todo: AGAIN,
    })
}

const read = (path: string) => readPlainFile(path, MAX_BYTES)?.toString('utf8') ?? ''

const versionIn = (text: string) => /"version":\s*"([^"]*)"/.exec(text)?.[1] ?? null

import { existsSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import type { AgentSetUp, InstalledPlugin, PluginClient, Scope } from '../../core/agent-setup.ts'
import type { Context } from '../context/context.ts'
import type { SetupChange } from './change.ts'
import { findProgram, foldersOutside } from './find-program.ts'
import { realPathOr } from './impermanence-of.ts'
import { type ClientAnswer, runClient } from './run-client.ts'

/** Where a plugin is switched on: for a project in the settings that are not committed. */
interface PluginPlace {
  scope: Scope
  /** The workspace, for the scope of a project. */
  root: string | null
}

/** What was run, and what of it failed. */
export interface CommandRun {
  changes: SetupChange[]
  problem: string | null
}

const ALL = 'all projects'

/** What a person types in the client to the same end. */
export const slashCommandsOf = ({ plugin }: PluginClient, commands: readonly string[][]) =>
  commands.map(plugin.typed)

/** What its program is called on this system. */
const programName = (client: AgentSetUp) => client.programs('').started[0] ?? client.agent

export const ranChange = (client: AgentSetUp, words: readonly string[]): SetupChange => ({
  path: `${programName(client)} ${words.join(' ')}`,
  what: 'ran',
  about: '',
  diff: null,
})

/** Runs commands of the client until one fails. Those of a project count for the folder they are run in. */
export async function runAll(
  context: Context,
  client: PluginClient,
  commands: readonly string[][],
  root: string | null,
): Promise<CommandRun> {
  const changes: SetupChange[] = []
  for (const words of commands) {
    const answer = await ask(context, client, words, root)
    if (!answer.ok)
      return { changes, problem: `${programName(client)} ${words.slice(0, 3).join(' ')}: ${answer.problem}` }
    changes.push(ranChange(client, words))
  }
  return { changes, problem: null }
}

async function ask(
  { env, home, place }: Context,
  client: PluginClient,
  words: readonly string[],
  root: string | null,
): Promise<ClientAnswer> {
  const program = findProgram(client, env, place.root)
  if (program === null)
    return { ok: false, problem: `there is no program \`${programName(client)}\` on PATH` }
  // What starts the client, such as `node`, is looked for there as well.
  const PATH = foldersOutside(env, place.root).join(delimiter)
  return await runClient(program, words, {
    cwd: root ?? home.path,
    env: client.plugin.environment({ ...env, PATH }),
  })
}

/** Installs the plugins from the copy; where the client has them from there already, it looks at them again. */
export async function installPlugins(
  context: Context,
  client: PluginClient,
  { scope, root }: PluginPlace,
  folder: string,
  { isChanged }: { isChanged: boolean },
): Promise<CommandRun> {
  const { plugins, commands, scopeName } = client.plugin
  const rows = await listInstalled(context, client, root)
  const isThere = plugins.every((id) =>
    rows?.some(
      (row) =>
        row.id === id &&
        row.enabled === true &&
        row.scope === scopeName(scope) &&
        (root === null || realPathOr(row.projectPath ?? '') === realPathOr(root)) &&
        realPathOr(row.readFromFolder ?? '') === realPathOr(join(folder, id.slice(0, id.indexOf('@')))),
    ),
  )
  if (!isThere) return await runAll(context, client, commands.install(folder, scope), root)
  return isChanged ? await runAll(context, client, [commands.update], root) : { changes: [], problem: null }
}

/** What the client has installed, of all scopes; null where it does not say. */
async function listInstalled(
  context: Context,
  client: PluginClient,
  root: string | null,
): Promise<InstalledPlugin[] | null> {
  const answer = await ask(context, client, client.plugin.commands.list, root)
  return answer.ok ? client.plugin.installed(answer.out) : null
}

/**
 * For whom the client has something from our marketplace, or from one folder alone: workspaces that are still there,
 * and `all projects`. Null where it does not say.
 */
export async function marketReaders(
  context: Context,
  client: PluginClient,
  folder: string | null,
): Promise<string[] | null> {
  const rows = await listInstalled(context, client, null)
  const isFrom = ({ id, readFromFolder }: InstalledPlugin) =>
    String(id).endsWith(`@${client.plugin.market}`) &&
    (folder === null || realPathOr(dirname(readFromFolder ?? '')) === realPathOr(folder))
  const readers = rows?.filter(isFrom).flatMap(({ projectPath = ALL }) => projectPath)
  return readers ? [...new Set(readers)].filter((one) => one === ALL || existsSync(one)) : null
}

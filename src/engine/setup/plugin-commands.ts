import { existsSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import type { InstalledPlugin, PluginClient, Scope } from '../../core/agent-setup.ts'
import type { Context } from '../context/context.ts'
import { findProgram, foldersOutside, realPathOr } from './find-program.ts'
import { type ClientAnswer, runClient } from './run-client.ts'
import { performStep, type SetupRun, setupChange } from './setup-run.ts'

/** What the client did not do, and what a person types in it to have it done. */
export interface FailedCommands {
  problem: string
  typed: string[]
}

const ALL = 'all projects'

/** Lets the client carry out commands until one fails. Those of a project count for the folder they are run in. */
export async function runCommands(
  run: SetupRun,
  client: PluginClient,
  commands: readonly string[][],
  root: string | null,
): Promise<FailedCommands | null> {
  const program = programName(client)
  for (const [at, words] of commands.entries()) {
    let problem = ''
    const change = setupChange('ran', `${program} ${words.join(' ')}`, '')
    const isDone = await performStep(run, change, async () => {
      const answer = await askClient(run.context, client, words, root)
      if (!answer.ok) problem = `${program} ${words.slice(0, 3).join(' ')}: ${answer.problem}`
      return answer.ok
    })
    if (!isDone) return { problem, typed: commands.slice(at).map(client.plugin.typed) }
  }
  return null
}

/** What its program is called on this system. */
const programName = (client: PluginClient) => client.programs('').started[0] ?? client.agent

async function askClient(
  { env, home, place }: Context,
  client: PluginClient,
  words: readonly string[],
  root: string | null,
): Promise<ClientAnswer> {
  const program = findProgram(client, env, place.root)
  if (program === null) return { ok: false, problem: `\`${programName(client)}\` is not on PATH` }
  // What starts the client, such as `node`, is looked for there as well.
  const PATH = foldersOutside(env, place.root).join(delimiter)
  return await runClient(program, words, {
    cwd: root ?? home.path,
    env: client.plugin.environment({ ...env, PATH }),
  })
}

/** What the client has installed, of all scopes; null where it does not say. */
async function listInstalled(
  context: Context,
  client: PluginClient,
  root: string | null,
): Promise<InstalledPlugin[] | null> {
  const answer = await askClient(context, client, client.plugin.commands.list, root)
  return answer.ok ? client.plugin.installed(answer.out) : null
}

/** Whether the client has all our plugins from a folder, switched on for a workspace, or with null for all. */
export async function hasInstalled(
  context: Context,
  client: PluginClient,
  folder: string,
  scope: Scope,
  root: string | null,
): Promise<boolean> {
  const { plugins, scopeName } = client.plugin
  const rows = await listInstalled(context, client, root)
  return plugins.every((id) =>
    rows?.some(
      (row) =>
        row.id === id &&
        row.enabled === true &&
        row.scope === scopeName(scope) &&
        (root === null || realPathOr(row.projectPath ?? '') === realPathOr(root)) &&
        realPathOr(row.readFromFolder ?? '') === realPathOr(join(folder, id.slice(0, id.indexOf('@')))),
    ),
  )
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

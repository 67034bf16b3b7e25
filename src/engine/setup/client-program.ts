import { spawn } from 'node:child_process'
import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import type { Environment } from '../../core/agent.ts'
import type { AgentSetUp, InstalledPlugin, PluginClient, Scope } from '../../core/agent-setup.ts'
import { describeError, unlessRefused } from '../../core/reason.ts'
import { signalGroup } from '../../workspace/git.ts'
import type { Context } from '../context/context.ts'
import { isBelow } from '../context/inside.ts'
import { performStep, type SetupRun, setupChange } from './setup-run.ts'

/** Whether the client is on this machine: its program on PATH, or the folder that it makes for itself. */
export const isInstalled = (client: AgentSetUp, env: Environment, root: string): boolean =>
  onPath(env, root, client.programs(process.platform).found) !== null ||
  statSync(client.folder(env), { throwIfNoEntry: false })?.isDirectory() === true

/** The client's program, where it can be started without a shell; null where it cannot, or is not on PATH. */
export const findProgram = (client: AgentSetUp, env: Environment, root: string) =>
  onPath(env, root, client.programs(process.platform).started)

const onPath = (env: Environment, root: string, names: readonly string[]): string | null =>
  foldersOutside(env, root)
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((path) => isProgram(path) && !isOfProject(env, root, path)) ?? null

/**
 * The folders of PATH without those of the project, such as its `node_modules/.bin`: what a repository brings along
 * is not what the user installed. A folder that is named from where one stands may be anybody's.
 */
const foldersOutside = (env: Environment, root: string): string[] =>
  (env.PATH ?? '').split(delimiter).filter((folder) => isAbsolute(folder) && !isOfProject(env, root, folder))

function isOfProject({ HOME }: Environment, root: string, path: string): boolean {
  const real = realPathOr(root)
  // Who works in their own home has in it all that they installed.
  if (isBelow(real, realPathOr(HOME || homedir()))) return false
  return isBelow(root, path) || isBelow(real, realPathOr(path))
}

/** The real path of something that is there; the path itself where it is not. */
const realPathOr = (path: string) => (existsSync(path) ? realpathSync(path) : path)

export const isSamePath = (one: string | null | undefined, other: string) =>
  one != null && realPathOr(one) === realPathOr(other)

export const isProgram = (path: string): boolean =>
  unlessRefused(() => {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  }) ?? false

/** What the client of an agent did not do, and what a person types in it to have it done. */
export interface FailedCommands {
  label: string
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
    if (!isDone) return { label: client.label, problem, typed: commands.slice(at).map(client.plugin.typed) }
  }
  return null
}

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
        (root === null || isSamePath(row.projectPath, root)) &&
        isSamePath(row.readFromFolder, join(folder, id.slice(0, id.indexOf('@')))),
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
    (folder === null || isSamePath(dirname(readFromFolder ?? ''), folder))
  const readers = rows?.filter(isFrom).flatMap(({ projectPath = ALL }) => projectPath)
  return readers ? [...new Set(readers)].filter((one) => one === ALL || existsSync(one)) : null
}

/** What a command of the client came to; `problem` is a line of its own words. */
type ClientAnswer = { ok: true; out: string } | { ok: false; problem: string }

const MAX_OUTPUT = 1024 * 1024

/** Runs one command of the client without a shell and without input; one that hangs is ended, with all it started. */
export function runClient(
  program: string,
  args: readonly string[],
  { cwd, env, timeoutMs = 30_000 }: { cwd: string; env: Environment; timeoutMs?: number },
): Promise<ClientAnswer> {
  const child = spawn(program, args, {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    windowsHide: true,
  })
  return new Promise((resolve) => {
    const said = { stdout: '', stderr: '' }
    const settle = (answer: ClientAnswer) => {
      clearTimeout(timer)
      resolve(answer)
    }
    const fail = (problem: string) => settle({ ok: false, problem })
    const timer = setTimeout(() => {
      signalGroup(child, 'SIGKILL')
      // What it started may hold the pipes open: it is not waited for.
      for (const pipe of [child.stdout, child.stderr]) pipe.destroy()
      child.unref()
      fail(`it took longer than ${timeoutMs / 1_000} s and was stopped`)
    }, timeoutMs)
    for (const name of ['stdout', 'stderr'] as const)
      child[name].on('data', (chunk: Buffer) => {
        if (said[name].length < MAX_OUTPUT) said[name] += chunk.toString('utf8')
      })
    child.once('error', (error) => fail(describeError(error)))
    child.once('close', (code, signal) => {
      if (code === 0) settle({ ok: true, out: said.stdout })
      else fail(lineOf(said.stderr) ?? lineOf(said.stdout) ?? `it ended with ${signal ?? `code ${code}`}`)
    })
  })
}

/** The line that says what is wrong: the one with the client's mark, else the last. */
function lineOf(text: string): string | null {
  const lines = text
    .split('\n')
    .map((line) => line.replace(/\p{Cc}/gu, '').trim())
    .filter(Boolean)
  const marked = lines.find((line) => line.includes('✘')) ?? lines.at(-1)
  return marked?.replace(/^.*✘\s*/u, '').slice(0, 500) ?? null
}

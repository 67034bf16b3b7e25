import { existsSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { MARKET, OUR_PLUGINS } from '../../agents/claude/settings.ts'
import type { Context } from '../context/context.ts'
import type { Change } from './change.ts'
import { type ClientAnswer, runClaude } from './claude-client.ts'
import type { Scope } from './claude-places.ts'
import { findClaude, foldersOutside } from './find-claude.ts'
import { realPathOr } from './throw-away.ts'

/** Where a plugin is switched on: for a project in the settings that are not committed. */
interface PluginPlace {
  scope: Scope
  /** The workspace, for the scope of a project. */
  root: string | null
}

/** What was run, and what of it failed. */
export interface Ran {
  changes: Change[]
  problem: string | null
}

const ALL = 'all projects'
const [CONTEXT = ''] = OUR_PLUGINS
const scopeWords = (scope: Scope) => ['--scope', scope === 'user' ? 'user' : 'local']

export const installing = (folder: string, scope: Scope): string[][] => [
  ['plugin', 'marketplace', 'add', folder],
  ['plugin', 'install', CONTEXT, ...scopeWords(scope)],
]

export const uninstalling = (plugins: readonly string[], scope: Scope): string[][] =>
  plugins.map((name) => ['plugin', 'uninstall', name, ...scopeWords(scope)])

export const MARKET_REMOVAL = ['plugin', 'marketplace', 'remove', MARKET]
const UPDATE = ['plugin', 'marketplace', 'update', MARKET]

/** What a person types in the client to the same end; it asks for the scope itself. */
export const typed = (commands: readonly string[][]) =>
  commands.map((words) => `/${words.filter((_, at) => !isScope(words, at)).join(' ')}`)

const isScope = (words: readonly string[], at: number) =>
  words[at] === '--scope' || words[at - 1] === '--scope'

export const ranChange = (words: readonly string[]): Change => ({
  path: `claude ${words.join(' ')}`,
  what: 'ran',
  about: '',
  diff: null,
})

/** Runs commands of the client until one fails. Those of a project count for the folder they are run in. */
export async function runAll(
  context: Context,
  commands: readonly string[][],
  root: string | null,
): Promise<Ran> {
  const changes: Change[] = []
  for (const words of commands) {
    const answer = await ask(context, words, root)
    if (!answer.ok) return { changes, problem: `claude ${words.slice(0, 3).join(' ')}: ${answer.problem}` }
    changes.push(ranChange(words))
  }
  return { changes, problem: null }
}

async function ask(
  { env, home, place }: Context,
  words: readonly string[],
  root: string | null,
): Promise<ClientAnswer> {
  const program = findClaude(env, place.root)
  if (program === null) return { ok: false, problem: 'there is no program `claude` on PATH' }
  // What starts the client, such as `node`, is looked for there as well.
  const PATH = foldersOutside(env, place.root).join(delimiter)
  return await runClaude(program, words, { cwd: root ?? home.path, env: { ...env, PATH } })
}

/** Installs the plugins from the copy; where the client has them from there already, it looks at them again. */
export async function installPlugins(
  context: Context,
  { scope, root }: PluginPlace,
  folder: string,
  { isChanged }: { isChanged: boolean },
): Promise<Ran> {
  const rows = await installed(context, root)
  const isThere = OUR_PLUGINS.every((id) =>
    rows?.some(
      (row) =>
        row.id === id &&
        row.enabled === true &&
        row.scope === (scope === 'user' ? 'user' : 'local') &&
        (root === null || realPathOr(row.projectPath ?? '') === realPathOr(root)) &&
        realPathOr(row.readFromFolder ?? '') === realPathOr(join(folder, id.slice(0, id.indexOf('@')))),
    ),
  )
  if (!isThere) return await runAll(context, installing(folder, scope), root)
  return isChanged ? await runAll(context, [UPDATE], root) : { changes: [], problem: null }
}

interface Row {
  id?: string
  scope?: string
  enabled?: boolean
  projectPath?: string
  readFromFolder?: string
}

/** What the client has installed, of all scopes; null where it does not say. */
async function installed(context: Context, root: string | null): Promise<Row[] | null> {
  const answer = await ask(context, ['plugin', 'list', '--json'], root)
  try {
    const rows: unknown = answer.ok ? JSON.parse(answer.out) : null
    // `as`: members of another kind are unequal to all that they are compared with.
    return Array.isArray(rows) ? (rows as Row[]) : null
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return null
  }
}

/**
 * For whom the client has something from our marketplace, or from one folder alone: workspaces that are still there,
 * and `all projects`. Null where it does not say.
 */
export async function marketReaders(context: Context, folder: string | null): Promise<string[] | null> {
  const rows = await installed(context, null)
  const isFrom = ({ id, readFromFolder }: Row) =>
    String(id).endsWith(`@${MARKET}`) &&
    (folder === null || realPathOr(dirname(readFromFolder ?? '')) === realPathOr(folder))
  const readers = rows?.filter(isFrom).flatMap(({ projectPath = ALL }) => projectPath)
  return readers ? [...new Set(readers)].filter((one) => one === ALL || existsSync(one)) : null
}

import { basename } from 'node:path'
import { canonicalJson, clipText } from '../../core/canonical.ts'
import { unlessRefused } from '../../core/reason.ts'
import { formatCount } from '../../core/text.ts'
import { visibleLine } from '../../core/visible.ts'
import { isSessionStream } from '../../policy/resolve.ts'
import type { RepositoryRow } from '../../store/local-state.ts'
import type { Stream } from '../../store/log.ts'
import { readRemote } from '../../workspace/git-config.ts'
import { readIdentity } from '../../workspace/identity.ts'
import { locateWorkspace, type Place } from '../../workspace/locate.ts'
import { mainWorktree } from '../../workspace/main-worktree.ts'
import type { Context } from '../context/context.ts'
import { isTrustedHere } from '../trust/trusted.ts'

/**
 * Records by what this repository is known on another machine: its remote, which git's settings file says, and its
 * first commits, for which git is asked once; `again`: also where it could not say them before. Nothing is recorded of
 * a workspace that is not trusted. Answers what is known of it.
 */
export async function recordRepository(
  context: Context,
  { again = false } = {},
): Promise<RepositoryRow | null> {
  const { store, identity, place } = context
  if (identity.repository === '') return null
  const before = (await store.local.listRepositories()).find(({ id }) => id === identity.repository)
  const isTrusted = await isTrustedHere(context)
  const isAsked = isTrusted && (before === undefined || (again && before.roots.length === 0))
  const now: RepositoryRow = {
    id: identity.repository,
    name: nameOfPlace(place),
    remote: readRemote(place),
    roots: isAsked ? await rootsHere(context) : (before?.roots ?? []),
    declined: before?.declined ?? [],
  }
  if (isTrusted && canonicalJson(now) !== canonicalJson(before ?? null)) await store.local.seeRepository(now)
  return now
}

/** The first commits of this workspace; none where git may not be asked. */
export async function rootsHere(context: Context): Promise<string[]> {
  if (context.place.git === null || !(await isTrustedHere(context))) return []
  return (await import('../../workspace/git-commits.ts')).listFirstCommits(context.place)
}

/** A repository is called as the folder of its main worktree, from any of its worktrees. */
export function nameOfPlace(place: Place): string {
  const main = mainWorktree(place)
  return nameAsLine(basename('root' in main ? main.root : place.root))
}

/** A folder, or a file of another machine, may be called anything: what is told of it is one line. */
export const nameAsLine = (name: string) => clipText(visibleLine(name), 255) || 'repository'

/** The place at a path, where it is still the root of that repository; null where it is gone or something else. */
export function placeOfRepository(path: string, repository: string): Place | null {
  if (path === '') return null
  const place = unlessRefused(() => locateWorkspace(path))
  return place?.root === path && readIdentity(place)?.repository === repository ? place : null
}

/** What each repository is called, and where its main worktree is: null where that is not on this machine. */
export async function nameRepositories({
  store,
}: Context): Promise<Map<string, { name: string; path: string | null }>> {
  const named = new Map<string, { name: string; path: string | null }>()
  for (const { id, name } of await store.local.listRepositories()) named.set(id, { name, path: null })
  for (const { repository, path } of await store.local.listWorkspaces()) {
    const known = named.get(repository)
    if (path === '' || (known !== undefined && known.path !== null)) continue
    const place = placeOfRepository(path, repository)
    const main = place && mainWorktree(place)
    const root = main && 'root' in main ? main.root : path
    if (place !== null) named.set(repository, { name: nameAsLine(basename(root)), path: root })
    else if (known === undefined) named.set(repository, { name: nameAsLine(basename(path)), path: null })
  }
  return named
}

/** The work and the runs of a repository, or with null of all. */
export const listAllStreams = async ({ store }: Context, repository: string | null): Promise<Stream[]> => [
  ...(await store.log.listStreams(repository, 'work')),
  ...(await store.log.listStreams(repository, 'run')),
]

/** How much people see of some streams. */
export interface WorkCount {
  work: number
  runs: number
}

/** What people take a stream for; null for one that a session made by itself, which is told with the sessions. */
export function classifyStream({ kind, name }: Pick<Stream, 'kind' | 'name'>): keyof WorkCount | null {
  if (kind === 'run') return 'runs'
  return isSessionStream(name) ? null : 'work'
}

export function countWork(streams: readonly Stream[]): WorkCount {
  const kinds = streams.map(classifyStream)
  const count = (wanted: keyof WorkCount) => kinds.filter((kind) => kind === wanted).length
  return { work: count('work'), runs: count('runs') }
}

/** `2 pieces of work, 1 run`. */
export const sayWork = ({ work, runs }: WorkCount): string =>
  [
    ...(work > 0 ? [formatCount(work, 'piece of work', 'pieces of work')] : []),
    ...(runs > 0 ? [formatCount(runs, 'run')] : []),
  ].join(', ') || 'only automatic saves'

import { ReasonError } from '../../core/reason.ts'
import { headOf } from '../../workspace/git-state.ts'
import type { Context } from '../context/context.ts'
import { nameRepositories, placeOfRepository } from '../transfer/repository-marks.ts'

export interface StoredWorkspace {
  id: string
  repository: string
  path: string
  branch: string | null
  /** Its folder is there, and is still that repository: only then may anything be done in it. */
  exists: boolean
}

export interface KnownPlaces {
  repositories: Array<{ id: string; name: string }>
  workspaces: StoredWorkspace[]
}

/** Reads git's own files and runs nothing: it is asked about workspaces that nobody trusts. */
export async function listPlaces(context: Context): Promise<KnownPlaces> {
  const names = await nameRepositories(context)
  const rows = await context.store.local.listWorkspaces()
  return {
    repositories: [...names].map(([id, { name }]) => ({ id, name })),
    workspaces: rows.map(({ id, repository, path }) => {
      const place = placeOfRepository(path, repository)
      const branch = place && headOf(place).branch
      return { id, repository, path, branch, exists: place !== null }
    }),
  }
}

export const nameRepository = ({ repositories }: KnownPlaces, id: string) => ({
  ...{ id, name: repositories.find((one) => one.id === id)?.name ?? 'repository' },
})

/** A workspace by its id; one that the store has forgotten is shown as gone. */
export const workspaceAt = ({ workspaces }: KnownPlaces, id: string, repository = ''): StoredWorkspace =>
  workspaces.find((one) => one.id === id) ?? { id, repository, path: '', branch: null, exists: false }

/** The workspace to act in for a repository: the wanted one, else any whose folder is there. */
export function workspaceFor(places: KnownPlaces, repository: string, wanted: string): StoredWorkspace {
  const first = workspaceAt(places, wanted, repository)
  if (first.exists) return first
  return places.workspaces.find((one) => one.repository === repository && one.exists) ?? first
}

/** A workspace in which something may be done; the path is the store's own, never a caller's. */
export async function requireWorkspace({ store }: Context, id: string): Promise<string> {
  const row = (await store.local.listWorkspaces()).find((one) => one.id === id)
  if (row === undefined) throw new ReasonError('workspace_unknown', { id })
  if (placeOfRepository(row.path, row.repository) === null)
    throw new ReasonError('folder_unreadable', {
      path: row.path,
      problem: 'not found, or a different repository now',
    })
  return row.path
}

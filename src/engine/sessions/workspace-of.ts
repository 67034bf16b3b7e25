import { existsSync } from 'node:fs'
import type { Session } from '../../core/session.ts'
import { locateWorkspace } from '../../workspace/locate.ts'
import type { Context } from '../context/context.ts'

/** From where a session's work is saved, and the folder that its files are named by. */
export interface SaveOrigin {
  context: Context
  root: string
}

/**
 * A session belongs to the workspace that it started in, whoever looks after it. Where that folder is gone, another
 * workspace of the same repository stands in for it; null where there is none, and the transcript waits.
 */
export async function workspaceOf(context: Context, session: Session): Promise<SaveOrigin | null> {
  const { store, identity, place, settings } = context
  if (session.workspace === identity.workspace) return { context, root: place.root }
  const there = (await store.local.listWorkspaces()).find(({ id }) => id === session.workspace)
  if (there === undefined) return null
  const found = existsSync(there.path) ? locateWorkspace(there.path) : null
  if (found?.root !== there.path)
    return session.repository === identity.repository ? { context, root: there.path } : null
  const own = { repository: session.repository, workspace: session.workspace }
  // What that workspace's own settings say is not read here: its ledger is left to its own commands.
  const other = { ...context, place: found, identity: own, settings: { ...settings, ledger: false } }
  return { context: other, root: found.root }
}

/** The sessions that this workspace looks after: its own, and those of worktrees that are gone. */
export async function sessionsLookedAfter(
  { store, identity }: Context,
  phases: ReadonlyArray<Session['phase']>,
  most: number,
): Promise<Session[]> {
  if (identity.workspace === '') return []
  const gone = new Set(
    (await store.local.listWorkspaces())
      .filter(
        ({ id, repository, path }) =>
          repository === identity.repository && id !== identity.workspace && !existsSync(path),
      )
      .map(({ id }) => id),
  )
  const asked = gone.size === 0 ? { workspace: identity.workspace } : { repository: identity.repository }
  const rows = await store.log.listSessions({ ...asked, phases, most })
  return rows
    .map(({ session }) => session)
    .filter(({ workspace }) => workspace === identity.workspace || gone.has(workspace))
}

import type { Context } from '../context/context.ts'

/** A run that the store knows, and what its newest snapshot says in short. */
export type StoredRun = Awaited<ReturnType<typeof listStoredRuns>>[number]

/** The runs of this repository that the store knows. */
export const listStoredRuns = async ({ store, identity }: Context) =>
  (await store.log.listHeads(identity.repository, 'run')).map(({ stream, at, progress, gist }) => ({
    ...{ stream, status: progress, updatedAt: at },
    ...{ stepId: gist.step, stepsDone: gist.stepsDone, steps: gist.steps },
  }))

/** Times compare as plain text; a comparison by language would load its tables at every start. */
export const byNewestUpdate = (a: { updatedAt: string }, b: { updatedAt: string }) =>
  a.updatedAt < b.updatedAt ? 1 : -1

/** The runs that are in progress in this workspace, the newest first. */
export async function listRunsInProgress(context: Context): Promise<StoredRun[]> {
  const { workspace } = context.identity
  const isMeant = ({ status, stream }: StoredRun) =>
    status === 'in_progress' && stream.workspace === workspace
  return (await listStoredRuns(context)).filter(isMeant).sort(byNewestUpdate)
}

/** Whether a run in progress here protects a file or an id. */
export async function protectedByRuns(context: Context): Promise<(name: string) => boolean> {
  const names = new Set<string>()
  for (const { stream } of await listRunsInProgress(context)) {
    const head = await context.store.log.readCheckpoint(stream.headId)
    if (head?.state === 'whole') for (const name of head.checkpoint.health.protected) names.add(name)
  }
  return (name) => names.has(name)
}

import type { Provenance } from '../../core/checkpoint.ts'
import { commitOrigins } from '../../workspace/branch-log.ts'
import { repositoryAround } from '../../workspace/git-state.ts'
import type { Context } from '../context/context.ts'
import { NOTICES } from '../context/notices.ts'
import type { Here } from './here.ts'

/** How the text of a document came into the workspace. */
export interface Delivery {
  provenance: Provenance
  note: string
  /** Git brought it: its commit was not made here. Whoever vouches for it, it never says what is worked on here. */
  delivered: boolean
  /** Git brought it, and nobody vouches for it. */
  foreign: boolean
  /** A rebase or a revert here made its commit: it may well be the user's own. */
  replayed: boolean
  /** The whole file is as the default branch of the remote has it, and the user vouches for that. */
  vouched: boolean
}

/** Who wrote what stands in these files, or (`isEdited`) stood there before an edit here. It runs git: only where trusted. */
export async function deliveriesOf(
  context: Context,
  { vouched: isVouching, head: { branch, commit } }: Pick<Here, 'vouched' | 'head'>,
  files: ReadonlyArray<{ path: string }>,
  { isEdited = false } = {},
): Promise<Map<string, Delivery>> {
  const { place } = context
  const deliveries = new Map<string, Delivery>()
  const around = new Map<string, string>()
  for (const { path } of files) {
    const folder = repositoryAround(place, path)
    if (folder !== null) around.set(path, folder)
  }
  const paths = files.map(({ path }) => path).filter((path) => !around.has(path))
  if (place.git === null || paths.length === 0) {
    tellAround(context, around, deliveries, branch)
    return deliveries
  }
  const { authorsOf, isOnRemoteDefault } = await import('../../workspace/git-history.ts')
  const { authors, inside, problem } = await authorsOf(place, paths, { isEdited })
  const making = commitOrigins(place)
  if (problem !== null) context.notices.push(NOTICES.authorsUnknown(problem))
  const here: Delivery = {
    ...{ provenance: { branch, commit, author: null }, note: '' },
    ...{ delivered: false, foreign: problem !== null, replayed: false, vouched: false },
  }
  const accepted = new Map<string, boolean>()
  for (const path of paths) {
    const found = authors.get(path)
    if (found === undefined) {
      deliveries.set(path, here)
      continue
    }
    const { commit, author } = found
    if (!accepted.has(commit)) accepted.set(commit, isVouching && (await isOnRemoteDefault(place, commit)))
    const vouched = accepted.get(commit) === true
    const delivered = making(commit) !== 'made'
    deliveries.set(path, {
      provenance: { branch, commit, author },
      note: `commit ${commit.slice(0, 10)} by ${author}`,
      ...{ delivered, foreign: delivered && !vouched, vouched },
      replayed: making(commit) === 'replayed',
    })
  }
  tellAround(context, new Map([...inside, ...around]), deliveries, branch)
  return deliveries
}

/** What lies in a repository inside this one is not in its commits: nobody can tell here who wrote it. */
function tellAround(
  { notices }: Context,
  around: ReadonlyMap<string, string>,
  deliveries: Map<string, Delivery>,
  branch: string | null,
): void {
  for (const folder of new Set(around.values())) notices.push(NOTICES.nestedRepository(folder))
  for (const [path, folder] of around)
    deliveries.set(path, {
      provenance: { branch, commit: null, author: null },
      note: `of the repository in ${folder}`,
      ...{ delivered: true, foreign: true, replayed: false, vouched: false },
    })
}

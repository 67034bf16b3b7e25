import type { Provenance } from '../../core/checkpoint.ts'
import { commitOrigins, type Head, repositoryAround } from '../../workspace/git-state.ts'
import type { Context } from '../context/context.ts'

/** How the text of a document came into the workspace. */
export interface Delivery {
  provenance: Provenance
  note: string
  /** Git delivered it, and neither was it made here nor is it on the remote's default branch. */
  foreign: boolean
  /** A rebase or a revert here made its commit: it may well be the user's own. */
  replayed: boolean
  /** The whole file is as the default branch of the user's remote has it. */
  onDefault: boolean
}

/** Who wrote what stands in these files. Called for a trusted workspace only: it runs git. */
export async function deliveriesOf(
  context: Context,
  { branch, commit }: Head,
  files: ReadonlyArray<{ path: string }>,
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
  const { authors, inside, problem } = await authorsOf(place, paths)
  const making = commitOrigins(place)
  if (problem !== null)
    context.notices.push(
      `Git could not be asked who wrote the documents (${problem}); they count as foreign.`,
    )
  const here: Delivery = {
    ...{ provenance: { branch, commit, author: null }, note: '' },
    ...{ foreign: problem !== null, replayed: false, onDefault: false },
  }
  const accepted = new Map<string, boolean>()
  for (const path of paths) {
    const found = authors.get(path)
    if (found === undefined) {
      deliveries.set(path, here)
      continue
    }
    const { commit, author } = found
    if (!accepted.has(commit)) accepted.set(commit, await isOnRemoteDefault(place, commit))
    const onDefault = accepted.get(commit) === true
    deliveries.set(path, {
      provenance: { branch, commit, author },
      note: `commit ${commit.slice(0, 10)} by ${author}`,
      foreign: !onDefault && making(commit) !== 'made',
      replayed: making(commit) === 'replayed',
      onDefault,
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
  for (const folder of new Set(around.values()))
    notices.push(`${folder} is another repository; its documents count as foreign.`)
  for (const [path, folder] of around)
    deliveries.set(path, {
      provenance: { branch, commit: null, author: null },
      note: `of the repository in ${folder}`,
      foreign: true,
      replayed: false,
      onDefault: false,
    })
}

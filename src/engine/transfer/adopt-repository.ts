import { existsSync } from 'node:fs'
import { instant } from '../../core/ports.ts'
import { ReasonError } from '../../core/reason.ts'
import { looksLikeSame } from '../../policy/same-repository.ts'
import type { RepositoryRow } from '../../store/local-state.ts'
import type { Stream } from '../../store/log.ts'
import { readRemote } from '../../workspace/git-config.ts'
import { takeRepositoryId } from '../../workspace/identity.ts'
import { type Context, settleIdentity } from '../context/context.ts'
import { NOTICES } from '../context/notices.ts'
import {
  countWork,
  listAllStreams,
  placeOfRepository,
  rootsHere,
  sayWork,
  type WorkCount,
} from './repository-marks.ts'

const streamsOf = async (context: Context, repository: string): Promise<Stream[]> =>
  repository === '' ? [] : await listAllStreams(context, repository)

/** Where a repository lies on this machine; null where it does not. */
async function folderOf({ store }: Context, repository: string): Promise<string | null> {
  const rows = (await store.local.listWorkspaces()).filter((row) => row.repository === repository)
  return rows.find(({ path }) => placeOfRepository(path, repository) !== null)?.path ?? null
}

/**
 * The repository of another machine that this fresh clone looks like, by its remote, and where git may be asked by its
 * first commits. Nothing is looked for once work was saved here. A copy beside its original is a repository of its own.
 */
async function findAdoptable(context: Context): Promise<{ row: RepositoryRow; work: WorkCount } | null> {
  const { store, identity, place } = context
  if (place.git === null) return null
  const others = (await store.local.listRepositories()).filter(
    ({ id, declined }) => id !== identity.repository && !declined.includes(place.root),
  )
  if (others.length === 0 || (await streamsOf(context, identity.repository)).length > 0) return null
  const remote = readRemote(place)
  let roots: string[] | null = null
  for (const other of others) {
    if ((await folderOf(context, other.id)) !== null) continue
    const streams = await streamsOf(context, other.id)
    if (streams.length === 0) continue
    roots ??= await rootsHere(context)
    if (looksLikeSame({ remote, roots }, other)) return { row: other, work: countWork(streams) }
  }
  return null
}

/**
 * Asks the user, once, whether this clone is to take over the work of the repository that it looks like; without a
 * terminal one line says how. A hostile clone can look like any repository, so nothing is taken over without a yes,
 * and an agent hears nothing of it.
 */
export async function offerAdoption(context: Context): Promise<void> {
  if (context.speaker === 'agent') return
  const found = await findAdoptable(context)
  if (found === null) return
  const { row, work } = found
  const { name, id } = row
  if (context.ask === null) {
    const alike = (await context.store.local.listRepositories()).filter((one) => one.name === name)
    // Its name where that is one word and nobody else's.
    const short = alike.length === 1 && /^[\w.][\w.-]*$/.test(name) ? name : id
    context.notices.push(NOTICES.cloneOfKnown(name, sayWork(work), short))
    return
  }
  const [answer = ''] = await context.ask([NOTICES.adoptQuestion(name, sayWork(work))])
  if (/^y(?:es)?$/i.test(answer)) {
    const adopted = await adoptRepository(context, id)
    context.notices.push(NOTICES.adopted(name, sayWork(adopted)))
    for (const { was, now } of adopted.renamed) context.notices.push(NOTICES.workRenamed(was, now))
  } else {
    await context.store.local.seeRepository({ ...row, declined: [...row.declined, context.place.root] })
  }
}

export const tellAdoption = ({ name, renamed, ...work }: AdoptedRepository): string[] => [
  NOTICES.adopted(name, sayWork(work)),
  ...renamed.map(({ was, now }) => NOTICES.workRenamed(was, now)),
]

export interface AdoptedRepository extends WorkCount {
  id: string
  name: string
  renamed: Array<{ was: string; now: string }>
}

/**
 * Makes this clone the repository of that name or id. The store comes first: who dies before the id is written finds
 * the work where it was looked for, and gives the command again.
 */
export async function adoptRepository(context: Context, wanted: string): Promise<AdoptedRepository> {
  const { store, place, ports } = context
  if (context.speaker === 'agent')
    throw new ReasonError('import_by_agent', { what: 'adopt work for this clone' })
  const all = await store.local.listRepositories()
  const [found, ...more] = all.filter(({ id, name }) => id === wanted || name === wanted)
  if (place.git === null) throw new ReasonError('clone_required', { name: wanted })
  const list = (known: string[]) => known.slice(0, 10).join(', ') || 'none'
  if (found === undefined)
    throw new ReasonError('repository_unknown', { name: wanted, known: list(all.map(({ name }) => name)) })
  if (more.length > 0) {
    const known = list([found, ...more].map(({ id }) => id))
    throw new ReasonError('repository_ambiguous', { name: wanted, known })
  }
  const { id, name } = found
  const here = await settleIdentity(context, 'write')
  const path = here.repository === id ? null : await folderOf(context, id)
  if (path !== null) throw new ReasonError('repository_present', { name, path })
  const to = { repository: id, workspace: here.workspace }
  const renamed = here.repository === id ? [] : await store.log.moveRepository(here, to)
  for (const row of await store.local.listWorkspaces())
    if (row.repository === id && row.id !== here.workspace && !existsSync(row.path))
      await store.log.moveRepository({ repository: id, workspace: row.id }, to)
  takeRepositoryId(place, id, ports)
  await store.local.seeWorkspace(
    { id: here.workspace, repository: id, path: place.root },
    instant(ports.now()),
  )
  // What is found by a search has the old id; it is made anew at the next search.
  await store.index.forget()
  context.identity = to
  return { id, name, ...countWork(await streamsOf(context, id)), renamed }
}

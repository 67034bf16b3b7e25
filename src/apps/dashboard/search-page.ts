import { type ChildProcess, spawn } from 'node:child_process'
import { AGENTS, agentNames } from '../../agents/table.ts'
import { usageError } from '../../core/reason.ts'
import { SEARCH_KINDS } from '../../core/searchable.ts'
import type { Context } from '../../engine/context/context.ts'
import { nameRepository } from '../../engine/overview/places.ts'
import { sessionKeyText } from '../../engine/overview/session-lines.ts'
import { readOnce } from '../../verbs/perform.ts'
import { searchRecords } from '../../verbs/work/search.ts'
import { type Asked, findAskedWorkspace, readStore, requestIn, type ServerPlace } from './asked.ts'

const NOTHING = { total: 0, more: false, relaxed: false, isFilling: false, hits: [] }
const MOST_HITS = 50

/**
 * What is found everywhere, or in the repository of one workspace. `relaxed`: nothing has all of the words, these have some
 * of them. `isFilling`: the index is being made, and hits are missing.
 */
export async function searchPage(place: ServerPlace, { query }: Asked) {
  const words = query('q') ?? ''
  const kind = SEARCH_KINDS.find((one) => one === query('kind'))
  if (kind !== query('kind')) throw usageError(`no kind ${query('kind')} can be searched`)
  const wanted = query('workspace')
  const { places, path } = await findAskedWorkspace(place, wanted)
  if (words.trim() === '' || path === null) return { query: words, ...NOTHING }
  const asked = {
    ...{ words: [words], kind, branch: undefined, since: undefined },
    ...{ allWorkspaces: wanted === undefined, limit: MOST_HITS },
  }
  const isFilling = await readStore(place, (context) => place.filler.isFilling(context, path, place.env))
  const found = await readOnce(requestIn(place, path, []), (context) =>
    searchRecords(context, asked, { isFilled: !isFilling }),
  )
  const targets = await readStore(place, (context) =>
    Promise.all(found.hits.map((hit) => targetOf(context, hit))),
  )
  return {
    ...{ query: words, total: found.total, more: found.more, relaxed: found.relaxed, isFilling },
    hits: found.hits.map((hit, at) => ({
      ...{ id: hit.id, kind: hit.kind, at: hit.at, where: hit.where, branch: hit.branch },
      ...{ superseded: hit.superseded, archived: hit.archived, snippet: hit.snippet },
      repository: nameRepository(places, hit.repository),
      target: targets[at] ?? null,
    })),
  }
}

type Hit = Awaited<ReturnType<typeof searchRecords>>['hits'][number]

type HitTarget =
  | { page: 'work'; id: string; sequence: number }
  | { page: 'run'; id: string }
  | { page: 'session'; key: string }

async function targetOf({ store }: Context, hit: Hit): Promise<HitTarget | null> {
  if (hit.sequence === null) {
    for (const agent of agentNames(AGENTS))
      if (await store.log.readSession({ agent, id: hit.id }))
        return { page: 'session', key: sessionKeyText({ agent, id: hit.id }) }
    return null
  }
  const kind = hit.kind === 'run' ? 'run' : 'work'
  const stream = await store.log.findStream(hit.repository, hit.where, kind)
  if (stream === null) return null
  return kind === 'run'
    ? { page: 'run', id: stream.id }
    : { page: 'work', id: stream.id, sequence: hit.sequence }
}

/** So many that are not in the index yet a search takes in by itself, before its answer. */
const AT_ONCE = 1_000

/**
 * Fills the search index beside the server, by a search of the command line: over years of work the first one takes a
 * minute, in which the server must answer, and more memory than it may hold.
 */
export class IndexFiller {
  private child: ChildProcess | null = null

  /** Whether the index is far behind. Then it is being filled from here on, and an answer has only what is in it. */
  async isFilling({ store }: Context, cwd: string, env: Context['env']): Promise<boolean> {
    if (this.child !== null) return true
    const { left } = await store.index.readUnsearched(1)
    const program = process.argv[1]
    if (left <= AT_ONCE || program === undefined) return false
    const child = spawn(process.execPath, [program, 'search', 'savepoint', '--json'], {
      ...{ cwd, env, stdio: 'ignore' },
    })
    const leave = () => {
      this.child = null
    }
    child.once('exit', leave).once('error', leave)
    this.child = child
    return true
  }

  end(): void {
    this.child?.kill()
  }
}

import { describeError, ReasonError } from '../../core/reason.ts'
import { searchableOf, searchableSession } from '../../policy/searchable.ts'
import type { IndexPart, SearchFilter, SearchRecord, SearchWanted } from '../../store/search-index.ts'
import type { Store } from '../../store/store.ts'
import type { Context } from '../context/context.ts'
import { NOTICES } from '../context/notices.ts'
import { digestOf } from '../surroundings/session-digest.ts'

/** Checkpoints per transaction: a save waits for at most one such transaction. */
const PART = 200
/** From this number on, progress is shown. */
const MANY = 1_000
const MOST_ROUNDS = 50_000

export type FillContext = Pick<Context, 'store' | 'home' | 'progress' | 'notices'>

/**
 * Brings the search index up to what is committed. What writes pays nothing for the index; who searches does, and only
 * for what is new. A damaged index is thrown away and begins anew, once. Where it cannot be written the search goes on with what is there.
 */
export async function fillIndex(context: FillContext): Promise<void> {
  try {
    await fill(context)
  } catch (error) {
    if (!(error instanceof ReasonError) || !CANNOT_WRITE.has(error.reason)) throw error
    context.notices.push(NOTICES.searchIncomplete(describeError(error)))
  }
}

const CANNOT_WRITE: ReadonlySet<string> = new Set([
  'checkpoint_atomic_write_failed',
  'store_busy',
  'store_unavailable',
])

/** An index that cannot be made: then more than the index is damaged. */
function indexLost({ home }: Pick<Context, 'home'>): ReasonError {
  const problem = 'the search index could not be read or rebuilt'
  return new ReasonError('store_damaged', { path: home.database, problem })
}

/** Asks the index. One that is damaged is derived: it is thrown away and filled again, once. */
export async function askIndex(context: FillContext, wanted: SearchWanted, filter: SearchFilter) {
  const { store } = context
  const found = await store.index.search(wanted, filter)
  if (found !== null) return found
  await store.index.forget()
  await fillIndex(context)
  const again = await store.index.search(wanted, filter)
  if (again !== null) return again
  throw indexLost(context)
}

async function fill({ store, home, progress }: FillContext): Promise<void> {
  let isForgotten = false
  let done = 0
  let total = 0
  // An end, also beside a writer that never rests.
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const part = await store.index.readUnsearched(PART)
    if (part.from === part.to && !part.anew) break
    // Another process may have been faster: then this part is in, and the next one is asked for.
    if ((await store.index.putPart(part, await recordsIn(store, part))) === null) {
      if (isForgotten) throw indexLost({ home })
      isForgotten = true
      await store.index.forget()
      continue
    }
    done += part.checkpoints.length
    total = Math.max(total, done + part.left)
    if (total > MANY) progress(Math.min(done, total - 1), total)
  }
  if (total > MANY) progress(total, total)
}

async function recordsIn(store: Store, { checkpoints, sessions }: IndexPart): Promise<SearchRecord[]> {
  const records: SearchRecord[] = checkpoints.flatMap(({ stream, checkpoint, parent }) =>
    searchableOf(checkpoint, parent, stream.kind).map((one) => ({
      ...one,
      ...{ repository: stream.repository, stream: stream.id, checkpoint: checkpoint.id, at: checkpoint.at },
      branch: checkpoint.provenance?.branch ?? null,
    })),
  )
  for (const { session } of sessions) {
    if (session === null) continue
    const requests = (await digestOf(store, session))?.requests ?? []
    const typed = requests.filter(({ how }) => how !== 'answer').map(({ text }) => text)
    for (const one of searchableSession(session, typed))
      records.push({
        ...one,
        ...{ repository: session.repository, stream: null, checkpoint: null, at: session.lastActivityAt },
        branch: session.environment.gitBranch,
      })
  }
  return records
}

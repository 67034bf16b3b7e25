import { canonicalJson } from '../core/canonical.ts'
import { ReasonError } from '../core/reason.ts'
import type { Acts } from './acts.ts'
import { joinReads } from './joined-reads.ts'
import type { Intent, LocalState } from './local-state.ts'
import type { Log, Stream } from './log.ts'

/** The lock under which acts take turns on this machine: an intent that its next holder finds was left by the dead. */
const LOCK = 'acts'
const [WAIT_MS, QUEUE_WAIT_MS] = [5_000, 40_000]

/** Ends what somebody left open. Every act does it first; who only reads does it once, when it opens the two. */
type ComposedActs = Acts & { settle(): Promise<void> }

/**
 * The acts where log and local state are two engines, which no commit can span. An act is an intent in the local state,
 * the change of the log, which compares and sets, and the end of the intent with what it changes here. Whoever dies in
 * between leaves an intent; the next one asks the log whether it has happened. A change of the log whose answer is lost
 * is such an intent too.
 */
export function composeActs(log: Log, local: LocalState): ComposedActs {
  const inTurn = async <T>(act: () => Promise<T>): Promise<T> => {
    const release = await local.takeLock(LOCK, WAIT_MS, QUEUE_WAIT_MS)
    if (release === null)
      throw new ReasonError('store_busy', { path: 'of the local state', waitedMs: WAIT_MS })
    try {
      const open = await local.readIntent()
      if (open !== null) await local.settleIntent((await hasHappened(log, open)) ? open.change : null)
      return await act()
    } finally {
      release()
    }
  }
  return {
    ...joinReads(log, local),

    settle: () => inTurn(() => Promise.resolve()),

    /**
     * Without a checkpoint there is nothing that the log could tell afterwards: what it then has alone is a text that
     * no file shows yet, or a new name.
     */
    commit(commit) {
      const { begins, appends, note, readmit, texts, versions, reviews, renames, ...change } = commit
      const added = readmit?.checkpoint.id ?? appends?.[0]?.checkpoint.id
      const intent: Intent = { change, ...(added && { added }), ...(note && { note }) }
      const isTold = added !== undefined || note !== undefined || change.remove !== undefined
      return inTurn(async () => {
        if (isTold) await local.intend(intent)
        const committed = await log.append(commit)
        if (isTold) await local.settleIntent(committed.done ? change : null)
        else if (committed.done) await local.apply(change)
        return committed
      })
    },

    async listWork(repository, workspace) {
      const streams = await log.listStreams(repository, 'work')
      const documents = new Map(
        (await local.listDocuments(workspace)).map(({ stream, ...view }) => [stream, view]),
      )
      const focus = await local.readFocus(workspace)
      const placeOf = ({ id, headId }: Stream) => documents.get(id)?.checkpoint ?? headId
      const rows = new Map((await log.readRows(streams.map(placeOf))).map((row) => [row.id, row]))
      return streams.flatMap((stream) => {
        const row = rows.get(placeOf(stream))
        if (row === undefined) return []
        const { id, name, headId, headSequence } = stream
        const { sequence, at, gist, foreign } = row
        return {
          stream: { id, name, headId, headSequence },
          view: documents.get(id) ?? null,
          position: { checkpoint: row.id, sequence, at, gist, foreign },
          focused: id === focus,
        }
      })
    },
  }
}

/** What the log says of an intent. */
async function hasHappened(log: Log, { added, note, change: { remove } }: Intent): Promise<boolean> {
  if (remove) return (await log.readRows(remove.checkpoints)).every(({ removedAt }) => removedAt !== null)
  const stored = await log.readCheckpoint(note?.head ?? added ?? '')
  if (stored === null || stored.state === 'removed') return false
  if (!note) return true
  const noted = stored.state === 'whole' ? stored.notes[note.number] : undefined
  return noted !== undefined && canonicalJson(noted) === canonicalJson(note.trigger)
}

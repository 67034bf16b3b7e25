import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { canonicalJson } from '../../src/core/canonical.ts'
import { ReasonError } from '../../src/core/reason.ts'
import type { Acts } from '../../src/store/acts.ts'
import type { LocalChange, LocalState } from '../../src/store/local-state.ts'
import type { Log, NewNote, Stream } from '../../src/store/log.ts'

/**
 * What is about to happen in a log of another engine, and what it changes here when it has happened. What the log says
 * tells whether it has: the checkpoint is there, the note has that number on it, the bodies are gone.
 */
interface Intent {
  added?: string
  note?: NewNote
  change: LocalChange
}

/** Where the open intent of a machine is kept. There is one at most. */
export interface Intents {
  /** Fails where another is open. */
  open(intent: Intent): void
  read(): Intent | null
  end(): void
}

export const intentsAt = (path: string): Intents => ({
  open: (intent) => writeFileSync(path, JSON.stringify(intent), { flag: 'wx' }),
  read: () => (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null),
  end: () => rmSync(path),
})

/** The lock under which acts take turns on this machine: an intent that its next holder finds was left by the dead. */
const LOCK = 'acts'
const [WAIT_MS, QUEUE_WAIT_MS] = [5_000, 40_000]

/** Ends what somebody left open. Every act does it first; who only reads does it once, when it opens the two. */
type ComposedActs = Acts & { settle(): Promise<void> }

/**
 * The acts where log and local state are two engines, which no commit can span. An act is an intent, the change of the
 * log, which compares and sets, what it changes here, and the end of the intent. Whoever dies in between leaves an
 * intent; the next one asks the log whether it has happened, and makes the change here again: twice is as once. A change
 * of the log whose answer is lost is such an intent too.
 */
export function composeActs(log: Log, local: LocalState, intents: Intents): ComposedActs {
  const inTurn = async <T>(act: () => Promise<T>): Promise<T> => {
    const release = await local.takeLock(LOCK, WAIT_MS, QUEUE_WAIT_MS)
    if (release === null)
      throw new ReasonError('store_busy', { path: 'of the local state', waitedMs: WAIT_MS })
    try {
      const open = intents.read()
      if (open !== null && (await hasHappened(log, open))) await local.apply(open.change)
      if (open !== null) intents.end()
      return await act()
    } finally {
      release()
    }
  }
  return {
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
        if (isTold) intents.open(intent)
        const committed = await log.append(commit)
        if (committed.done) await local.apply(change)
        if (isTold) intents.end()
        return committed
      })
    },

    async listLedgers(workspace) {
      const texts = await local.listLedgerTexts(workspace)
      const rows = await log.readRows(texts.map(({ checkpoint }) => checkpoint))
      const streamOf = new Map(rows.map(({ id, stream }) => [id, stream]))
      const streams = await log.listStreams(null, 'work')
      const nameOf = new Map(streams.map(({ id, name }) => [id, name]))
      return texts.map((text) => ({ ...text, stream: nameOf.get(streamOf.get(text.checkpoint) ?? '') ?? '' }))
    },

    async listTextHashes(repository) {
      const shown: Array<{ hash: string }> = []
      for (const { id } of await log.listStreams(repository, 'work'))
        shown.push(...(await log.listVersions(id)).filter(({ problem }) => problem === null))
      for (const { id, repository: of } of await local.listWorkspaces())
        if (of === repository) {
          shown.push(...(await local.listViews({ workspace: id })).filter(({ kind }) => kind !== 'file'))
          shown.push(...(await local.listLedgerTexts(id)))
        }
      return new Set(shown.map(({ hash }) => hash))
    },

    async listWork(repository, workspace) {
      const streams = await log.listStreams(repository, 'work')
      const documents = new Map(
        (await local.listViews({ workspace })).flatMap(({ stream, kind, state, ...view }) => {
          const { path, checkpoint, hash, base, stamp, current } = view
          if (kind !== 'document' || state === 'leaving') return []
          return [[stream, { path, checkpoint, hash, base, stamp, state, current }] as const]
        }),
      )
      const focus = (await local.listFocused()).find((one) => one.workspace === workspace)?.stream
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

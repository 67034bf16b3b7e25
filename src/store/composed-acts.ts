import { canonicalJson } from '../core/canonical.ts'
import type { Checkpoint, Trigger } from '../core/checkpoint.ts'
import { ReasonError } from '../core/reason.ts'
import type { Acts, AppendResult, DocumentCommit, HeadMoved, WorkRow } from './acts.ts'
import { JoinedReads } from './joined-reads.ts'
import type { DocumentChange, Intent, LocalChange, StartingView } from './local-state.ts'
import type { CommitResult, LogChange, NewStream, Stream } from './log.ts'

/** The lock under which acts take turns on this machine: an intent that its next holder finds was left by the dead. */
const LOCK = 'acts'
const [WAIT_MS, QUEUE_WAIT_MS] = [5_000, 40_000]

/**
 * The acts where log and local state are two engines, which no commit can span. An act is an intent in the local state,
 * the change of the log, which compares and sets, and the end of the intent with what it changes here. Whoever dies in
 * between leaves an intent; the next one asks the log whether it has happened. A change of the log whose answer is lost
 * is such an intent too.
 */
export class ComposedActs extends JoinedReads implements Acts {
  /** Ends what somebody left open. Every act does it first; who only reads does it once, when it opens the two. */
  settle(): Promise<void> {
    return this.inTurn(() => Promise.resolve())
  }

  async begin(stream: NewStream, first: Checkpoint, views: StartingView[]): Promise<boolean> {
    const appends = [{ checkpoint: first, after: null, foreign: false }]
    return (await this.appendWith({ begins: [stream], appends }, viewsOf(first, views))).done
  }

  async append(
    checkpoint: Checkpoint,
    expectedHead: string,
    { takes, views }: { takes: number[]; views: StartingView[] },
  ): Promise<AppendResult | HeadMoved> {
    const appends = [{ checkpoint, after: expectedHead, foreign: false, takes }]
    const { done } = await this.appendWith({ appends }, viewsOf(checkpoint, views))
    return done ? this.tellAppended(checkpoint) : { done: false }
  }

  async coalesce(
    stream: string,
    expected: { head: string; notes: number },
    trigger: Trigger,
    view: StartingView,
  ): Promise<AppendResult | HeadMoved> {
    const head = { id: expected.head, stream }
    const change = viewsOf(head, [view])
    const intent: Intent = { act: 'note', checkpoint: head.id, number: expected.notes, trigger, change }
    const isNoted = await this.perform(
      intent,
      () => this.log.addNote(stream, expected, trigger),
      (done) => (done ? change : null),
    )
    return isNoted ? this.tellAppended(head) : { done: false }
  }

  readmit(checkpoint: Checkpoint, sequence: number, views: StartingView[]): Promise<boolean> {
    const change = viewsOf(checkpoint, views)
    return this.perform(
      { act: 'append', checkpoint: checkpoint.id, change },
      () => this.log.readmit(checkpoint, sequence),
      (done) => (done ? change : null),
    )
  }

  async remove(stream: string, checkpoints: string[], at: string): Promise<number> {
    const removed = await this.perform(
      { act: 'remove', stream, checkpoints },
      () => this.log.remove(stream, checkpoints, at),
      (ids) => ({ of: 'removal', stream, checkpoints: ids }),
    )
    return removed.length
  }

  /**
   * Without a checkpoint there is nothing to ask the log for afterwards: what it then has alone is a text that no file
   * shows yet, or a new name.
   */
  commit(commit: DocumentCommit): Promise<CommitResult> {
    const {
      begins = [],
      appends = [],
      texts = [],
      versions = [],
      reviews = [],
      renames = [],
      ...change
    } = commit
    const part: LogChange = { begins, appends, texts, versions, reviews, renames }
    if (appends.length > 0) return this.appendWith(part, documentsOf(change))
    return this.inTurn(async () => {
      const committed = await this.log.append(part)
      if (committed.done) await this.local.apply(documentsOf(change))
      return committed
    })
  }

  async listWork(repository: string, workspace: string): Promise<WorkRow[]> {
    const streams = await this.log.listStreams(repository, 'work')
    const documents = new Map(
      (await this.local.listDocuments(workspace)).map(({ stream, ...view }) => [stream, view]),
    )
    const focus = await this.local.readFocus(workspace)
    const placeOf = ({ id, headId }: Stream) => documents.get(id)?.checkpoint ?? headId
    const rows = new Map((await this.log.readRows(streams.map(placeOf))).map((row) => [row.id, row]))
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
  }

  private appendWith(part: LogChange, change: LocalChange): Promise<CommitResult> {
    const checkpoint = part.appends?.[0]?.checkpoint.id ?? ''
    return this.perform(
      { act: 'append', checkpoint, change },
      () => this.log.append(part),
      ({ done }) => (done ? change : null),
    )
  }

  private perform<T>(
    intent: Intent,
    act: () => Promise<T>,
    changeOf: (answer: T) => LocalChange | null,
  ): Promise<T> {
    return this.inTurn(async () => {
      await this.local.intend(intent)
      const answer = await act()
      await this.local.settleIntent(changeOf(answer))
      return answer
    })
  }

  private async inTurn<T>(act: () => Promise<T>): Promise<T> {
    const release = await this.local.takeLock(LOCK, WAIT_MS, QUEUE_WAIT_MS)
    if (release === null)
      throw new ReasonError('store_busy', { path: 'of the local state', waitedMs: WAIT_MS })
    try {
      const open = await this.local.readIntent()
      if (open !== null) await this.local.settleIntent(await this.changeHappened(open))
      return await act()
    } finally {
      release()
    }
  }

  /** What an intent changes here, by what the log says of it; null where it did not happen. */
  private async changeHappened(intent: Intent): Promise<LocalChange | null> {
    if (intent.act === 'remove') {
      const rows = await this.log.readRows(intent.checkpoints)
      const removed = rows.filter(({ removedAt }) => removedAt !== null).map(({ id }) => id)
      return { of: 'removal', stream: intent.stream, checkpoints: removed }
    }
    const stored = await this.log.readCheckpoint(intent.checkpoint)
    if (stored === null || stored.state === 'removed') return null
    if (intent.act === 'append') return intent.change
    const note = stored.state === 'whole' ? stored.notes[intent.number] : undefined
    return note !== undefined && canonicalJson(note) === canonicalJson(intent.trigger) ? intent.change : null
  }

  private async tellAppended({ id, stream }: Pick<Checkpoint, 'id' | 'stream'>): Promise<AppendResult> {
    const [row] = await this.log.readRows([id])
    const { live, maintainedAt } = (await this.log.readSituation(stream)).stream
    return { done: true, sequence: row?.sequence ?? 0, live, maintainedAt }
  }
}

const viewsOf = ({ id, stream }: Pick<Checkpoint, 'id' | 'stream'>, views: StartingView[]): LocalChange => ({
  of: 'views',
  checkpoint: { id, stream },
  views,
})

const documentsOf = (change: DocumentChange): LocalChange => ({ of: 'documents', change })

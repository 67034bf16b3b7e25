import { canonicalJson, sha256 } from '../../src/core/canonical.ts'
import { type Checkpoint, type CommandOutcome, gistOf, type Trigger } from '../../src/core/checkpoint.ts'
import { nameKey, numberedName } from '../../src/core/id.ts'
import { ReasonError } from '../../src/core/reason.ts'
import type { Session, SessionKey, SessionRow } from '../../src/core/session.ts'
import type {
  CheckpointRow,
  CommitResult,
  Log,
  LogChange,
  LogCounts,
  LogPlace,
  NewNote,
  NewStream,
  Removal,
  SessionFilter,
  SessionNames,
  Situation,
  StoredCheckpoint,
  Stream,
  StreamKind,
  StreamSummary,
  Tombstone,
  Version,
} from '../../src/store/log.ts'

interface Kept {
  row: CheckpointRow
  /** Canonical JSON; null for a tombstone, and for a place that is held for what was lost. */
  body: string | null
  notes: Trigger[]
  isPlaceholder: boolean
}

const keyOf = ({ agent, id }: SessionKey) => `${agent}/${id}`
const copy = <T>(value: T): T => structuredClone(value)

/** A log in plain maps: the proof that a second engine needs nothing but the interface. Every method runs in one turn. */
export class MemoryLog implements Log {
  private readonly streams = new Map<string, Stream>()
  private readonly checkpoints = new Map<string, Kept>()
  private readonly events: Array<{ event: number; stream: string; outcome: CommandOutcome }> = []
  private readonly texts = new Map<string, string>()
  private readonly versions = new Map<string, Version & { stream: string; hash: string }>()
  private readonly sessions = new Map<string, SessionRow>()
  private readonly readings = new Map<string, string>()
  private lastEvent = 0

  async findStream(repository: string, name: string, kind: StreamKind = 'run'): Promise<Stream | null> {
    return copy(this.named(repository, name, kind) ?? null)
  }

  async listStreams(repository: string | null, kind: StreamKind = 'run'): Promise<Stream[]> {
    const all = [...this.streams.values()].filter(
      (stream) => stream.kind === kind && (repository === null || stream.repository === repository),
    )
    return copy(all.sort((a, b) => (a.createdAt < b.createdAt ? -1 : Number(a.createdAt > b.createdAt))))
  }

  async readStream(id: string): Promise<Stream | null> {
    return copy(this.streams.get(id) ?? null)
  }

  async listHeads(repository: string | null, kind: StreamKind): Promise<StreamSummary[]> {
    return (await this.listStreams(repository, kind)).map((stream) => {
      const { at, progress, foreign, gist } = this.kept(stream.headId).row
      return copy({ stream, at, progress, foreign, gist })
    })
  }

  async count(): Promise<LogCounts> {
    const ofKind = (kind: StreamKind) => [...this.streams.values()].filter((one) => one.kind === kind).length
    const [checkpoints, sessions] = [this.checkpoints.size, this.sessions.size]
    return { works: ofKind('work'), runs: ofKind('run'), checkpoints, sessions }
  }

  async readCheckpoints(ids: readonly string[]): Promise<StoredCheckpoint[]> {
    return copy([...new Set(ids)].flatMap((id) => this.stored(id) ?? []))
  }

  async readSituation(id: string): Promise<Situation> {
    const stream = this.streamOf(id)
    const rows = this.rowsOf(id)
    for (const { row } of rows.toReversed()) {
      const base = this.stored(row.id)
      if (base?.state !== 'whole') continue
      const pending = this.events.filter((one) => one.stream === id)
      return copy({
        ...{ stream, base },
        pending: pending.map(({ event, outcome }) => ({ event, outcome })),
        pinned: rows.filter((one) => one.row.pinned).map((one) => one.row.id),
      })
    }
    throw new ReasonError('checkpoint_integrity_mismatch', {
      path: `${stream.kind} ${stream.name}`,
      problem: 'none of its checkpoints is whole',
    })
  }

  async readCheckpoint(id: string): Promise<StoredCheckpoint | null> {
    return copy(this.stored(id))
  }

  async readHistory(stream: string, most?: number): Promise<CheckpointRow[]> {
    const rows = this.rowsOf(stream).map(({ row }) => row)
    return copy(most === undefined ? rows : rows.slice(Math.max(0, rows.length - most)))
  }

  async readRows(checkpoints: readonly string[]): Promise<CheckpointRow[]> {
    return copy([...new Set(checkpoints)].flatMap((id) => this.checkpoints.get(id)?.row ?? []))
  }

  async append(change: LogChange): Promise<CommitResult> {
    const { begins = [], appends = [], texts = [], versions = [], reviews = [], renames = [] } = change
    const { note, readmit, remove } = change
    const heads = new Map<string, string>()
    for (const { checkpoint, after } of appends) {
      const { stream } = checkpoint
      const head = heads.get(stream) ?? this.streams.get(stream)?.headId ?? null
      if (head !== after) return { done: false, why: 'head_moved' }
      heads.set(stream, checkpoint.id)
    }
    for (const { id, repository, name, kind } of begins)
      if (this.streams.has(id) || this.named(repository, name, kind))
        return { done: false, why: 'name_taken' }
    for (const { stream, from, name } of renames) {
      const known = this.streams.get(stream)
      if (known?.name !== from) return { done: false, why: 'head_moved' }
      const other = this.named(known.repository, name, known.kind)
      if (other && !renames.some((one) => one.stream === other.id)) return { done: false, why: 'name_taken' }
    }
    if ((note && !this.isOnHead(note)) || (remove && !this.mayRemove(remove)))
      return { done: false, why: 'head_moved' }
    if (readmit && !this.readmit(readmit)) return { done: false, why: 'head_moved' }
    for (const { stream, name } of renames) this.streamOf(stream).name = name
    for (const stream of begins) {
      const first = appends.find(({ checkpoint }) => checkpoint.stream === stream.id)
      if (first === undefined) throw new Error(`stream ${stream.name} begins without a checkpoint`)
      this.begin(stream, first.checkpoint)
    }
    for (const { hash, text } of texts) if (!this.texts.has(hash)) this.texts.set(hash, text)
    for (const { checkpoint, foreign, takes = [], notes = [], pinned = false } of appends) {
      const { headSequence } = this.streamOf(checkpoint.stream)
      this.add(checkpoint, headSequence + 1, foreign)
      const kept = this.kept(checkpoint.id)
      kept.notes.push(...copy(notes))
      kept.row.pinned = pinned
      for (const event of takes)
        this.events.splice(
          this.events.findIndex((one) => one.event === event),
          1,
        )
    }
    for (const version of versions) this.versions.set(`${version.stream} ${version.hash}`, copy(version))
    for (const id of reviews) {
      const kept = this.checkpoints.get(id)
      if (kept) kept.row.foreign = false
    }
    if (note) this.kept(note.head).notes.push(copy(note.trigger))
    if (remove) this.remove(remove)
    return { done: true }
  }

  async recordOutcome(stream: string, outcome: CommandOutcome, _at: string): Promise<number> {
    this.lastEvent += 1
    this.events.push({ event: this.lastEvent, stream, outcome: copy(outcome) })
    return this.lastEvent
  }

  async pin(checkpoint: string, pinned: boolean): Promise<void> {
    this.kept(checkpoint).row.pinned = pinned
  }

  async closeGaps(at: string): Promise<number> {
    let closed = 0
    for (const { id: stream, headSequence } of this.streams.values()) {
      const known = new Set(this.rowsOf(stream).map(({ row }) => row.sequence))
      for (let sequence = 1; sequence < headSequence; sequence += 1) {
        if (known.has(sequence)) continue
        const id = `cp_00000000T000000000Z_${sequence}-${sha256(`${stream}:${sequence}`).slice(0, 12)}`
        const row: CheckpointRow = {
          ...{ id, stream, sequence, at, progress: 'failed', pinned: false, removedAt: at, foreign: false },
          gist: { step: null, stepsDone: 0, steps: 0 },
        }
        this.checkpoints.set(id, { row, body: null, notes: [], isPlaceholder: true })
        closed += 1
      }
    }
    return closed
  }

  async markMaintained(stream: string, at: string): Promise<void> {
    this.streamOf(stream).maintainedAt = at
  }

  async moveRepository(from: LogPlace, to: LogPlace): Promise<Array<{ was: string; now: string }>> {
    const renamed: Array<{ was: string; now: string }> = []
    for (const one of [
      ...this.streams.values(),
      ...[...this.sessions.values()].map(({ session }) => session),
    ]) {
      const isMoved = one.repository === from.repository && from.repository !== to.repository
      if (one.repository !== from.repository && one.repository !== to.repository) continue
      if (one.workspace === from.workspace) one.workspace = to.workspace
      if (isMoved && 'kind' in one) {
        const now = numberedName(one.name, (name) => !this.named(to.repository, name, one.kind))
        if (now !== one.name) renamed.push({ was: one.name, now })
        one.name = now
      }
      one.repository = isMoved ? to.repository : one.repository
    }
    return renamed
  }

  async readText(hash: string): Promise<string | null> {
    const text = this.texts.get(hash)
    if (text !== undefined && sha256(text) !== hash)
      throw new ReasonError('checkpoint_integrity_mismatch', {
        path: 'a version of a document in the log',
        problem: `its bytes are not those of ${hash.slice(0, 12)}`,
      })
    return text ?? null
  }

  async findVersion(stream: string, hash: string): Promise<Version | null> {
    const found = this.versions.get(`${stream} ${hash}`)
    return found ? { checkpoint: found.checkpoint, current: found.current, problem: found.problem } : null
  }

  async listVersions(stream: string): Promise<Array<Version & { hash: string }>> {
    return [...this.versions.values()]
      .filter((one) => one.stream === stream)
      .map(({ hash, checkpoint, problem, current }) => ({ hash, checkpoint, problem, current }))
      .sort((a, b) => (a.hash < b.hash ? -1 : 1))
  }

  async readSession(key: SessionKey): Promise<SessionRow | null> {
    return copy(this.sessions.get(keyOf(key)) ?? null)
  }

  private sessionsBy(asked: SessionFilter): SessionRow[] {
    const { repository, workspace, phases, heardBefore, branch, outcome, stream, parent } = asked
    return [...this.sessions.values()].filter(
      ({ session }) =>
        (repository === undefined || session.repository === repository) &&
        (workspace === undefined || session.workspace === workspace) &&
        (phases === undefined || phases.includes(session.phase)) &&
        (heardBefore === undefined || session.lastActivityAt < heardBefore) &&
        (branch === undefined || session.environment.gitBranch === branch) &&
        (stream === undefined || session.stream === stream) &&
        (parent === undefined || session.parent === parent) &&
        (outcome === undefined ||
          session.outcomes.some(({ path, outcomeName }) => path === outcome || outcomeName === outcome)),
    )
  }

  async listSessions(asked: SessionFilter): Promise<SessionRow[]> {
    const { skip = 0, most = Number.POSITIVE_INFINITY } = asked
    const time = ({ session }: SessionRow) => session.lastActivityAt
    const newestFirst = this.sessionsBy(asked)
      .toReversed()
      .sort((a, b) => (time(a) > time(b) ? -1 : Number(time(a) < time(b))))
    return copy(newestFirst.slice(skip, skip + most))
  }

  async countSessions(asked: SessionFilter): Promise<number> {
    return this.sessionsBy(asked).length
  }

  async listSessionNames(repository: string | null): Promise<SessionNames> {
    const all = this.sessionsBy(repository === null ? {} : { repository }).map(({ session }) => session)
    const list = (names: Array<string | null>) =>
      [...new Set(names)].filter((name) => name !== null).toSorted()
    return {
      agents: list(all.map(({ agent }) => agent)),
      branches: list(all.map(({ environment }) => environment.gitBranch)),
      outcomes: list(
        all.flatMap(({ outcomes }) => outcomes.map(({ path, outcomeName }) => path ?? outcomeName)),
      ),
    }
  }

  async advance(session: Session, expected: number | null, reading?: string | null): Promise<boolean> {
    const key = keyOf(session)
    const before = this.sessions.get(key)
    if ((before?.version ?? null) !== expected) return false
    this.sessions.set(key, { session: copy(session), version: (expected ?? 0) + 1 })
    if (reading === null) this.readings.delete(key)
    else if (reading !== undefined) this.readings.set(key, reading)
    return true
  }

  async readReading(key: SessionKey): Promise<string | null> {
    return this.readings.get(keyOf(key)) ?? null
  }

  async readJournalPositions(): Promise<Map<string, number>> {
    return new Map([...this.sessions].map(([key, { session }]) => [key, session.journalRead]))
  }

  private isOnHead({ stream, head, number }: NewNote): boolean {
    return this.streamOf(stream).headId === head && this.kept(head).notes.length === number
  }

  private readmit({ checkpoint, sequence }: NonNullable<LogChange['readmit']>): boolean {
    if (this.checkpoints.has(checkpoint.id)) return false
    const there = this.rowsOf(checkpoint.stream).find(({ row }) => row.sequence === sequence)
    if (there !== undefined && !there.isPlaceholder) return false
    if (there !== undefined) this.checkpoints.delete(there.row.id)
    this.add(checkpoint, sequence, false)
    return true
  }

  private mayRemove({ stream, checkpoints }: Removal): boolean {
    const { headId } = this.streamOf(stream)
    return checkpoints.every((id) => {
      const row = this.checkpoints.get(id)?.row
      return row?.stream === stream && !row.pinned && id !== headId
    })
  }

  private remove({ stream, checkpoints, at }: Removal): void {
    for (const kept of new Set(checkpoints.map((id) => this.kept(id)))) {
      if (kept.body === null) continue
      Object.assign(kept, { body: null, notes: [] })
      kept.row.removedAt = at
      this.streamOf(stream).live -= 1
    }
  }

  private named(repository: string, name: string, kind: StreamKind): Stream | undefined {
    return [...this.streams.values()].find(
      (one) => one.repository === repository && one.kind === kind && nameKey(one.name) === nameKey(name),
    )
  }

  private streamOf(id: string): Stream {
    const stream = this.streams.get(id)
    if (stream === undefined) throw new ReasonError('run_unknown', { run: id })
    return stream
  }

  private kept(id: string): Kept {
    const kept = this.checkpoints.get(id)
    if (kept === undefined) throw new Error(`there is no checkpoint ${id}`)
    return kept
  }

  private rowsOf(stream: string): Kept[] {
    const of = [...this.checkpoints.values()].filter(({ row }) => row.stream === stream)
    return of.sort((a, b) => a.row.sequence - b.row.sequence)
  }

  private stored(id: string): StoredCheckpoint | null {
    const kept = this.checkpoints.get(id)
    if (kept === undefined) return null
    const { row, body, notes } = kept
    // `as`: written by `add` and by nobody else.
    return body === null
      ? { row, state: 'removed' }
      : { row, state: 'whole', checkpoint: JSON.parse(body) as Checkpoint, notes }
  }

  private begin(stream: NewStream, { id, at }: Checkpoint | Tombstone): void {
    this.streams.set(stream.id, {
      ...stream,
      ...{ headId: id, headSequence: 0, live: 0, createdAt: at, maintainedAt: null },
    })
  }

  private add(checkpoint: Checkpoint | Tombstone, sequence: number, foreign: boolean): void {
    const { id, stream, at, progress } = checkpoint
    if (this.checkpoints.has(id)) throw new Error(`checkpoint ${id} is there already`)
    const place = { id, stream, sequence, at, progress, pinned: false, foreign }
    const { removedAt, gist, body } =
      'removedAt' in checkpoint
        ? { ...checkpoint, body: null }
        : { removedAt: null, gist: gistOf(checkpoint), body: canonicalJson(checkpoint) }
    this.checkpoints.set(id, { row: { ...place, removedAt, gist }, body, notes: [], isPlaceholder: false })
    const of = this.streamOf(stream)
    if (body !== null) of.live += 1
    if (sequence > of.headSequence) Object.assign(of, { headId: id, headSequence: sequence })
  }
}

import { sha256 } from '../../core/canonical.ts'
import { randomToken } from '../../core/id.ts'
import { parseOrUndefined } from '../../core/json.ts'
import { instant } from '../../core/ports.ts'
import { describeError, ReasonError } from '../../core/reason.ts'
import { ExportWriter } from '../../formats/export/codec.ts'
import type { ExportRecord } from '../../formats/export/record.ts'
import { streamDurably } from '../../fs/durable.ts'
import type { RepositoryRow } from '../../store/local-state.ts'
import type { Stream } from '../../store/log.ts'
import type { Context } from '../context/context.ts'
import { openNamedPlace } from '../context/named-file.ts'
import { NOTICES } from '../context/notices.ts'
import {
  countWork,
  listAllStreams,
  nameRepositories,
  recordRepository,
  type WorkCount,
} from './repository-marks.ts'

interface ExportCounts extends WorkCount {
  repositories: number
  checkpoints: number
  removed: number
  versions: number
  sessions: number
  /** What cannot be read in the store, and is not in the export. */
  damaged: string[]
}

export interface ExportReport extends Omit<ExportCounts, 'damaged'> {
  /** Null where it went to the standard output. */
  path: string | null
  bytes: number
  damaged: number
}

/** Exports to a file, which is whole when it has its name, or to the standard output. */
export async function exportTo(
  context: Context,
  file: string,
  { all, force }: { all: boolean; force: boolean },
): Promise<ExportReport> {
  const exporting = new Exporting(context, all ? null : context.identity.repository)
  let path: string | null = null
  if (file === '-') await exporting.writeTo(writeOrRefuse(context))
  else {
    // Refused before the work, and once more by the link that gives the file its name.
    const place = openNamedPlace(context.cwd, file, { force })
    using folder = place.folder
    path = place.path
    const options = { token: randomToken(context.ports.random), mode: 0o600, replaces: force }
    const isPlaced = await streamDurably(folder, place.name, options, (write) => exporting.writeTo(write))
    if (!isPlaced) throw new ReasonError('file_exists', { path })
  }
  const { damaged, ...counts } = exporting.counts
  if (damaged.length > 0) context.notices.push(NOTICES.exportedWithout(damaged))
  return { path, bytes: exporting.bytes, ...counts, damaged: damaged.length }
}

const writeOrRefuse = (context: Context) => (piece: Uint8Array) => {
  try {
    context.writeOutput(piece)
  } catch (error) {
    if (error instanceof ReasonError) throw error
    throw new ReasonError('export_unwritten', { problem: describeError(error) }, { cause: error })
  }
}

/** So much text is compressed at once. A gzip file may have several members: each is one piece. */
const PIECE = 512 * 1024

class Exporting {
  readonly counts: ExportCounts = {
    ...{ repositories: 0, work: 0, runs: 0, checkpoints: 0, removed: 0, versions: 0, sessions: 0 },
    damaged: [],
  }
  private readonly context: Context
  /** The repository that is exported; null: all of them. */
  private readonly wanted: string | null
  /** By what each repository is known elsewhere, and what it is called. */
  private marks: ReadonlyMap<string, RepositoryRow> = new Map()
  private names: ReadonlyMap<string, { name: string }> = new Map()
  private readonly declared = new Set<string>()
  /** The texts that the file has already: each is in it once. */
  private readonly sent = new Set<string>()
  bytes = 0
  private steps = { done: 0, total: 1 }

  constructor(context: Context, wanted: string | null) {
    this.context = context
    this.wanted = wanted
  }

  /** Writes all of it in pieces, with never more than one record and one piece in memory. */
  async writeTo(write: (bytes: Uint8Array) => void | Promise<void>): Promise<void> {
    const { gzipSync } = process.getBuiltinModule('node:zlib')
    const writer = new ExportWriter()
    let [lines, size]: [string[], number] = [[], 0]
    const put = async (line: string, isLast = false) => {
      lines.push(line)
      size += line.length
      if (size < PIECE && !isLast) return
      const piece = gzipSync(lines.join(''), { level: 6 })
      this.bytes += piece.length
      await write(piece)
      ;[lines, size] = [[], 0]
    }
    await put(writer.header(instant(this.context.ports.now())))
    for await (const record of this.records()) await put(writer.line(record))
    await put(writer.end(), true)
  }

  private async *records(): AsyncGenerator<ExportRecord> {
    const { context, wanted } = this
    const { store, progress } = context
    const here = await recordRepository(context, { again: true })
    const streams = await listAllStreams(context, wanted)
    Object.assign(this.counts, countWork(streams))
    const sessions = [...(await store.log.readJournalPositions()).keys()]
    const total = streams.reduce((sum, { headSequence }) => sum + headSequence, sessions.length) + 1
    this.steps = { done: 0, total }
    this.names = await nameRepositories(context)
    const rows = [...(await store.local.listRepositories()), ...(here === null ? [] : [here])]
    this.marks = new Map(rows.map((row) => [row.id, row]))
    for (const id of wanted === null ? this.names.keys() : [wanted]) yield* this.declare(id)
    for (const stream of streams) {
      const { id, repository, kind, name } = stream
      yield* this.declare(repository)
      yield { kind: 'stream', id, repository, of: kind, name }
      yield* this.checkpointsOf(stream)
      yield* this.versionsOf(stream)
    }
    for (const key of sessions) {
      yield* this.sessionOf(key)
      this.step()
    }
    progress(total, total)
  }

  private step(): void {
    const { steps } = this
    steps.done += 1
    this.context.progress(Math.min(steps.done, steps.total - 1), steps.total)
  }

  /** The record of a repository, once: an import takes nothing of one that does not stand before it. */
  private *declare(id: string): Generator<ExportRecord> {
    if (this.declared.has(id)) return
    this.declared.add(id)
    this.counts.repositories += 1
    const { remote = null, roots = [] } = this.marks.get(id) ?? {}
    yield { kind: 'repository', id, name: this.names.get(id)?.name ?? 'repository', remote, roots }
  }

  /** One that is damaged here keeps its place: the numbers of the others must not change. */
  private async *checkpointsOf(stream: Stream): AsyncGenerator<ExportRecord> {
    const { counts } = this
    const { store, ports } = this.context
    for (const row of await store.log.readHistory(stream.id)) {
      const stored = row.removedAt === null ? await store.log.readCheckpoint(row.id) : null
      this.step()
      if (stored?.state === 'whole') {
        const { checkpoint, notes } = stored
        const { sequence, foreign, pinned } = stored.row
        counts.checkpoints += 1
        yield { kind: 'checkpoint', sequence, foreign, pinned, notes, checkpoint }
        continue
      }
      if (stored?.state === 'damaged') counts.damaged.push(`number ${row.sequence} of ${stream.name}`)
      else counts.removed += 1
      const { id, stream: of, at, progress, sequence, foreign, gist } = row
      const removedAt = row.removedAt ?? instant(ports.now())
      yield {
        ...{ kind: 'removed', sequence, foreign },
        row: { id, stream: of, at, progress, removedAt, gist: { ...gist } },
      }
    }
  }

  private async *versionsOf({ id: stream, name }: Stream): AsyncGenerator<ExportRecord> {
    const { counts, sent } = this
    for (const { hash, checkpoint, current, problem } of await this.context.store.log.listVersions(stream)) {
      const version = { kind: 'version' as const, stream, hash, checkpoint, current, problem }
      const text = sent.has(hash) ? undefined : await this.readWholeText(hash)
      if (text === null) {
        counts.damaged.push(`the text ${hash.slice(0, 12)} of ${name}`)
        continue
      }
      sent.add(hash)
      counts.versions += 1
      yield text === undefined ? version : { ...version, text }
    }
  }

  /** Null where the bytes are damaged, or are no text: then there is no line that could hold them. */
  private async readWholeText(hash: string): Promise<string | null> {
    try {
      const text = await this.context.store.log.readText(hash)
      return text !== null && sha256(text) === hash ? text : null
    } catch (error) {
      if (!(error instanceof ReasonError) || error.reason !== 'checkpoint_integrity_mismatch') throw error
      return null
    }
  }

  private async *sessionOf(key: string): AsyncGenerator<ExportRecord> {
    const { log } = this.context.store
    const [agent, id] = [key.slice(0, key.indexOf('/')), key.slice(key.indexOf('/') + 1)]
    const session = (await log.readSession({ agent, id }))?.session
    if (session === undefined || (this.wanted !== null && session.repository !== this.wanted)) return
    yield* this.declare(session.repository)
    for (const hash of session.archives) {
      const text = this.sent.has(hash) ? null : await this.readWholeText(hash)
      if (text === null) continue
      this.sent.add(hash)
      yield { kind: 'text', hash, text }
    }
    const reading = await log.readReading(session)
    this.counts.sessions += 1
    yield { kind: 'session', session, reading: reading === null ? null : (parseOrUndefined(reading) ?? null) }
  }
}

import { statSync } from 'node:fs'
import { sha256 } from '../../core/canonical.ts'
import { randomToken } from '../../core/id.ts'
import { parseOrUndefined } from '../../core/json.ts'
import { instant } from '../../core/ports.ts'
import { describeError, ReasonError } from '../../core/reason.ts'
import { ExportWriter } from '../../formats/export/codec.ts'
import type { ExportRecord, RemovedRecord } from '../../formats/export/record.ts'
import { streamDurably } from '../../fs/durable.ts'
import type { RepositoryRow } from '../../store/local-state.ts'
import type { CheckpointRow, Stream } from '../../store/log.ts'
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

/** What an export holds, in numbers. */
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
  let bytes = 0
  const counting = (write: (piece: Uint8Array) => void | Promise<void>) => (piece: Uint8Array) => {
    bytes += piece.length
    return write(piece)
  }
  const tell = ({ damaged, ...counts }: ExportCounts, path: string | null): ExportReport => {
    if (damaged.length > 0) context.notices.push(NOTICES.exportedWithout(damaged))
    return { path, bytes, ...counts, damaged: damaged.length }
  }
  if (file === '-') {
    const counts = await writeExport(context, { all }, counting(writeOrRefuse(context)))
    return tell(counts, null)
  }

  // Refused before the work, and once more by the link that gives the file its name.
  const { path, folder: opened, name } = openNamedPlace(context.cwd, file, { force })
  using folder = opened
  const written: { counts?: ExportCounts } = {}
  const options = { token: randomToken(context.ports.random), mode: 0o600, replaces: force }
  const isPlaced = await streamDurably(folder, name, options, async (write) => {
    written.counts = await writeExport(context, { all }, counting(write))
  })
  if (!isPlaced || written.counts === undefined) throw new ReasonError('file_exists', { path })
  return { ...tell(written.counts, path), bytes: statSync(path).size }
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

/** Writes all of it in pieces, with never more than one record and one piece in memory. */
async function writeExport(
  context: Context,
  { all }: { all: boolean },
  write: (bytes: Uint8Array) => void | Promise<void>,
): Promise<ExportCounts> {
  const { gzipSync } = process.getBuiltinModule('node:zlib')
  const writer = new ExportWriter()
  const counts: ExportCounts = {
    ...{ repositories: 0, work: 0, runs: 0, checkpoints: 0, removed: 0, versions: 0, sessions: 0 },
    damaged: [],
  }
  let [lines, size]: [string[], number] = [[], 0]
  const put = async (line: string, isLast = false) => {
    lines.push(line)
    size += line.length
    if (size < PIECE && !isLast) return
    await write(gzipSync(lines.join(''), { level: 6 }))
    ;[lines, size] = [[], 0]
  }
  await put(writer.header(instant(context.ports.now())))
  for await (const record of recordsOf(context, all, counts)) await put(writer.line(record))
  await put(writer.end(), true)
  return counts
}

async function* recordsOf(
  context: Context,
  all: boolean,
  counts: ExportCounts,
): AsyncGenerator<ExportRecord> {
  const { store, identity, progress } = context
  const here = await recordRepository(context, { again: true })
  const wanted = all ? null : identity.repository
  const streams = await listAllStreams(context, wanted)
  Object.assign(counts, countWork(streams))
  const sessions = [...(await store.log.readJournalPositions()).keys()]
  const total = streams.reduce((sum, { headSequence }) => sum + headSequence, sessions.length) + 1
  let done = 0
  const step = () => {
    done += 1
    progress(Math.min(done, total - 1), total)
  }
  const names = await nameRepositories(context)
  const declare = repositoryDeclarer(await store.local.listRepositories(), names, here, counts)
  for (const id of wanted === null ? names.keys() : [wanted]) yield* declare(id)
  /** The texts that the file has already: each is in it once. */
  const sent = new Set<string>()
  for (const stream of streams) {
    const { id, repository, kind, name } = stream
    yield* declare(repository)
    yield { kind: 'stream', id, repository, of: kind, name }
    yield* checkpointsOf(context, stream, counts, step)
    yield* versionsOf(context, stream, counts, sent)
  }
  for (const key of sessions) {
    yield* sessionOf(context, key, wanted, counts, sent, declare)
    step()
  }
  progress(total, total)
}

/** The record of a repository, once: an import takes nothing of one that does not stand before it. */
function repositoryDeclarer(
  rows: readonly RepositoryRow[],
  names: ReadonlyMap<string, { name: string }>,
  here: RepositoryRow | null,
  counts: ExportCounts,
): (id: string) => ExportRecord[] {
  const known = new Map([...rows, ...(here === null ? [] : [here])].map((row) => [row.id, row]))
  const declared = new Set<string>()
  return (id) => {
    if (declared.has(id)) return []
    declared.add(id)
    counts.repositories += 1
    const { remote = null, roots = [] } = known.get(id) ?? {}
    return [{ kind: 'repository', id, name: names.get(id)?.name ?? 'repository', remote, roots }]
  }
}

/** One that is damaged here keeps its place: the numbers of the others must not change. */
async function* checkpointsOf(
  { store, ports }: Context,
  stream: Stream,
  counts: ExportCounts,
  step: () => void,
): AsyncGenerator<ExportRecord> {
  for (const row of await store.log.readHistory(stream.id)) {
    const stored = row.removedAt === null ? await store.log.readCheckpoint(row.id) : null
    step()
    if (stored?.state === 'whole') {
      const { checkpoint, notes } = stored
      const { sequence, foreign, pinned } = stored.row
      counts.checkpoints += 1
      yield { kind: 'checkpoint', sequence, foreign, pinned, notes, checkpoint }
    } else {
      if (stored?.state === 'damaged') counts.damaged.push(`number ${row.sequence} of ${stream.name}`)
      else counts.removed += 1
      yield removedRecord(row, row.removedAt ?? instant(ports.now()))
    }
  }
}

const removedRecord = (
  { id, stream, at, progress, sequence, foreign, gist }: CheckpointRow,
  removedAt: string,
): RemovedRecord => ({
  ...{ kind: 'removed', sequence, foreign },
  row: { id, stream, at, progress, removedAt, gist: { ...gist } },
})

async function* versionsOf(
  context: Context,
  { id: stream, name }: Stream,
  counts: ExportCounts,
  sent: Set<string>,
): AsyncGenerator<ExportRecord> {
  for (const { hash, checkpoint, current, problem } of await context.store.log.listVersions(stream)) {
    const version = { kind: 'version' as const, stream, hash, checkpoint, current, problem }
    const text = sent.has(hash) ? undefined : await readWholeText(context, hash)
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
async function readWholeText({ store }: Context, hash: string): Promise<string | null> {
  try {
    const text = await store.log.readText(hash)
    return text !== null && sha256(text) === hash ? text : null
  } catch (error) {
    if (!(error instanceof ReasonError) || error.reason !== 'checkpoint_integrity_mismatch') throw error
    return null
  }
}

async function* sessionOf(
  context: Context,
  key: string,
  wanted: string | null,
  counts: ExportCounts,
  sent: Set<string>,
  declare: (id: string) => ExportRecord[],
): AsyncGenerator<ExportRecord> {
  const { log } = context.store
  const [agent = '', id = ''] = [key.slice(0, key.indexOf('/')), key.slice(key.indexOf('/') + 1)]
  const session = (await log.readSession({ agent, id }))?.session
  if (session === undefined || (wanted !== null && session.repository !== wanted)) return
  yield* declare(session.repository)
  for (const hash of session.archives) {
    const text = sent.has(hash) ? null : await readWholeText(context, hash)
    if (text === null) continue
    sent.add(hash)
    yield { kind: 'text', hash, text }
  }
  const reading = await log.readReading(session)
  counts.sessions += 1
  yield {
    ...{ kind: 'session', session },
    reading: reading === null ? null : (parseOrUndefined(reading) ?? null),
  }
}

import { existsSync } from 'node:fs'
import { sha256 } from '../../core/canonical.ts'
import type { Gist } from '../../core/checkpoint.ts'
import { numberedName } from '../../core/id.ts'
import { instant } from '../../core/ports.ts'
import { ReasonError } from '../../core/reason.ts'
import { isLineProblem } from '../../formats/export/codec.ts'
import type {
  CheckpointRecord,
  ExportRecord,
  RemovedRecord,
  RepositoryRecord,
  SessionRecord,
  StreamRecord,
  VersionRecord,
} from '../../formats/export/record.ts'
import { redactAll } from '../../policy/redact.ts'
import type { LogChange, NewStream, Stream } from '../../store/log.ts'
import type { Context } from '../context/context.ts'
import { MOST_ATTEMPTS } from '../context/most-attempts.ts'
import { storeBusy } from '../context/workspace-lock.ts'
import { checkExport, type ExportCheck, readExport } from './read-export.ts'
import { readingSchema } from './reading-schema.ts'
import { classifyStream, listAllStreams, nameAsLine, nameRepositories } from './repository-marks.ts'

interface TakeReport {
  /** Those that the file has, as they are called here; `changed`: something of it was added. */
  repositories: Array<{ id: string; name: string; changed: boolean }>
  /** Without the streams that sessions made by themselves. */
  work: StreamNews
  runs: StreamNews
  checkpoints: { new: number; known: number }
  versions: { new: number; known: number }
  sessions: { new: number; updated: number; known: number }
  /** Streams that went on here and there: what came is a stream beside the one that is here. */
  split: Array<{ stream: string; now: string }>
  /** Work that was here, and that an undo of the other machine took back. */
  undone: Array<{ stream: string; repository: string }>
  /** Records that refer to what is neither here nor in the file. */
  unplaced: number
}

interface StreamNews {
  new: number
  extended: number
  known: number
}

type Point = CheckpointRecord | RemovedRecord

const rowOf = (point: Point) => (point.kind === 'checkpoint' ? point.checkpoint : point.row)

/** So much is committed at once. */
const BATCH = { points: 200, characters: 4_000_000 }

export interface TransferReport extends TakeReport, ExportCheck {
  path: string
}

/**
 * Imports what an export has and the store has not. Ids decide what is known, so doing it twice does no harm. All of
 * it is read and held against its checksums before anything is written: a damaged one is refused as a whole, unless
 * the user asks for what is sound of it. What it says counts as the user's own words, as it did where it was saved, so
 * no agent can import one: a file can be made by anybody.
 */
export async function importExport(
  context: Context,
  path: string,
  { dryRun, skipDamaged }: { dryRun: boolean; skipDamaged: boolean },
): Promise<TransferReport> {
  if (context.speaker === 'agent') throw new ReasonError('import_by_agent', { what: 'import an export' })
  const check = await checkExport(path, context.progress)
  const [first] = check.problems.lines
  if (first !== undefined && !skipDamaged) {
    const more = check.problems.count > 1 ? `; ${check.problems.count - 1} more` : ''
    const problem = `line ${first.line} (${first.what}): ${first.problem}${more}`
    throw new ReasonError('export_invalid', { path, problem })
  }
  const taking = new Taking(context, dryRun)
  for await (const read of readExport(path, context.progress))
    if (!isLineProblem(read)) await taking.take(read)
  return { path, ...check, ...(await taking.finish()) }
}

/** What waits to be committed for a workspace. */
type TextBatch = Required<Pick<LogChange, 'texts' | 'versions'>> & { workspace: string }

const noTexts = (): TextBatch => ({ workspace: '', texts: [], versions: [] })

class Taking {
  readonly report: TakeReport = {
    ...{ repositories: [], checkpoints: { new: 0, known: 0 } },
    ...{ work: { new: 0, extended: 0, known: 0 }, runs: { new: 0, extended: 0, known: 0 } },
    ...{ versions: { new: 0, known: 0 }, sessions: { new: 0, updated: 0, known: 0 } },
    ...{ split: [], undone: [], unplaced: 0 },
  }
  private readonly context: Context
  private readonly isDry: boolean
  private readonly workspaces = new Map<string, string>()
  /** All that are here, of every repository: an id of the file may be that of another one's. */
  private streams: Map<string, Stream> | null = null
  private readonly changed = new Set<string>()
  private readonly begun = new Set<string>()
  private readonly undone = new Map<string, Stream>()
  private names: ReadonlyMap<string, { name: string }> | null = null
  private stream: StreamRecord | null = null
  /** The checkpoint of the stream that came before, and the stream that has it here. */
  private previous: { id: string; stream: string } | null = null
  private news: keyof StreamNews = 'known'
  private points: Point[] = []
  private size = 0
  private texts = noTexts()

  constructor(context: Context, isDry: boolean) {
    this.context = context
    this.isDry = isDry
  }

  async take(record: ExportRecord): Promise<void> {
    if (record.kind !== 'checkpoint' && record.kind !== 'removed') await this.settlePoints()
    switch (record.kind) {
      case 'repository':
        return this.takeRepository(record)
      case 'stream':
        return this.beginStream(record)
      case 'checkpoint':
      case 'removed':
        return this.addPoint(record)
      case 'version':
        return this.takeVersion(record)
      case 'text':
        return this.keepText(await this.workspaceOf(this.context.identity.repository), record)
      case 'session':
        return this.takeSession(record)
    }
  }

  async finish(): Promise<TakeReport> {
    await this.settlePoints()
    await this.settleTexts()
    this.countStream()
    const { repositories } = this.report
    for (const one of repositories) one.changed = this.changed.has(one.id)
    for (const { name, repository } of this.undone.values())
      for (const one of repositories.filter(({ id }) => id === repository))
        this.report.undone.push({ stream: name, repository: one.name })
    return this.report
  }

  /** What is known here of a repository stays; only what nobody knew is added. */
  private async takeRepository({ id, name, remote, roots }: RepositoryRecord): Promise<void> {
    const { local } = this.context.store
    const known = (await local.listRepositories()).find((row) => row.id === id)
    this.names ??= await nameRepositories(this.context)
    const here = this.names.get(id)?.name ?? nameAsLine(name)
    if (!this.report.repositories.some((one) => one.id === id))
      this.report.repositories.push({ id, name: here, changed: false })
    const isNews = known === undefined || (known.roots.length === 0 && roots.length > 0)
    if (!this.isDry && isNews)
      await local.seeRepository({
        ...{ id, name: here, remote: known?.remote ?? remote, roots, declined: known?.declined ?? [] },
      })
  }

  private beginStream(record: StreamRecord): void {
    this.countStream()
    this.stream = record
    this.previous = null
  }

  private countStream(): void {
    if (this.stream === null) return
    const { of: kind, name } = this.stream
    const as = classifyStream({ kind, name })
    if (as !== null) this.report[as][this.news] += 1
    this.news = 'known'
    this.stream = null
  }

  private async readStreams(): Promise<Map<string, Stream>> {
    this.streams ??= new Map((await listAllStreams(this.context, null)).map((stream) => [stream.id, stream]))
    return this.streams
  }

  /** A stream of the repository that the records are of now; null for another one's: nothing of that is changed. */
  private async streamHere(id: string): Promise<Stream | null> {
    const found = (await this.readStreams()).get(id)
    return found !== undefined && found.repository === this.stream?.repository ? found : null
  }

  private async addPoint(point: Point): Promise<void> {
    if (this.stream?.id !== rowOf(point).stream) {
      this.report.unplaced += 1
      return
    }
    this.points.push(point)
    this.size += point.kind === 'checkpoint' ? JSON.stringify(point).length : 0
    if (this.points.length >= BATCH.points || this.size >= BATCH.characters) await this.settlePoints()
  }

  /** Commits the points that wait. Where somebody moved a head meanwhile, it is decided again. */
  private async settlePoints(): Promise<void> {
    const { points, stream, context } = this
    this.points = []
    this.size = 0
    if (points.length === 0 || stream === null) return
    const workspace = await this.workspaceOf(stream.repository)
    const before = this.previous
    for (let attempt = 0; attempt < MOST_ATTEMPTS.documents; attempt += 1) {
      this.previous = before
      const placed = await this.placePoints(stream, points, workspace)
      const { begins, appends } = placed
      const isWritten = !this.isDry && appends.length > 0
      if (!isWritten || (await context.store.acts.commit({ workspace, begins, appends })).done) {
        this.count(stream, placed)
        for (const point of placed.known) await this.noteKnown(point)
        return
      }
      this.streams = null
    }
    throw storeBusy(context)
  }

  private count(stream: StreamRecord, { begins, appends, known }: Placed): void {
    this.report.checkpoints.new += appends.length
    this.report.checkpoints.known += known.length
    if (begins.some(({ id }) => id === stream.id)) this.news = 'new'
    else if (appends.length > 0 && this.news === 'known') this.news = 'extended'
    if (appends.length > 0) this.changed.add(stream.repository)
    for (const { id, name } of begins) {
      this.begun.add(id)
      if (name !== stream.name) this.report.split.push({ stream: stream.name, now: name })
    }
    for (const { checkpoint } of appends) this.noteUndone(checkpoint)
  }

  /** An undo goes with the work to every machine, but nothing that is here may vanish without a word. */
  private noteUndone(checkpoint: NonNullable<LogChange['appends']>[number]['checkpoint']): void {
    const stands = 'gist' in checkpoint ? checkpoint.gist.document?.stands : checkpoint.stands
    const stream = this.streams?.get(checkpoint.stream)
    if (stands !== null || stream === undefined) this.undone.delete(checkpoint.stream)
    else if (!this.begun.has(stream.id)) this.undone.set(stream.id, stream)
  }

  /**
   * Each goes behind the checkpoint that it came after, in whatever stream of the repository that is here. Where
   * something else stands behind that one, two machines went on from it: what came begins a stream of its own.
   */
  private async placePoints(
    stream: StreamRecord,
    points: readonly Point[],
    workspace: string,
  ): Promise<Placed> {
    const rows = await this.context.store.log.readRows(points.map((point) => rowOf(point).id))
    const known = new Map(rows.map(({ id, stream: of, pinned }) => [id, { stream: of, pinned }]))
    const placed: Placed = { begins: [], appends: [], known: [] }
    const streams = await this.readStreams()
    for (const point of points) {
      const { id } = rowOf(point)
      const row = known.get(id)
      if (row === undefined) {
        const target = this.targetFor(streams, stream, id, workspace, placed)
        const { headId, headSequence } = target
        placed.appends.push({ ...this.appendOf(point, target.id), after: headId || null })
        streams.set(target.id, { ...target, headId: id, headSequence: headSequence + 1 })
        this.previous = { id, stream: target.id }
        known.set(id, { stream: target.id, pinned: true })
      } else {
        placed.known.push({ point, isPinned: row.pinned, stream: row.stream })
        this.previous = { id, stream: row.stream }
      }
    }
    return placed
  }

  private targetFor(
    streams: ReadonlyMap<string, Stream>,
    stream: StreamRecord,
    first: string,
    workspace: string,
    placed: Placed,
  ): Stream {
    const { previous } = this
    const { repository, of: kind } = stream
    const there = streams.get(previous?.stream ?? stream.id)
    if (previous !== null && there?.headId === previous.id && there.repository === repository) return there
    const isSplit = previous !== null || there !== undefined
    const id = isSplit ? `${kind}_${sha256(`${stream.id}\n${first}`).slice(0, 24)}` : stream.id
    const names = new Set(
      [...streams.values()]
        .filter((one) => one.repository === repository && one.kind === kind)
        .map((one) => one.name.toLowerCase()),
    )
    const name = numberedName(stream.name, (wanted) => !names.has(wanted.toLowerCase()))
    const begun: NewStream = { id, repository, workspace, kind, name }
    placed.begins.push(begun)
    return { ...begun, headId: '', headSequence: 0, live: 0, createdAt: '', maintainedAt: null }
  }

  /** A secret that another program let through is taken out here, as it is everywhere. */
  private appendOf(point: Point, stream: string) {
    const { foreign } = point
    if (point.kind === 'removed') {
      // `as`: the schema has seen what lists need of it.
      const gist = redactAll(point.row.gist, this.context.mark) as unknown as Gist
      return { checkpoint: { ...point.row, gist, stream }, foreign }
    }
    const { checkpoint, notes, pinned } = redactAll(point, this.context.mark)
    return { checkpoint: { ...checkpoint, stream }, foreign, notes, pinned }
  }

  /** What the other machine noted since: a pin, a further trigger of a head. */
  private async noteKnown({ point, isPinned, stream }: Placed['known'][number]): Promise<void> {
    const here = await this.streamHere(stream)
    if (point.kind === 'removed' || this.isDry || here === null) return
    const { log } = this.context.store
    const { id } = point.checkpoint
    if (point.pinned && !isPinned) {
      await log.pin(id, true)
      this.changed.add(here.repository)
    }
    if (point.notes.length === 0) return
    const stored = await log.readCheckpoint(id)
    if (stored?.state !== 'whole') return
    const known = stored.notes.length
    for (const [at, trigger] of redactAll(point.notes, this.context.mark).slice(known).entries()) {
      const noted = await log.append({ note: { stream, head: id, number: known + at, trigger } })
      if (!noted.done) return
      this.changed.add(here.repository)
    }
  }

  private async takeVersion(record: VersionRecord): Promise<void> {
    const { log } = this.context.store
    const { hash, checkpoint, current, problem, text } = record
    const [row] = this.isDry ? [record] : await log.readRows([checkpoint])
    const hasText = text !== undefined || this.texts.texts.some((one) => one.hash === hash)
    const here = row === undefined ? null : await this.streamHere(row.stream)
    if (here === null || (!hasText && !this.isDry && (await log.readText(hash)) === null)) {
      this.report.unplaced += 1
      return
    }
    const { id: stream, repository } = here
    if ((await log.findVersion(stream, hash)) !== null) {
      this.report.versions.known += 1
      return
    }
    this.report.versions.new += 1
    this.changed.add(repository)
    const version = { stream, hash, checkpoint, current, problem }
    await this.keepText(
      await this.workspaceOf(repository),
      text === undefined ? null : { hash, text },
      version,
    )
  }

  private async keepText(
    workspace: string,
    text: { hash: string; text: string } | null,
    version?: TextBatch['versions'][number],
  ): Promise<void> {
    if (this.texts.workspace !== workspace) await this.settleTexts()
    this.texts.workspace = workspace
    const { texts, versions } = this.texts
    if (text !== null) texts.push({ hash: text.hash, text: text.text })
    if (version !== undefined) versions.push(version)
    const size = texts.reduce((sum, one) => sum + one.text.length, 0)
    if (versions.length >= BATCH.points || size >= BATCH.characters) await this.settleTexts()
  }

  private async settleTexts(): Promise<void> {
    const batch = this.texts
    this.texts = noTexts()
    if (!this.isDry && batch.texts.length + batch.versions.length > 0)
      await this.context.store.acts.commit(batch)
  }

  /** A session goes on in one repository of one machine: of two rows the one that was heard of last is the newer. */
  private async takeSession({ session, reading }: SessionRecord): Promise<void> {
    this.countStream()
    const { store, mark } = this.context
    const { sessions } = this.report
    const known = await store.log.readSession(session)
    const isOthers = known !== null && known.session.repository !== session.repository
    if (isOthers || (known !== null && known.session.lastActivityAt >= session.lastActivityAt)) {
      sessions.known += 1
      return
    }
    sessions[known === null ? 'new' : 'updated'] += 1
    this.changed.add(session.repository)
    if (this.isDry) return
    await this.settleTexts()
    const workspace = await this.workspaceOf(session.repository)
    const read = readingSchema.safeParse(reading)
    await store.log.advance(
      redactAll({ ...session, workspace }, mark),
      known?.version ?? null,
      read.success ? JSON.stringify(redactAll(read.data, mark)) : null,
    )
  }

  /** Which workspace of this machine has the work of a repository: a place that nobody has yet, where it is not here. */
  private async workspaceOf(repository: string): Promise<string> {
    const known = this.workspaces.get(repository)
    if (known !== undefined) return known
    const { store, identity, ports } = this.context
    const rows = (await store.local.listWorkspaces()).filter((row) => row.repository === repository)
    const found =
      repository === identity.repository
        ? identity.workspace
        : (rows.find(({ path }) => existsSync(path)) ?? rows[0])?.id
    const id = found || `ws_${sha256(`import\n${repository}`).slice(0, 24)}`
    this.workspaces.set(repository, id)
    if (!found && !this.isDry)
      await store.local.seeWorkspace({ id, repository, path: '' }, instant(ports.now()))
    return id
  }
}

interface Placed extends Required<Pick<LogChange, 'begins' | 'appends'>> {
  known: Array<{ point: Point; isPinned: boolean; stream: string }>
}

import { instant } from '../../core/ports.ts'
import { ReasonError } from '../../core/reason.ts'
import { decodeDocument } from '../../formats/checkpoint-md/codec.ts'
import { withoutComments } from '../../formats/checkpoint-md/items.ts'
import type { CheckpointRow, Stream } from '../../store/log.ts'
import type { Context } from '../context/context.ts'
import { documentsIn } from '../documents/checkpoint-of.ts'
import { readPointText } from '../documents/point.ts'
import { listSessions } from '../sessions/current.ts'
import {
  describePoint,
  describeWork,
  isPresent,
  isShownTo,
  listCorrectable,
  nameFinder,
} from './describe-work.ts'
import { listPlaces, nameRepository, workspaceFor } from './places.ts'
import { describeSession } from './session-lines.ts'

/** The works of one repository; of the one that was worked in last where none is named. */
export async function readWorks(context: Context, wanted: string | undefined) {
  const { store, ports } = context
  const places = await listPlaces(context)
  const repository = wanted ?? (await newestRepository(context)) ?? places.repositories[0]?.id ?? ''
  const heads = (await store.log.listHeads(repository, 'work')).filter(isPresent).filter(isShownTo(context))
  const focused = await store.local.listFocused()
  const findStream = nameFinder(heads)
  return {
    at: instant(ports.now()),
    repository: nameRepository(places, repository),
    repositories: places.repositories,
    workspaces: places.workspaces.filter((one) => one.repository === repository),
    works: heads.map((head) => describeWork(head, focused, findStream)),
  }
}

async function newestRepository({ store }: Context): Promise<string | null> {
  const heads = await store.log.listHeads(null, 'work')
  if (heads.length === 0) return null
  return heads.reduce((a, b) => (a.at >= b.at ? a : b)).stream.repository
}

const MOST = { history: 2_000, sessions: 20 }

export async function requireStream({ store }: Context, id: string, kind: Stream['kind']): Promise<Stream> {
  const stream = await store.log.readStream(id)
  if (stream?.kind === kind) return stream
  throw kind === 'run'
    ? new ReasonError('run_unknown', { run: id })
    : new ReasonError('stream_unknown', { id, alike: '' })
}

/**
 * One piece of work, at a point of its history or at its newest. `text` is its document, or what one would say; `path` is
 * null where it has no file. `items` are those that a verb can correct, at the newest point alone.
 */
export async function readWorkPage(context: Context, id: string, at: number | undefined) {
  const { store, ports } = context
  const stream = await requireStream(context, id, 'work')
  const places = await listPlaces(context)
  const heads = (await store.log.listHeads(stream.repository, 'work')).filter(isShownTo(context))
  const head = heads.find((one) => one.stream.id === id)
  if (head === undefined) throw new ReasonError('stream_unknown', { id, alike: '' })
  const focused = await store.local.listFocused()
  const history = (await store.log.readHistory(id, MOST.history)).filter(isShownTo(context))
  const row = pointIn(history, at, stream)
  const { text } = await readPointText(context, stream, row, row.sequence)
  const work = describeWork(head, focused, nameFinder(heads))
  const workspace = workspaceFor(places, stream.repository, work.focusedIn[0] ?? stream.workspace)
  const sessions = await listSessions(context, {
    ...{ repository: stream.repository, stream: stream.name, most: MOST.sessions },
  })
  return {
    at: instant(ports.now()),
    ...{ work, repository: nameRepository(places, stream.repository), workspace },
    ...{ point: describePoint(row), text, ...partsOf(text) },
    path: await pathOf(context, id, workspace.id),
    items: row.id === stream.headId ? await itemsAt(context, row.id) : [],
    history: history.map(describePoint),
    moreHistory: Math.max(0, stream.headSequence - history.length),
    sessions: sessions.map(describeSession),
  }
}

/** The row of a point; without one the newest that still has a body. */
function pointIn(history: readonly CheckpointRow[], at: number | undefined, stream: Stream): CheckpointRow {
  const found =
    at === undefined
      ? history.findLast(({ removedAt }) => removedAt === null)
      : history.find(({ sequence }) => sequence === at)
  if (found && found.removedAt === null) return found
  throw new ReasonError('checkpoint_unknown', { id: stream.name, at: at ?? stream.headSequence })
}

async function itemsAt({ store }: Context, checkpoint: string) {
  const stored = await store.log.readCheckpoint(checkpoint)
  return stored?.state === 'whole' ? listCorrectable(stored.checkpoint.work) : []
}

async function pathOf({ store }: Context, stream: string, workspace: string): Promise<string | null> {
  return documentsIn({ views: await store.local.listViews({ stream, workspace }) })[0]?.path ?? null
}

/** A document by its level-two headings, without comments; deltas apart. */
function partsOf(text: string) {
  const parts = decodeDocument(text)
    .outline.filter(({ level }) => level === 2)
    .map(({ title, end, bodyEnd }) => ({ title, text: withoutComments(text.slice(end, bodyEnd)).trim() }))
  const isDelta = ({ title }: { title: string }) => /^delta\s*:/i.test(title)
  return {
    sections: parts.filter((part) => !isDelta(part)),
    deltas: parts
      .filter(isDelta)
      .map((part) => ({ ...part, title: part.title.replace(/^delta\s*:\s*/i, '') })),
  }
}

import { sha256 } from '../../core/canonical.ts'
import { nameKey } from '../../core/id.ts'
import { ReasonError } from '../../core/reason.ts'
import { isArchived, MAX_DOCUMENT_BYTES } from '../../formats/checkpoint-md/layout.ts'
import { type DocumentReading, readDocument } from '../../formats/checkpoint-md/read.ts'
import { type Folder, lookTime, openFolder } from '../../fs/disk.ts'
import { findFolder } from '../../fs/durable.ts'
import type { DocumentCommit, WorkRow } from '../../store/acts.ts'
import type { PublishedView } from '../../store/local-state.ts'
import type { Context } from '../context/context.ts'
import { TROUBLES } from '../context/findings.ts'
import { foldersOf, nameOf } from '../publish/guard.ts'
import { isHere, type Survey, type Trouble, unsettledPaths } from './survey.ts'

/** A file that is younger than this may be changed again without looking different: it is read every time. */
const SETTLED_MS = 100

/** A document file that is not known to be as the store has it. */
export interface Arrival {
  path: string
  stamp: string | null
  hash: string
  reading: Extract<DocumentReading, { state: 'whole' }>
}

interface Arrivals {
  arrivals: Arrival[]
  /** What is to be kept of files that cannot be taken in. */
  parts: Array<Partial<DocumentCommit>>
  /** How files look now that are as the store has them. */
  stamps: PublishedView[]
}

/**
 * Reads the files that are not known to be as the store has them; none while git has something under way. Where there
 * are more than `most`, the documents that the store knows come first: an edit of one is what the user is at.
 */
export async function readArrivals(
  context: Context,
  survey: Survey,
  most = Number.POSITIVE_INFINITY,
): Promise<Arrivals> {
  const arrived: Arrivals = { arrivals: [], parts: [], stamps: [] }
  if (survey.operation !== null) return arrived
  const byPath = new Map(survey.rows.flatMap((row) => (row.view ? [[row.view.path, row] as const] : [])))
  const nowMs = context.ports.now()
  const { workspace } = context.identity
  const owed = await context.store.local.listOwedViews(workspace)
  // A file that is about to be removed is not read here: the removal itself keeps its edits.
  const leaving = new Set(owed.flatMap(({ state, path }) => (state === 'leaving' ? [path] : [])))
  using root = openFolder(context.place.root)
  const unsettled = unsettledPaths(survey)
  const isNew = (path: string) => Number(!byPath.has(path))
  if (unsettled.length > most) unsettled.sort((a, b) => isNew(a) - isNew(b)).splice(most)
  for (const path of unsettled) {
    if (leaving.has(path)) continue
    const row = byPath.get(path)
    const bytes = readFile(root, path, survey.troubles)
    if (bytes === null) continue
    const hash = sha256(bytes)
    const look = survey.files.get(path) ?? ''
    const stamp = nowMs - lookTime(look) > SETTLED_MS ? look : null
    if (row?.view?.hash === hash) {
      if (row.view.state === 'pending' || row.view.stamp !== stamp)
        arrived.stamps.push({ workspace, path, hash, stamp })
      // A damaged store may have lost the bytes that a file still has.
      arrived.parts.push(await keepVersion(context, row, hash, bytes, null))
      // The same foreign text may have come again, by the default branch of the remote.
      if (!survey.trusted || !row.position.foreign) continue
    }
    const reading = readDocument(bytes, nameOf(path))
    if (reading.state === 'whole') arrived.arrivals.push({ path, stamp, hash, reading })
    else if (reading.state !== 'other' || row) {
      const trouble = troubleOf(path, reading, row !== undefined)
      survey.troubles.push({ ...trouble, hash })
      const isText = reading.state === 'other' || (reading.state === 'broken' && reading.text !== null)
      // Also a version that does not parse is kept, byte for byte: it may be the only one of an evening's work.
      if (survey.trusted && row && isText)
        arrived.parts.push(await keepVersion(context, row, hash, bytes, trouble.what))
    }
  }
  return arrived
}

/** The bytes of a file for the store, where it does not have them. */
async function keepVersion(
  { store }: Context,
  { stream, position, view }: WorkRow,
  hash: string,
  bytes: Buffer,
  problem: string | null,
): Promise<Partial<DocumentCommit>> {
  if ((await store.log.findVersion(stream.id, hash)) !== null) return {}
  const current = problem === null && view?.current === true
  const version = { stream: stream.id, hash, checkpoint: position.checkpoint, current, problem }
  return { texts: [{ hash, text: bytes.toString('utf8') }], versions: [version] }
}

function troubleOf(
  path: string,
  reading: Exclude<DocumentReading, { state: 'whole' }>,
  isKnown: boolean,
): Trouble {
  if (reading.state === 'other') return { kind: 'broken', path, line: 1, ...TROUBLES.frontMatterMissing }
  const { line, problem } = reading
  return reading.state === 'conflicted'
    ? { kind: 'conflicted', path, line, ...TROUBLES.conflicted(problem) }
    : { kind: 'broken', path, line, ...TROUBLES.broken(problem, isKnown) }
}

function readFile(root: Folder, path: string, troubles: Trouble[]): Buffer | null {
  try {
    using folder = findFolder(root, foldersOf(path))
    return folder?.read(nameOf(path), MAX_DOCUMENT_BYTES) ?? null
  } catch (error) {
    if (!(error instanceof ReasonError)) throw error
    troubles.push({ kind: 'broken', path, line: 1, what: error.message.replace(/\.$/, ''), todo: error.hint })
    return null
  }
}

/** Of two files with one id the one that the store knows counts, else the open one; the other is named. */
export function withoutTwins(
  survey: Survey,
  arrivals: Arrival[],
  byName: ReadonlyMap<string, WorkRow>,
): Arrival[] {
  const taken = new Map<string, Arrival>()
  const keys = new Map(arrivals.map(({ path, reading }) => [path, nameKey(reading.id)]))
  const inOrder = [...arrivals].sort((a, b) => Number(isArchived(a.path)) - Number(isArchived(b.path)))
  for (const arrival of inOrder) {
    const key = nameKey(arrival.reading.id)
    const row = byName.get(key)
    const mine = row?.view?.path
    // The known file may have become the document of another id: then it holds this one no longer.
    const holds = row && isHere(survey, row) && (keys.get(mine ?? '') ?? key) === key
    const other = mine !== arrival.path && holds ? mine : taken.get(key)?.path
    if (other === undefined || other === arrival.path) taken.set(key, arrival)
    else
      survey.troubles.push({
        kind: 'twin',
        path: arrival.path,
        line: arrival.reading.front.fields.get('checkpoint')?.line ?? 1,
        ...TROUBLES.twin(other, arrival.reading.id),
      })
  }
  return [...taken.values()]
}

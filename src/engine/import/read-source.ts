import { clipText, sha256, wellFormed } from '../../core/canonical.ts'
import { runNameProblem } from '../../core/id.ts'
import { parseOrUndefined } from '../../core/json.ts'
import { NOTE_OF_NO_PLAN, NOTE_OF_PLAN } from '../../core/layout.ts'
import { outlinePartsOf } from '../../core/outline.ts'
import { decodeUtf8 } from '../../core/text.ts'
import type { WorkState } from '../../core/work.ts'
import { isDocumentName, MAX_DOCUMENT_BYTES } from '../../formats/checkpoint-md/layout.ts'
import { readDocument } from '../../formats/checkpoint-md/read.ts'
import { decodeHandoff } from '../../formats/handoff-md/codec.ts'
import { decodeLedger } from '../../formats/ledger-md/codec.ts'
import { readFrontMatter } from '../../formats/markdown/front-matter.ts'
import { decodeNote, MAX_NOTE_BYTES, type Note, noteToWork } from '../../formats/note-json/codec.ts'
import { noteTime } from '../../formats/note-json/layout.ts'
import { isGzip } from '../../formats/snapshot/codec.ts'
import { snapshotOfName } from '../../formats/snapshot/layout.ts'
import { openFolder } from '../../fs/disk.ts'
import { findFolder } from '../../fs/durable.ts'
import { branchSlug } from '../../policy/resolve.ts'
import { isObjectName } from '../../workspace/git-state.ts'
import type { Context } from '../context/context.ts'
import { foldersOf, nameOf } from '../publish/guard.ts'
import {
  ledgerStamp,
  sourceProblemOf,
  timeWritten,
  type WrittenTime,
} from '../surroundings/read-work-file.ts'
import { isHandoffPlace, isLedgerPlace, type SourceCandidate } from './find-sources.ts'

const MAIN = 'main'

/** A document that another tool left, as it is going to be a checkpoint. */
export interface SourceDocument extends WrittenTime {
  path: string
  kind: 'note' | 'ledger' | 'handoff' | 'document'
  hash: string
  /** The stream in which it belongs. */
  stream: string
  branch: string | null
  commit: string | null
}

/** A source with all that it says. */
export interface ReadSource extends SourceDocument {
  text: string
  /** What it says about the work; a checkpoint document is read by those who adopt documents. */
  said: Partial<WorkState>
}

export type Verdict =
  | { is: 'source'; source: ReadSource }
  /** It cannot be read, or is known here by another way; which, says the problem. */
  | { is: 'skipped' | 'elsewhere'; problem: string }
  /** A snapshot of a run; the run comes in whole, from its folder. */
  | { is: 'snapshot'; run: string | null }
  /** Nothing of it is a document of a known kind, and nobody said that it is. */
  | { is: 'other' }

/** What its kind says of a source, and the times that it names. */
type SourceParts = Pick<ReadSource, 'kind' | 'stream' | 'said'> & Partial<ReadSource>
type MakeSource = (from: SourceParts, at: string[]) => Verdict

const problem = (what: string): Verdict => ({ is: 'skipped', problem: what })

/** What a file of this workspace is. */
export function readCandidate(context: Context, candidate: SourceCandidate): Verdict {
  const { path } = candidate
  const byPlace = placeVerdict(path)
  if (byPlace) return byPlace
  try {
    using root = openFolder(context.place.root)
    using folder = findFolder(root, foldersOf(path))
    const entry = folder?.entry(nameOf(path))
    const bytes = folder?.read(nameOf(path), MAX_DOCUMENT_BYTES)
    return entry && bytes
      ? readSource(context, candidate, { bytes, modifiedMs: entry.modifiedMs })
      : problem('file not found')
  } catch (error) {
    return problem(sourceProblemOf(error))
  }
}

/** A path that identifies the kind of file by itself: the file is not opened. */
function placeVerdict(path: string): Verdict | null {
  const [top, folder, ...rest] = path.split('/')
  if (top !== 'checkpoints' || folder === undefined || rest.length === 0) return null
  if (/^(?:active|archive)$/.test(folder))
    return rest.length === 1 && isDocumentName(rest[0] ?? '')
      ? { is: 'elsewhere', problem: 'a checkpoint document: every command imports it automatically' }
      : null
  return /^(?:latest\.json|history\/[^/]+\.json(?:\.gz)?)$/.test(rest.join('/'))
    ? { is: 'snapshot', run: folder }
    : null
}

/** Classifies a file by its content. It never throws because of that content. */
export function readSource(
  context: Context,
  { path, how }: SourceCandidate,
  { bytes, modifiedMs }: { bytes: Buffer; modifiedMs: number },
): Verdict {
  if (isGzip(bytes) && snapshotOfName(nameOf(path))) return { is: 'snapshot', run: null }
  if (isGzip(bytes)) return how === 'walk' ? { is: 'other' } : problem('it is compressed')
  const text = decodeUtf8(bytes)
  if (text === null) return problem('it is not UTF-8 text')
  const nowMs = context.ports.now()
  const source: MakeSource = (from, at) => {
    const written = timeWritten(at, { modifiedMs, nowMs })
    const base = { path, hash: sha256(bytes), text, ...written, branch: null, commit: null }
    return { is: 'source', source: { ...base, ...from } }
  }
  if (/\.json$/i.test(path) || /^\s*\{/.test(text)) {
    const read = readNote(bytes, text, { path, how })
    return 'note' in read ? source(noteSource(path, read.note), [read.note.timestamp, nameOf(path)]) : read
  }
  return readMarkdown(context, { path, how, bytes, text }, source)
}

const NOTE_KEYS = ['timestamp', 'summary', 'decisions', 'next_action', 'blockers', 'context']

function readNote(bytes: Buffer, text: string, { path, how }: SourceCandidate): { note: Note } | Verdict {
  if (bytes.length > MAX_NOTE_BYTES) return problem(`it is too large: over ${MAX_NOTE_BYTES} bytes`)
  const read = decodeNote(bytes, '')
  const isLikely = 'note' in read || how !== 'walk' || text.includes('"snapshot_id"')
  const keys = isLikely ? (keysOf(text) ?? []) : []
  if (keys.includes('snapshot_id') && keys.includes('run_id')) return { is: 'snapshot', run: null }
  // A note that was torn has only its name left to tell what it was.
  const isTorn = 'problem' in read && noteTime(nameOf(path)) !== null && keysOf(text) === null
  // Many a tool writes a summary into some file of its own.
  const isOther = how === 'walk' && !isTorn && NOTE_KEYS.filter((key) => keys.includes(key)).length < 3
  if (isOther) return { is: 'other' }
  return 'note' in read ? read : problem(read.problem.replace(/^: /, ''))
}

/** Null where it is not JSON. */
function keysOf(text: string): string[] | null {
  const value = parseOrUndefined(text.replace(/^\uFEFF/, ''))
  return value === undefined ? null : Object.keys(Object(value))
}

/** A plan's note belongs to the plan's stream. At a place of its own, a note says itself which plan it is of. */
function noteSource(path: string, note: Note): SourceParts {
  const plan = NOTE_OF_PLAN.exec(path)?.[1] ?? (NOTE_OF_NO_PLAN.test(path) ? null : note.context.active_plan)
  return { kind: 'note', stream: plan === null ? MAIN : branchSlug(plan), said: noteToWork(note) }
}

function readMarkdown(
  context: Context,
  { path, how, bytes, text }: SourceCandidate & { bytes: Buffer; text: string },
  source: MakeSource,
): Verdict {
  const front = readFrontMatter(text)
  const yaml = front ? text.slice(front.start, front.end) : ''
  const isDocument = front?.fields.has('checkpoint') || (front?.problem && /^checkpoint[ \t]*:/m.test(yaml))
  if (isDocument || text.includes('<<<<<<<')) {
    const reading = readDocument(bytes, nameOf(path))
    if (reading.state === 'conflicted' || (isDocument && reading.state === 'broken'))
      return problem(reading.problem)
    if (isDocument && reading.state === 'whole') {
      const said = ['last_delta', 'created'].map((key) => reading.front.fields.get(key)?.value ?? '')
      return source({ kind: 'document', stream: reading.id, said: {} }, said)
    }
  }
  const parts = outlinePartsOf(text)
  const has = (key: string) => parts.some((part) => part.key === key)
  const ledger = decodeLedger(text)
  const isLedger = has('sessionledger') || (has('keydecisions') && has('workingset'))
  if (isLedger || (isLedgerPlace(context, path) && Object.keys(ledger).length > 0))
    return source({ kind: 'ledger', stream: MAIN, said: ledger }, [ledgerStamp(text)])
  if (isLedgerPlace(context, path)) return problem('it has no ledger sections')
  const isTitled = parts.some(({ title }) => /^handoff\s*:/i.test(title))
  const isMarked = isHandoffPlace(path) || isTitled || (front?.fields.has('purpose') ?? false)
  if (how === 'walk' && !isMarked) return { is: 'other' }
  return readHandoff(text, source)
}

function readHandoff(text: string, source: MakeSource): Verdict {
  const handoff = decodeHandoff(text)
  if ('problem' in handoff) return problem(handoff.problem)
  const { purpose, created, work, stream, branch, commit } = handoff
  return source(
    {
      kind: 'handoff',
      stream: stream !== null && runNameProblem(stream) === null ? stream : MAIN,
      said: { ...work, ...(work.intent || purpose === '' ? {} : { intent: wellFormed(purpose) }) },
      branch: branch === null ? null : clipText(branch, 200),
      commit: commit !== null && isObjectName(commit) ? commit : null,
    },
    [created],
  )
}

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { sha256 } from '../../core/canonical.ts'
import { ADOPTED } from '../../core/checkpoint.ts'
import { nameProblem } from '../../core/id.ts'
import { noteFolder, STATE_INDEX_PATH } from '../../core/layout.ts'
import { instant } from '../../core/ports.ts'
import { ReasonError } from '../../core/reason.ts'
import { isDeleted, type WorkState } from '../../core/work.ts'
import { decodeDocument } from '../../formats/checkpoint-md/codec.ts'
import { extendDocument } from '../../formats/checkpoint-md/extend.ts'
import { MAX_DOCUMENT_BYTES } from '../../formats/checkpoint-md/layout.ts'
import { workOf } from '../../formats/checkpoint-md/work.ts'
import { encodeLedger } from '../../formats/ledger-md/codec.ts'
import { replaceLedger } from '../../formats/ledger-md/replace.ts'
import { encodeNote, MAX_NOTE_BYTES } from '../../formats/note-json/codec.ts'
import { noteNames } from '../../formats/note-json/layout.ts'
import { redactAll, type SecretMark } from '../../policy/redact.ts'
import type { SaveInput } from '../../policy/save.ts'
import type { DocumentCommit, WorkRow } from '../../store/acts.ts'
import type { FileKind } from '../../store/local-state.ts'
import type { Context } from '../context/context.ts'
import { NOTICES } from '../context/notices.ts'
import {
  documentPoint,
  joinCommits,
  owedDocument,
  type Point,
  workPoint,
} from '../documents/checkpoint-of.ts'
import { requireSize } from '../documents/edit-document.ts'
import { afterHead } from '../documents/find-stream.ts'
import { workAt } from '../documents/newest-whole-point.ts'
import { isHere, type Survey, standingOf } from '../documents/survey.ts'
import { hasEditsFor, isEdited, type LedgerFile, withEdits } from '../surroundings/ledger-file.ts'
import type { World } from '../surroundings/world.ts'

/** A file that a save put the work into, or could not. */
export interface SavedView {
  kind: 'document' | FileKind
  path: string
  /** `pending`: the next command that can writes it. `left`: it was not touched. */
  state: 'written' | 'pending' | 'left'
  problem: string | null
}

/** What a save puts into a file, and what its receipt tells of it. */
interface FilePart {
  views: SavedView[]
  commit: Partial<DocumentCommit>
}

type NewPoint = Parameters<typeof workPoint>[1]

/** The checkpoint, with the stream's document if it is here. A `quiet` save leaves that as it is: git may track it. */
export async function writePoint(
  context: Context,
  survey: Survey,
  row: WorkRow | null,
  point: NewPoint,
  { quiet = false } = {},
): Promise<FilePart & { point: Point }> {
  const view = row?.view ?? null
  const text = view ? await context.store.log.readText(view.hash) : null
  if (!row || !view || text === null) {
    const made = workPoint(context, point)
    return { point: made, commit: made.commit, views: [] }
  }
  // A file that the user or git removed is not written again; its last text belongs to this checkpoint, too.
  const isAway = quiet || (!isHere(survey, row) && view.state === 'published')
  const { longer, problem } = isAway
    ? { longer: text, problem: null }
    : extendOrKeep(view.path, text, point.work, context.mark)
  const made = await documentPoint(context, { ...point, text: longer, isBehind: isAway || problem !== null })
  const base = view.state === 'pending' ? view.base : view.hash
  const owed = owedDocument(made, view.path, base)
  const isSame = longer === text && view.state === 'published'
  const state = problem === null ? 'written' : 'left'
  return {
    point: made,
    commit: {
      ...made.commit,
      views: [isSame ? { ...owed, base: null, state: 'published', stamp: view.stamp } : owed],
    },
    views: isAway ? [] : [{ kind: 'document', path: view.path, state, problem }],
  }
}

/** A document that cannot be extended stays as it is; the work is in the store anyway. */
function extendOrKeep(path: string, text: string, work: WorkState, mark: SecretMark) {
  try {
    const longer = extendDocument(text, redactAll(workOf(decodeDocument(text)), mark), work)
    requireSize(longer, path)
    return { longer, problem: null }
  } catch (error) {
    if (!(error instanceof ReasonError)) throw error
    return { longer: text, problem: String(error.data.problem ?? error.message) }
  }
}

const leaveFile = (kind: FileKind, path: string, problem: string): FilePart => ({
  views: [{ kind, path, state: 'left', problem }],
  commit: {},
})

/** A file that is owed in the same commit. One above the size limit could not be read again: it is left as it is. */
function oweFile(
  { checkpoint: { stream, id } }: Point,
  { kind, path, text, base = null }: { kind: FileKind; path: string; text: string; base?: string | null },
  most: number,
): FilePart {
  if (Buffer.byteLength(text) > most) return leaveFile(kind, path, `it would be larger than ${most} bytes`)
  // What an index is to say is found when it is written.
  const hash = kind === 'index' ? '' : sha256(text)
  return {
    views: [{ kind, path, state: 'written', problem: null }],
    commit: {
      texts: kind === 'index' ? [] : [{ hash, text }],
      views: [{ kind, path, hash, base, stream, checkpoint: id, state: 'pending' }],
    },
  }
}

/** What a save says about its note. */
type NoteInput = Pick<SaveInput, 'note'> & { saying: Pick<SaveInput['saying'], 'files'> }

/** For who holds the workspace lock: until the note is committed nobody else takes its name. */
export async function noteOf(
  context: Context,
  point: Point,
  { work, atMs, world, told }: { work: WorkState; atMs: number; world: World; told: NoteInput },
): Promise<FilePart[]> {
  const { notices, mark } = context
  if (!world.hasAgentFolder && !told.note) return []
  const index = world.index ?? world.foundIndex
  const active = index?.activePlan ?? null
  const problem = active === null ? null : nameProblem(active)
  if (active !== null && problem !== null) notices.push(NOTICES.planCannotNameFolder(active, problem))
  // Where git cannot say what is uncommitted: the files that the work was about last.
  const files = world.dirty ?? work.artifacts.filter((one) => !isDeleted(one))
  const text = encodeNote({
    work,
    at: instant(atMs),
    plan: active,
    stage: redactAll(index?.stage ?? (work.position.stage || null), mark),
    tddPhase: redactAll(index?.tddPhase ?? (work.position.tddPhase || null), mark),
    files: [...files, ...told.saying.files].map(({ path }) => path),
  })
  const path = await freeNotePath(context, noteFolder(problem === null ? active : null), atMs)
  return [oweFile(point, { kind: 'note', path, text }, MAX_NOTE_BYTES)]
}

/** The first name of that time that no file has, and no note of ours had: one that was removed does not come back. */
async function freeNotePath(context: Context, folders: string[], atMs: number): Promise<string> {
  const { store, identity, place } = context
  for (const name of noteNames(atMs)) {
    const path = [...folders, name].join('/')
    const isTaken = existsSync(join(place.root, path))
    if (!isTaken && (await store.local.readFileView(identity.workspace, path)) === null) return path
  }
  throw new Error('there is always another name')
}

/** An index that cannot be read is reported and left alone. */
export function indexOf(point: Point, { foundIndex, indexProblem }: World): FilePart[] {
  if (indexProblem !== null) return [leaveFile('index', STATE_INDEX_PATH, indexProblem)]
  return foundIndex === null ? [] : [oweFile(point, { kind: 'index', path: STATE_INDEX_PATH, text: '' }, 0)]
}

/** The ledger with the new state; what somebody wrote into it by hand is kept in its history first. */
export async function ledgerOf(
  context: Context,
  survey: Survey,
  point: Point,
  { ledger, work, at }: { ledger: LedgerFile | null; work: WorkState; at: string },
): Promise<FilePart[]> {
  if (ledger === null) return []
  const { path, found, problem, row } = ledger
  if (problem !== null) return [leaveFile('ledger', path, problem)]
  const text = found === null ? encodeLedger(work, { at }) : replaceLedger(found.text, work, { at })
  const { id, stream } = point.checkpoint
  const { views, commit } = oweFile(
    point,
    { kind: 'ledger', path, text, base: found?.hash ?? null },
    MAX_DOCUMENT_BYTES,
  )
  const isLeft = commit.views === undefined
  const written = isLeft ? commit : { ...commit, ledgers: [{ path, checkpoint: id, hash: sha256(text), at }] }
  if (isLeft || found === null || !isEdited(ledger)) return [{ views, commit: written }]
  const isHere = row === null || hasEditsFor(ledger, stream)
  const other = isHere ? null : await adoptForOtherStream(context, survey, ledger, row.stream)
  const edited = {
    texts: [{ hash: found.hash, text: found.text }],
    ledgers: [{ path, checkpoint: other?.checkpoint ?? id, hash: found.hash, at }],
  }
  return [...(other === null ? [] : [other]), { views, commit: joinCommits('', edited, written) }]
}

/** The ledger shows another stream's work, of the branch before: what was written into it belongs to that one. */
async function adoptForOtherStream(context: Context, survey: Survey, ledger: LedgerFile, stream: string) {
  const row = survey.rows.find((one) => one.stream.id === stream)
  if (!row || standingOf(row) === 'archived' || row.position.foreign) {
    context.notices.push(NOTICES.ledgerOfFinishedWork(ledger.path))
    return null
  }
  const before = await workAt(context, row.position.checkpoint)
  const { point, commit, views } = await writePoint(context, survey, row, {
    stream: row.stream,
    work: redactAll(withEdits(before, ledger, stream), context.mark),
    parent: row.position.checkpoint,
    after: afterHead(row),
    triggers: [{ kind: 'adopted', note: ADOPTED.ledger }],
    provenance: { branch: row.position.gist.document?.branch ?? null, commit: null, author: null },
    foreign: false,
  })
  context.notices.push(NOTICES.ledgerTakenIn(ledger.path, row.stream.name))
  return { checkpoint: point.checkpoint.id, views, commit }
}

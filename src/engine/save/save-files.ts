import { sha256 } from '../../core/canonical.ts'
import { nameProblem, randomToken } from '../../core/id.ts'
import { NOTES, noteFolder, STATE_INDEX_PATH } from '../../core/layout.ts'
import { instant } from '../../core/ports.ts'
import { isDeleted, type WorkState } from '../../core/work.ts'
import { MAX_DOCUMENT_BYTES } from '../../formats/checkpoint-md/layout.ts'
import { encodeLedger } from '../../formats/ledger-md/codec.ts'
import { replaceLedger } from '../../formats/ledger-md/replace.ts'
import { encodeNote, MAX_NOTE_BYTES } from '../../formats/note-json/codec.ts'
import { noteName } from '../../formats/note-json/layout.ts'
import { redactAll } from '../../policy/redact.ts'
import type { DocumentCommit } from '../../store/acts.ts'
import type { FileView } from '../../store/local-state.ts'
import type { Context } from '../context/context.ts'
import { joinCommits, type Point } from '../documents/checkpoint-of.ts'
import { afterHead } from '../documents/find-stream.ts'
import { workAt } from '../documents/newest-whole-point.ts'
import { type Survey, standingOf } from '../documents/survey.ts'
import { hasEditsFor, isEdited, type LedgerFile, withEdits } from '../surroundings/ledger-file.ts'
import type { World } from '../surroundings/world.ts'
import { type SavedView, writePoint } from './save-document.ts'
import type { SaveInput } from './save-input.ts'

/** What a save puts into a file, and what its receipt tells of it. */
interface FilePart {
  views: SavedView[]
  commit: Partial<DocumentCommit>
}

const owedFile = (
  { checkpoint }: Point,
  file: Pick<FileView, 'kind' | 'path' | 'hash' | 'base'>,
): FileView => ({
  ...file,
  ...{ stream: checkpoint.stream, checkpoint: checkpoint.id, state: 'pending' },
})

export function noteOf(
  context: Context,
  point: Point,
  { work, atMs, world, told }: { work: WorkState; atMs: number; world: World; told: SaveInput },
): FilePart[] {
  if (!world.hasAgentFolder && !told.note) return []
  const { notices, ports } = context
  const active = world.index?.activePlan ?? null
  const problem = active === null ? null : nameProblem(active)
  if (problem !== null)
    notices.push(
      `The active plan ${JSON.stringify(active?.slice(0, 60))} cannot name a folder: ${problem}. The note goes to ${NOTES.join('/')}.`,
    )
  const files = world.dirty?.map(({ path }) => path) ?? inProgress(work)
  const text = encodeNote({
    work,
    at: instant(atMs),
    plan: active,
    stage: redactAll(world.index?.stage ?? (work.position.stage || null)),
    tddPhase: redactAll(world.index?.tddPhase ?? (work.position.tddPhase || null)),
    files: [...files, ...told.saying.files.map(({ path }) => path)],
  })
  const name = noteName(atMs, randomToken(ports.random))
  const path = [...noteFolder(problem === null ? active : null), name].join('/')
  const excess = sizeProblem(text, MAX_NOTE_BYTES)
  if (excess !== null)
    return [{ views: [{ kind: 'note', path, state: 'left', problem: excess }], commit: {} }]
  const hash = sha256(text)
  return [
    {
      views: [{ kind: 'note', path, state: 'written', problem: null }],
      commit: { texts: [{ hash, text }], files: [owedFile(point, { kind: 'note', path, hash, base: null })] },
    },
  ]
}

/** A file above the size limit could not be read again, so it is not written; the store has the work. */
const sizeProblem = (text: string, most: number) =>
  Buffer.byteLength(text) > most ? `it would have more than ${most} bytes` : null

/** Where git cannot say what is uncommitted: the files that the work was about last. */
const inProgress = ({ artifacts }: WorkState) =>
  artifacts.filter((one) => !isDeleted(one)).map(({ path }) => path)

/** An index that cannot be read is reported and left alone. */
export function indexOf(point: Point, { index, indexProblem }: World): FilePart[] {
  const view = { kind: 'index', path: STATE_INDEX_PATH } as const
  if (indexProblem !== null)
    return [{ views: [{ ...view, state: 'left', problem: indexProblem }], commit: {} }]
  if (index === null) return []
  return [
    {
      views: [{ ...view, state: 'written', problem: null }],
      commit: { files: [owedFile(point, { ...view, hash: '', base: null })] },
    },
  ]
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
  if (problem !== null) return [{ views: [{ kind: 'ledger', path, state: 'left', problem }], commit: {} }]
  const text = found === null ? encodeLedger(work, { at }) : replaceLedger(found.text, work, { at })
  const excess = sizeProblem(text, MAX_DOCUMENT_BYTES)
  if (excess !== null)
    return [{ views: [{ kind: 'ledger', path, state: 'left', problem: excess }], commit: {} }]
  const hash = sha256(text)
  const part: FilePart = {
    views: [{ kind: 'ledger', path, state: 'written', problem: null }],
    commit: {
      texts: [{ hash, text }],
      files: [owedFile(point, { kind: 'ledger', path, hash, base: found?.hash ?? null })],
      ledgers: [{ path, checkpoint: point.checkpoint.id, hash, at }],
    },
  }
  if (found === null || !isEdited(ledger)) return [part]
  const edited = { texts: [{ hash: found.hash, text: found.text }] }
  const isHere = row === null || hasEditsFor(ledger, point.checkpoint.stream)
  const other = isHere ? null : await adoptForOtherStream(context, survey, ledger, row.stream)
  const history = { path, checkpoint: other?.checkpoint ?? point.checkpoint.id, hash: found.hash, at }
  return [
    ...(other === null ? [] : [other]),
    { views: part.views, commit: joinCommits('', edited, { ledgers: [history] }, part.commit) },
  ]
}

/** The ledger shows another stream's work, of the branch before: what was written into it belongs to that one. */
async function adoptForOtherStream(
  context: Context,
  survey: Survey,
  ledger: LedgerFile,
  stream: string,
): Promise<(FilePart & { checkpoint: string }) | null> {
  const row = survey.rows.find((one) => one.stream.id === stream)
  if (!row || standingOf(row) === 'archived' || row.position.foreign) {
    context.notices.push(
      `What was written into ${ledger.path} is about work that is over: it is kept in the history of the ledger.`,
    )
    return null
  }
  const before = await workAt(context, row.position.checkpoint)
  const { point, commit, views } = await writePoint(context, survey, row, {
    stream: row.stream,
    work: redactAll(withEdits(before, ledger, stream)),
    parent: row.position.checkpoint,
    after: afterHead(row),
    triggers: [{ kind: 'adopted', note: 'the ledger was edited by hand' }],
    provenance: { branch: row.position.gist.document?.branch ?? null, commit: null, author: null },
    foreign: false,
  })
  context.notices.push(`What was written into ${ledger.path} was taken into ${row.stream.name}.`)
  return { checkpoint: point.checkpoint.id, views, commit }
}

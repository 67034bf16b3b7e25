import { sha256 } from '../../core/canonical.ts'
import { nameProblem } from '../../core/id.ts'
import { noteFolder, PLANS, PLANS_HOME } from '../../core/layout.ts'
import { DEFAULT_LEDGER } from '../../core/ledger-path.ts'
import { ReasonError } from '../../core/reason.ts'
import { decodeUtf8 } from '../../core/text.ts'
import { emptyWork, type WorkState } from '../../core/work.ts'
import { LEARNINGS_PATH, MAX_DOCUMENT_BYTES } from '../../formats/checkpoint-md/layout.ts'
import { decodeLedger } from '../../formats/ledger-md/codec.ts'
import { inFolder } from '../../fs/durable.ts'
import { redact, redactAll } from '../../policy/redact.ts'
import type { Context } from '../context/context.ts'
import { foldersOf, nameOf } from '../publish/guard.ts'
import { type FileJudgement, judgeFile } from './judge-file.ts'
import { listNotes, type NoteFile, type NoteFolder } from './note-files.ts'
import { ledgerStamp, type SkippedFile, sourceProblemOf, timeWritten } from './read-work-file.ts'
import type { World } from './world.ts'

/** Work that a file of this workspace tells, and the store does not have. */
export interface FoundWork {
  kind: 'note' | 'ledger'
  /** Without secrets, too. */
  path: string
  atMs: number
  /** Git brought it, and the user vouches for it: it is told where there is no own work, and not beside it. */
  isVouched: boolean
  /** Without secrets. */
  work: WorkState
}

/** A file that nobody here has reviewed: it is counted, and named to its user. */
export interface UnreviewedFile {
  kind: FoundWork['kind'] | 'learnings'
  path: string
  /** How many such files lie beside it, itself included. */
  count: number
}

/** What the files of a workspace tell beside the store. */
export interface FoundFiles {
  /** A note, a ledger or both, the newest first. */
  work: FoundWork[]
  /** The latest note here that may be named, saved or not, ours or not; its name without secrets. */
  note: { path: string; atMs: number } | null
  /** What LEARNINGS.md says, the newest last. */
  learnings: string[]
  unreviewed: UnreviewedFile[]
  /** Notes and ledgers that cannot be read. */
  broken: SkippedFile[]
}

/**
 * Looks at what other tools and people left in this workspace: the latest note, of the active plan before any other; the
 * ledger; LEARNINGS.md. A session start waits for it: few folders are listed, and few files read.
 */
export async function findWorkInFiles(context: Context, world: World): Promise<FoundFiles> {
  const found: FoundFiles = { work: [], note: null, learnings: [], unreviewed: [], broken: [] }
  const look = { context, world, found, isKnown: knownTexts(context) }
  await addNote(look)
  await addLedger(look)
  await addLearnings(look)
  found.work.sort((a, b) => b.atMs - a.atMs)
  return found
}

/** One look at the files: where it looks, and what it found so far. */
interface FileLook {
  context: Context
  world: World
  found: FoundFiles
  /** Whether the store has a text: we wrote it, or it was imported. */
  isKnown: (file: { path: string; hash: string }) => Promise<boolean>
}

/** The whole list of known texts is asked for only where it must be. */
function knownTexts({ store, identity }: Context): FileLook['isKnown'] {
  let all: Promise<Set<string>> | null = null
  return async ({ path, hash }) => {
    if (identity.repository === '') return false
    const view = await store.local.readFileView(identity.workspace, path)
    if (view?.hash === hash) return true
    all ??= store.acts.listTextHashes(identity.repository)
    return (await all).has(hash)
  }
}

/** The notes that count: the active plan's, where it has any that can be read; else those of no plan; else of any. */
async function listLatestNotes({ context, world, isKnown }: FileLook, isWanted?: (path: string) => boolean) {
  const plan = world.foundIndex?.activePlan ?? null
  const all: NoteFolder = { notes: [], total: 0, broken: [] }
  const add = async (of: string | null) => {
    const { notes, total, broken } = await listNotes(context, noteFolder(of), isKnown, { isWanted })
    all.notes.push(...notes)
    all.total += total
    all.broken.push(...broken)
  }
  if (plan !== null) await add(plan)
  if (all.notes.length === 0) await add(null)
  if (all.notes.length === 0) for (const name of listPlanNames(context)) await add(name)
  all.notes.sort((a, b) => b.atMs - a.atMs)
  return all
}

/** So many plans are looked into where none is active. */
const MOST_PLANS = 20

function listPlanNames({ place }: Context): string[] {
  try {
    const names = inFolder(place.root, PLANS, (folder) => folder.names()) ?? []
    return names.filter((name) => nameProblem(name) === null).slice(0, MOST_PLANS)
  } catch (error) {
    // A link in the place of the folder: what is behind it is not of this workspace.
    if (!(error instanceof ReasonError)) throw error
    return []
  }
}

/** The newest note, unless the store has it. Those that nobody reviewed hide no other, whoever named the plan. */
async function addNote(look: FileLook): Promise<void> {
  const { context, world, found } = look
  const { notes, total, broken } = await listLatestNotes(look)
  found.broken.push(...broken)
  const [foreign] = notes
  if ((await addNewest(look, notes)) || foreign === undefined) return
  found.unreviewed.push({ kind: 'note', path: foreign.path, count: total - broken.length })
  // What git does not track is nobody else's; where git may not be asked, or does not answer, no other is looked for.
  if (!world.trusted || context.place.git === null) return
  const { listTracked } = await import('../../workspace/git-index.ts')
  const tracked = await listTracked(context.place, PLANS_HOME)
  if (tracked !== null)
    await addNewest(look, (await listLatestNotes(look, (path) => !tracked.has(path))).notes)
}

/** Adds the first that may be told; whether one of them ended the search. */
async function addNewest(look: FileLook, notes: readonly NoteFile[]): Promise<boolean> {
  const { context, found, isKnown } = look
  for (const note of notes) {
    const isSaved = await isKnown(note)
    const judgement = isSaved ? 'own' : await judge(look, note)
    if (judgement === 'foreign') continue
    if (!isSaved) found.work.push(foundWork(context, { kind: 'note', ...note }, judgement))
    found.note = { path: redact(note.path, context.mark), atMs: note.atMs }
    return true
  }
  return false
}

const judge = ({ context, world }: FileLook, { path, hash }: Pick<NoteFile, 'path' | 'hash'>) =>
  judgeFile(context, world, { path, saying: hash })

const foundWork = (
  { mark }: Context,
  { kind, path, atMs, said }: Pick<FoundWork, 'kind' | 'path' | 'atMs'> & { said: Partial<WorkState> },
  judgement: FileJudgement,
): FoundWork => ({
  ...{ kind, path: redact(path, mark), atMs, isVouched: judgement === 'vouched' },
  work: redactAll({ ...emptyWork(), ...said }, mark),
})

/** A ledger that Savepoint never wrote. What is edited in its own is merged into the work that it shows. */
async function addLedger(look: FileLook): Promise<void> {
  const { context, found, isKnown } = look
  const { settings, store, identity, ports } = context
  for (const path of new Set([settings.ledger_path, DEFAULT_LEDGER])) {
    const file = readBounded(look, path)
    if (file === null || (await isKnown(file))) continue
    const view = await store.local.readFileView(identity.workspace, path)
    if (settings.ledger && view !== null) continue
    const judgement = await judge(look, file)
    const said = decodeLedger(textToRead(file, judgement))
    if (Object.keys(said).length === 0) found.broken.push({ path, problem: 'it has no ledger sections' })
    else if (judgement === 'foreign') found.unreviewed.push({ kind: 'ledger', path, count: 1 })
    else {
      const { atMs } = timeWritten([ledgerStamp(file.text)], { ...file, nowMs: ports.now() })
      found.work.push(foundWork(context, { kind: 'ledger', path, atMs, said }, judgement))
    }
  }
}

async function addLearnings(look: FileLook): Promise<void> {
  const { context, found } = look
  const file = readBounded(look, LEARNINGS_PATH)
  if (file === null) return
  const { readLearningLines } = await import('../../formats/checkpoint-md/learnings.ts')
  const judgement = await judge(look, file)
  const lines = readLearningLines(textToRead(file, judgement))
  if (lines.length === 0) return
  if (judgement === 'foreign') found.unreviewed.push({ kind: 'learnings', path: LEARNINGS_PATH, count: 1 })
  else found.learnings = lines.map((line) => redact(line, context.mark))
}

/** Of what is only counted, the beginning shows what it is: a stranger's megabytes must not hold up a start. */
const FOREIGN_LENGTH = 16_384

const textToRead = ({ text }: { text: string }, judgement: FileJudgement) =>
  judgement === 'foreign' ? text.slice(0, FOREIGN_LENGTH) : text

/** A text file of the workspace; null where there is none. One that cannot be read is told. */
function readBounded({ context, found: { broken } }: FileLook, path: string) {
  try {
    return inFolder(context.place.root, foldersOf(path), (folder) => {
      const name = nameOf(path)
      const modifiedMs = folder.entry(name)?.modifiedMs
      const bytes = modifiedMs === undefined ? null : folder.read(name, MAX_DOCUMENT_BYTES)
      if (modifiedMs === undefined || bytes === null) return null
      const text = decodeUtf8(bytes)
      if (text === null) {
        broken.push({ path, problem: 'it is not UTF-8 text' })
        return null
      }
      return { path, text, hash: sha256(bytes), modifiedMs }
    })
  } catch (error) {
    broken.push({ path, problem: sourceProblemOf(error) })
    return null
  }
}

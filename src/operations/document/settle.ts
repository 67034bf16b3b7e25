import { sha256 } from '../../core/canonical.ts'
import { randomToken } from '../../core/id.ts'
import { ReasonError } from '../../core/reason.ts'
import { LEARNINGS_FILE } from '../../formats/checkpoint-md/layout.ts'
import { addLearnings } from '../../formats/checkpoint-md/learnings.ts'
import { readDocument } from '../../formats/checkpoint-md/read.ts'
import { type Folder, openFolder } from '../../fs/disk.ts'
import { findFolder, makeFolders, TEMP_ENDING } from '../../fs/durable.ts'
import { type Refusal, removeGuarded, replaceGuarded } from '../../fs/guarded.ts'
import type { OwedView } from '../../store/store.ts'
import { excludeFromGit } from '../../workspace/exclude.ts'
import type { Context } from '../context.ts'
import { MAX_DOCUMENT_BYTES } from './read-documents.ts'
import { rebase, SAVE_MS } from './rebase.ts'
import { isTrustedHere } from './trusted.ts'

/** An editor that saves all the time is not waited for. */
const GIVE_UP_AFTER = 12

export interface Settled {
  files: 'published' | 'pending'
  /** What could not be written, by its stream, and why. */
  failures: Map<string, ReasonError>
}

/**
 * Writes what this workspace owes to its shared files, for callers that hold the workspace lock. Each write goes
 * through only while the file is what we last saw; an edit that came between is kept, and both are merged.
 * What cannot be written now stays owed, and the user is told.
 */
export async function settleDocuments(context: Context): Promise<Settled> {
  const { store, identity, place } = context
  const failures = new Map<string, ReasonError>()
  let owed = await store.owed(identity.workspace)
  if (owed.length === 0) return { files: 'published', failures }
  hideTempsFromGit(context)
  const root = openFolder(place.root)
  try {
    for (let round = 0; round < GIVE_UP_AFTER; round += 1) {
      let isDone = true
      for (const row of inOrder(owed)) {
        const step = await orFailure(row, () => settleOne(context, root, row))
        if (step === 'again') isDone = false
        if (step instanceof ReasonError) failures.set(row.stream, step)
      }
      owed = await store.owed(identity.workspace)
      if (isDone) break
    }
  } finally {
    root.close()
  }
  return { files: owed.length === 0 ? 'published' : 'pending', failures }
}

/** A file that cannot be written keeps no other from being written. */
async function orFailure(row: OwedView, act: () => Promise<Step>): Promise<Step | ReasonError> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof ReasonError)) throw error
    // The codec does not know which file it was given.
    if (error.data.path !== '') return error
    return new ReasonError(error.reason, { ...error.data, path: row.path, id: '<id>' }, { cause: error })
  }
}

/** What takes a file's place comes before that file goes; learnings come last. */
function inOrder(owed: OwedView[]): OwedView[] {
  const turn = ({ kind, state }: OwedView) => (kind === 'entry' ? 2 : state === 'leaving' ? 1 : 0)
  return [...owed].sort((a, b) => turn(a) - turn(b))
}

type Step = 'done' | 'again' | 'left'

function settleOne(context: Context, root: Folder, row: OwedView): Promise<Step> {
  if (row.kind === 'entry') return publishEntry(context, root, row)
  return row.state === 'leaving' ? takeAway(context, root, row) : publishDocument(context, root, row)
}

const guardOf = (context: Context, expected: string | null) => ({
  token: randomToken(context.ports.random),
  expected,
  limit: MAX_DOCUMENT_BYTES,
})

const foldersOf = (path: string) => path.split('/').slice(0, -1)
const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)

async function publishDocument(context: Context, root: Folder, row: OwedView): Promise<Step> {
  const { store, identity } = context
  const text = await store.text(row.hash)
  if (text === null) throw new Error(`the store has no text for ${row.path}`)
  const isNew = row.base === null
  const folder = isNew
    ? makeFolders(root, foldersOf(row.path), { sure: true })
    : findFolder(root, foldersOf(row.path))
  // The folder went with its files: the user or git removed them.
  if (folder === null) return 'left'
  try {
    const outcome = replaceGuarded(folder, nameOf(row.path), Buffer.from(text), guardOf(context, row.base))
    if (!outcome.done) {
      if (!isText(outcome, row.hash)) return await rebase(context, row, outcome)
      // Somebody died between the write and this note: the name may not be durable yet.
      folder.sync()
    }
  } finally {
    folder.close()
  }
  await store.stamped(identity.workspace, [{ path: row.path, hash: row.hash, stamp: null }])
  return 'done'
}

const isText = ({ found, ours }: Refusal, hash: string) => found !== null && !ours && sha256(found) === hash

/** The old place of a document that was archived or brought back. */
async function takeAway(context: Context, root: Folder, row: OwedView): Promise<Step> {
  const { store, identity, place } = context
  const rows = await store.work(identity.repository, identity.workspace)
  const view = rows.find(({ stream }) => stream.id === row.stream)?.view ?? null
  if (view?.state !== 'published') return 'left'
  const folder = findFolder(root, foldersOf(row.path))
  try {
    if (folder?.entry(nameOf(row.path))) {
      await tellGit(context, row.path, view.path)
      const outcome = removeGuarded(folder, nameOf(row.path), guardOf(context, row.hash))
      if (!outcome.done) return await rebase(context, row, outcome)
    }
  } finally {
    folder?.close()
  }
  await store.forgetViews([{ workspace: identity.workspace, path: row.path }])
  return 'done'

  async function tellGit(context: Context, from: string, to: string): Promise<void> {
    if (place.git === null) return
    if (!(await isTrustedHere(context))) return
    const { moveInIndex } = await import('../../workspace/git-index.ts')
    const moved = await moveInIndex(place, from, to)
    if (typeof moved !== 'string')
      context.notices.push(`Git was not told that ${from} is ${to} now: ${moved.problem}`)
  }
}

/** Adds a stream's learnings to the shared file, once: its heading says whether they are there. */
async function publishEntry(context: Context, root: Folder, row: OwedView): Promise<Step> {
  const { store, identity } = context
  const stored = await store.checkpoint(row.checkpoint)
  const completion = stored?.state === 'whole' ? stored.checkpoint.completion : undefined
  const id = row.path.slice(row.path.indexOf('#') + 1)
  if (completion && completion.learnings.length > 0) {
    const folder = makeFolders(root, foldersOf(row.path), { sure: true })
    try {
      const bytes = folder.read(LEARNINGS_FILE, MAX_DOCUMENT_BYTES)
      const text = learningsText(bytes, row.path)
      const { learnings } = completion
      const added = addLearnings(text, { date: completion.date.slice(0, 10), id, learnings })
      if (added !== text) {
        const guard = guardOf(context, bytes === null ? null : sha256(bytes))
        const outcome = replaceGuarded(folder, LEARNINGS_FILE, Buffer.from(added), guard)
        if (!outcome.done) {
          await giveBack(context, folder, outcome, sha256(added))
          return 'again'
        }
      }
    } finally {
      folder.close()
    }
  }
  await store.forgetViews([{ workspace: identity.workspace, path: row.path }])
  return 'done'
}

/** The text of the shared file; bytes that are no text, or a conflict in it, are the user's to mend. */
function learningsText(bytes: Buffer | null, path: string): string {
  if (bytes === null) return ''
  const reading = readDocument(bytes, LEARNINGS_FILE)
  if (reading.state === 'conflicted' || (reading.state === 'broken' && reading.text === null))
    throw new ReasonError(reading.state === 'conflicted' ? 'document_conflicted' : 'document_broken', {
      ...{ id: '<id>', path: path.replace(/#.*/, ''), line: reading.line, problem: reading.problem },
    })
  return bytes.toString('utf8')
}

/** An edit in the old file after ours took its name: ours goes, theirs comes back, and we begin again. */
async function giveBack(
  context: Context,
  folder: Folder,
  { found, forget }: Refusal,
  ours: string,
): Promise<void> {
  let standing = ours
  for (let theirs = found; theirs !== null && forget !== null; theirs = forget()) {
    if (theirs.length > 0) {
      const placed = replaceGuarded(folder, LEARNINGS_FILE, theirs, guardOf(context, standing))
      // Somebody was faster once more: the kept file stays, and the next command names it.
      if (!placed.done) return
      standing = sha256(theirs)
    }
    await context.ports.sleep(SAVE_MS)
  }
}

/** Our short-lived files beside a document are nothing for `git status`. */
function hideTempsFromGit({ place, ports, notices }: Context): void {
  if (place.git === null) return
  try {
    excludeFromGit(place.git.common, `.*${TEMP_ENDING}`, ports)
  } catch (error) {
    if (!(error instanceof ReasonError)) throw error
    notices.push(`Temporary files could not be hidden from git: ${error.message}`)
  }
}

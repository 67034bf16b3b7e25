import { sha256 } from '../../core/canonical.ts'
import { instant } from '../../core/ports.ts'
import { ReasonError } from '../../core/reason.ts'
import { LEARNINGS_FILE, MAX_DOCUMENT_BYTES } from '../../formats/checkpoint-md/layout.ts'
import { addLearnings, learningEntryOf } from '../../formats/checkpoint-md/learnings.ts'
import { readDocument } from '../../formats/checkpoint-md/read.ts'
import { clampTime } from '../../formats/note-json/layout.ts'
import { putLastCheckpoint } from '../../formats/state-index/codec.ts'
import { findFolder, makeFolders } from '../../fs/durable.ts'
import { removeGuarded } from '../../fs/guarded.ts'
import type { ViewRow } from '../../store/local-state.ts'
import type { Context } from '../context/context.ts'
import { NOTICES } from '../context/notices.ts'
import { foldersOf, guardOf, nameOf, type Publish, replaceOrGiveBack } from './guard.ts'

/**
 * Sets the time of the last save in an index that belongs to other tools, or the value that stood there before an act
 * that is undone; all else in it stays as it is. One that cannot be read is reported and left alone, and one that is
 * gone does not come back.
 */
export const publishIndex: Publish = async (context, root, row) => {
  const value = await owedValue(context, row)
  using folder = findFolder(root, foldersOf(row.path))
  const bytes = folder?.read(nameOf(row.path), MAX_DOCUMENT_BYTES) ?? null
  if (folder === null || bytes === null) return 'gone'
  const text = bytes.toString('utf8')
  const isUtf8 = Buffer.from(text).equals(bytes)
  const added = isUtf8 ? putLastCheckpoint(text, value) : { problem: 'it is not UTF-8' }
  if (typeof added !== 'string') context.notices.push(NOTICES.indexUnchanged(row.path, added.problem))
  else if (added !== text && !(await replaceOrGiveBack(context, folder, nameOf(row.path), bytes, added)))
    return 'again'
  return 'gone'
}

/** What is owed to an index: the time of the checkpoint, or a value of before. Null where there was none. */
export async function owedValue(
  { store }: Context,
  { hash, checkpoint }: Pick<ViewRow, 'hash' | 'checkpoint'>,
): Promise<string | null> {
  if (hash !== '') return (await store.log.readText(hash)) || null
  const at = (await store.log.readCheckpoint(checkpoint))?.row.at ?? ''
  return JSON.stringify(`${instant(clampTime(Date.parse(at))).slice(0, 19)}Z`)
}

/** Adds a stream's learnings to the shared file, once: its heading says whether they are there. */
export const publishEntry: Publish = async (context, root, row) => {
  const entry = await entryOf(context, row)
  if (entry === null) return 'gone'
  using folder = makeFolders(root, foldersOf(row.path), { sure: true })
  const bytes = folder.read(LEARNINGS_FILE, MAX_DOCUMENT_BYTES)
  const text = learningsText(bytes, row.path)
  const added = addLearnings(text, entry)
  const isThere = added === text || (await replaceOrGiveBack(context, folder, LEARNINGS_FILE, bytes, added))
  return isThere ? 'gone' : 'again'
}

/**
 * Puts the shared file back to what it was before an entry, while nothing else in it changed since; `base` is the hash
 * of that text, and the file goes where there was none.
 */
export const retractEntry: Publish = async (context, root, row) => {
  const { store, notices } = context
  const entry = await entryOf(context, row)
  const before = row.base === null ? '' : await store.log.readText(row.base)
  using folder = findFolder(root, foldersOf(row.path))
  const bytes = folder?.read(LEARNINGS_FILE, MAX_DOCUMENT_BYTES) ?? null
  if (folder !== null && bytes !== null && entry !== null && before !== null) {
    const added = addLearnings(before, entry)
    if (bytes.toString('utf8') !== added) notices.push(NOTICES.entryStays(fileOf(row), entry.id))
    else if (row.base === null) removeGuarded(folder, LEARNINGS_FILE, guardOf(context, sha256(bytes)))
    else if (!(await replaceOrGiveBack(context, folder, LEARNINGS_FILE, bytes, before))) return 'again'
  }
  return 'gone'
}

/** The path of an entry is that of its file, and behind a `#` whose entry it is. */
const fileOf = ({ path }: Pick<ViewRow, 'path'>) => path.replace(/#.*/, '')

async function entryOf({ store }: Context, { checkpoint, path }: ViewRow) {
  const stored = await store.log.readCheckpoint(checkpoint)
  return stored?.state === 'whole'
    ? learningEntryOf(stored.checkpoint, path.slice(path.indexOf('#') + 1))
    : null
}

/** The text of the shared file; bytes that are no text, or a conflict in it, are the user's to mend. */
function learningsText(bytes: Buffer | null, path: string): string {
  if (bytes === null) return ''
  const reading = readDocument(bytes, LEARNINGS_FILE)
  if (reading.state === 'conflicted' || (reading.state === 'broken' && reading.text === null))
    throw new ReasonError(reading.state === 'conflicted' ? 'document_conflicted' : 'document_broken', {
      ...{ id: '<id>', path: fileOf({ path }), line: reading.line, problem: reading.problem },
    })
  return bytes.toString('utf8')
}

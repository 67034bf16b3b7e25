import { sha256 } from '../../core/canonical.ts'
import { ReasonError } from '../../core/reason.ts'
import { LEARNINGS_FILE, MAX_DOCUMENT_BYTES } from '../../formats/checkpoint-md/layout.ts'
import { addLearnings, learningEntryOf } from '../../formats/checkpoint-md/learnings.ts'
import { readDocument } from '../../formats/checkpoint-md/read.ts'
import type { Folder } from '../../fs/disk.ts'
import { findFolder, makeFolders } from '../../fs/durable.ts'
import { removeGuarded } from '../../fs/guarded.ts'
import type { OwedView } from '../../store/local-state.ts'
import type { Context } from '../context/context.ts'
import { NOTICES } from '../context/notices.ts'
import { foldersOf, guardOf, replaceOrGiveBack } from './guard.ts'
import type { SettleStep } from './settle-rows.ts'

/** Adds a stream's learnings to the shared file, once: its heading says whether they are there. */
export async function publishEntry(context: Context, root: Folder, row: OwedView): Promise<SettleStep> {
  const { store, identity } = context
  const stored = await store.log.readCheckpoint(row.checkpoint)
  const entry = stored?.state === 'whole' ? learningEntryOf(stored.checkpoint, idOf(row)) : null
  if (entry !== null) {
    using folder = makeFolders(root, foldersOf(row.path), { sure: true })
    const bytes = folder.read(LEARNINGS_FILE, MAX_DOCUMENT_BYTES)
    const text = learningsText(bytes, row.path)
    const added = addLearnings(text, entry)
    const isThere = added === text || (await replaceOrGiveBack(context, folder, LEARNINGS_FILE, bytes, added))
    if (!isThere) return 'again'
  }
  await store.local.forgetViews([{ workspace: identity.workspace, path: row.path }])
  return 'done'
}

const idOf = ({ path }: OwedView) => path.slice(path.indexOf('#') + 1)

/**
 * Puts the shared file back to what it was before an entry, while nothing else in it changed since; `base` is the hash
 * of that text, and the file goes where there was none.
 */
export async function retractEntry(context: Context, root: Folder, row: OwedView): Promise<SettleStep> {
  const { store, identity, notices } = context
  const stored = await store.log.readCheckpoint(row.checkpoint)
  const entry = stored?.state === 'whole' ? learningEntryOf(stored.checkpoint, idOf(row)) : null
  const before = row.base === null ? '' : await store.log.readText(row.base)
  using folder = findFolder(root, foldersOf(row.path))
  const bytes = folder?.read(LEARNINGS_FILE, MAX_DOCUMENT_BYTES) ?? null
  if (folder !== null && bytes !== null && entry !== null && before !== null) {
    const added = addLearnings(before, entry)
    if (bytes.toString('utf8') !== added)
      notices.push(NOTICES.entryStays(row.path.replace(/#.*/, ''), entry.id))
    else if (row.base === null) removeGuarded(folder, LEARNINGS_FILE, guardOf(context, sha256(bytes)))
    else if (!(await replaceOrGiveBack(context, folder, LEARNINGS_FILE, bytes, before))) return 'again'
  }
  await store.local.forgetViews([{ workspace: identity.workspace, path: row.path }])
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

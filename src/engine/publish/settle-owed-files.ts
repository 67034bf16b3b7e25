import { sha256 } from '../../core/canonical.ts'
import { ReasonError } from '../../core/reason.ts'
import { MAX_DOCUMENT_BYTES } from '../../formats/checkpoint-md/layout.ts'
import { putLastCheckpoint } from '../../formats/state-index/codec.ts'
import { type Folder, openFolder } from '../../fs/disk.ts'
import { findFolder, TEMP_ENDING } from '../../fs/durable.ts'
import { isKept, isLeftover } from '../../fs/guarded.ts'
import type { SharedKind, ViewRow } from '../../store/local-state.ts'
import { excludeFromGit } from '../../workspace/exclude.ts'
import { mainWorktree } from '../../workspace/main-worktree.ts'
import type { Context } from '../context/context.ts'
import { NOTICES } from '../context/notices.ts'
import { foldersOf, hideOrTell, nameOf, type Publish, type SettleOptions } from './guard.ts'
import { owedValue, publishEntry, publishIndex, retractEntry } from './publish-shared.ts'
import {
  publishDocument,
  publishLedger,
  publishNote,
  takeDocumentAway,
  takeFileAway,
} from './publish-text.ts'
import { type SettleFailure, type SettleStep, settleRows, type Turn } from './settle-rows.ts'

export interface SettleReport {
  owed: ViewRow[]
  failures: SettleFailure[]
}

/** A handoff lies in the main worktree. */
const inMainWorktree =
  (publish: Publish): Publish =>
  async (context, root, row, how) => {
    const main = mainWorktree(context.place)
    if ('problem' in main) return publish(context, root, row, how)
    using folder = openFolder(main.root)
    return await publish(context, folder, row, how)
  }

/**
 * How each kind of file is written and removed, and when its turn is to be written: what takes a file's place comes
 * before that file goes.
 */
const KINDS: Record<SharedKind, { turn: number; publish: Publish; remove: Publish }> = {
  document: { turn: 0, publish: publishDocument, remove: takeDocumentAway },
  note: { turn: 0, publish: publishNote, remove: takeFileAway },
  handoff: { turn: 0, publish: inMainWorktree(publishNote), remove: inMainWorktree(takeFileAway) },
  ledger: { turn: 0, publish: publishLedger, remove: takeFileAway },
  index: { turn: 1, publish: publishIndex, remove: takeFileAway },
  entry: { turn: 3, publish: publishEntry, remove: retractEntry },
}

const TURN_TO_LEAVE = 2

/** A newer version may owe files that this one knows nothing of: they wait for it. */
const UNKNOWN = { turn: 4, publish: async (): Promise<SettleStep> => 'left' }

const isKnown = (row: ViewRow): row is ViewRow & { kind: SharedKind } => Object.hasOwn(KINDS, row.kind)

const settlerOf = (row: ViewRow) =>
  !isKnown(row)
    ? UNKNOWN
    : row.state === 'leaving'
      ? { turn: TURN_TO_LEAVE, publish: KINDS[row.kind].remove }
      : KINDS[row.kind]

/**
 * Writes what this workspace owes to its shared files, for callers that hold the workspace lock. Each write goes
 * through only while the file is what we last saw; an edit that came between is kept. What cannot be written now
 * stays owed, and the user is told. `isLate`: it is owed by somebody who may have died over it.
 */
export async function settleOwedFiles(
  context: Context,
  { isLate = false, ...how }: SettleOptions & { isLate?: boolean },
): Promise<SettleReport> {
  const { store, identity, place, ports } = context
  const listOwed = () => store.local.listOwedViews(identity.workspace)
  const owed = await listOwed()
  if (owed.length === 0) return { owed, failures: [] }
  // Our short-lived files beside a document are nothing for `git status`.
  await hideOrTell(context, 'temporary files', (common) => excludeFromGit(common, `.*${TEMP_ENDING}`, ports))
  using root = openFolder(place.root)
  if (isLate)
    for (const row of owed) if (row.kind !== 'document' && isKnown(row)) await sweepBeside(context, root, row)
  const turnOf = (row: ViewRow): Turn => {
    const { turn, publish } = settlerOf(row)
    return { turn, publish: async () => note(row, await publish(context, root, row, how)) }
  }
  const note = async ({ workspace, path, hash }: ViewRow, step: SettleStep) => {
    if (step === 'written') await store.local.markPublished([{ workspace, path, hash }])
    if (step === 'gone') await store.local.forgetViews([{ workspace, path }])
    return step
  }
  const failures = await settleRows(owed, turnOf, { again: listOwed })
  return { owed: await listOwed(), failures }
}

/**
 * Removes what somebody left beside a file who died while writing it: that write is still owed, so it is known
 * where to look. An old file that was kept goes only where nothing of it is lost; else it stays, and is told.
 */
async function sweepBeside(context: Context, root: Folder, row: ViewRow): Promise<void> {
  try {
    const folders = foldersOf(row.path)
    using folder = findFolder(root, folders)
    if (folder === null) return
    const start = `.${nameOf(row.path)}.`
    for (const name of folder.names().filter((one) => one.startsWith(start) && isLeftover(one))) {
      if (!isKept(name) || (await isSafe(context, folder, name, row))) folder.unlink(name)
      else context.notices.push(NOTICES.leftover([...folders, name].join('/')))
    }
  } catch (error) {
    // What keeps us from looking keeps us from writing too, and is told there.
    if (!(error instanceof ReasonError)) throw error
  }
}

async function isSafe(context: Context, folder: Folder, name: string, row: ViewRow): Promise<boolean> {
  const kept = folder.read(name, MAX_DOCUMENT_BYTES)
  if (kept === null || kept.length === 0) return true
  if ((await context.store.log.readText(sha256(kept))) !== null) return true
  if (row.kind !== 'index') return false
  const standing = folder.read(nameOf(row.path), MAX_DOCUMENT_BYTES)
  const renewed = putLastCheckpoint(kept.toString('utf8'), await owedValue(context, row))
  return standing !== null && (standing.equals(kept) || standing.toString('utf8') === renewed)
}

import { sha256 } from '../../core/canonical.ts'
import { ReasonError } from '../../core/reason.ts'
import { decodeUtf8 } from '../../core/text.ts'
import type { WorkState } from '../../core/work.ts'
import { MAX_DOCUMENT_BYTES } from '../../formats/checkpoint-md/layout.ts'
import { decodeLedgerPage } from '../../formats/ledger-md/codec.ts'
import type { Folder } from '../../fs/disk.ts'
import { inFolder } from '../../fs/durable.ts'
import { mergeEditedWork } from '../../policy/merge-edited-work.ts'
import { type WordSource, withoutConfirmations } from '../../policy/whose-word.ts'
import type { ViewRow } from '../../store/local-state.ts'
import type { Context } from '../context/context.ts'
import { foldersOf, nameOf } from '../publish/guard.ts'
import { deliveriesOf } from '../trust/deliveries.ts'
import type { Here } from '../trust/here.ts'
import { BY_USER, readEditSources } from '../trust/whose-edit.ts'

/** The ledger of this workspace, where it is enabled: what we gave it last, and what stands there. */
export interface LedgerFile {
  path: string
  row: ViewRow | null
  /** Null where nothing stands there. `isKnown`: it stood there before, and git or the user brought it back. */
  found: { text: string; hash: string; isKnown: boolean } | null
  /** What stood there before somebody wrote into it; null where that is not known. */
  page: string | null
  /** Whose word an edit in it is. */
  source: WordSource
  /** Why it must be left alone: it is no text, not ours to read, or somebody else's. */
  problem: string | null
}

/** Null where no ledger is kept. */
export async function ledgerFile(context: Context): Promise<LedgerFile | null> {
  const { settings, store, identity, place } = context
  if (!settings.ledger) return null
  const path = settings.ledger_path
  const known = await store.local.readFileView(identity.workspace, path)
  const undone = known && (await undoneEdit(context, known))
  const row = undone ? undone.shown && { ...known, ...undone.shown } : known
  const expected = expectedHash(row)
  const page = expected === null ? null : await store.log.readText(expected)
  const file = { path, row, page, source: BY_USER }
  try {
    const read = (folder: Folder) => folder.read(nameOf(path), MAX_DOCUMENT_BYTES)
    const bytes = inFolder(place.root, foldersOf(path), read)
    if (bytes === null) return { ...file, found: null, problem: null }
    const text = decodeUtf8(bytes)
    if (text === null) return { ...file, found: null, problem: 'it is not UTF-8' }
    const hash = sha256(bytes)
    const shown = row?.hash === hash ? [row] : await store.local.listLedgerTexts(identity.workspace)
    const isKnown = hash !== undone?.before && shown.some((one) => one.hash === hash)
    return { ...file, found: { text, hash, isKnown }, problem: null }
  } catch (error) {
    if (!(error instanceof ReasonError)) throw error
    return { ...file, found: null, problem: error.message.replace(/\.$/, '') }
  }
}

/** An edit by hand that a save took in which was undone since: it stands there again, and is still to be taken in. */
async function undoneEdit({ store, identity }: Context, { path, hash }: ViewRow) {
  const acts = (await store.local.listActs(identity.workspace)).filter(({ isUndone }) => isUndone)
  return acts
    .flatMap(({ record }) => record.files)
    .find(
      (file) =>
        file.kind === 'ledger' && file.path === path && file.before === hash && file.shown?.hash !== hash,
    )
}

/** What should stand there as far as we know: a write that is still owed has not happened. */
const expectedHash = (row: ViewRow | null) => (row?.state === 'pending' ? row.base : (row?.hash ?? null))

/** Whether the ledger was edited. A known older version, for example after a change of branch, is no edit. */
export const isEdited = (file: LedgerFile) =>
  file.found !== null && !file.found.isKnown && file.found.hash !== expectedHash(file.row)

/** The ledger, and why an edit in it is not the user's word: nobody trusts the workspace, or git brought it from others. */
export async function vouchedLedger(context: Context, here: Here): Promise<LedgerFile | null> {
  const file = await ledgerFile(context)
  if (file === null || file.problem !== null || !isEdited(file)) return file
  if (!here.trusted)
    return { ...file, problem: 'it was not written by Savepoint, and this workspace is not trusted' }
  const delivery = (await deliveriesOf(context, here, [{ path: file.path }])).get(file.path)
  return delivery?.foreign === true
    ? { ...file, problem: `it came with the repository (${delivery.note})` }
    : { ...file, source: (await readEditSources(context))(file.path) }
}

/** Whether the ledger shows a stream, in our words or with somebody's edits. */
export const isLedgerOf = (file: LedgerFile | null, stream: string): file is LedgerFile =>
  file?.problem === null &&
  file.found !== null &&
  (file.row === null ? isEdited(file) : file.row.stream === stream)

/** Whether somebody wrote into it about a stream: the one that it shows, or any where we never wrote it. */
export const hasEditsFor = (file: LedgerFile | null, stream: string): file is LedgerFile =>
  isLedgerOf(file, stream) && isEdited(file)

/** The work of a stream with what somebody wrote into the ledger by hand; as it was where nobody did. */
export const withEdits = (work: WorkState, file: LedgerFile | null, stream: string): WorkState =>
  hasEditsFor(file, stream) && file.found
    ? withoutConfirmations(
        work,
        // Of a ledger that a user started by hand there is no page: items missing from it were not deleted.
        mergeEditedWork(work, decodeLedgerPage(file.found.text), decodeLedgerPage(file.page ?? '')),
        file.source,
      )
    : work

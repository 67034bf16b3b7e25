import { sha256 } from '../../core/canonical.ts'
import { nameKey } from '../../core/id.ts'
import { setCompletion } from '../../formats/checkpoint-md/edit.ts'
import { MAX_DOCUMENT_BYTES } from '../../formats/checkpoint-md/layout.ts'
import { mergeTexts } from '../../formats/checkpoint-md/merge.ts'
import { readDocument, saysCurrent } from '../../formats/checkpoint-md/read.ts'
import type { WriteRefusal } from '../../fs/guarded.ts'
import type { DocumentCommit, WorkRow } from '../../store/acts.ts'
import type { NewView, ViewRow } from '../../store/local-state.ts'
import type { Context } from '../context/context.ts'
import { NOTICES } from '../context/notices.ts'
import { SAVE_MS } from '../publish/guard.ts'
import { type SettleReport, settleOwedFiles } from '../publish/settle-owed-files.ts'
import { deliveriesOf } from '../trust/deliveries.ts'
import type { Here } from '../trust/here.ts'
import { documentPoint, joinCommits, leavingDocument } from './checkpoint-of.ts'
import { afterHead } from './find-stream.ts'

/** Writes what this workspace owes to its files; an edit that came between is merged into the document. */
export const settleHere = (
  context: Context,
  here: Here,
  options?: { isLate?: boolean },
): Promise<SettleReport> =>
  settleOwedFiles(context, {
    trusted: here.trusted,
    mergeEdit: (owed, refusal) => rebase(context, here, owed, refusal),
    ...options,
  })

/**
 * Somebody saved a document while a write of ours was under way. Their text is a version of its own; ours is
 * brought onto it, line by line. Where both changed the same place theirs stands, and ours stays in the history.
 */
async function rebase(
  context: Context,
  here: Here,
  owed: ViewRow,
  refusal: WriteRefusal,
): Promise<'again' | 'left'> {
  const { store, identity, notices, ports } = context
  const { found, ours: isOurs, forget } = refusal
  if (found === null) return 'left'
  const row = (await store.acts.listWork(identity.repository, identity.workspace)).find(
    ({ stream }) => stream.id === owed.stream,
  )
  if (!row?.view) return 'left'
  const reading = readDocument(found, `${row.stream.name}.md`)
  if (reading.state !== 'whole' || nameKey(reading.id) !== nameKey(row.stream.name)) {
    const text = found.toString('utf8')
    const hash = sha256(found)
    const isText = sha256(text) === hash
    const kept = { stream: row.stream.id, hash, checkpoint: row.position.checkpoint, current: false }
    // Only the kept file may have it: then it goes into the store before that goes.
    if (isText)
      await store.acts.commit({
        workspace: identity.workspace,
        texts: [{ hash, text }],
        versions: [{ ...kept, problem: 'it was saved at the same time' }],
      })
    if (isText && forget !== null) {
      // An editor cuts a file before it writes it anew: what follows within a moment is the edit.
      await ports.sleep(SAVE_MS)
      const more = forget()
      if (more !== null) return rebase(context, here, owed, { ...refusal, found: more })
    }
    notices.push(NOTICES.editUnmerged(owed.path, row.stream.name))
    return 'left'
  }
  const merged = await mergedText(context, owed, row, reading.text)
  const text = merged ?? reading.text
  const hash = sha256(text)
  const theirs = sha256(reading.text)
  const known = await store.log.findVersion(row.stream.id, hash)
  const { id, headSequence } = row.stream
  const point =
    known?.problem === null
      ? null
      : await documentPoint(context, {
          stream: row.stream,
          text,
          parent: row.view.checkpoint,
          after: afterHead(row),
          triggers: [{ kind: 'adopted', note: 'edited while Savepoint was writing' }],
          isFound: true,
          provenance: { branch: null, commit: null, author: null },
          foreign: row.position.foreign || (await isDelivered(context, here, owed.path)),
        })
  const checkpoint = point?.checkpoint.id ?? known?.checkpoint ?? row.view.checkpoint
  const current = point?.current ?? known?.current ?? false
  const part: Partial<DocumentCommit> = {
    texts: [{ hash: theirs, text: reading.text }],
    versions: [{ stream: id, hash: theirs, checkpoint, current: saysCurrent(reading.front), problem: null }],
    views: placeMerged(owed, row, { checkpoint, hash, theirs, isOurs, current }),
  }
  // The point's own version comes last: where both texts are one, it is the one that counts.
  const committed = await store.acts.commit(joinCommits(identity.workspace, part, point?.commit ?? {}))
  if (!committed.done) return 'again'
  if (merged === null) notices.push(NOTICES.editAtSamePlace(owed.path, headSequence))
  const more = forget?.() ?? null
  return more === null ? 'again' : rebase(context, here, owed, { ...refusal, found: more })
}

/** Git may have brought another version here while our write was still owed. */
async function isDelivered(context: Context, here: Here, path: string): Promise<boolean> {
  if (!here.trusted) return false
  return (await deliveriesOf(context, here, [{ path }])).get(path)?.foreign === true
}

async function mergedText(
  context: Context,
  owed: ViewRow,
  row: WorkRow,
  theirs: string,
): Promise<string | null> {
  const { store } = context
  const baseHash = owed.state === 'leaving' ? owed.hash : owed.base
  const base = baseHash === null ? '' : ((await store.log.readText(baseHash)) ?? '')
  const ours = (await store.log.readText(row.view?.hash ?? '')) ?? ''
  const merged = mergeTexts(base, ours, theirs)
  if (merged !== null && Buffer.byteLength(merged) <= MAX_DOCUMENT_BYTES) return merged
  const stored = await store.log.readCheckpoint(row.view?.checkpoint ?? '')
  const completion = stored?.state === 'whole' ? stored.checkpoint.completion : undefined
  return completion ? setCompletion(theirs, completion) : null
}

interface MergedDocument {
  checkpoint: string
  hash: string
  current: boolean
  /** The hash of their text. */
  theirs: string
  isOurs: boolean
}

/** Where the document stands from now on: the merged text is owed, over whatever has the name now. */
function placeMerged(
  owed: ViewRow,
  { stream: { id: stream }, view }: WorkRow,
  { theirs, isOurs, ...merged }: MergedDocument,
): NewView[] {
  const document = { kind: 'document' as const, ...merged, stream }
  if (owed.state === 'leaving')
    // The edit came to the old place: the new place takes it in, and the old one may go as it is now.
    return [
      { ...document, path: view?.path ?? '', base: view?.hash ?? null, state: 'pending' },
      leavingDocument(document, { path: owed.path, hash: theirs }),
    ]
  const base = isOurs ? owed.hash : theirs
  const isThere = merged.hash === base
  return [
    { ...document, path: owed.path, ...(isThere ? { state: 'published' } : { base, state: 'pending' }) },
  ]
}

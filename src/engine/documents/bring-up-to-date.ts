import { sha256 } from '../../core/canonical.ts'
import { ReasonError } from '../../core/reason.ts'
import { LEARNINGS_FILE, MAX_DOCUMENT_BYTES } from '../../formats/checkpoint-md/layout.ts'
import { openFolder } from '../../fs/disk.ts'
import { findFolder } from '../../fs/durable.ts'
import { isKept } from '../../fs/guarded.ts'
import type { Context } from '../context/context.ts'
import { MOST_ATTEMPTS } from '../context/most-attempts.ts'
import { NOTICES } from '../context/notices.ts'
import { foldersOf, nameOf } from '../publish/guard.ts'
import type { Here } from '../trust/here.ts'
import { settleHere } from './rebase.ts'
import { type Survey, surveyDocuments } from './survey.ts'
import { takeIn } from './take-in.ts'

/** Takes in what changed on the disk, of so many files at most, and writes what is owed, for who holds the lock. */
export async function bringUpToDate(context: Context, here: Here, most?: number): Promise<Survey> {
  const { store, identity } = context
  for (let attempt = 0; ; attempt += 1) {
    const survey = await surveyDocuments(context, here)
    await sweepLeftovers(context, survey)
    const { commit, isEmpty, stamps } = await takeIn(context, survey, most)
    if (stamps.length > 0) await store.local.markPublished(stamps)
    const isDone = isEmpty || (await store.acts.commit(commit)).done
    if (!isDone && attempt < MOST_ATTEMPTS.documents) continue
    const isOwed =
      survey.operation === null && (await store.local.listOwedViews(identity.workspace)).length > 0
    // What others left and cannot be written is named; it is no reason to refuse this.
    if (isOwed)
      for (const { error } of (await settleHere(context, here, { isLate: true })).failures)
        context.notices.push(error.message)
    if (isEmpty && !isOwed) return survey
    // The troubles and the foreign files are those that were met; the rows are those of now.
    return { ...(await surveyDocuments(context, here)), troubles: survey.troubles, foreign: survey.foreign }
  }
}

/**
 * Removes what a writer left who died; the lock says that nobody is writing now. A kept file may hold an edit
 * that nobody saw: its bytes go into the store first.
 */
async function sweepLeftovers(context: Context, survey: Survey): Promise<void> {
  // What came with a repository that nobody trusts is not ours, whatever it is called.
  if (survey.leftovers.length === 0 || !survey.trusted) return
  const { isTracked } = await import('../../workspace/git-index.ts')
  using root = openFolder(context.place.root)
  for (const path of survey.leftovers) {
    if (await isTracked(context.place, path)) continue
    const [folders, name] = [foldersOf(path), nameOf(path)]
    using folder = findFolder(root, folders)
    try {
      const bytes = isKept(name) ? folder?.read(name, MAX_DOCUMENT_BYTES) : null
      const of = documentOf(name)
      const isSafe =
        !bytes?.length ||
        (await context.store.log.readText(sha256(bytes))) !== null ||
        (of === LEARNINGS_FILE
          ? isContained(bytes, folder?.read(of, MAX_DOCUMENT_BYTES) ?? null)
          : await keepBytes(context, survey, [...folders, of].join('/'), bytes))
      if (isSafe) folder?.unlink(name)
      else context.notices.push(NOTICES.leftover(path))
    } catch (error) {
      if (!(error instanceof ReasonError)) throw error
      context.notices.push(NOTICES.leftoverUnreadable(path, error.message))
    }
  }
}

/** `.auth.md.0a1b2c.old.savepoint-tmp` was `auth.md`. */
const documentOf = (name: string) => name.replace(/^\./, '').replace(/\.[0-9a-f]+\.old\.[^.]+$/, '')

/** Whether one file has every line of another. */
function isContained(bytes: Buffer, inside: Buffer | null): boolean {
  const lines = new Set(inside?.toString('utf8').split(/\r?\n/))
  return bytes
    .toString('utf8')
    .split(/\r?\n/)
    .every((line) => lines.has(line))
}

/** False where the store has no stream that the bytes could belong to. */
async function keepBytes(context: Context, survey: Survey, path: string, bytes: Buffer): Promise<boolean> {
  const { store, identity } = context
  // An old place that was to go has no row of its own any more; what is owed tells whose it was.
  const owed = (await store.local.listOwedViews(identity.workspace)).find((view) => view.path === path)
  const row = [...survey.rows, ...survey.withdrawn].find(
    ({ view, stream }) => view?.path === path || stream.id === owed?.stream,
  )
  const hash = sha256(bytes)
  const text = bytes.toString('utf8')
  // Bytes that are no text cannot be kept as one.
  if (!row || sha256(text) !== hash) return false
  const version = { stream: row.stream.id, hash, checkpoint: row.position.checkpoint, current: false }
  await store.acts.commit({
    workspace: identity.workspace,
    texts: [{ hash, text }],
    versions: [{ ...version, problem: 'left by an interrupted write' }],
  })
  context.notices.push(NOTICES.leftoverKept(path, row.stream.name))
  return true
}

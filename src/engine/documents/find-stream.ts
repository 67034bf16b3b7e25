import { nameKey, numberedName } from '../../core/id.ts'
import { ReasonError } from '../../core/reason.ts'
import { decodeDocument } from '../../formats/checkpoint-md/codec.ts'
import { matchName, type NameMatch } from '../../policy/find-name.ts'
import { branchSlug } from '../../policy/resolve.ts'
import type { WorkRow } from '../../store/acts.ts'
import type { LogChange } from '../../store/log.ts'
import type { Context } from '../context/context.ts'
import { NOTICES } from '../context/notices.ts'
import { findFormer, findRow, findWithdrawn, isBare, isHere, type Survey, standingOf } from './survey.ts'

/** The work of this repository that somebody means by an id, a branch, or the beginning of an id. */
export function requireRow(survey: Survey, id: string): WorkRow {
  const row = findRow(survey, id)
  if (row) return row
  const foreign = survey.foreign.find((file) => nameKey(file.id) === nameKey(id))
  if (foreign) throw new ReasonError('workspace_untrusted', { path: foreign.path })
  const trouble = survey.troubles.find(({ path }) => path.endsWith(`/${id}.md`))
  if (trouble) throw documentRefusalOf(trouble, id)
  const match = matchName(
    survey.rows.map((one) => ({
      ...{ name: one.stream.name, branch: one.position.gist.document?.branch ?? null },
      ...{ standing: standingOf(one), foreign: one.position.foreign },
    })),
    id,
  )
  const meant =
    match.found === null
      ? (findFormer(survey, id) ?? findFormer(survey, branchSlug(id)))
      : findRow(survey, match.found)
  if (meant) return meant
  throw new ReasonError('stream_unknown', { id, alike: sayAlike(match) })
}

/** The same, also where its beginning was undone: its history can be looked at, and brought back. */
export const requireKnownRow = (survey: Survey, id: string): WorkRow =>
  findRow(survey, id) ?? findWithdrawn(survey, id) ?? requireRow(survey, id)

/**
 * Gives work a name that no other work has. Work whose beginning was undone counts as not there: where it has the
 * name, it gets a number.
 */
export function claimName(
  survey: Survey,
  { id, name: from }: WorkRow['stream'],
  name: string,
): NonNullable<LogChange['renames']> {
  const all = [...survey.rows, ...survey.withdrawn]
  const holder = all.find(({ stream }) => stream.id !== id && nameKey(stream.name) === nameKey(name))?.stream
  const own = { stream: id, from, name }
  if (!holder) return [own]
  if (survey.rows.some(({ stream }) => stream.id === holder.id))
    throw new ReasonError('stream_exists', { id: holder.name })
  const isFree = (wanted: string) => all.every(({ stream }) => nameKey(stream.name) !== nameKey(wanted))
  return [{ stream: holder.id, from: holder.name, name: numberedName(holder.name, isFree) }, own]
}

/** The rest of the sentence that says that there is no such work. */
function sayAlike(match: NameMatch): string {
  if (match.found !== null) return ''
  const { several, alike } = match
  if (several.length > 0) return ` It could be ${several.slice(0, MOST_NAMED).join(', ')}.`
  return alike === null ? '' : ` Did you mean ${alike}?`
}

const MOST_NAMED = 5

export function documentRefusalOf(
  { kind, path, line, what }: Survey['troubles'][number],
  id: string,
): ReasonError {
  if (kind === 'changed') return new ReasonError('document_changed', { path })
  const reason = kind === 'conflicted' ? 'document_conflicted' : 'document_broken'
  return new ReasonError(reason, { id, path, line, problem: what })
}

/** Whoever reads or uses text that nobody here has reviewed is told so. */
export function tellForeign({ notices }: Context, { stream, position }: WorkRow): void {
  if (position.foreign) notices.push(NOTICES.unreviewedText(stream.name))
}

export interface OpenDocument {
  row: WorkRow
  view: NonNullable<WorkRow['view']>
  text: string
}

/** A document of this workspace that may be written: here, whole, and as the store has it. */
export async function requireDocument(context: Context, survey: Survey, id: string): Promise<OpenDocument> {
  const row = requireRow(survey, id)
  const { stream, view } = row
  const trouble = survey.troubles.find(({ path }) => path === view?.path)
  if (trouble) throw documentRefusalOf(trouble, stream.name)
  tellForeign(context, row)
  if (isBare(row)) throw new ReasonError('document_none', { id: stream.name })
  if (view === null || !isHere(survey, row)) throw new ReasonError('document_absent', { id: stream.name })
  const text = await context.store.log.readText(view.hash)
  if (text === null) throw new ReasonError('document_absent', { id: stream.name })
  return { row, view, text }
}

/** Work that goes on: its document as `requireDocument` wants it, or none at all. */
export async function requireOpenWork(context: Context, survey: Survey, id: string): Promise<WorkRow> {
  const row = requireRow(survey, id)
  return isBare(row) && standingOf(row) !== 'archived' ? row : (await requireOpen(context, survey, id)).row
}

/** As `requireDocument`, and not archived. */
export async function requireOpen(context: Context, survey: Survey, id: string): Promise<OpenDocument> {
  const row = requireRow(survey, id)
  if (standingOf(row) === 'archived') throw new ReasonError('stream_archived', { id: row.stream.name })
  return requireDocument(context, survey, id)
}

/** What is added at the end must not go into a block that was never closed. */
export function requireEnd({ row, view, text }: OpenDocument): void {
  const line = decodeDocument(text).openLine
  if (line === null) return
  const problem = 'the code fence or comment that starts here is not closed, so nothing can be added after it'
  throw new ReasonError('document_broken', { id: row.stream.name, path: view.path, line, problem })
}

/** The named document, else the one in focus. */
export function namedOrFocused(survey: Survey, id: string | undefined): string {
  if (id !== undefined) return id
  const focused = survey.rows.find((row) => row.focused)
  if (!focused) throw new ReasonError('nothing_in_focus', {})
  return focused.stream.name
}

export const afterHead = ({ stream }: WorkRow) => ({ id: stream.headId, sequence: stream.headSequence })

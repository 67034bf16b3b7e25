import { sha256 } from '../../core/canonical.ts'
import { ReasonError } from '../../core/reason.ts'
import { isArchived } from '../../formats/checkpoint-md/layout.ts'
import { setFrontMatter } from '../../formats/markdown/front-matter.ts'
import { followFocus } from '../../policy/adopt.ts'
import type { DocumentCommit, WorkRow } from '../../store/acts.ts'
import type { Context } from '../context/context.ts'
import { NOTICES } from '../context/notices.ts'
import { documentsIn, joinCommits } from './checkpoint-of.ts'
import { requireSize } from './edit-document.ts'
import { currentsOf, isHere, type Survey } from './survey.ts'

/** The same document with another `status`: other bytes of the same checkpoint, for focus is not work. */
export async function setStatusText(
  context: Context,
  { stream, view, position }: WorkRow,
  current: boolean,
): Promise<Partial<DocumentCommit>> {
  const text = view ? await context.store.log.readText(view.hash) : null
  if (view === null || text === null) return {}
  const restated = setFrontMatter(text, 'status', current ? 'current' : 'active')
  requireSize(restated, view.path)
  const hash = sha256(restated)
  if (hash === view.hash && view.current === current) return {}
  const version = { stream: stream.id, hash, checkpoint: position.checkpoint, current }
  return {
    texts: [{ hash, text: restated }],
    versions: [{ ...version, problem: null }],
    views: [{ ...version, kind: 'document', path: view.path, base: view.hash, state: 'pending' }],
  }
}

/** A document that cannot be changed is reported, and does not prevent a change of focus. */
async function clearCurrent(context: Context, row: WorkRow): Promise<Partial<DocumentCommit>> {
  try {
    return await setStatusText(context, row, false)
  } catch (error) {
    if (!(error instanceof ReasonError)) throw error
    context.notices.push(NOTICES.stillCurrent(row.view?.path, error.data.problem ?? error.message))
    return {}
  }
}

/** Every document that says `current` and is not the chosen one says `active` from now on. */
export async function clearCurrents(
  context: Context,
  survey: Survey,
  except: string | null,
): Promise<Partial<DocumentCommit>> {
  const troubled = new Set(survey.troubles.map(({ path }) => path))
  const others = currentsOf(survey).filter(
    ({ stream, view }) => stream.id !== except && !troubled.has(view?.path ?? ''),
  )
  const parts = await Promise.all(others.map((row) => clearCurrent(context, row)))
  return joinCommits('', ...parts)
}

/** Focus on one stream, or on none: the store and every document change in one command. */
export async function focusOn(
  context: Context,
  survey: Survey,
  chosen: WorkRow | null,
): Promise<Partial<DocumentCommit>> {
  const others = await clearCurrents(context, survey, chosen?.stream.id ?? null)
  const marked = chosen ? await setStatusText(context, chosen, true) : {}
  return { ...joinCommits('', others, marked), focus: chosen?.stream.id ?? null }
}

/** Moves the focus to the one document that says `current`. Unreviewed text cannot move it. */
export async function focusAsDocumentsSay(
  context: Context,
  survey: Survey,
  commit: DocumentCommit,
): Promise<Partial<DocumentCommit>> {
  const focused = survey.rows.find((row) => row.focused)?.stream.id ?? null
  const here = documentsHere(survey, commit)
  const foreign = await foreignOf(context, survey, commit, focused)
  const document = focused === null ? undefined : here.get(focused)
  const focus = followFocus({
    focused,
    isDropped:
      document !== undefined &&
      (isArchived(document.path) || (!document.current && !foreign.has(focused ?? ''))),
    currents: [...here]
      .filter(([stream, { path, current }]) => current && !isArchived(path) && !foreign.has(stream))
      .map(([stream]) => stream),
  })
  return focus === focused ? {} : { focus }
}

/** The documents that stand here once the commit is done, by their streams. */
export function documentsHere(survey: Survey, commit: DocumentCommit) {
  const documents = documentsIn(commit)
  const owners = new Map(documents.map(({ path, stream }) => [path, stream]))
  const here = new Map<string, { path: string; current?: boolean }>()
  for (const row of survey.rows) {
    const { view, stream } = row
    // A file that says another id from now on is the document of that one.
    if (view && isHere(survey, row) && (owners.get(view.path) ?? stream.id) === stream.id)
      here.set(stream.id, view)
  }
  for (const document of documents) here.set(document.stream, document)
  return here
}

/** The streams at a foreign checkpoint; one that moves is asked for only where it could matter for the focus. */
async function foreignOf(
  { store }: Context,
  survey: Survey,
  commit: DocumentCommit,
  focused: string | null,
): Promise<Set<string>> {
  const foreign = new Map(survey.rows.map(({ stream, position }) => [stream.id, position.foreign]))
  for (const { stream, checkpoint, current } of documentsIn(commit))
    if (current || stream === focused)
      foreign.set(stream, (await store.log.readCheckpoint(checkpoint))?.row.foreign ?? false)
  for (const { checkpoint, foreign: isForeign } of commit.appends ?? [])
    foreign.set(checkpoint.stream, isForeign)
  return new Set([...foreign].filter(([, isForeign]) => isForeign).map(([stream]) => stream))
}

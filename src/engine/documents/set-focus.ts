import { sha256 } from '../../core/canonical.ts'
import { ReasonError } from '../../core/reason.ts'
import { setFrontMatter } from '../../formats/markdown/front-matter.ts'
import type { DocumentCommit, WorkRow } from '../../store/acts.ts'
import type { Context } from '../context/context.ts'
import { NOTICES } from '../context/notices.ts'
import { joinCommits } from './checkpoint-of.ts'
import { requireSize } from './edit-document.ts'
import { currentsOf, type Survey } from './survey.ts'

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
    documents: [{ ...version, path: view.path, base: view.hash, stamp: null, state: 'pending' }],
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

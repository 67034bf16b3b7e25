import { ReasonError } from '../../core/reason.ts'
import { type Context, settleIdentity } from '../context/context.ts'
import { NOTICES } from '../context/notices.ts'
import { workspaceLock } from '../context/workspace-lock.ts'
import type { Here } from '../trust/here.ts'
import { currentsOf, type Survey, surveyDocuments, unsettledPaths } from './survey.ts'

/** A reading verb waits only this long for the lock, then goes on without the newest edits. */
const READER_WAIT_MS = 1_000

interface ReadOptions {
  waitMs?: number
  here?: Here
  /** So many files are read at most; the others wait for who has more time. */
  most?: number
}

/** The documents for a verb that only reads: up to date where that is possible, else as they were. */
export async function readSurvey(
  context: Context,
  { waitMs = READER_WAIT_MS, here, most }: ReadOptions = {},
): Promise<Survey> {
  const survey = await surveyDocuments(context, here)
  if (!(await hasWork(context, survey))) return tellAndReturn(context, survey)
  // A new worktree inherits trust, but has no id yet under which anything could be stored.
  if (survey.trusted && context.identity.workspace === '')
    context.identity = await settleIdentity(context, 'write')
  using lock = await workspaceLock(context, context.identity.workspace, waitMs)
  if (lock === null) {
    context.notices.push(NOTICES.documentsBusy)
    return tellAndReturn(context, survey)
  }
  try {
    // Loaded here, because the parser is not needed if nothing changed.
    const { bringUpToDate } = await import('./bring-up-to-date.ts')
    return tellAndReturn(context, await bringUpToDate(context, survey, most))
  } catch (error) {
    if (!(error instanceof ReasonError)) throw error
    context.notices.push(error.message)
    return tellAndReturn(context, survey)
  }
}

/** Whether something is to be taken in, written or swept. */
export async function hasWork({ store, identity }: Context, survey: Survey): Promise<boolean> {
  if (unsettledPaths(survey).length > 0 || (survey.trusted && survey.leftovers.length > 0)) return true
  return survey.operation === null && (await store.local.listOwedViews(identity.workspace)).length > 0
}

function tellAndReturn(context: Context, survey: Survey): Survey {
  tellProblems(context, survey)
  return survey
}

/** What every verb says that meets it. `isMended`: the verb has just chosen the one in focus. */
export function tellProblems(context: Context, survey: Survey, { isMended = false } = {}): void {
  tellOperation(context, survey.operation)
  for (const { path, line, what, todo } of survey.troubles)
    context.notices.push(NOTICES.documentTrouble(path, line, what, todo))
  if (!isMended)
    tellSeveral(
      context,
      currentsOf(survey).map(({ stream }) => stream),
    )
}

export function tellOperation({ notices }: Context, operation: Survey['operation']): void {
  if (operation !== null) notices.push(NOTICES.gitOperation(operation))
}

export function tellSeveral({ notices }: Context, currents: ReadonlyArray<{ name: string }>): void {
  if (currents.length < 2) return
  notices.push(NOTICES.severalCurrent(currents.map(({ name }) => name)))
}

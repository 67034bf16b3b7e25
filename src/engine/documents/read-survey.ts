import { ReasonError } from '../../core/reason.ts'
import type { WorkRow } from '../../store/acts.ts'
import type { Glance, OverviewRow } from '../../store/local-state.ts'
import { gitOperation } from '../../workspace/git-state.ts'
import { type Context, settleIdentity } from '../context/context.ts'
import { NOTICES } from '../context/notices.ts'
import { workspaceLock } from '../context/workspace-lock.ts'
import type { Here } from '../trust/here.ts'
import { isTrustedHere } from '../trust/trusted.ts'
import {
  currentsOf,
  glanceAt,
  isHere,
  type Survey,
  standingOf,
  surveyDocuments,
  unsettledPaths,
} from './survey.ts'

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
async function hasWork({ store, identity }: Context, survey: Survey): Promise<boolean> {
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

function tellOperation({ notices }: Context, operation: Survey['operation']): void {
  if (operation !== null) notices.push(NOTICES.gitOperation(operation))
}

function tellSeveral({ notices }: Context, currents: ReadonlyArray<{ name: string }>): void {
  if (currents.length < 2) return
  notices.push(NOTICES.severalCurrent(currents.map(({ name }) => name)))
}

type Overview = Pick<Survey, 'trusted' | 'foreign'> & { rows: OverviewRow[] }

/**
 * The documents for a list, of which there may be thousands. Where every file looks as it did when all were as
 * the store has them, the answer is the one of then; else they are brought up to date as for any other verb.
 */
export async function readOverview(context: Context): Promise<Overview> {
  const { store, identity, place } = context
  const glance = glanceAt(place.root)
  const known = glance && (await store.local.readGlance(identity.workspace, glance))
  if (!known) return surveyOverview(context, glance)
  tellOperation(context, gitOperation(place))
  tellSeveral(
    context,
    known.filter(({ path, current, isArchived }) => current && path !== null && !isArchived),
  )
  return { trusted: await isTrustedHere(context), foreign: [], rows: known }
}

async function surveyOverview(context: Context, before: Glance | null): Promise<Overview> {
  const first = await surveyDocuments(context)
  const hadWork = await hasWork(context, first)
  if (!hadWork) tellProblems(context, first)
  const { trusted, foreign } = hadWork ? await readSurvey(context) : first
  // A glance is older than its look: a file that changed between them is seen to be unsettled.
  const glance = hadWork ? glanceAt(context.place.root) : before
  const survey = hadWork ? await surveyDocuments(context) : first
  const rows = survey.rows.map((row) => overviewRowOf(survey, row))
  const isSettled = !hadWork || !(await hasWork(context, survey))
  if (isSettled && glance && trusted && rows.length >= WORTH_REMEMBERING)
    await remember(context, glance, rows)
  return { trusted, foreign, rows }
}

/** The overview cache is optional: a failed write is ignored. */
async function remember({ store, identity }: Context, glance: Glance, rows: OverviewRow[]): Promise<void> {
  try {
    await store.local.putGlance(identity.workspace, glance, rows)
  } catch (error) {
    if (!(error instanceof ReasonError)) throw error
  }
}

/** Fewer documents are compared as fast as they are remembered. */
const WORTH_REMEMBERING = 50

export function overviewRowOf(survey: Pick<Survey, 'files'>, row: WorkRow): OverviewRow {
  const { stream, view, position, focused } = row
  const { document } = position.gist
  return {
    name: stream.name,
    headSequence: stream.headSequence,
    path: isHere(survey, row) ? (view?.path ?? null) : null,
    isArchived: standingOf(row) === 'archived',
    current: view?.current ?? false,
    focused,
    sequence: position.sequence,
    at: position.at,
    foreign: position.foreign,
    created: document?.created ?? '',
    parent: document?.parent ?? null,
    problem: document?.problem ?? '',
    next: document?.next ?? '',
  }
}

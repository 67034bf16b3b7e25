import { ReasonError } from '../../core/reason.ts'
import type { WorkRow } from '../../store/acts.ts'
import type { Glance, OverviewRow } from '../../store/local-state.ts'
import { gitOperation } from '../../workspace/git-state.ts'
import type { Context } from '../context/context.ts'
import { isTrustedHere } from '../trust/trusted.ts'
import { hasWork, readSurvey, tellOperation, tellProblems, tellSeveral } from './read-survey.ts'
import { glanceAt, isHere, type Survey, standingOf, surveyDocuments } from './survey.ts'

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

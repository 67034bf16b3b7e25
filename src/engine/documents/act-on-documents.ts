import { ReasonError } from '../../core/reason.ts'
import { lookTime } from '../../fs/disk.ts'
import type { DocumentCommit } from '../../store/acts.ts'
import type { ViewRow } from '../../store/local-state.ts'
import { afterCommit, type Context } from '../context/context.ts'
import { MOST_ATTEMPTS } from '../context/most-attempts.ts'
import { NOTICES } from '../context/notices.ts'
import { storeBusy, workspaceLockForSave } from '../context/workspace-lock.ts'
import { SAVE_MS } from '../publish/guard.ts'
import type { SettleReport } from '../publish/settle-owed-files.ts'
import { type Here, lookHere } from '../trust/here.ts'
import { recordAct } from './act-record.ts'
import { bringUpToDate } from './bring-up-to-date.ts'
import { documentsIn } from './checkpoint-of.ts'
import { tellProblems } from './read-survey.ts'
import { settleHere } from './rebase.ts'
import type { Survey } from './survey.ts'

/** How often a document that broke this instant gets another look. */
const LOOKS = 3

/** What a verb wants changed, and what it answers once that is done. */
export interface DocumentAct<R> {
  commit: Partial<DocumentCommit>
  answer: R
}

/** Whether the files of an act are on the disk, or follow with the next command. */
export type Files = 'published' | 'pending'

/** An act that was done: its answer, and what of its files is not on the disk. */
export interface ActResult<R> {
  answer: R
  /** What this workspace owes to the disk still. */
  owed: Array<Pick<ViewRow, 'path'>>
  failures: SettleReport['failures']
  /** Why none of them could be written. */
  problem: string | null
  /** What was wrong with documents before, and is not mended by this. */
  troubles: Survey['troubles']
}

/**
 * One act on documents: under the lock, take in what changed, decide, commit, publish. Files that cannot be written
 * are a refusal, and so is an operation of git that is under way.
 */
export async function actOnDocuments<R>(
  context: Context,
  decide: (survey: Survey) => Promise<DocumentAct<R>>,
): Promise<R & { files: Files }> {
  let mine = new Set<string>()
  const { answer, owed, failures } = await actAndReportFailures(context, async (survey) => {
    if (survey.operation !== null) throw new ReasonError('git_in_progress', { operation: survey.operation })
    const decided = await decide(survey)
    mine = streamsOf(decided.commit)
    return decided
  })
  for (const { row, error } of failures) {
    if (!mine.has(row.stream)) context.notices.push(error.message)
    else throw withKeptNote(error)
  }
  if (owed.length > 0 && failures.length === 0) context.notices.push(NOTICES.filesPending)
  return { ...answer, files: owed.length === 0 ? 'published' : 'pending' }
}

/**
 * The same for what must be saved whatever the disk and git do: what is committed is safe, and the rest is told.
 * Somebody in another worktree may have been faster with the same stream: then all of it is done again.
 */
export async function actAndReportFailures<R>(
  context: Context,
  decide: (survey: Survey) => Promise<DocumentAct<R>>,
  given?: Here,
): Promise<ActResult<R>> {
  const { store, identity, ports } = context
  using _lock = await workspaceLockForSave(context)
  const here = given ?? (await lookHere(context))
  for (let attempt = 0; attempt < MOST_ATTEMPTS.documents; attempt += 1) {
    const survey = await bringUpToDate(context, here)
    if (attempt < LOOKS && isBeingSaved(survey, ports.now())) {
      await ports.sleep(SAVE_MS)
      continue
    }
    const { commit, answer } = await decideOrTell(context, survey, decide)
    const recorded = commit.turn ? null : await recordAct(context, survey, commit)
    const committed = await store.acts.commit({
      ...commit,
      workspace: identity.workspace,
      ...(recorded && { act: recorded.act, texts: [...(commit.texts ?? []), ...recorded.texts] }),
    })
    if (!committed.done) continue
    context.act = recorded?.act ?? null
    const settled = await afterCommit(
      context,
      'Writing the files',
      async () => {
        if (survey.operation === null) return { ...(await settleHere(context, here)), problem: null }
        return { owed: await store.local.listOwedViews(identity.workspace), failures: [], problem: null }
      },
      (problem) => ({ owed: pathsOwedBy(commit), failures: [], problem }),
    )
    const owed = new Set(settled.owed.map(({ path }) => path))
    const written = documentsIn(commit).map(({ path }) => path)
    const mended = new Set(written.filter((path) => !owed.has(path)))
    const troubles = survey.troubles.filter(({ path }) => !mended.has(path))
    tellProblems(context, { ...survey, troubles }, { isMended: commit.focus !== undefined })
    return { answer, troubles, ...settled }
  }
  throw storeBusy(context)
}

/** A refusal also reports the problems of the documents: they may be its cause. */
async function decideOrTell<R>(
  context: Context,
  survey: Survey,
  decide: (survey: Survey) => Promise<DocumentAct<R>>,
): Promise<DocumentAct<R>> {
  try {
    return await decide(survey)
  } catch (error) {
    tellProblems(context, survey)
    throw error
  }
}

/** Editors truncate a file before they write it: one that does not parse now may be complete in a moment. */
const isBeingSaved = ({ troubles, files }: Survey, nowMs: number) =>
  troubles.some(({ kind, path }) => kind === 'broken' && nowMs - lookTime(files.get(path) ?? '') < SAVE_MS)

function withKeptNote(error: ReasonError): ReasonError {
  const problem = `${error.data.problem ?? error.message} (the text is saved in the store)`
  return new ReasonError(error.reason, { ...error.data, problem }, { cause: error })
}

/** What a commit alone owes to the disk. */
const pathsOwedBy = ({ views = [] }: Partial<DocumentCommit>) =>
  views.filter(({ state }) => state !== 'published')

/** The streams whose documents it changes, or from which a file goes. */
const streamsOf = ({ views = [] }: Partial<DocumentCommit>) =>
  new Set(
    views
      .filter(({ kind, state }) => kind === 'document' || kind === 'entry' || state === 'leaving')
      .map(({ stream }) => stream),
  )

import type { Context } from '../context/context.ts'
import { MOST_ATTEMPTS } from '../context/most-attempts.ts'
import type { Here } from '../trust/here.ts'
import { settleHere } from './rebase.ts'
import { type Survey, surveyDocuments } from './survey.ts'
import { sweepLeftovers } from './sweep-leftovers.ts'
import { takeIn } from './take-in.ts'

/** Takes in what changed on the disk, of so many files at most, and writes what is owed, for who holds the lock. */
export async function bringUpToDate(context: Context, here: Here, most?: number): Promise<Survey> {
  const { store, identity } = context
  for (let attempt = 0; ; attempt += 1) {
    const survey = await surveyDocuments(context, here)
    await sweepLeftovers(context, survey)
    const { commit, isEmpty, stamps } = await takeIn(context, survey, most)
    if (stamps.length > 0) await store.local.markStamped(identity.workspace, stamps)
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

import { ReasonError, usageError } from '../../core/reason.ts'
import { formatCount } from '../../core/text.ts'
import type { Context } from '../../engine/context/context.ts'
import { NOTICES } from '../../engine/context/notices.ts'
import { actOnDocuments } from '../../engine/documents/act-on-documents.ts'
import { requireRow } from '../../engine/documents/find-stream.ts'
import { pointAt } from '../../engine/documents/point.ts'
import { isHere, surveyDocuments } from '../../engine/documents/survey.ts'
import { requireUser, vouchForWorkspace, withdrawTrust } from '../../engine/trust/give-trust.ts'
import { isTrustedHere, trustHere } from '../../engine/trust/trusted.ts'
import { differenceOf, sayDifference } from '../../formats/checkpoint-md/difference.ts'
import type { WorkRow } from '../../store/acts.ts'
import { defineVerb } from '../define/verb.ts'
import { paintDifference } from '../say/paint-difference.ts'

/**
 * What nobody has reviewed: from the newest text of our own to what stands here. `since` is the newest number before the
 * foreign text, or null where all of it is foreign; `checkpoints` hold it.
 */
async function findUnreviewed(context: Context, row: WorkRow, reviewed: boolean) {
  const { store } = context
  const history = new Map((await store.log.readHistory(row.stream.id)).map((one) => [one.id, one]))
  const checkpoints: string[] = []
  let at = history.get(row.position.checkpoint)
  while (at?.foreign) {
    checkpoints.push(at.id)
    const stored = await store.log.readCheckpoint(at.id)
    at = history.get((stored?.state === 'whole' && stored.checkpoint.parent) || '')
  }
  const now = await pointAt(context, row)
  const before = at ? (await pointAt(context, row, at.sequence)).text : ''
  const { name: id } = row.stream
  const names = { from: at ? `${id}@${at.sequence}` : 'nothing', to: `${id}@${now.sequence}` }
  const diff = sayDifference(differenceOf(before, now.text), names)
  return { id, path: row.view?.path ?? null, since: at?.sequence ?? null, diff, reviewed, checkpoints }
}

export const trust = defineVerb({
  name: 'trust',
  summary: 'Trust this workspace, or review text from git',
  detail:
    "In a trusted workspace your edits to checkpoint documents are imported, and git commands run. Text that came from git and is not on your remote's default branch stays hidden from agents until you review it: --review shows it, --review with names accepts it.",
  fields: {
    ids: { kind: 'words', at: 0, about: 'with --review: documents whose text you accept' },
    review: { kind: 'flag', about: 'show unreviewed text; with names, accept it' },
    off: { kind: 'flag', about: 'remove trust: edits are ignored, and no git command runs' },
  },
  examples: [
    'savepoint trust',
    'savepoint trust --review',
    'savepoint trust --review auth-system',
    'savepoint trust --off',
  ],
  access: 'write',
  takesIn: 'events',
  async perform(context, { ids, review, off }) {
    if (off) return endTrust(context, ids.length > 0 || review)
    const { place } = context
    requireUser(context)
    if (ids.length > 0 && !review)
      throw usageError('names need --review; trust applies to the whole workspace')
    const before = await trustHere(context)
    if (review && before === 'none') throw new ReasonError('workspace_untrusted', { path: place.root })
    const shown = new Map(
      (await surveyDocuments(context)).rows.map((row) => [row.stream.id, row.position.checkpoint]),
    )
    if (!review) await vouchForWorkspace(context)
    return actOnDocuments(context, async (survey) => {
      const named = ids.map((id) => requireRow(survey, id))
      const waiting = named.length > 0 ? named : survey.rows.filter(({ position }) => position.foreign)
      const foreign: Array<Awaited<ReturnType<typeof findUnreviewed>>> = []
      const reviews: string[] = []
      for (const row of waiting) {
        // Text that came in with this very command was never shown: it is shown now, and not accepted.
        const isSeen = shown.get(row.stream.id) === row.position.checkpoint
        const found = await findUnreviewed(context, row, named.length > 0 && isSeen && row.position.foreign)
        if (found.reviewed) reviews.push(...found.checkpoints)
        if (named.length > 0 && !row.position.foreign)
          context.notices.push(NOTICES.nothingToReview(row.stream.name))
        else if (named.length > 0 && !isSeen) context.notices.push(NOTICES.textUnseen(row.stream.name))
        if (row.position.foreign) foreign.push(found)
      }
      return {
        commit: { reviews },
        answer: {
          ...{
            trusted: true,
            wasTrusted: before !== 'none',
            wasVouched: before === 'vouched',
            review,
            foreign,
          },
          takenIn: survey.rows.filter((row) => isHere(survey, row) && !shown.has(row.stream.id)).length,
        },
      }
    })
  },
  say: (answer, { paint }) => {
    if ('path' in answer) return sayEndOfTrust(answer)
    const { wasTrusted, wasVouched, review, takenIn, foreign } = answer
    const waiting = foreign.filter(({ reviewed }) => !reviewed)
    const accepted = foreign.filter(({ reviewed }) => reviewed)
    return [
      ...(review
        ? []
        : [
            wasVouched
              ? 'Already trusted.'
              : wasTrusted
                ? 'Trusted this repository, and what its default branch brings.'
                : `Trusted this repository: your edits to its documents will be imported${takenIn > 0 ? ` (${formatCount(takenIn, 'document')} now)` : ''}. Undo: savepoint trust --off`,
          ]),
      ...(review ? waiting.map(({ diff }) => paintDifference(diff, paint)) : []),
      ...(waiting.length > 0
        ? [
            paint('warn', `Not reviewed: ${waiting.map(({ id }) => id).join(', ')}`),
            review
              ? `Accept: savepoint trust --review ${waiting.map(({ id }) => id).join(' ')}`
              : 'Read it: savepoint trust --review',
          ]
        : []),
      ...accepted.map(({ id }) => `Reviewed ${id}`),
      ...(review && foreign.length === 0 ? ['Nothing to review.'] : []),
    ].join('\n')
  },
})

/** Also an agent may do it: less is told from then on. */
async function endTrust(context: Context, hasMore: boolean) {
  if (hasMore) throw usageError('--off cannot be combined with names or --review')
  const wasTrusted = await isTrustedHere(context)
  await withdrawTrust(context)
  return { trusted: await isTrustedHere(context), wasTrusted, path: context.place.root }
}

function sayEndOfTrust({ trusted, wasTrusted }: Awaited<ReturnType<typeof endTrust>>): string {
  if (trusted) return 'Another worktree of this repository is trusted: run savepoint trust --off there.'
  return wasTrusted ? 'No longer trusted.' : 'Was not trusted.'
}

import type { WorkState } from '../../core/work.ts'
import { countJoined, joinKnowledge, type KnowledgeCount } from '../../policy/join-work.ts'
import { redactAll } from '../../policy/redact.ts'
import type { SaveTarget } from '../../policy/resolve.ts'
import type { DocumentCommit, WorkRow } from '../../store/acts.ts'
import type { Context } from '../context/context.ts'
import { workPoint } from '../documents/checkpoint-of.ts'
import { afterHead } from '../documents/find-stream.ts'
import { workAt } from '../documents/newest-whole-point.ts'
import { isBare, type Survey } from '../documents/survey.ts'
import { branchOf, findEndedBranches } from '../surroundings/ended-branches.ts'

/** Work of a merged branch, and how much of it was new here. */
export interface JoinedWork extends KnowledgeCount {
  stream: string
  /** How many items that were known here it confirmed, reworded or took out. */
  corrections: number
  /** It ended with this save; work that has a document ends when somebody archives it. */
  closed: boolean
}

/**
 * Takes over what branches knew that are merged into this one, and closes their work in the same commit; a document is
 * somebody's file, and stays as it is. Work of another branch, and work that is named, takes over nothing.
 */
export async function joinMerged(
  context: Context,
  survey: Survey,
  { target, row, at, known }: { target: SaveTarget; row: WorkRow | null; at: string; known: WorkState },
) {
  const { branch } = survey.head
  const ofBranch = row && branchOf(row)
  const isTarget = target.why !== 'named' && (ofBranch === null || ofBranch === branch)
  const found = isTarget ? await findEndedBranches(context, survey) : []
  const merged = found.filter((one) => one.how === 'merged' && one.row.stream.id !== row?.stream.id)
  /** What each brings: how much, and the commit that closes its work. */
  const joins: Array<{ joined: JoinedWork; commit: Partial<DocumentCommit> }> = []
  let work = known
  for (const { row: one } of merged) {
    const from = await workAt(context, one.position.checkpoint)
    const closed = isBare(one)
    const end = {
      ...{ stream: one.stream, parent: one.position.checkpoint, after: afterHead(one), foreign: false },
      work: redactAll(from, context.mark),
      triggers: [{ kind: 'manual' as const, note: `merged into ${branch}` }],
      provenance: { branch: branchOf(one), commit: null, author: null },
      completion: { outcome: `Merged into ${branch}`, date: at, learnings: [], merged: true as const },
    }
    joins.push({
      joined: { stream: one.stream.name, ...countJoined(work, from), closed },
      commit: closed ? workPoint(context, end).commit : {},
    })
    work = joinKnowledge(work, from)
  }
  return { merged, joins, work }
}

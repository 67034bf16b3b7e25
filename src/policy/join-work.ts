import { formatCount } from '../core/text.ts'
import { newItems, stands, type WorkState } from '../core/work.ts'
import { withoutCorrected } from './correct.ts'
import { inheritWork } from './save.ts'

/** How much of what holds beyond one task: what work inherits, and what comes back with a merge. */
export interface KnowledgeCount {
  decisions: number
  rules: number
  constraints: number
  facts: number
  learnings: number
}

/** What holds beyond the task in one work, and is not known in another; what was taken back there does not come again. */
export function newKnowledge(known: WorkState, from: WorkState): WorkState {
  const work = inheritWork(from)
  return {
    ...work,
    decisions: withoutCorrected(known, 'decisions', newItems(known.decisions, work.decisions)),
    constraints: withoutCorrected(known, 'constraints', newItems(known.constraints, work.constraints)),
    rules: withoutCorrected(known, 'rules', newItems(known.rules, work.rules)),
    facts: withoutCorrected(known, 'facts', newItems(known.facts, work.facts)),
    references: newItems(known.references, work.references),
  }
}

/**
 * The work with what another one knew beyond its task. A decision that the other one replaced is replaced here too,
 * by the same successor: both would stand otherwise. One that was replaced here stays so.
 */
export function joinKnowledge(known: WorkState, from: WorkState): WorkState {
  const fresh = newKnowledge(known, from)
  const standing = new Set(from.decisions.filter(stands).map(({ text }) => text))
  const successors = new Map(
    from.decisions.flatMap(({ text, supersededBy }) =>
      supersededBy !== null && standing.has(supersededBy) ? [[text, supersededBy] as const] : [],
    ),
  )
  return {
    ...known,
    decisions: [
      ...known.decisions.map((one) =>
        stands(one) ? { ...one, supersededBy: successors.get(one.text) ?? null } : one,
      ),
      ...fresh.decisions,
    ],
    constraints: [...known.constraints, ...fresh.constraints],
    rules: [...known.rules, ...fresh.rules],
    facts: [...known.facts, ...fresh.facts],
    references: [...known.references, ...fresh.references],
  }
}

export const countKnowledge = (work: WorkState): KnowledgeCount => ({
  decisions: work.decisions.filter(stands).length,
  rules: work.rules.length,
  constraints: work.constraints.length,
  facts: work.facts.length,
  learnings: work.references.filter(({ kind }) => kind === 'learning').length,
})

/** `2 decisions and 1 rule`; empty where there is nothing. */
export function describeKnowledge({
  decisions,
  rules,
  constraints,
  facts,
  learnings,
}: KnowledgeCount): string {
  const parts = (
    [
      [decisions, 'decision'],
      [rules, 'rule'],
      [constraints, 'constraint'],
      [facts, 'fact'],
      [learnings, 'learning'],
    ] as const
  )
    .filter(([number]) => number > 0)
    .map(([number, noun]) => formatCount(number, noun))
  const last = parts.pop() ?? ''
  return parts.length === 0 ? last : `${parts.join(', ')} and ${last}`
}

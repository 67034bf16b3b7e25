import { comparableText, formatCount } from '../core/text.ts'
import { type Claim, type Decision, newItems, stands, type WorkState } from '../core/work.ts'
import { followCorrections, withoutCorrected } from './correct.ts'
import { inheritWork } from './save.ts'

/** How much of what holds beyond one task: what work inherits, and what comes back with a merge. */
export interface KnowledgeCount {
  decisions: number
  rejections: number
  rules: number
  constraints: number
  facts: number
  learnings: number
}

const FIELDS = ['decisions', 'constraints', 'rules', 'facts'] as const

/** The second thoughts of another work, about what holds beyond its task. */
const followKnowledge = (known: WorkState, from: WorkState): WorkState =>
  followCorrections(known, {
    ...from,
    corrected: (from.corrected ?? []).filter(({ field }) => FIELDS.some((one) => one === field)),
  })

/** What holds beyond the task in one work, and is not known in another; what was taken back there does not come again. */
export function newKnowledge(known: WorkState, from: WorkState): WorkState {
  const work = inheritWork(from)
  const rejected = new Set(known.decisions.filter(isRejection).map(({ text }) => comparableText(text)))
  const isNews = (one: Decision) => isRejection(one) && !rejected.has(comparableText(one.text))
  return {
    ...work,
    decisions: [
      ...withoutCorrected(known, 'decisions', newItems(known.decisions, work.decisions.filter(stands))),
      ...work.decisions.filter(isNews),
    ],
    constraints: withoutCorrected(known, 'constraints', newItems(known.constraints, work.constraints)),
    rules: withoutCorrected(known, 'rules', newItems(known.rules, work.rules)),
    facts: withoutCorrected(known, 'facts', newItems(known.facts, work.facts)),
    references: newItems(known.references, work.references),
  }
}

/**
 * The work with what another one knew beyond its task, and with its second thoughts. A decision that the other one
 * replaced is replaced here too, by the same successor: both would stand otherwise. One that was replaced here stays so.
 */
export function joinKnowledge(before: WorkState, from: WorkState): WorkState {
  const known = followKnowledge(before, from)
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

/** What a join brings: what is new, and how many known items it confirms, rewords or takes out. */
export function countJoined(before: WorkState, from: WorkState): KnowledgeCount & { corrections: number } {
  const known = followKnowledge(before, from)
  const { rejections } = countKnowledge(newKnowledge(before, from))
  const isKept = (item: Claim, items: readonly Claim[]) => {
    const now = items.find(({ text }) => text === item.text)
    return now !== undefined && now.confirmed === item.confirmed
  }
  const changed = FIELDS.flatMap((field) => before[field].filter((item) => !isKept(item, known[field])))
  const against = new Set(known.decisions.filter(isRejection).map(({ text }) => comparableText(text)))
  const corrections = changed.filter(({ text }) => !against.has(comparableText(text))).length
  return { ...countKnowledge(newKnowledge(known, from)), rejections, corrections }
}

const isRejection = ({ rejected, supersededBy }: Decision) => rejected !== undefined && supersededBy !== null

export const countKnowledge = (work: WorkState): KnowledgeCount => ({
  decisions: work.decisions.filter(stands).length,
  rejections: work.decisions.filter(isRejection).length,
  rules: work.rules.length,
  constraints: work.constraints.length,
  facts: work.facts.length,
  learnings: work.references.filter(({ kind }) => kind === 'learning').length,
})

/** `2 decisions and 1 rule`; empty where there is nothing. */
export function describeKnowledge({
  decisions,
  rejections,
  rules,
  constraints,
  facts,
  learnings,
  corrections = 0,
}: KnowledgeCount & { corrections?: number }): string {
  const parts = (
    [
      [decisions, 'decision'],
      [rejections, 'rejection'],
      [rules, 'rule'],
      [constraints, 'constraint'],
      [facts, 'fact'],
      [learnings, 'learning'],
      [corrections, 'correction'],
    ] as const
  )
    .filter(([number]) => number > 0)
    .map(([number, noun]) => formatCount(number, noun))
  const last = parts.pop() ?? ''
  return parts.length === 0 ? last : `${parts.join(', ')} and ${last}`
}

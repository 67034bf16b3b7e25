import { comparableText, formatCount } from '../core/text.ts'
import {
  type Claim,
  type CorrectableField,
  isRejection,
  KNOWLEDGE,
  newItems,
  rejectionsIn,
  stands,
  type WorkState,
} from '../core/work.ts'
import { carryForward } from './carry.ts'
import { followCorrections, withoutCorrected } from './correct.ts'
import { inheritWork } from './save.ts'

export type Knowledge = Pick<WorkState, (typeof KNOWLEDGE)[number] | 'references'>

/** What holds beyond one task, by what it is called: what work inherits, and what comes back with a merge. */
const KINDS = {
  decisions: ({ decisions }: Knowledge) => decisions.filter(stands),
  rejections: ({ decisions }: Knowledge) => decisions.filter(isRejection),
  rules: ({ rules }: Knowledge) => rules,
  constraints: ({ constraints }: Knowledge) => constraints,
  facts: ({ facts }: Knowledge) => facts,
  learnings: ({ references }: Knowledge) => references.filter(({ kind }) => kind === 'learning'),
}

export type KnowledgeCount = Record<keyof typeof KINDS, number>

/** The second thoughts of another work, about what holds beyond its task. */
const followKnowledge = (known: WorkState, from: WorkState): WorkState =>
  followCorrections(known, {
    ...from,
    corrected: (from.corrected ?? []).filter(({ field }) => KNOWLEDGE.some((one) => one === field)),
  })

/** What holds beyond the task in one work, and is not known in another; what was taken back there does not come again. */
export function newKnowledge(known: WorkState, from: WorkState): Knowledge {
  const { decisions, constraints, rules, facts, references } = inheritWork(from)
  const rejections = rejectionsIn(known)
  const newOf = <Item extends { text: string }>(field: CorrectableField, items: Item[]) =>
    withoutCorrected(known, field, newItems(known[field], items))
  return {
    decisions: [
      ...newOf('decisions', decisions.filter(stands)),
      ...decisions.filter((one) => isRejection(one) && !rejections.has(comparableText(one.text))),
    ],
    constraints: newOf('constraints', constraints),
    rules: newOf('rules', rules),
    facts: newOf('facts', facts),
    references: newItems(known.references, references),
  }
}

/**
 * The work with what another one knew beyond its task, and with its second thoughts. A decision that the other one
 * replaced is replaced here too, by the same successor: both would stand otherwise. One that was replaced here stays so.
 */
export function joinKnowledge(before: WorkState, from: WorkState): WorkState {
  const known = followKnowledge(before, from)
  const standing = new Set(from.decisions.filter(stands).map(({ text }) => text))
  const successors = new Map(
    from.decisions.flatMap(({ text, supersededBy }) =>
      supersededBy !== null && standing.has(supersededBy) ? [[text, supersededBy] as const] : [],
    ),
  )
  const decisions = known.decisions.map((one) =>
    stands(one) ? { ...one, supersededBy: successors.get(one.text) ?? null } : one,
  )
  return carryForward({ ...known, decisions }, newKnowledge(known, from))
}

/** What a join brings: what is new, and how many known items it confirms, rewords or takes out. */
export function countJoined(before: WorkState, from: WorkState): KnowledgeCount & { corrections: number } {
  const known = followKnowledge(before, from)
  const { rejections } = countKnowledge(newKnowledge(before, from))
  const isKept = (item: Claim, items: readonly Claim[]) => {
    const now = items.find(({ text }) => text === item.text)
    return now !== undefined && now.confirmed === item.confirmed
  }
  const changed = KNOWLEDGE.flatMap((field) => before[field].filter((item) => !isKept(item, known[field])))
  const against = rejectionsIn(known)
  const corrections = changed.filter(({ text }) => !against.has(comparableText(text))).length
  return { ...countKnowledge(newKnowledge(known, from)), rejections, corrections }
}

// `as`: every key is filled from the table of keys.
export const countKnowledge = (work: Knowledge) =>
  Object.fromEntries(
    Object.entries(KINDS).map(([name, listIn]) => [name, listIn(work).length]),
  ) as KnowledgeCount

/** `2 decisions and 1 rule`; empty where there is nothing. */
export function describeKnowledge(count: KnowledgeCount & { corrections?: number }): string {
  const parts = [...Object.keys(KINDS), 'corrections'].flatMap((name) => {
    const number: number = Reflect.get(count, name) ?? 0
    return number > 0 ? [formatCount(number, name.replace(/s$/, ''))] : []
  })
  const last = parts.pop() ?? ''
  return parts.length === 0 ? last : `${parts.join(', ')} and ${last}`
}

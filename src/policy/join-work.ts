import { comparableText, formatCount } from '../core/text.ts'
import { type Claim, type Decision, newItems, stands, type WorkState } from '../core/work.ts'
import { followCorrections, withoutCorrected } from './correct.ts'
import { inheritWork } from './save.ts'

/** What holds beyond one task, by what it is called: what work inherits, and what comes back with a merge. */
const KNOWLEDGE = {
  decisions: ({ decisions }: WorkState) => decisions.filter(stands),
  rejections: ({ decisions }: WorkState) => decisions.filter(isRejection),
  rules: ({ rules }: WorkState) => rules,
  constraints: ({ constraints }: WorkState) => constraints,
  facts: ({ facts }: WorkState) => facts,
  learnings: ({ references }: WorkState) => references.filter(({ kind }) => kind === 'learning'),
}

export type KnowledgeCount = Record<keyof typeof KNOWLEDGE, number>

const LISTS = ['constraints', 'rules', 'facts'] as const
const FIELDS = ['decisions', ...LISTS] as const

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
  const fresh = LISTS.map((field) => [
    field,
    withoutCorrected(known, field, newItems(known[field], work[field])),
  ])
  return {
    ...work,
    decisions: [
      ...withoutCorrected(known, 'decisions', newItems(known.decisions, work.decisions.filter(stands))),
      ...work.decisions.filter(isNews),
    ],
    ...Object.fromEntries(fresh),
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
  const decisions = known.decisions.map((one) =>
    stands(one) ? { ...one, supersededBy: successors.get(one.text) ?? null } : one,
  )
  return {
    ...known,
    decisions: [...decisions, ...fresh.decisions],
    ...Object.fromEntries(LISTS.map((field) => [field, [...known[field], ...fresh[field]]])),
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

// `as`: every key is filled from the table of keys.
export const countKnowledge = (work: WorkState) =>
  Object.fromEntries(
    Object.entries(KNOWLEDGE).map(([name, listIn]) => [name, listIn(work).length]),
  ) as KnowledgeCount

/** `2 decisions and 1 rule`; empty where there is nothing. */
export function describeKnowledge(count: KnowledgeCount & { corrections?: number }): string {
  const parts = [...Object.keys(KNOWLEDGE), 'corrections'].flatMap((name) => {
    const number: number = Reflect.get(count, name) ?? 0
    return number > 0 ? [formatCount(number, name.replace(/s$/, ''))] : []
  })
  const last = parts.pop() ?? ''
  return parts.length === 0 ? last : `${parts.join(', ')} and ${last}`
}

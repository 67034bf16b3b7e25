import { decodeBlock, decodeClaim, decodeItems, encodeBlock, encodeClaim, encodeItems } from './bullets.ts'
import { decisionOf, decisionSentence } from './decision.ts'
import type { Claim, Decision, WorkState } from './work.ts'

/** Claims as a list, each marked where nobody confirmed it. */
const encodeClaims = (list: readonly Claim[]) =>
  encodeItems(list.map(({ text, confirmed }) => encodeClaim(text, confirmed)))

export const decodeClaims = (body: string): Claim[] =>
  decodeItems(body).flatMap((item) => decodeClaim(item) ?? [])

/** The decisions that stand, each a sentence with its reason. */
const encodeDecisions = (decisions: readonly Decision[]) =>
  encodeClaims(
    decisions
      .filter(({ supersededBy }) => supersededBy === null)
      .map((one) => ({ ...one, text: decisionSentence(one) })),
  )

/** A decision that was rejected: struck out, with the reason. */
const encodeRejection = ({ text, rejected = '' }: Decision) =>
  encodeClaim(`~~${text.replaceAll('~~', '')}~~ rejected${rejected === '' ? '' : `: ${rejected}`}`, true)

const decodeDecisions = (body: string): Decision[] =>
  decodeClaims(body).map((one) => {
    const [, text, rejected = ''] = /^~~(.+?)~~ rejected(?:: (.*))?$/s.exec(one.text) ?? []
    return text === undefined
      ? { ...one, ...decisionOf(one.text), supersededBy: null }
      : { ...one, text, why: '', supersededBy: text, rejected }
  })

/** How a part of the work stands in the body of a section. */
export interface BodyCodec {
  encode(work: WorkState): string
  decode(body: string): Partial<WorkState>
}

const codecOf = <Field extends keyof WorkState>(
  field: Field,
  encode: (value: WorkState[Field]) => string,
  decode: (body: string) => WorkState[Field],
): BodyCodec => ({
  encode: (work) => encode(work[field]),
  // `as`: the compiler does not know that one field of a type is a part of it.
  decode: (body) => ({ [field]: decode(body) }) as Partial<WorkState>,
})

const encodeTexts = (list: ReadonlyArray<{ text: string }>) => encodeItems(list.map(({ text }) => text))
const decodeTexts = (body: string) => decodeItems(body).map((text) => ({ text }))

/** The fields that a ledger and a handoff write in the same way. */
export const FIELD_BODIES = {
  problem: codecOf('problem', encodeBlock, decodeBlock),
  intent: codecOf('intent', encodeBlock, decodeBlock),
  state: codecOf('state', encodeBlock, decodeBlock),
  now: codecOf('now', encodeBlock, decodeBlock),
  decisions: codecOf('decisions', encodeDecisions, decodeDecisions),
  constraints: codecOf('constraints', encodeClaims, decodeClaims),
  rules: codecOf('rules', encodeClaims, decodeClaims),
  facts: codecOf('facts', encodeClaims, decodeClaims),
  questions: codecOf('questions', encodeClaims, decodeClaims),
  done: codecOf('done', encodeTexts, (body) => decodeTexts(body).map(({ text }) => ({ text, at: null }))),
  next: codecOf('next', encodeTexts, decodeTexts),
  blockers: codecOf('blockers', encodeTexts, decodeTexts),
} as const satisfies Partial<Record<keyof WorkState, BodyCodec>>

/** The decisions that stand, and those that were rejected: whoever goes on must not try them again. */
export const DECISIONS_AND_REJECTIONS: BodyCodec = {
  ...FIELD_BODIES.decisions,
  encode: ({ decisions }) =>
    [
      encodeDecisions(decisions),
      encodeItems(
        decisions
          .filter(({ supersededBy, rejected }) => supersededBy !== null && rejected !== undefined)
          .map(encodeRejection),
      ),
    ]
      .filter((list) => list !== '')
      .join('\n'),
}

/** A heading over other sections: it has no body of its own. */
export const NO_BODY: BodyCodec = { encode: () => '', decode: () => ({}) }

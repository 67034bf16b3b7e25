import { decodeClaim, decodeItems, encodeClaim, encodeItems } from './bullets.ts'
import { decisionOf, decisionSentence } from './decision.ts'
import type { Claim, Decision } from './work.ts'

/** Claims as a list, each marked where nobody confirmed it. */
export const encodeClaims = (list: readonly Claim[]) =>
  encodeItems(list.map(({ text, confirmed }) => encodeClaim(text, confirmed)))

export const decodeClaims = (body: string): Claim[] =>
  decodeItems(body).flatMap((item) => decodeClaim(item) ?? [])

/** The decisions that stand, each a sentence with its reason. */
export const encodeDecisions = (decisions: readonly Decision[]) =>
  encodeClaims(
    decisions
      .filter(({ supersededBy }) => supersededBy === null)
      .map((one) => ({ ...one, text: decisionSentence(one) })),
  )

export const decodeDecisions = (body: string): Decision[] =>
  decodeClaims(body).map((one) => ({ ...one, ...decisionOf(one.text), supersededBy: null }))

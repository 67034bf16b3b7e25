import {
  decodeBlock,
  decodeClaim,
  decodeItems,
  encodeBlock,
  encodeClaim,
  encodeItems,
  plainLine,
  plainText,
} from './bullets.ts'
import { decisionOf, decisionSentence } from './decision.ts'
import type { Breadcrumb, Claim, Decision, WorkState } from './work.ts'

/** Claims as a list, each marked where nobody confirmed it. */
const encodeClaims = (list: readonly Claim[]) =>
  encodeItems(list.map(({ text, confirmed }) => encodeClaim(text, confirmed)))

export const decodeClaims = (body: string): Claim[] =>
  decodeItems(body).flatMap((item) => decodeClaim(item) ?? [])

/** What became of a decision that does not stand, behind its words. */
const FATES = { rejected: ' rejected', superseded: ' superseded by' } as const

/** A decision as a sentence with its reason; struck out where it was rejected or superseded, with what it was. */
function encodeDecision(decision: Decision): string {
  const { supersededBy, rejected, confirmed } = decision
  const sentence = plainText(decisionSentence(decision))
  if (supersededBy === null || sentence === '')
    return encodeClaim(sentence.replace(/^(?=\\*~~)/, '\\'), confirmed)
  const by = supersededBy === decision.text ? '' : plainText(supersededBy)
  const [fate, about] =
    rejected === undefined ? [by === '' ? '' : FATES.superseded, by] : [FATES.rejected, plainText(rejected)]
  const struck = `~~${sentence.replaceAll('~', '\\~')}~~`
  return encodeClaim(`${struck}${fate}${about === '' ? '' : `: ${about}`}`, confirmed)
}

const STRUCK = /^~~((?:\\~|[^~])+)~~(?:( rejected| superseded by)(?:: (.*))?)?$/s

function decodeDecision(claim: Claim): Decision {
  const [, struck, fate, about = ''] = STRUCK.exec(claim.text) ?? []
  if (struck === undefined)
    return { ...claim, ...decisionOf(claim.text.replace(/^\\(?=\\*~~)/, '')), supersededBy: null }
  const said = decisionOf(struck.replaceAll('\\~', '~'))
  return {
    ...{ ...claim, ...said, supersededBy: (fate === FATES.superseded && about) || said.text },
    ...(fate === FATES.rejected ? { rejected: about } : {}),
  }
}

const encodeDecisions = (decisions: readonly Decision[]) => encodeItems(decisions.map(encodeDecision))
const decodeDecisions = (body: string) => decodeClaims(body).map(decodeDecision)

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

/** A reference as one item: `kind: text`. */
export const encodeReference = ({ kind, text }: Breadcrumb) =>
  plainLine(text) === '' ? '' : `${plainLine(kind).replaceAll(':', ' ').trim() || 'note'}: ${text}`

export function decodeReference(item: string): Breadcrumb {
  const [label, kind] = /^([^:\n]{1,40}):\s+/.exec(item) ?? []
  const text = label === undefined ? '' : item.slice(label.length)
  return kind === undefined || text === '' ? { kind: 'note', text: item } : { kind: kind.trim(), text }
}

/** A heading over other sections: it has no body of its own. */
export const NO_BODY: BodyCodec = { encode: () => '', decode: () => ({}) }

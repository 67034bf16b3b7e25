import { encodeItems, encodeLine, plainLine } from '../../core/bullets.ts'
import { type BodyCodec, FIELD_BODIES, NO_BODY } from '../../core/claims.ts'
import { type OutlinePart, outlinePartsOf, titleKey } from '../../core/outline.ts'
import { visible } from '../../core/visible.ts'
import type { WorkState } from '../../core/work.ts'
import { PROBLEM, RULES_AND_FACTS, STATE_AND_POSITION, withLabels } from './labels.ts'
import { WORKING_SET } from './working-set.ts'

export const TITLE = 'Session Ledger'
export const STATE = 'State'

export type LedgerSection = BodyCodec & { heading: string }

/** The ledger's sections in their order: how each is written, and what it says about the work. */
export const LEDGER_SECTIONS: readonly LedgerSection[] = [
  { heading: '## Goal', ...withLabels(FIELD_BODIES.intent, PROBLEM) },
  { heading: '## Constraints/Assumptions', ...withLabels(FIELD_BODIES.constraints, RULES_AND_FACTS) },
  { heading: '## Key Decisions', ...FIELD_BODIES.decisions },
  { heading: `## ${STATE}`, ...NO_BODY },
  { heading: '### Done', ...FIELD_BODIES.done },
  { heading: '### Now', ...withLabels(FIELD_BODIES.now, STATE_AND_POSITION) },
  {
    heading: '### Next',
    ...FIELD_BODIES.next,
    encode: ({ next }) => encodeNext(next.map(({ text }) => text)),
  },
  { heading: '## Open Questions', ...FIELD_BODIES.questions },
  { heading: '## Working Set', ...WORKING_SET },
]

/** Fields that stand in labelled bullets alone: a ledger without such a bullet says nothing about them. */
const LABELLED = ['problem', 'rules', 'facts', 'state', 'blockers'] as const

/** The next step stands alone, without a bullet; several are a list. */
function encodeNext(texts: readonly string[]): string {
  const [first = '', ...rest] = texts.filter((text) => plainLine(text) !== '')
  return rest.length === 0 && !/[\r\n]/.test(first.trim()) ? encodeLine(first) : encodeItems(texts)
}

export const updatedLine = (at: string) => `_Last updated: ${plainLine(at)}_`

/** The ledger as a whole. */
export function encodeLedger(work: WorkState, { at }: { at: string }): string {
  const sections = LEDGER_SECTIONS.map((section) => writeSection(section, work))
  return `${[`# ${TITLE}\n${updatedLine(at)}`, ...sections].join('\n\n')}\n`
}

export const writeSection = ({ heading, encode }: LedgerSection, work: WorkState) =>
  `${heading}\n${encode(work)}`.trimEnd()

export const keyOf = ({ heading }: LedgerSection) => titleKey(heading)

/** The sections of the ledger in a text, each the first of its name. One inside a section of people's own is theirs. */
export function knownParts(parts: readonly OutlinePart[]): Map<string, OutlinePart> {
  const known = new Map<string, OutlinePart>()
  for (const part of parts) {
    const isOurs = LEDGER_SECTIONS.some((section) => keyOf(section) === part.key) && !known.has(part.key)
    const { parent } = part
    if (isOurs && (parent === null || parent.level === 1 || known.get(parent.key) === parent))
      known.set(part.key, part)
  }
  return known
}

/**
 * All that a page says, however people wrote it: a section that is there says all of its fields, also that one is
 * empty. A section that is missing says nothing: its fields are not there.
 */
export function decodeLedgerPage(text: string): Partial<WorkState> {
  const known = knownParts(outlinePartsOf(text))
  let work: Partial<WorkState> = {}
  for (const section of LEDGER_SECTIONS) {
    const part = known.get(keyOf(section))
    if (part) work = { ...work, ...section.decode(text.slice(part.bodyStart, part.bodyEnd)) }
  }
  return work
}

/** What a ledger says where nothing is known of the page before it: a label that is not used says nothing. */
export function decodeLedger(text: string): Partial<WorkState> {
  const work = decodeLedgerPage(text)
  for (const field of LABELLED) if (work[field]?.length === 0) delete work[field]
  return work
}

export const LEDGER_SKIPPED = 'Checkpoint skipped - session.ledger not enabled in .agents.yml'

/** What is said after a ledger was written. */
export function sayLedger(said: {
  path: string
  goal: string
  done: number
  now: string
  next: string
}): string {
  const line = (text: string) => visible(plainLine(text)) || 'none'
  return [
    `Checkpoint saved to ${visible(said.path)}`,
    `- Goal: ${line(said.goal)}`,
    `- State: ${said.done} done, now: ${line(said.now)}, next: ${line(said.next)}`,
  ].join('\n')
}

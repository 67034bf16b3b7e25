import {
  decodeItems,
  decodeNames,
  encodeItem,
  encodeItems,
  encodeLine,
  encodeNames,
  plainLine,
} from '../../core/bullets.ts'
import { type BodyCodec, FIELD_BODIES, NO_BODY } from '../../core/claims.ts'
import { type OutlinePart, outlinePartsOf, titleKey } from '../../core/outline.ts'
import { visible } from '../../core/visible.ts'
import type { WorkState } from '../../core/work.ts'

export const TITLE = 'Session Ledger'
export const STATE = 'State'

export type LedgerSection = BodyCodec & { heading: string }

/** The ledger's sections in their order: how each is written, and what it says about the work. */
export const LEDGER_SECTIONS: readonly LedgerSection[] = [
  { heading: '## Goal', ...FIELD_BODIES.intent },
  { heading: '## Constraints/Assumptions', ...FIELD_BODIES.constraints },
  { heading: '## Key Decisions', ...FIELD_BODIES.decisions },
  { heading: `## ${STATE}`, ...NO_BODY },
  { heading: '### Done', ...FIELD_BODIES.done },
  { heading: '### Now', ...FIELD_BODIES.now },
  {
    heading: '### Next',
    ...FIELD_BODIES.next,
    encode: ({ next }) => encodeNext(next.map(({ text }) => text)),
  },
  { heading: '## Open Questions', ...FIELD_BODIES.questions },
  { heading: '## Working Set', encode: encodeWorkingSet, decode: decodeWorkingSet },
]

/** The next step stands alone, without a bullet; several are a list. */
function encodeNext(texts: readonly string[]): string {
  const [first = '', ...rest] = texts.filter((text) => plainLine(text) !== '')
  return rest.length === 0 && !/[\r\n]/.test(first.trim()) ? encodeLine(first) : encodeItems(texts)
}

function encodeWorkingSet({ artifacts, references }: WorkState): string {
  const files = artifacts.filter(({ action }) => !/^deleted$/i.test(action.trim())).map(({ path }) => path)
  const textsOf = (kind: string) => references.filter((one) => one.kind === kind).map(({ text }) => text)
  return [
    `- Files: ${encodeNames(files)}`,
    `- IDs: ${encodeNames(textsOf('id'))}`,
    `- Commands: ${encodeNames(textsOf('command'))}`,
  ]
    .map((line) => line.trimEnd())
    .join('\n')
}

const LABEL = /^[*_]*(files?|ids?|commands?)[*_]*[ \t]*:[*_]*[ \t]*/i

/** Bullets that people added to the working set under labels of their own. */
export const foreignBullets = (body: string) =>
  decodeItems(body)
    .filter((item) => !LABEL.test(item))
    .map(encodeItem)

function decodeWorkingSet(body: string): Partial<WorkState> {
  const found = { file: [] as string[], id: [] as string[], command: [] as string[] }
  for (const item of decodeItems(body)) {
    const [label = '', word = ''] = LABEL.exec(item) ?? []
    const kind = word.toLowerCase().replace(/s$/, '')
    if (kind === 'file' || kind === 'id' || kind === 'command')
      found[kind] = found[kind].concat(decodeNames(item.slice(label.length)))
  }
  return {
    artifacts: found.file.map((path) => ({ path, action: '', description: '' })),
    references: [
      ...found.id.map((text) => ({ kind: 'id', text })),
      ...found.command.map((text) => ({ kind: 'command', text })),
    ],
  }
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

/** What a ledger says, however people wrote it. A section that is missing says nothing: its field is not there. */
export function decodeLedger(text: string): Partial<WorkState> {
  const known = knownParts(outlinePartsOf(text))
  let work: Partial<WorkState> = {}
  for (const section of LEDGER_SECTIONS) {
    const part = known.get(keyOf(section))
    if (part) work = { ...work, ...section.decode(text.slice(part.bodyStart, part.bodyEnd)) }
  }
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

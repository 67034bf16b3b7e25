import {
  type CheckpointDocument,
  decodeDocument,
  listItems,
  SECTIONS,
  type SectionName,
  sectionText,
} from './codec.ts'
import { tableRows } from './table.ts'

export interface Finding {
  level: 'error' | 'warning'
  line: number
  what: string
  mend: string
}

/** What a document's neighbours say about it. */
export interface Surroundings {
  /** Every id that exists, with its parent. */
  parents: ReadonlyMap<string, string | null>
  /** The other documents of the same folder that claim to be current. */
  otherCurrent: readonly string[]
  archived: boolean
}

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/
const LOCAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?$/
const DATE = /^\d{4}-\d\d-\d\d$/

/** Everything that is wrong with a document by the format's own rules, each with its line and a way to mend it. */
export function validateDocument(text: string, around: Surroundings): Finding[] {
  const findings: Finding[] = []
  const document = decodeDocument(text)
  const tell = (level: Finding['level'], line: number, what: string, mend: string) =>
    findings.push({ level, line, what, mend })
  checkFront(document, around, tell)
  checkSections(document, tell)
  checkDeltas(document, tell)
  checkCompletion(document, around, tell)
  return findings.sort((a, b) => a.line - b.line)
}

type Tell = (level: Finding['level'], line: number, what: string, mend: string) => void

function checkFront({ front }: CheckpointDocument, around: Surroundings, tell: Tell): void {
  if (front === null) {
    tell(
      'error',
      1,
      'the front matter is missing',
      'Begin the file with a line `---`, the keys, and a line `---`.',
    )
    return
  }
  if (front.problem !== null)
    tell('error', 2, `the front matter does not parse: ${front.problem}`, 'Mend the YAML.')
  const id = front.fields.get('checkpoint')
  if (!id?.value)
    tell('error', id?.line ?? 1, '`checkpoint` is missing', 'Add `checkpoint: <id>` to the front matter.')
  checkTime('created', true, front, tell)
  checkTime('last_delta', false, front, tell)
  const status = front.fields.get('status')
  if (status && !['current', 'active'].includes(status.value) && !around.archived)
    tell(
      'error',
      status.line,
      `\`status\` is "${status.value}"`,
      'Write `current` or `active`, or leave it out.',
    )
  if (status?.value === 'current' && !around.archived && around.otherCurrent.length > 0)
    tell(
      'error',
      status.line,
      `${around.otherCurrent.join(', ')} is current as well`,
      `Run \`savepoint focus ${id?.value ?? '<id>'}\`: it clears the others.`,
    )
  const parent = front.fields.get('parent')
  if (parent?.value) checkParent(id?.value ?? '', parent, around.parents, tell)
}

function checkTime(
  key: string,
  required: boolean,
  front: NonNullable<CheckpointDocument['front']>,
  tell: Tell,
): void {
  const field = front.fields.get(key)
  if (!field?.value) {
    if (required || field)
      tell('error', field?.line ?? 1, `\`${key}\` is missing`, `Add \`${key}: 2026-01-31T12:00:00Z\`.`)
    return
  }
  const real = !Number.isNaN(Date.parse(field.value))
  if (real && TIMESTAMP.test(field.value)) return
  if (real && (DATE.test(field.value) || LOCAL.test(field.value)))
    tell(
      'warning',
      field.line,
      `\`${key}\` has no time zone`,
      `Write a whole timestamp: \`${key}: ${field.value.slice(0, 10)}T12:00:00Z\`.`,
    )
  else
    tell(
      'error',
      field.line,
      `\`${key}\` is not an ISO-8601 timestamp: "${field.value}"`,
      'Write it like 2026-01-31T12:00:00Z.',
    )
}

function checkParent(
  id: string,
  parent: { value: string; line: number },
  parents: ReadonlyMap<string, string | null>,
  tell: Tell,
): void {
  if (!parents.has(parent.value)) {
    tell(
      'error',
      parent.line,
      `the parent ${parent.value} does not exist`,
      'Name an existing checkpoint, or take `parent` out.',
    )
    return
  }
  const seen = new Set([id])
  for (let up: string | null = parent.value; up !== null; up = parents.get(up) ?? null) {
    if (seen.has(up)) {
      tell(
        'error',
        parent.line,
        `the parents go in a circle: ${[...seen, up].join(' → ')}`,
        'Take `parent` out of one of them.',
      )
      return
    }
    seen.add(up)
  }
}

function checkSections(document: CheckpointDocument, tell: Tell): void {
  for (const [name, { required, level }] of Object.entries(SECTIONS)) {
    // `as`: these are the table's own keys.
    const section = name as SectionName
    const found = document.sections.get(section) ?? []
    const [first, second] = found
    if (!first) {
      if (required)
        tell(
          'error',
          1,
          `the section ${name} is missing`,
          `Add \`${'#'.repeat(level)} ${name}\` and fill it.`,
        )
      continue
    }
    if (second) tell('warning', second.line, `the section ${name} is there twice`, 'Join them.')
    if (required && section !== 'Essential Information' && !isFilled(sectionText(document, section)))
      tell(
        'error',
        first.line,
        `the section ${name} is empty`,
        'Write what a fresh reader needs; comments do not count.',
      )
  }
}

/** Content beyond comments, placeholders in brackets, and a table without rows. */
export function isFilled(text: string): boolean {
  if (
    text.includes('|') &&
    /^\s*\|?[ \t]*:?-+/m.test(text) &&
    tableRows(text).some((row) => row.some((cell) => /\w/.test(cell) && !/^\[.*\]$/.test(cell)))
  )
    return true
  const lines = text
    .split(/\r\n|\n|\r/)
    .filter((line) => !/^\s*\|/.test(line) && !/^\s*(?:-{3,}|\*{3,})\s*$/.test(line))
  return listItems(lines.join('\n')).some((item) => /[\p{L}\p{N}]/u.test(item) && !/^\[[^\]]*\]$/.test(item))
}

function checkDeltas({ deltas }: CheckpointDocument, tell: Tell): void {
  for (const delta of deltas) {
    if (!TIMESTAMP.test(delta.at)) {
      const level = DATE.test(delta.at) || LOCAL.test(delta.at) ? 'warning' : 'error'
      tell(
        level,
        delta.line,
        `the delta's time is not an ISO-8601 timestamp: "${delta.at}"`,
        'Write `## Delta: 2026-01-31T12:00:00Z`.',
      )
    }
    if (!isFilled(delta.what))
      tell('error', delta.line, 'the delta does not say what changed', 'Fill `### What Changed`.')
    if (!delta.parts.some((title) => /^artifacts$/i.test(title.trim())))
      tell(
        'error',
        delta.line,
        'the delta has no artifacts',
        'Add `### Artifacts` with its table; a row `-` says that there are none.',
      )
    else if (delta.artifacts.length === 0)
      tell(
        'error',
        delta.line,
        "the delta's artifact table has no row",
        'Add a row; a row `-` says that there are none.',
      )
  }
}

function checkCompletion({ completion }: CheckpointDocument, { archived }: Surroundings, tell: Tell): void {
  if (archived && completion === null) {
    tell(
      'error',
      1,
      'an archived document needs a completion',
      'Add `## Completion` with Status, Outcome and Date.',
    )
    return
  }
  if (completion === null) return
  if (completion.outcome === '')
    tell('error', completion.line, 'the completion has no outcome', 'Add `- **Outcome**: …`.')
  if (completion.date === '')
    tell('error', completion.line, 'the completion has no date', 'Add `- **Date**: 2026-01-31T12:00:00Z`.')
  if (!archived)
    tell(
      'warning',
      completion.line,
      'the document has a completion and is not archived',
      'Run `savepoint archive`, or take the section out.',
    )
}

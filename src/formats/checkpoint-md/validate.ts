import { nameKey } from '../../core/id.ts'
import { titleKey } from '../../core/outline.ts'
import {
  type CheckpointDocument,
  type Delta,
  DOCUMENT_SECTIONS,
  decodeDocument,
  isNone,
  type SectionName,
  sectionText,
} from './codec.ts'
import { openBlockLine } from './edit.ts'
import { isFilled } from './filled.ts'
import { readTimestamp } from './timestamp.ts'

export interface DocumentFinding {
  level: 'error' | 'warning'
  line: number
  what: string
  mend: string
}

/** What a document's neighbours say about it. */
export interface DocumentNeighbours {
  /** Every id that exists, by its `nameKey`, with its parent. */
  parents: ReadonlyMap<string, string | null>
  /** The other documents of the same folder that claim to be current. */
  otherCurrent: readonly string[]
  archived: boolean
}

/** Everything that is wrong with a document by the format's own rules, each with its line and a way to mend it. */
export function validateDocument(text: string, around: DocumentNeighbours): DocumentFinding[] {
  const findings: DocumentFinding[] = []
  const document = decodeDocument(text)
  const tell = (level: DocumentFinding['level'], line: number, what: string, mend: string) =>
    findings.push({ level, line, what, mend })
  const open = openBlockLine(text)
  if (open !== null)
    tell(
      'error',
      open,
      'a code fence or comment that begins here has no end',
      'Close it: everything below it is read as a part of it.',
    )
  checkFront(document, around, tell)
  checkSections(document, tell)
  checkDeltas(document, tell)
  checkCompletion(document, around, tell)
  return findings.sort((a, b) => a.line - b.line)
}

type ReportProblem = (level: DocumentFinding['level'], line: number, what: string, mend: string) => void

function checkFront({ front }: CheckpointDocument, around: DocumentNeighbours, tell: ReportProblem): void {
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
  checkFrontTime('created', true, front, tell)
  checkFrontTime('last_delta', false, front, tell)
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

function checkFrontTime(
  key: string,
  required: boolean,
  front: NonNullable<CheckpointDocument['front']>,
  tell: ReportProblem,
): void {
  const field = front.fields.get(key)
  if (field?.value) checkTime(field.value, field.line, { name: `\`${key}\``, form: `\`${key}: …\`` }, tell)
  else if (required || field)
    tell('error', field?.line ?? 1, `\`${key}\` is missing`, `Add \`${key}: 2026-01-31T12:00:00Z\`.`)
}

/** `form` is how the whole of it is written, with `…` for the time. */
function checkTime(
  value: string,
  line: number,
  { name, form }: { name: string; form: string },
  tell: ReportProblem,
): void {
  const time = readTimestamp(value)
  if (time === null)
    tell(
      'error',
      line,
      `${name} is not an ISO-8601 timestamp: "${value}"`,
      `Write ${form.replace('…', '2026-01-31T12:00:00Z')}.`,
    )
  else if (!time.hasZone)
    tell(
      'warning',
      line,
      `${name} has no time zone`,
      `Write a whole timestamp: ${form.replace('…', `${value.slice(0, 10)}T12:00:00Z`)}.`,
    )
}

function checkParent(
  id: string,
  parent: { value: string; line: number },
  parents: ReadonlyMap<string, string | null>,
  tell: ReportProblem,
): void {
  if (!parents.has(nameKey(parent.value))) {
    tell(
      'error',
      parent.line,
      `the parent ${parent.value} does not exist`,
      'Name an existing checkpoint, or take `parent` out.',
    )
    return
  }
  const seen = new Map([[nameKey(id), id]])
  for (let up: string | null = parent.value; up !== null; up = parents.get(nameKey(up)) ?? null) {
    if (seen.has(nameKey(up))) {
      tell(
        'error',
        parent.line,
        `the parents go in a circle: ${[...seen.values(), up].join(' → ')}`,
        'Take `parent` out of one of them.',
      )
      return
    }
    seen.set(nameKey(up), up)
  }
}

function checkSections(document: CheckpointDocument, tell: ReportProblem): void {
  for (const [name, { required, level }] of Object.entries(DOCUMENT_SECTIONS)) {
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

function checkDeltas({ front, deltas }: CheckpointDocument, tell: ReportProblem): void {
  for (const delta of deltas) {
    checkTime(delta.at, delta.line, { name: "the delta's time", form: '`## Delta: …`' }, tell)
    if (!isFilled(delta.what))
      tell('error', delta.line, 'the delta does not say what changed', 'Fill `### What Changed`.')
    checkArtifacts(delta, tell)
  }
  if (front !== null && front.problem === null) checkLastDelta(front, deltas, tell)
}

function checkArtifacts({ line, parts, artifacts }: Delta, tell: ReportProblem): void {
  if (!parts.some((title) => titleKey(title) === 'artifacts'))
    tell(
      'error',
      line,
      'the delta has no artifacts',
      'Add `### Artifacts` with its table; a row `-` says that there are none.',
    )
  else if (!artifacts.some(({ path }) => path !== ''))
    tell(
      'error',
      line,
      "the delta's artifact table has no row",
      'Add a row with a file; a row `-` says that there are none.',
    )
  for (const { path, action } of artifacts)
    if (!isNone(path) && !['created', 'modified', 'deleted'].includes(titleKey(action)))
      tell(
        'warning',
        line,
        `the action of ${path} is "${action}"`,
        'Write `created`, `modified` or `deleted`.',
      )
}

/** A time that does not parse has its own finding, and one without a zone cannot be compared. */
function checkLastDelta(
  { fields }: NonNullable<CheckpointDocument['front']>,
  deltas: Delta[],
  tell: ReportProblem,
): void {
  const times = deltas.flatMap(({ at, line }) => {
    const time = readTimestamp(at)
    return time ? [{ ...time, at, line }] : []
  })
  const newest = times.reduce<(typeof times)[number] | null>(
    (best, time) => (best === null || time.ms > best.ms ? time : best),
    null,
  )
  if (newest === null) return
  const field = fields.get('last_delta')
  const known = readTimestamp(field?.value ?? '')
  const isNewer = known?.hasZone && newest.hasZone && newest.ms > known.ms
  if (field && !isNewer) return
  tell(
    'warning',
    newest.line,
    field ? `the delta is newer than \`last_delta\`, ${field.value}` : '`last_delta` is missing',
    `Write \`last_delta: ${newest.at}\` into the front matter.`,
  )
}

function checkCompletion(
  { completion }: CheckpointDocument,
  { archived }: DocumentNeighbours,
  tell: ReportProblem,
): void {
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
  if (titleKey(completion.status) !== 'archived')
    tell(
      'error',
      completion.line,
      completion.status === ''
        ? 'the completion has no status'
        : `the completion's status is "${completion.status}"`,
      'Write `- **Status**: Archived`.',
    )
  if (completion.outcome === '')
    tell('error', completion.line, 'the completion has no outcome', 'Add `- **Outcome**: …`.')
  if (completion.date === '')
    tell('error', completion.line, 'the completion has no date', 'Add `- **Date**: 2026-01-31T12:00:00Z`.')
  else
    checkTime(
      completion.date,
      completion.line,
      { name: "the completion's date", form: '`- **Date**: …`' },
      tell,
    )
  if (!archived)
    tell(
      'warning',
      completion.line,
      'the document has a completion and is not archived',
      'Run `savepoint archive`, or take the section out.',
    )
}

import { nameKey } from '../../core/id.ts'
import { titleKey } from '../../core/outline.ts'
import type { FrontMatter } from '../markdown/front-matter.ts'
import {
  type CheckpointDocument,
  type Delta,
  DOCUMENT_SECTIONS,
  type DocumentCompletion,
  decodeDocument,
  isNone,
  type SectionName,
  sectionText,
} from './codec.ts'
import { isFilled, maskComments } from './items.ts'
import { tablesOf } from './table.ts'
import { readTimestamp } from './timestamp.ts'
import { ARTIFACT_STATES, CRUMB_TYPES } from './vocabulary.ts'

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
  const document = decodeDocument(text)
  const { openLine: open } = document
  const findings = [
    ...findIf(open !== null, open ?? 1, 'the code fence or comment that starts here is not closed', CLOSE),
    ...frontFindings(document.front, around),
    ...sectionFindings(document),
    ...wordFindings(document, 'Breadcrumbs', { at: 0, called: 'type', words: CRUMB_TYPES }),
    ...wordFindings(document, 'Artifact Trail', { at: 1, called: 'status', words: ARTIFACT_STATES }),
    ...document.deltas.flatMap(deltaFindings),
    ...lastDeltaFindings(document),
    ...completionFindings(document.completion, around.archived),
  ]
  return findings.sort((a, b) => a.line - b.line)
}

const CLOSE = 'Close it: everything below it counts as part of it.'

/** A finding, where something is the case. */
const findIf = (
  isWrong: boolean,
  line: number,
  what: string,
  mend: string,
  level: DocumentFinding['level'] = 'error',
): DocumentFinding[] => (isWrong ? [{ level, line, what, mend }] : [])

/** `form` is how the whole of it is written, with `…` for the time. */
function timeFindings(value: string, line: number, name: string, form: string): DocumentFinding[] {
  const time = readTimestamp(value)
  const write = (at: string) => `${form.replace('…', at)}.`
  const what = `${name} is not an ISO-8601 timestamp: "${value}"`
  const whole = `Write a full timestamp: ${write(`${value.slice(0, 10)}T12:00:00Z`)}`
  return [
    ...findIf(time === null, line, what, `Write ${write('2026-01-31T12:00:00Z')}`),
    ...findIf(time?.hasZone === false, line, `${name} has no time zone`, whole, 'warning'),
  ]
}

function frontFindings(front: FrontMatter | null, around: DocumentNeighbours): DocumentFinding[] {
  if (front === null) {
    const mend = 'Start the file with a line `---`, the keys, and another line `---`.'
    return findIf(true, 1, 'the front matter is missing', mend)
  }
  const [id, status, parent] = ['checkpoint', 'status', 'parent'].map((key) => front.fields.get(key))
  const times = ['created', 'last_delta'].flatMap((key) => {
    const { value, line } = front.fields.get(key) ?? { value: '', line: 1 }
    if (value !== '') return timeFindings(value, line, `\`${key}\``, `\`${key}: …\``)
    const isNeeded = key === 'created' || front.fields.has(key)
    return findIf(isNeeded, line, `\`${key}\` is missing`, `Add \`${key}: 2026-01-31T12:00:00Z\`.`)
  })
  const problem = `invalid front matter: ${front.problem}`
  const missing = 'Add `checkpoint: <id>` to the front matter.'
  const isOdd = status !== undefined && !['current', 'active'].includes(status.value)
  const isShared = status?.value === 'current' && around.otherCurrent.length > 0
  const others = `${around.otherCurrent.join(', ')} is also marked current`
  const clear = `Run \`savepoint focus ${id?.value ?? '<id>'}\`: it clears the others.`
  const [line, said] = [status?.line ?? 1, `\`status\` is "${status?.value}"`]
  return [
    ...findIf(front.problem !== null, 2, problem, 'Fix the YAML.'),
    ...findIf(!id?.value, id?.line ?? 1, '`checkpoint` is missing', missing),
    ...times,
    ...findIf(isOdd && !around.archived, line, said, 'Write `current` or `active`, or leave it out.'),
    ...findIf(isShared && !around.archived, line, others, clear),
    ...(parent?.value ? parentFindings(id?.value ?? '', parent, around.parents) : []),
  ]
}

function parentFindings(
  id: string,
  parent: { value: string; line: number },
  parents: ReadonlyMap<string, string | null>,
): DocumentFinding[] {
  if (!parents.has(nameKey(parent.value))) {
    const mend = 'Name an existing checkpoint, or remove `parent`.'
    return findIf(true, parent.line, `the parent ${parent.value} does not exist`, mend)
  }
  const seen = new Map([[nameKey(id), id]])
  for (let up: string | null = parent.value; up !== null; up = parents.get(nameKey(up)) ?? null) {
    if (seen.has(nameKey(up))) {
      const what = `circular parents: ${[...seen.values(), up].join(' → ')}`
      return findIf(true, parent.line, what, 'Remove `parent` from one of them.')
    }
    seen.set(nameKey(up), up)
  }
  return []
}

function sectionFindings(document: CheckpointDocument): DocumentFinding[] {
  // `as`: these are the table's own keys.
  return (Object.keys(DOCUMENT_SECTIONS) as SectionName[]).flatMap((name) => {
    const { required, level } = DOCUMENT_SECTIONS[name]
    const [first, second] = document.sections.get(name) ?? []
    const add = `Add \`${'#'.repeat(level)} ${name}\` and fill it.`
    if (!first) return findIf(required, 1, `the section ${name} is missing`, add)
    const isEmpty = required && name !== 'Essential Information' && !isFilled(sectionText(document, name))
    const fill = 'Write what a new reader needs; comments do not count.'
    const twice = `the section ${name} appears twice`
    return [
      ...findIf(second !== undefined, second?.line ?? 1, twice, 'Merge them.', 'warning'),
      ...findIf(isEmpty, first.line, `the section ${name} is empty`, fill),
    ]
  })
}

/** A column of a table that has words of the format: which rows have others, in one finding. */
function wordFindings(
  { text, sections }: CheckpointDocument,
  name: SectionName,
  { at, called, words }: { at: number; called: string; words: readonly string[] },
): DocumentFinding[] {
  return (sections.get(name) ?? []).flatMap(({ start, end, line, contentEnd }) => {
    const [table] = tablesOf(maskComments(text.slice(end, contentEnd)))
    const odd = (table?.rows ?? []).filter(
      ({ cells }) =>
        !cells.every(isNone) && !isNone(cells[0] ?? '') && !words.includes(titleKey(cells[at] ?? '')),
    )
    const above = text.slice(start, end + (odd[0]?.start ?? 0)).match(/\r\n|\n|\r/g)?.length ?? 0
    const found = [...new Set(odd.map(({ cells }) => `"${cells[at] ?? ''}"`))].slice(0, 5).join(', ')
    const what = `unknown ${called} in ${name}: ${found}${odd.length > 1 ? ` (${odd.length} rows)` : ''}`
    return findIf(odd.length > 0, line + above, what, `Write ${words.join(', ')}.`, 'warning')
  })
}

function deltaFindings({ at, line, what, parts, artifacts }: Delta): DocumentFinding[] {
  const isListed = parts.some(({ title }) => titleKey(title) === 'artifacts')
  const isNamed = artifacts.some(({ path }) => path !== '')
  const table = 'Add `### Artifacts` with its table; use a row `-` if there are none.'
  const row = 'Add a row for each file; use a row `-` if there are none.'
  const odd = artifacts.filter(
    ({ path, action }) => !isNone(path) && !ARTIFACT_STATES.some((state) => state === titleKey(action)),
  )
  return [
    ...timeFindings(at, line, "the delta's time", '`## Delta: …`'),
    ...findIf(!isFilled(what), line, 'the delta does not say what changed', 'Fill `### What Changed`.'),
    ...findIf(!isListed, line, 'the delta has no artifacts', table),
    ...findIf(isListed && !isNamed, line, "the delta's artifact table has no row", row),
    ...odd.flatMap(({ path, action }) => {
      const mend = 'Write `created`, `modified` or `deleted`.'
      return findIf(true, line, `the action of ${path} is "${action}"`, mend, 'warning')
    }),
  ]
}

/** A time that does not parse has its own finding, and one without a zone cannot be compared. */
function lastDeltaFindings({ front, deltas }: CheckpointDocument): DocumentFinding[] {
  const times = deltas.flatMap(({ at, line }) => {
    const time = readTimestamp(at)
    return time ? [{ ...time, at, line }] : []
  })
  const newest = times.reduce((best, time) => (time.ms > (best?.ms ?? time.ms) ? time : best), times[0])
  if (front === null || front.problem !== null || newest === undefined) return []
  const field = front.fields.get('last_delta')
  const known = readTimestamp(field?.value ?? '')
  const isOlder = known?.hasZone === true && newest.hasZone && newest.ms > known.ms
  const what = field ? `the delta is newer than \`last_delta\`, ${field.value}` : '`last_delta` is missing'
  const mend = `Write \`last_delta: ${newest.at}\` into the front matter.`
  return findIf(!field || isOlder, newest.line, what, mend, 'warning')
}

function completionFindings(completion: DocumentCompletion | null, archived: boolean): DocumentFinding[] {
  if (completion === null) {
    const mend = 'Add `## Completion` with Status, Outcome and Date.'
    return findIf(archived, 1, 'an archived document needs a completion', mend)
  }
  const { status, outcome, date, line } = completion
  const said = status === '' ? 'the completion has no status' : `the completion's status is "${status}"`
  const open = 'the document has a completion but is not archived'
  return [
    ...findIf(titleKey(status) !== 'archived', line, said, 'Write `- **Status**: Archived`.'),
    ...findIf(outcome === '', line, 'the completion has no outcome', 'Add `- **Outcome**: …`.'),
    ...(date === ''
      ? findIf(true, line, 'the completion has no date', 'Add `- **Date**: 2026-01-31T12:00:00Z`.')
      : timeFindings(date, line, "the completion's date", '`- **Date**: …`')),
    ...findIf(!archived, line, open, 'Run `savepoint archive`, or remove the section.', 'warning'),
  ]
}

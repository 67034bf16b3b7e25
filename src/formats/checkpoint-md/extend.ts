import { plainLine, plainText } from '../../core/bullets.ts'
import type { Checkpoint } from '../../core/checkpoint.ts'
import type { CorrectableField, WorkState } from '../../core/work.ts'
import { applyEdits } from '../markdown/splice.ts'
import { type CheckpointDocument, decodeDocument, type SectionName, sectionBody } from './codec.ts'
import { requireReadable, spliceSection } from './edit.ts'
import { extendList, replaceActions } from './extend-list.ts'
import { CRUMBS, extendTable, TRAIL } from './extend-rows.ts'
import { commentTexts, maskComments, placedItems, withoutComments } from './items.ts'
import {
  CLAIM,
  DECISION,
  encodeStateBody,
  FACT,
  type Fact,
  hideCommentMarks,
  nowParagraph,
  readBlock,
  type Spelling,
  STEP,
  splitStateAndNow,
  writeBlock,
} from './spell.ts'
import { newDocument } from './template.ts'
import { workOf } from './work.ts'

const FACT_FIELDS = ['facts', 'constraints'] as const

type EditBody = (body: string, before: WorkState, after: WorkState, document: CheckpointDocument) => string

/** How each section takes in what changed, in the order of the format. */
const EDITS: ReadonlyArray<[SectionName, EditBody]> = [
  ['Problem', (body, before, after) => replaceText(body, before.problem, after.problem)],
  ['Session Intent', (body, before, after) => replaceText(body, before.intent, after.intent)],
  ['Decisions', editList('decisions', DECISION)],
  [
    'Technical Context',
    (body, before, after) => {
      const corrected = FACT_FIELDS.flatMap((kind) =>
        listCorrected(after, kind).map((one) => ({ ...one, kind })),
      )
      return extendList(body, { spelling: FACT, before: factsOf(before), after: factsOf(after), corrected })
    },
  ],
  ['Breadcrumbs', (body, before, after) => extendTable(body, CRUMBS, before.references, after.references)],
  [
    'Play-By-Play',
    (body, before, after, { deltas }) => {
      const steps = [...textsOf(before.done), ...deltas.map(({ what }) => ({ text: what }))]
      return extendList(body, { spelling: STEP, before: steps, after: textsOf(after.done) })
    },
  ],
  [
    'Artifact Trail',
    (body, before, after, { deltas }) => {
      const files = [...before.artifacts, ...deltas.flatMap(({ artifacts }) => artifacts)]
      return extendTable(body, TRAIL, files, after.artifacts)
    },
  ],
  ['Current State', replaceState],
  ['Next Actions', replaceActions],
  ['User Rules', editList('rules', CLAIM)],
]

function editList<Field extends 'decisions' | 'rules'>(
  field: Field,
  spelling: Spelling<WorkState[Field][number]>,
): EditBody {
  return (body, { [field]: before }, after) =>
    extendList(body, { spelling, before, after: after[field], corrected: listCorrected(after, field) })
}

/**
 * A document with what changed between two states of the work. How things stand, what is being done now and what
 * comes next are replaced; everything else is added to, an item that changed is changed where it stands, and one that
 * was taken back goes. What the document says already is not written again, and every byte outside of the sections that change stays.
 * `before` is what the document says, or less of it: what is the same in both states is never touched.
 */
export function extendDocument(text: string, before: WorkState, after: WorkState): string {
  const bodies = new Map<SectionName, string>()
  const whole = decodeDocument(text)
  let document = whole
  for (const [name, edit] of EDITS) {
    const old = sectionBody(document, name)
    const body = edit(old, before, after, document)
    if (body === old) continue
    bodies.set(name, body)
    document = decodeDocument(spliceSection(document, name, body))
  }
  return bodies.size === 0 ? text : requireReadable(whole, document.text, { bodies })
}

const listCorrected = ({ corrected = [] }: WorkState, field: CorrectableField) =>
  corrected
    .filter((one) => one.field === field)
    .map(({ text, to }) => ({ text, ...(to === undefined ? {} : { to }) }))

const textsOf = (list: ReadonlyArray<{ text: string }>) => list.map(({ text }) => ({ text }))

const factsOf = ({ facts, constraints }: WorkState): Fact[] => [
  ...facts.map((fact) => ({ ...fact, kind: 'facts' as const })),
  ...constraints.map((constraint) => ({ ...constraint, kind: 'constraints' as const })),
]

const isSame = (some: string, other: string) => plainText(some) === plainText(other)

/** A text is never emptied; the comments that have lines of their own stay above it. */
function replaceText(body: string, before: string, after: string): string {
  const here = readBlock(withoutComments(body).trim())
  if (plainText(after) === '' || isSame(after, before) || isSame(after, here)) return body
  return [...commentLines(body), writeBlock(after)].join('\n\n')
}

const commentLines = (body: string) => placedItems(body).comments.map(({ text }) => text)

function replaceState(body: string, before: WorkState, after: WorkState): string {
  const here = splitStateAndNow(withoutComments(body).trim())
  const keepsState = isSame(after.state, before.state) || isSame(after.state, here.state)
  const keepsNow = [before.now, here.now].some((now) => plainLine(now) === plainLine(after.now))
  const now = hideCommentMarks(plainLine(keepsNow ? here.now : after.now))
  if (keepsState) return keepsNow ? body : replaceNow(body, now)
  const paragraph = now === '' ? [] : [`**Now**: ${now}`]
  return [...commentLines(body), encodeStateBody(after.state), ...paragraph]
    .filter((part) => part !== '')
    .join('\n\n')
}

/** Only what is being done now changes: how things stand may hold what only a person can write. */
function replaceNow(body: string, now: string): string {
  const found = nowParagraph(maskComments(body))
  if (!found) return [body, `**Now**: ${now}`].filter((part) => part !== '').join('\n\n')
  const { start, end, textStart } = found
  if (now === '')
    return applyEdits(body, [{ start, end: end + blankLines(body.slice(end)), put: '' }]).trimEnd()
  const old = body.slice(textStart, end)
  const lineBreak = old.endsWith('\n') ? '\n' : ''
  const put = [now, ...commentTexts(old)].join(' ') + lineBreak
  return applyEdits(body, [{ start: textStart, end, put }])
}

const blankLines = (text: string) => /^(?:[ \t]*\n)*/.exec(text)?.[0].length ?? 0

/** A checkpoint that has no document, as the document that it would have. */
export function writeOutDocument(id: string, { at, work }: Pick<Checkpoint, 'at' | 'work'>): string {
  const anchor = work.position.anchor || null
  const empty = newDocument({ id, created: `${at.slice(0, 19)}Z`, anchor, parent: null, current: false })
  return extendDocument(empty, workOf(decodeDocument(empty)), work)
}

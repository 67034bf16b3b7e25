import { type Mark, type PageLine, plainPageLine } from '../../core/brief-page.ts'
import { openSteps } from '../../core/plan.ts'
import { collapseSpaces, formatCount } from '../../core/text.ts'
import { isDeleted, type Position, type WorkField, type WorkState } from '../../core/work.ts'
import { CARRY } from '../carry.ts'
import type { BriefInput, Clean, ItemCheck } from './brief.ts'
import { isOfEarlierTask, TASK_FIELDS } from './newest-task.ts'

export type BriefField = WorkField | 'learnings'

export interface BriefLine extends PageLine {
  field: BriefField
  /** Its place in the field; of a text, the line's place in it. */
  index: number
  /** Superseded, deleted, or pointing at what is gone: it goes before the rest of its field. */
  spent: boolean
}

export interface BriefSection {
  title: string
  rank: 'must' | 'should'
  lines: BriefLine[]
}

/** What was saved for an earlier task, where a newer one leads. */
export const BEFORE_TASK = 'Saved for an earlier task'

/** The order of the brief. Titles are short, because at the smallest budget they are most of it. */
const SECTIONS: ReadonlyArray<{ title: string; fields: readonly BriefField[] }> = [
  { title: 'Work', fields: ['problem', 'intent'] },
  { title: 'Decisions', fields: ['decisions'] },
  { title: 'Rules', fields: ['constraints', 'rules'] },
  { title: 'State', fields: ['state', 'position'] },
  { title: 'Now', fields: ['now'] },
  { title: 'Next', fields: ['next'] },
  { title: 'Blockers', fields: ['blockers'] },
  { title: 'Questions', fields: ['questions'] },
  { title: BEFORE_TASK, fields: TASK_FIELDS },
  { title: 'Files', fields: ['artifacts'] },
  { title: 'Done', fields: ['done'] },
  { title: 'Facts', fields: ['facts'] },
  { title: 'Refs', fields: ['references'] },
  { title: 'Learned', fields: ['learnings'] },
]

const rankOf = (field: BriefField) => (field === 'learnings' ? 'should' : CARRY[field].rank)

export const saysAnything = (work: WorkState) =>
  SECTIONS.flatMap(({ fields }) => fields).some((field) => {
    if (field === 'learnings' || field === 'position' || rankOf(field) !== 'must') return false
    const value = work[field]
    return typeof value === 'string' ? value.trim() !== '' : value.length > 0
  })

/** The sections that have something to say, in the order of the brief. */
export function briefSectionsOf(input: BriefInput, clean: Clean): BriefSection[] {
  const marks = new Map<string, ItemCheck[]>()
  for (const check of input.checks) {
    const key = `${check.field} ${check.index}`
    marks.set(key, [...(marks.get(key) ?? []), check])
  }
  return SECTIONS.map(({ title, fields: all }) => {
    const fields = all
      .filter((field) => !input.earlier?.over.has(field))
      .filter((field) => isOfEarlierTask(input.earlier, field) === (title === BEFORE_TASK))
    const lines = fields.flatMap((field) => linesOf(field, input, clean).map(withCheck(field, marks, clean)))
    const rank = fields.some((field) => rankOf(field) === 'must') ? ('must' as const) : ('should' as const)
    return { title, rank, lines: lines.filter(({ text }) => text !== '') }
  }).filter(({ lines }) => lines.length > 0)
}

/** What a line is called where its section does not say it: before each item of a list, before the first line of a text. */
const NAMES: { readonly [Field in BriefField]?: { name: string; isOnce?: true; isAlwaysNamed?: true } } = {
  problem: { name: 'Problem', isOnce: true, isAlwaysNamed: true },
  intent: { name: 'Goal', isOnce: true, isAlwaysNamed: true },
  state: { name: 'State', isOnce: true },
  now: { name: 'Now', isOnce: true },
  next: { name: 'Next' },
  blockers: { name: 'Blocker' },
  questions: { name: 'Question' },
}
export const nameOfField = (field: BriefField) => NAMES[field]?.name ?? field

const WORST: readonly Mark[] = ['stale', 'unverifiable', 'not found', 'fresh']

/** An item of a field with the worst that was found about it. */
function withCheck(field: BriefField, marks: Map<string, ItemCheck[]>, clean: Clean) {
  return (draft: Draft, index: number): BriefLine => {
    const found = marks.get(`${field} ${index}`) ?? []
    const mark = WORST.find((worst) => found.some((check) => check.mark === worst)) ?? null
    const notes = found.filter((check) => check.mark === mark).map(({ note }) => collapseSpaces(clean(note)))
    const isGone = field === 'references' && mark === 'stale'
    const line = { ...plainPageLine(draft.text), field, index, mark, note: joinFilled(notes, '; '), ...draft }
    return { ...line, spent: (draft.spent ?? false) || isGone }
  }
}

/** The lines of a field, with its name and its age where something newer is known. */
function linesOf(field: BriefField, input: BriefInput, clean: Clean): Draft[] {
  const age = input.earlier?.ages.get(field)
  const { name, isAlwaysNamed = false, isOnce = false } = NAMES[field] ?? { name: '' }
  const label = age !== undefined ? `${name} (${age}): ` : isAlwaysNamed ? `${name}: ` : ''
  return draftsOf(field, input, clean).map((draft, at) =>
    draft.text === '' || (at > 0 && isOnce) ? draft : { ...draft, text: label + draft.text },
  )
}

type Draft = Pick<BriefLine, 'text'> & Partial<Pick<BriefLine, 'why' | 'unconfirmed' | 'spent'>>

/** The lines of a field, one for each of its items: a check names an item by its place. */
function draftsOf(field: BriefField, { work, learnings }: BriefInput, clean: Clean): Draft[] {
  const line = (text: string) => collapseSpaces(clean(text))
  const items = (list: ReadonlyArray<{ text: string; confirmed?: boolean }>) =>
    list.map(({ text, confirmed = true }) => ({ text: line(text), unconfirmed: !confirmed }))
  switch (field) {
    case 'problem':
    case 'intent':
    case 'state':
    case 'now':
      return paragraphs(clean(work[field]))
    case 'decisions':
      return work.decisions.map(({ text, why, confirmed, supersededBy, rejected }) => {
        const said = line(text)
        if (supersededBy === null)
          return { text: said, why: line(why).replace(/^of /, ''), unconfirmed: !confirmed }
        const against =
          rejected === undefined ? '' : joinFilled([`Rejected: ${said}`, line(rejected)], ', because ')
        return { text: said === '' ? '' : against || `superseded: ${said}`, spent: true }
      })
    case 'constraints':
    case 'rules':
    case 'facts':
    case 'questions':
    case 'next':
    case 'done':
      return items(work[field])
    case 'blockers':
      return [...items(work.blockers), ...faultOf(work.position, line)]
    case 'position':
      return placeOf(work.position, line).map((text) => ({ text }))
    case 'artifacts':
      return [
        ...work.artifacts.map(({ path, action, description }) => ({
          text: joinFilled([joinFilled([line(path), line(action)], ', '), line(description)], ': '),
          spent: isDeleted({ action }),
        })),
        ...(work.unlisted ? [{ text: `+${formatCount(work.unlisted, 'more uncommitted file')}` }] : []),
      ]
    case 'references':
      return work.references.map(({ kind, text }) => ({
        text: line(text) === '' ? '' : joinFilled([line(kind), line(text)], ': '),
      }))
    case 'learnings':
      return items(learnings.map((text) => ({ text })))
  }
}

const joinFilled = (texts: string[], mark: string) => texts.filter((text) => text !== '').join(mark)

/** A line each, because a text is cut by whole lines like a list. A check is about the first. */
const paragraphs = (text: string): Draft[] =>
  text
    .split('\n')
    .map((line) => ({ text: collapseSpaces(line) }))
    .filter(({ text: line }) => line !== '')

/** What stopped a run blocks it. */
function faultOf({ fault }: Position, line: (text: string) => string): Draft[] {
  if (fault === null) return []
  const text = joinFilled([line(fault.reasonCode), line(fault.message)], ': ')
  return text === '' ? [] : [{ text: `stopped by ${text}` }]
}

function placeOf(
  { plan, planName = '', step, stage, tddPhase, anchor }: Position,
  line: (text: string) => string,
) {
  const done = plan ? plan.steps.length - openSteps(plan).length : 0
  const title = plan?.steps.find(({ id }) => id === step)?.title ?? ''
  const places = [
    plan
      ? `plan ${line(plan.path)}, ${done} of ${plan.steps.length} steps finished`
      : withLabel('plan', line(planName)),
    withLabel('step', joinFilled([line(step ?? ''), title === step ? '' : line(title)], ': ')),
    withLabel('stage', line(stage)),
    withLabel('TDD phase', line(tddPhase)),
  ]
  return [joinFilled(places, '; '), withLabel('anchor', line(anchor))].filter((text) => text !== '')
}

const withLabel = (label: string, text: string) => (text === '' ? '' : `${label} ${text}`)

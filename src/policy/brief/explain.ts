import { type BriefPage, type Mark, type PageLine, plainPageLine } from '../../core/brief-page.ts'
import { ageOf } from '../../core/text.ts'
import { CORRECTABLE, itemNames, stands, type WorkField, type WorkState } from '../../core/work.ts'
import { type ItemToCorrect, itemToCorrect } from '../match-item.ts'
import type { Brief, BriefInput } from './brief.ts'
import { BEFORE_TASK, type BriefLine, type BriefSection, nameOfField } from './brief-sections.ts'
import type { TalkSection, Talks } from './brief-talk.ts'
import { type ItemOrigin, originKey, TASK_FIELDS } from './newest-task.ts'

export type LineSource =
  | ItemOrigin
  /** What a session said; `request` counts from 1. */
  | { kind: 'talk'; session: string; at: string | null; request: number | null }
  /** It was written into the ledger by hand, and no save has taken it in yet. */
  | { kind: 'edit' }
  | { kind: 'learned' }
  /** It was found out just now. */
  | { kind: 'found' }

/** A line of a brief, told or not, with all that is known about it. */
export interface ExplainedLine {
  section: string
  /** Without the marks around it; of one that was shortened, all of it. */
  text: string
  /** `over`: the session that saved it ended with its task done. */
  state: 'told' | 'shortened' | 'cut' | 'over'
  /** What it costs where it is told, or would cost. */
  tokens: number
  /** What decides when it goes: above all, must be kept, should be kept, or what was said. */
  rank: 'head' | 'must' | 'should' | 'talk'
  mark: Mark | null
  note: string
  source: LineSource
  /** How long ago it was said, in words; empty where nobody can tell. */
  age: string
  /** Commands that take it out, say it in other words, or tell more about it. */
  commands: string[]
  /** The item behind it that can be corrected; null for any other line. */
  item: ItemToCorrect | null
}

interface BriefParts {
  input: BriefInput
  brief: Brief
  page: BriefPage
  /** The lines of what was saved that the brief shows. */
  shown: ReadonlyArray<{ section: BriefSection; lines: readonly BriefLine[] }>
  talk: readonly TalkSection[]
  /** By `originKey`. */
  origins: ReadonlyMap<string, ItemOrigin>
  /** The work was asked for by its name: so are corrections. */
  isNamed: boolean
  cost: (line: PageLine) => number
}

/** A line that is told, of which nothing else is known. */
const FOUND = {
  ...{ state: 'told', mark: null, note: '', source: { kind: 'found' }, age: '', commands: [], item: null },
} satisfies Partial<ExplainedLine>

/** Every line of a brief in its order, with those that were cut where they would stand. */
export function explainLines(parts: BriefParts): ExplainedLine[] {
  const { input, brief, talk, page } = parts
  const { notes = [], drift, questions } = page
  const head = [...notes, ...(drift === '' ? [] : [`Drift: ${drift}`]), ...questions].map(
    (text): ExplainedLine => ({
      ...{ ...FOUND, section: '', text, tokens: parts.cost(plainPageLine(text)), rank: 'head' },
    }),
  )
  const said = talk.map(({ title, lines }) =>
    lines.map((line): ExplainedLine => {
      const { text, mark, note, session, at, command } = line
      const { digest } = talkOf(input.talks, session) ?? {}
      const place = digest?.requests.findIndex((one) => one.at === at) ?? -1
      const request = place < 0 ? null : place + 1
      return {
        ...{ ...FOUND, section: title, text, tokens: parts.cost(line), rank: 'talk', mark, note },
        ...(command ? {} : { source: { kind: 'talk', session, at, request } }),
        age: ageAt(at, input),
        commands: [command ?? `savepoint sessions show ${session.slice(0, 8)}`],
      }
    }),
  )
  const [lead, behind] = input.earlier?.hasNewerTask ? [said.slice(0, 1), said.slice(1)] : [[], said]
  const linesOf = (rank: BriefSection['rank']) =>
    brief.sections
      .filter((section) => section.rank === rank)
      .map((section) => section.lines.map((line) => explainSaved(line, section, parts)))
  return [[head], lead, linesOf('must'), [overLines(parts)], behind, linesOf('should')].flat(2)
}

const ageAt = (at: string | null, { nowMs }: BriefInput) => (at === null ? '' : ageOf(nowMs - Date.parse(at)))

const withAge = (source: LineSource, input: BriefInput) => ({
  ...{ source, age: ageAt('at' in source ? source.at : null, input) },
})

const talkOf = (talks: Talks | null | undefined, session: string) =>
  talks ? [talks.main, ...talks.before, ...talks.after].find(({ id }) => id === session) : undefined

function explainSaved(line: BriefLine, section: BriefSection, parts: BriefParts): ExplainedLine {
  const shown = parts.shown
    .find(({ section: one }) => one.title === section.title)
    ?.lines.find(({ field, index }) => field === line.field && index === line.index)
  const list = CORRECTABLE.find((one) => one === line.field)
  const isWhole = shown?.text === line.text && shown.why === line.why && shown.note === line.note
  return {
    section: section.title,
    text: `${line.unconfirmed ? 'UNCONFIRMED: ' : ''}${line.text}${line.why === '' ? '' : ` (why: ${line.why})`}`,
    state: shown === undefined ? 'cut' : isWhole ? 'told' : 'shortened',
    tokens: parts.cost(shown ?? line),
    ...{ rank: section.rank, mark: line.mark, note: line.note },
    ...withAge(sourceOf(line, parts), parts.input),
    commands: commandsFor(line, parts),
    item: list === undefined ? null : itemToCorrect(parts.input.work, list, line.index),
  }
}

function overLines({ input, origins, cost }: BriefParts): ExplainedLine[] {
  const { work, earlier } = input
  const fields = TASK_FIELDS.filter((field) => earlier?.over.has(field))
  return fields.flatMap((field) =>
    itemNames(work, field).map((item): ExplainedLine => {
      const text = `${nameOfField(field)}: ${item}`
      const origin = origins.get(originKey(field, item))
      return {
        ...{ ...FOUND, section: BEFORE_TASK, text, tokens: cost(plainPageLine(text)), rank: 'must' },
        state: 'over',
        ...withAge(origin ?? { kind: 'edit' }, input),
      }
    }),
  )
}

/** The item of a line, as the work names it; of a text, all of it. */
function itemOf({ field, index }: BriefLine, work: WorkState): string | undefined {
  if (field === 'learnings' || field === 'position') return undefined
  return itemNames(work, field)[typeof work[field] === 'string' ? 0 : index]
}

function sourceOf(line: BriefLine, { input: { work }, origins }: BriefParts): LineSource {
  const { field } = line
  if (field === 'learnings') return { kind: 'learned' }
  const item = itemOf(line, work)
  // The plan, and what stopped it, are where the work stands: they have no words of their own.
  if (field === 'position' || item === undefined) return { kind: 'found' }
  return origins.get(originKey(field, item)) ?? { kind: 'edit' }
}

const OPTIONS: { readonly [Field in WorkField]?: string } = {
  ...{ problem: '--problem', intent: '--goal', state: '--state', now: '--now' },
}

function commandsFor(line: BriefLine, { input: { work, stream }, isNamed }: BriefParts): string[] {
  const { field, index } = line
  const item = itemOf(line, work)
  if (field === 'learnings' || item === undefined) return []
  const option = OPTIONS[field]
  const where = isNamed ? ` --stream ${stream}` : ''
  if (option !== undefined) return [`savepoint save ${option} "…"${where}`]
  const list = CORRECTABLE.find((one) => one === field)
  if (list === undefined) return []
  const text = quoteForShell(shortestName(item, work))
  const remove = `savepoint remove ${text}${where}`
  if (!stands(work[list][index] ?? {})) return [remove]
  return line.unconfirmed
    ? [`savepoint confirm ${text}${where}`, `savepoint reject ${text} --why "…"${where}`]
    : [`savepoint reword ${text} --to "…"${where}`, remove]
}

const SHORT_NAME = 40

/** The first words of an item that no other item has. */
function shortestName(item: string, work: WorkState): string {
  const others = CORRECTABLE.flatMap((field) => itemNames(work, field)).filter((name) => name !== item)
  const isUnique = (part: string) => others.every((name) => !name.toLowerCase().includes(part.toLowerCase()))
  const words = item.split(' ')
  for (let count = 1; count < words.length && item.length > SHORT_NAME; count += 1) {
    const part = words.slice(0, count).join(' ')
    if (part.length >= SHORT_NAME && isUnique(part)) return part
  }
  return item
}

/** A text as one word of a shell, whatever it holds. */
const quoteForShell = (text: string) =>
  /["$`\\!\n]/.test(text) ? `'${text.replaceAll("'", "'\\''")}'` : `"${text}"`

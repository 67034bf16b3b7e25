import { clipText } from '../../core/canonical.ts'
import { type BudgetCut, type BudgetFit, type BudgetPart, estimateTokens } from '../../core/tokens.ts'
import { lineBreakOf } from '../markdown/splice.ts'
import { decodeDocument, type SectionName } from './codec.ts'
import { fitHard, type HardCut } from './compress-hard.ts'
import { foldDeltas } from './fold.ts'
import { isFilled, maskComments } from './items.ts'
import { gapBetween, itemsOf, ownStretch, withoutStretches } from './parts.ts'
import { countOf, FACT } from './spell.ts'
import { plainCell, tablesOf } from './table.ts'

export interface CompressOptions {
  tokens?: number
  /** Whether what a breadcrumb points to is gone. */
  isStale: (reference: { type: string; reference: string }) => boolean
  /** Decides which parts stay: a format does not know what matters. */
  fit: (parts: readonly BudgetPart[], options: { tokens: number; fixed: number; prune: boolean }) => BudgetFit
  /** Where the budget is absolute: what shows the text as it was. What must be kept is shortened as well, then. */
  hard?: { command: string } | null
}

export interface CompressedDocument {
  text: string
  /** Estimated tokens of the whole document, before and after. */
  before: number
  after: number
  /** How many deltas went into the body. */
  folded: number
  fits: boolean
  cuts: BudgetCut[]
  /** What an absolute budget cost beyond that. */
  hardCuts: HardCut[]
}

/** A part, and the lines that go when it is cut. */
interface Piece extends BudgetPart {
  start: number
  end: number
  /** What an item says, without its mark. */
  content: string
}

/**
 * A shorter document that says what must be said: deltas folded into the body, what is finished or stale taken
 * out, older steps summarised in one line. It cuts whole list items and table rows of the five sections that may
 * lose something and leaves every other byte alone, so prose and sections of other kinds only count.
 */
export function compressDocument(
  text: string,
  { tokens = 1_000, isStale, fit, hard = null }: CompressOptions,
): CompressedDocument {
  const { text: body, folded } = foldDeltas(text)
  const pieces = piecesOf(body, isStale)
  const { text: allowed, cuts } = shortenDocument(body, pieces, { tokens, fit })
  const { text: short, cuts: hardCuts } = hard
    ? fitHard(allowed, { tokens, command: hard.command })
    : { text: allowed, cuts: [] }
  const after = estimateTokens(short)
  return { text: short, before: estimateTokens(text), after, folded, fits: after <= tokens, cuts, hardCuts }
}

function shortenDocument(
  text: string,
  pieces: Piece[],
  { tokens, fit }: { tokens: number; fit: CompressOptions['fit'] },
): { text: string; cuts: BudgetCut[] } {
  const whole = estimateTokens(text)
  const earlier = pieces.filter(isEarlier)
  let parts = pieces.filter((piece) => !isEarlier(piece))
  let cost = costOf(parts)
  // The line that stands for older steps costs tokens as well: what it took too much is added and cut again.
  for (let reserve = 0; ; ) {
    const fixed = whole + reserve - cost
    const { kept, cuts, fits } = fit(parts, { tokens, fixed, prune: true })
    const gone = parts.filter((_, index) => !kept[index])
    const steps = gone.filter(({ field }) => field === 'done')
    const summary = steps.length > 0 ? summaryOf([...earlier, ...steps]) : ''
    const short = withoutPieces(text, summary === '' ? gone : [...earlier, ...gone], summary)
    const over = estimateTokens(short) - tokens
    if (fits && over > 0) reserve += over
    else if (summary === '' || estimateTokens(`${summary}\n`) < costOf([...earlier, ...steps]))
      return { text: short, cuts }
    else {
      // A summary that is no shorter than the steps themselves is not worth it.
      parts = parts.filter(({ field }) => field !== 'done')
      cost = costOf(parts)
      reserve = 0
    }
  }
}

const costOf = (pieces: Piece[]) => pieces.reduce((sum, { text }) => sum + estimateTokens(text), 0)

const CLIPPED = 40
const isEarlier = ({ field, content }: Piece) => field === 'done' && earlierOf(content) !== null

function earlierOf(content: string): { count: string; first: string } | null {
  const [start = '', count = ''] = /^Earlier: (\d{1,9}) steps?, /.exec(content) ?? []
  if (start === '' || /[\r\n\u2028\u2029]/.test(content)) return null
  const end = content.indexOf(' … ', start.length)
  return { count, first: content.slice(start.length, end < 0 ? undefined : end) }
}

/** `- Earlier: 7 steps, <the first of them> … <the last>`; an older line of this kind is taken into it. */
function summaryOf(steps: Piece[]): string {
  const found = steps.map(({ content }) => earlierOf(content) ?? { count: '1', first: snippet(content) })
  const count = found.reduce((sum, step) => sum + Number(step.count), 0)
  const range = count === 1 ? found[0]?.first : `${found[0]?.first} … ${found.at(-1)?.first}`
  return `- Earlier: ${count} ${count === 1 ? 'step' : 'steps'}, ${range}`
}

/** The start of an item, in one line that holds neither half a comment nor the mark between two of its kind. */
const snippet = (content = '') =>
  clipText(
    content
      .replace(/<!--|-->/g, '')
      .replace(/\s+/g, ' ')
      .replace(/ … /g, '… ')
      .trim(),
    CLIPPED,
  ).replace(/ …$/, '…')

/** Takes lines out; the summary of the steps among them goes where the first of them stood. */
function withoutPieces(text: string, pieces: Piece[], summary: string): string {
  const eol = lineBreakOf(text)
  const ordered = [...pieces].sort((a, b) => a.start - b.start)
  const firstStep = ordered.find(({ field }) => field === 'done')
  return withoutStretches(text, ordered, (before, after, piece) => {
    // Indented less than the steps below it, it would take them for its own.
    if (piece === firstStep) return (/^ +/.exec(piece.text)?.[0] ?? '') + summary + eol
    return NEXT_PART.test(after) ? '' : gapBetween(before, after, eol)
  })
}

const NEXT_PART = /^ {0,3}(?:\||(?:[-*+]|\d+[.)])[ \t])/

/** What was learned goes to the archive with the work: it is no trail that may be cut. */
const isLearning = (type: string) => /^learning$/i.test(plainCell(type).trim())

function piecesOf(text: string, isStale: CompressOptions['isStale']): Piece[] {
  const { sections } = decodeDocument(text)
  const stretches = (name: SectionName) => (sections.get(name) ?? []).map(ownStretch)
  const items = (name: SectionName) => stretches(name).flatMap((stretch) => cuttableItems(text, stretch))
  const rows = (name: SectionName) => stretches(name).flatMap((stretch) => cuttableRows(text, stretch))
  return [
    ...items('Decisions').map((item) => ({
      ...item,
      field: 'decisions' as const,
      finished: isSuperseded(item.content),
    })),
    ...items('Technical Context')
      .filter(({ content }) => FACT.read(content)?.kind !== 'constraints')
      .map((item) => ({ ...item, field: 'facts' as const })),
    ...rows('Breadcrumbs')
      .filter(({ cells: [type = ''] }) => !isLearning(type))
      .map(({ cells: [type = '', reference = ''], ...row }) => ({
        ...row,
        field: 'references' as const,
        stale: isStale({ type: plainCell(type), reference: plainCell(reference) }),
      })),
    ...items('Play-By-Play').map((item) => ({ ...item, field: 'done' as const })),
    ...rows('Artifact Trail').map(({ cells, ...row }) => ({
      ...row,
      field: 'artifacts' as const,
      finished: isFinished(cells[1]),
    })),
  ]
}

/**
 * Items that say something, with the empty lines up to the next one: a placeholder is not worth a place, and the line
 * that counts what an absolute budget cut is no item.
 */
function cuttableItems(text: string, stretch: { start: number; end: number }) {
  const items = itemsOf(text, stretch)
  return items
    .map(({ start, end, content }, index) => {
      const next = items[index + 1]?.start
      const isBeside = next !== undefined && text.slice(end, next).trim() === ''
      const until = isBeside ? next : end
      // What is indented below it would go to whatever stands above it then.
      const isHeld = !isBeside && INDENTED.test(text.slice(end, stretch.end))
      return { start, end: until, text: text.slice(start, until), content, isHeld }
    })
    .filter(({ content, isHeld }) => !isHeld && isFilled(content) && countOf(content) === 0)
}

const INDENTED = /^(?:[ \t]*[\r\n])*[ \t]+[^ \t\r\n]/

/** Rows that name something; the row `-` says that there is nothing. */
function cuttableRows(text: string, stretch: { start: number; end: number }) {
  const [table] = tablesOf(maskComments(text.slice(stretch.start, stretch.end)))
  return (table?.rows ?? [])
    .map(({ start, end, cells }) => ({ start: stretch.start + start, end: stretch.start + end, cells }))
    .filter(({ cells: [name = ''] }) => /\w/.test(name) && !/^\[.*\]$/.test(name))
    .map(({ start, end, cells }) => ({ start, end, text: text.slice(start, end), content: '', cells }))
}

const FINISHED = /^(?:deleted|done|completed?|finished|merged|archived|removed)$/i
const isFinished = (status = '') => FINISHED.test(status.replace(/[^\p{L}]+/gu, ' ').trim())

/** Struck through as a whole, or said to be superseded. One with items below it may still hold what stands. */
function isSuperseded(content: string): boolean {
  const isStruck = content.includes('~~') && !/[\p{L}\p{N}]/u.test(content.replace(/~~[^~]+~~/g, ''))
  const isNested = /[\r\n][ \t]*(?:[-*+]|\d+[.)])[ \t]/.test(content)
  return isStruck || (!isNested && /(?<!\b(?:not|never) )\bsuperseded by\b/i.test(content))
}

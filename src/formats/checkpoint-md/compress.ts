import { clipText } from '../../core/canonical.ts'
import { type BudgetCut, type BudgetFit, type BudgetPart, estimateTokens } from '../../core/tokens.ts'
import { gapBetween, lineBreakOf, withoutStretches } from '../markdown/splice.ts'
import { decodeDocument, type SectionName } from './codec.ts'
import { type CuttablePiece, cuttablePieces, type IsStale } from './cuttable.ts'
import { foldDeltas } from './fold.ts'

interface CompressOptions {
  tokens?: number
  isStale: IsStale
  /** Decides which parts stay: a format does not know what matters. */
  fit: (
    parts: readonly BudgetPart[],
    options: { tokens: number; fixed: number; prune: boolean; hard: boolean },
  ) => BudgetFit
  /** The budget is absolute: lines of lower ranks may lose their ends, too. */
  hard?: boolean
}

/**
 * A shorter document that says what must be said: deltas folded into the body, what is finished or stale taken
 * out, older steps and superseded decisions summed up in a line each. It cuts list items and table rows of the five
 * sections that may lose something and leaves every other byte alone, so prose and sections of other kinds only count.
 * `before` and `after` are estimated tokens of the whole document, `folded` is how many deltas went into the body.
 */
export function compressDocument(
  text: string,
  { tokens = 1_000, isStale, fit, hard = false }: CompressOptions,
) {
  const { text: body, folded } = foldDeltas(text)
  const { text: short, cuts } = shortenDocument(body, cuttablePieces(body, isStale), tokens, (parts, fixed) =>
    fit(parts, { tokens, fixed, prune: true, hard }),
  )
  const after = estimateTokens(short)
  return { text: short, before: estimateTokens(text), after, folded, fits: after <= tokens, cuts }
}

/** The sections that cost most, with their estimated tokens. */
export function largestSections(text: string, most = 3): Array<{ section: SectionName; tokens: number }> {
  const all = [...decodeDocument(text).sections].map(([section, places]) => ({
    section,
    tokens: places.reduce(
      (sum, { start, contentEnd }) => sum + estimateTokens(text.slice(start, contentEnd)),
      0,
    ),
  }))
  return all.sort((a, b) => b.tokens - a.tokens).slice(0, most)
}

function shortenDocument(
  text: string,
  pieces: CuttablePiece[],
  tokens: number,
  choose: (parts: CuttablePiece[], fixed: number) => BudgetFit,
): { text: string; cuts: BudgetCut[] } {
  const whole = estimateTokens(text)
  const earlier = pieces.filter((piece) => readSummary(piece) !== null)
  let parts = pieces.filter((piece) => readSummary(piece) === null)
  // A line that sums up costs tokens as well: what it took too much is added and cut again.
  for (let reserve = 0; ; ) {
    const { kept, clipped, cuts, fits } = choose(parts, whole + reserve - costOf(parts))
    const gone = parts.filter((_, index) => !kept[index])
    const summaries = SUMMED.flatMap((field) => sumUp(field, gone, earlier))
    const replaced = summaries.flatMap(({ of }) => of.filter((piece) => earlier.includes(piece)))
    const shorter = parts.filter((_, index) => clipped[index])
    const short = replacePieces(text, [...gone, ...replaced], shorter, summaries)
    const over = estimateTokens(short) - tokens
    // A summary that is no shorter than what it stands for is not worth it.
    const dear = summaries.find(({ line, of }) => estimateTokens(`${line}\n`) >= costOf(of))
    if (fits && over > 0) reserve += over
    else if (dear === undefined) return { text: short, cuts }
    else {
      parts = parts.filter(({ field }) => field !== dear.field)
      reserve = 0
    }
  }
}

const costOf = (pieces: CuttablePiece[]) => pieces.reduce((sum, { text }) => sum + estimateTokens(text), 0)

/** What is summed up in a line where it is cut, and how that line is marked: a decision that was replaced is struck out. */
const SUMMARY = { done: { noun: 'step', mark: '' }, decisions: { noun: 'decision', mark: '~~' } } as const
const SUMMED = ['done', 'decisions'] as const
type SummedField = (typeof SUMMED)[number]
const isSummed = (field: string): field is SummedField => field in SUMMARY

interface SummaryLine {
  field: SummedField
  line: string
  /** What it stands for, older lines of this kind included. */
  of: CuttablePiece[]
}

/** What a line of this kind says; null where an item is no such line. */
function readSummary({ field, content }: CuttablePiece): { count: number; first: string } | null {
  if (!isSummed(field) || /[\r\n\u2028\u2029]/.test(content)) return null
  const { noun, mark } = SUMMARY[field]
  const [whole = '', count = ''] = new RegExp(`^${mark}Earlier: (\\d{1,9}) ${noun}s?, `).exec(content) ?? []
  if (whole === '' || !content.endsWith(mark)) return null
  const [first = ''] = content.slice(whole.length, content.length - mark.length).split(' … ', 1)
  return { count: Number(count), first }
}

/** `- Earlier: 7 steps, <the first of them> … <the last>`; an older line of this kind is taken into it. */
function sumUp(field: SummedField, gone: CuttablePiece[], earlier: CuttablePiece[]): SummaryLine[] {
  if (!gone.some((piece) => piece.field === field)) return []
  const { noun, mark } = SUMMARY[field]
  const of = [...earlier, ...gone].filter((piece) => piece.field === field)
  const said = of.map((piece) => readSummary(piece) ?? { count: 1, first: snippet(piece.content) })
  const count = said.reduce((sum, one) => sum + one.count, 0)
  const range = count === 1 ? said[0]?.first : `${said[0]?.first} … ${said.at(-1)?.first}`
  const line = `- ${mark}Earlier: ${count} ${count === 1 ? noun : `${noun}s`}, ${range}${mark}`
  return [{ field, line, of }]
}

const CLIPPED = 40

/** The start of an item, in one line that holds neither half a comment nor the mark between two of its kind. */
const snippet = (content: string) =>
  clipText(
    content
      .replace(/<!--|-->|~~/g, '')
      .replace(/\s+/g, ' ')
      .replace(/ … /g, '… ')
      .trim(),
    CLIPPED,
  ).replace(/ …$/, '…')

/** Takes lines out or shortens them; a summary goes where the first of the lines that it stands for stood. */
function replacePieces(
  text: string,
  gone: readonly CuttablePiece[],
  clipped: readonly CuttablePiece[],
  summaries: readonly SummaryLine[],
): string {
  const eol = lineBreakOf(text)
  const ordered = [...gone, ...clipped].sort((a, b) => a.start - b.start)
  const firsts = new Map(
    summaries.map(({ field, line }) => [ordered.find((piece) => piece.field === field), line]),
  )
  return withoutStretches(text, ordered, (before, after, piece) => {
    if (clipped.includes(piece)) return piece.clip ?? piece.text
    const line = firsts.get(piece)
    // Indented less than the items below it, it would take them for its own.
    if (line !== undefined) return (/^ +/.exec(piece.text)?.[0] ?? '') + line + eol
    return NEXT_PART.test(after) ? '' : gapBetween(before, after, eol)
  })
}

const NEXT_PART = /^ {0,3}(?:\||(?:[-*+]|\d+[.)])[ \t])/

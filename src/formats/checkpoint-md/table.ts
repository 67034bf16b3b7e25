import { codeSpansOf } from '../../core/bullets.ts'
import { linesOf } from '../../core/outline.ts'
import { applyEdits, type TextRange } from '../markdown/splice.ts'

/** A table, from its head to behind its rows. */
interface Table extends TextRange {
  rows: Array<TextRange & { cells: string[] }>
}

const RULE = /^\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?$/

const FENCE = /^ {0,3}(`{3,}|~{3,})/

/** The Markdown tables in a text, with or without pipes around them. What stands in code is none. */
export function tablesOf(text: string): Table[] {
  let fence: string | null = null
  const lines = linesOf(text).map(({ text: line, start, end }) => {
    const marks: string | null = FENCE.exec(line)?.[1] ?? null
    const isCode = fence !== null || marks !== null
    if (fence === null) fence = marks
    else if (marks?.startsWith(fence)) fence = null
    return { text: isCode ? '' : line.trim(), start, end }
  })
  const isRow = (at: number) => lines[at]?.text.includes('|') ?? false
  const tables: Table[] = []
  for (let at = 1; at < lines.length; at += 1) {
    const rule = lines[at]
    if (!rule || !isRow(at) || !isRow(at - 1) || !RULE.test(rule.text)) continue
    const columns = cellsOf(rule.text).length
    const rows: Table['rows'] = []
    const start = lines[at - 1]?.start ?? 0
    for (let row = lines[at + 1]; row && isRow(at + 1); row = lines[at + 1]) {
      rows.push({ start: row.start, end: row.end, cells: rowOf(row.text, columns) })
      at += 1
    }
    tables.push({ rows, start, end: rows.at(-1)?.end ?? rule.end })
  }
  return tables
}

/** The rows of the first Markdown table in a text, without its head. Escaped pipes and code spans hold together. */
export const tableRows = (text: string): string[][] => tablesOf(text)[0]?.rows.map(({ cells }) => cells) ?? []

/** A pipe in a code span parts cells only where the table has a column for what comes behind it. */
function rowOf(line: string, columns: number): string[] {
  const cells = cellsOf(line)
  return cells.length <= columns ? cells : cellsOf(maskCodePipes(line))
}

function cellsOf(line: string): string[] {
  // A document may have thousands of rows, and nearly none of them holds a pipe in a cell.
  const isPlain = !line.includes('\\') && !line.includes('\0')
  const cells = isPlain
    ? line.split('|').map((cell) => cell.trim())
    : line.split(/(?<!\\)\|/).map((cell) => cell.replaceAll('\0', '|').replaceAll('\\|', '|').trim())
  if (line.startsWith('|')) cells.shift()
  if (line.endsWith('|') && cells.at(-1) === '') cells.pop()
  return cells
}

/** A line with another character for each pipe in code. */
function maskCodePipes(line: string): string {
  const spans = codeSpansOf(line)
  return applyEdits(
    line,
    spans.map(({ start, end }) => ({ start, end, put: line.slice(start, end).replaceAll('|', '\0') })),
  )
}

/** A cell that stays one cell: no line breaks, pipes escaped. */
export const tableCell = (text: string) => foldLineBreaks(text).replace(/\|/g, '\\|')

/** A cell without the marks that show it as code. */
export function plainCell(cell: string): string {
  let start = 0
  while (cell[start] === '`') start += 1
  let end = cell.length
  while (end > start && cell[end - 1] === '`') end -= 1
  return cell.slice(start, end).trim()
}

/** A text without its line breaks and the blanks around them. */
export const foldLineBreaks = (text: string) =>
  text
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ')

export const tableText = (head: string[], rows: string[][], eol: string) =>
  [
    head,
    head.map((cell) => '-'.repeat(Math.max(3, cell.length + 2))),
    ...rows.map((row) => row.map(tableCell)),
  ]
    .map((row, index) => (index === 1 ? `|${row.join('|')}|` : `| ${row.join(' | ')} |`))
    .join(eol)

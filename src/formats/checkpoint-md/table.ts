import { linesOf } from './scan.ts'

interface Table {
  rows: string[][]
  /** The number of its head's line in the text, from 0, and the first one behind its rows. */
  start: number
  end: number
}

const RULE = /^\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?$/

/** The Markdown tables in a text, with or without pipes around them. */
export function tablesOf(text: string): Table[] {
  const lines = linesOf(text).map((line) => line.text.trim())
  const isRow = (at: number) => lines[at]?.includes('|') ?? false
  const tables: Table[] = []
  for (let rule = 1; rule < lines.length; rule += 1) {
    if (!isRow(rule) || !isRow(rule - 1) || !RULE.test(lines[rule] ?? '')) continue
    const columns = cellsOf(lines[rule] ?? '').length
    let end = rule + 1
    while (isRow(end)) end += 1
    const rows = lines.slice(rule + 1, end).map((line) => rowOf(line, columns))
    tables.push({ rows, start: rule - 1, end })
    rule = end
  }
  return tables
}

/** The rows of the first Markdown table in a text, without its head. Escaped pipes and code spans hold together. */
export const tableRows = (text: string): string[][] => tablesOf(text)[0]?.rows ?? []

/** A pipe in a code span parts cells only where the table has a column for what comes behind it. */
function rowOf(line: string, columns: number): string[] {
  const cells = cellsOf(line)
  return cells.length <= columns ? cells : cellsOf(line, codeSpans(line))
}

function cellsOf(line: string, spans: ReadonlyMap<number, number> = new Map()): string[] {
  const cells: string[] = []
  let start = 0
  const cellTo = (end: number) => cells.push(line.slice(start, end).replaceAll('\\|', '|').trim())
  for (let at = 0; at < line.length; at += 1) {
    const end = spans.get(at)
    if (end !== undefined) at = end - 1
    else if (line[at] === '\\' && line[at + 1] === '|') at += 1
    else if (line[at] === '|') {
      cellTo(at)
      start = at + 1
    }
  }
  cellTo(line.length)
  if (line.startsWith('|')) cells.shift()
  if (line.endsWith('|') && cells.at(-1) === '') cells.pop()
  return cells
}

/** Where code spans begin and end. Backticks that as many others do not follow are just backticks. */
function codeSpans(line: string): Map<number, number> {
  const runs = [...line.matchAll(/`+/g)]
  const byLength = new Map<number, number[]>()
  for (const { 0: run, index } of runs.toReversed()) {
    const places = byLength.get(run.length) ?? []
    places.push(index)
    byLength.set(run.length, places)
  }
  const spans = new Map<number, number>()
  let end = 0
  for (const { 0: run, index } of runs) {
    const later = byLength.get(run.length)
    later?.pop()
    const closing = later?.at(-1)
    if (index < end || closing === undefined) continue
    end = closing + run.length
    spans.set(index, end)
  }
  return spans
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

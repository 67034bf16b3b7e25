import { linesOf } from './scan.ts'

/** The rows of the first Markdown table in a text, without its head. Escaped pipes and code spans hold together. */
export function tableRows(text: string): string[][] {
  const lines = linesOf(text).map((line) => line.text.trim())
  const rule = lines.findIndex(
    (line) => /^\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?$/.test(line) && line.includes('-'),
  )
  if (rule < 1) return []
  const rows: string[][] = []
  for (const line of lines.slice(rule + 1)) {
    if (!line.includes('|')) break
    rows.push(cellsOf(line))
  }
  return rows
}

function cellsOf(line: string): string[] {
  const cells: string[] = []
  let cell = ''
  let code = false
  for (let at = 0; at < line.length; at += 1) {
    const char = line[at] ?? ''
    if (char === '\\' && line[at + 1] === '|') {
      cell += '|'
      at += 1
    } else if (char === '|' && !code) {
      cells.push(cell.trim())
      cell = ''
    } else {
      if (char === '`') code = !code
      cell += char
    }
  }
  cells.push(cell.trim())
  if (line.startsWith('|')) cells.shift()
  if (line.endsWith('|')) cells.pop()
  return cells
}

/** A cell that stays one cell: no line breaks, pipes escaped. */
export const tableCell = (text: string) =>
  text
    .replace(/\s*[\r\n]+\s*/g, ' ')
    .replace(/\|/g, '\\|')
    .trim()

export const tableText = (head: string[], rows: string[][], eol: string) =>
  [
    head,
    head.map((cell) => '-'.repeat(Math.max(3, cell.length + 2))),
    ...rows.map((row) => row.map(tableCell)),
  ]
    .map((row, index) => (index === 1 ? `|${row.join('|')}|` : `| ${row.join(' | ')} |`))
    .join(eol)

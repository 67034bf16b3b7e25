import { listItems } from './codec.ts'
import { headingsOf, linesOf } from './scan.ts'
import { tablesOf } from './table.ts'

/** Content beyond headings, placeholders in brackets, and a table without rows. */
export function isFilled(text: string): boolean {
  const tables = tablesOf(text)
  if (tables.some(({ rows }) => rows.some((row) => row.some(hasWords)))) return true
  const lines = linesOf(text)
  const structure = new Set<number>()
  for (const { start, end } of tables) for (let at = start; at < end; at += 1) structure.add(at)
  for (const { line, end } of headingsOf(text))
    for (let at = line - 1; (lines[at]?.start ?? end) < end; at += 1) structure.add(at)
  const rest = lines.filter(
    ({ text: line }, at) =>
      !structure.has(at) && !/^\s*\|/.test(line) && !/^\s*(?:-{3,}|\*{3,})\s*$/.test(line),
  )
  return listItems(rest.map((line) => line.text).join('\n')).some(hasWords)
}

const hasWords = (text: string) => /[\p{L}\p{N}]/u.test(text) && !/^\[[^\]]*\]$/.test(text)

import { readFrontMatter } from '../markdown/front-matter.ts'

/**
 * What a document says, without how it is laid out: two texts with one signature differ only in what an editor,
 * a formatter or git's line endings do. `status` is left out, because focus is not a state of the work.
 */
export function signatureOf(text: string): string {
  const front = readFrontMatter(text)
  const keys = [...(front?.fields ?? [])]
    .filter(([key]) => key !== 'status')
    .map(([key, { value }]) => `${key}: ${value}`)
    .sort()
  return [...keys, '', ...bodyLines(text.slice(front?.bodyStart ?? 0))].join('\n')
}

/** Code keeps its every space and line; elsewhere blank lines, padding, markers and emphasis are a matter of taste. */
function bodyLines(body: string): string[] {
  const lines: string[] = []
  let fence: Fence | null = null
  for (const line of body.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)) {
    const isInside: boolean = fence !== null
    if (fence === null) fence = fenceAt(line)
    else if (closes(fence, line)) fence = null
    const said = isInside || fence !== null ? line : tidy(line)
    if (isInside || said !== '') lines.push(said)
  }
  return lines
}

/** A code fence, and what stands before it: blanks, and the marks of the items and quotes that it begins in. */
interface Fence {
  before: string
  marks: string
}

const OPENING = /^([ \t]*(?:(?:[-*+>]|\d{1,9}[.)])[ \t]+)*)(`{3,}|~{3,})(.*)$/s

function fenceAt(line: string): Fence | null {
  const [, before = '', marks = '', info = ''] = OPENING.exec(line) ?? []
  return marks === '' || (marks.startsWith('`') && info.includes('`')) ? null : { before, marks }
}

/** A fence that stands deeper than the one that opened the code is a part of the code. */
function closes({ before, marks }: Fence, line: string): boolean {
  const [, blanks = '', found = '', rest = ''] = /^([ \t>]*)(`{3,}|~{3,})(.*)$/s.exec(line) ?? []
  const quotes = (text: string) => text.split('>').length
  return (
    found.startsWith(marks) &&
    rest.trim() === '' &&
    quotes(blanks) === quotes(before) &&
    expandTabs(blanks).length <= Math.max(3, expandTabs(before).length)
  )
}

const expandTabs = (indent: string) => indent.replace(/\t/g, '    ')

/** Where a line begins says to what it belongs, but for the rows of a table. */
function tidy(line: string): string {
  const said = line.trim()
  if (said === '') return ''
  const isRow = said.length > 1 && said.startsWith('|') && said.endsWith('|')
  const indent = isRow ? '' : expandTabs(/^[ \t]*/.exec(line)?.[0] ?? '')
  return indent + (isRule(said) ? said.replace(/-+/g, '-').replace(/\s+/g, '') : oneSpelling(said))
}

const isRule = (line: string) => line.includes('|') && line.includes('-') && /^[\s:|-]+$/.test(line)

// These are run on hostile text: none of them may try the same characters twice.
const oneSpelling = (line: string) =>
  line
    .replace(/^[*+](?=\s)/, '-')
    .split(/((?<!`)`+[^`]+`+)/)
    .map((part, at) => (at % 2 === 1 ? part : oneEmphasis(part)))
    .join('')
    .replace(/\s+/g, ' ')
    .replace(/ ?\| ?/g, '|')
    .trim()

const oneEmphasis = (text: string) =>
  text.replace(
    /(?<![\p{L}\p{N}_])(_{1,2})([^_\s][^_]*)\1(?![\p{L}\p{N}_])/gu,
    (_all, mark: string, inner) => {
      const stars = '*'.repeat(mark.length)
      return `${stars}${inner}${stars}`
    },
  )

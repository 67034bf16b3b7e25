import { inOneLine, redactToLine } from './quote.ts'
import { KEEP } from './state.ts'

const HEADING = /^\s{0,3}#{1,6}\s+(.{1,200})$/
const FENCE = /^\s{0,8}(?:`{3}|~{3})/

/** A Markdown text as its title, its headings in order, and its first paragraphs. */
export function outlineOf(text: string): { title: string; outline: string[]; opening: string } {
  const headings: string[] = []
  const prose: string[] = []
  let isFenced = false
  for (const line of text.slice(0, 24_000).split('\n')) {
    if (FENCE.test(line)) isFenced = !isFenced
    else if (!isFenced) {
      const heading = HEADING.exec(line)?.[1]
      if (heading !== undefined) headings.push(redactToLine(plainHeading(heading), 120))
      else if (line.trim() !== '' && headings.length < 3) prose.push(line)
    }
  }
  const [title = redactToLine(prose[0] ?? '', 120), ...outline] = headings
  return {
    title: title.replace(/^(?:the )?plan\s?[:—–-]\s+/i, ''),
    outline: outline.slice(0, KEEP.outline),
    opening: redactToLine(inOneLine(prose.join('\n')), 1_200),
  }
}

const plainHeading = (heading: string) => heading.replace(/\s*#+\s*$/, '').replace(/\*\*/g, '')

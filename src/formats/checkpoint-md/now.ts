import { plainLine } from '../../core/bullets.ts'
import { linesOf } from '../../core/outline.ts'
import { decodeStateBody, revealCommentMarks } from './spell.ts'

const NOW = /^(?:(\*\*|__)now(?:\1[ \t]*:|:\1)|now[ \t]*:)[ \t]*(?=\S)/i
const STOP = /^[ \t]*(?:$|[#>|<]|`{3}|~{3}|(?:[-*+]|\d{1,9}[.)])[ \t])/
const FENCE = /^ {0,3}(`{3,}|~{3,})/

/** The paragraph of Current State that tells what is being done now. */
interface NowParagraph {
  start: number
  end: number
  /** Where its text begins, behind the label. */
  textStart: number
}

export function nowParagraph(body: string): NowParagraph | null {
  let found: NowParagraph | null = null
  let fence = null as string | null
  let isStart = true
  for (const { text, start, end } of linesOf(body)) {
    if (found) {
      if (STOP.test(text)) return found
      found.end = end
      continue
    }
    const marks = FENCE.exec(text)?.[1] ?? null
    const label = isStart && fence === null ? NOW.exec(text) : null
    if (label) found = { start, end, textStart: start + label[0].length }
    else if (fence === null) fence = marks
    else if (marks?.startsWith(fence)) fence = null
    isStart = text.trim() === ''
  }
  return found
}

/** Current State, parted into how things stand and what is being done now. */
export function splitStateAndNow(body: string): { state: string; now: string } {
  const found = nowParagraph(body)
  if (!found) return { state: decodeStateBody(body), now: '' }
  const before = body.slice(0, found.start).trimEnd()
  const after = body.slice(found.end).replace(/^(?:[ \t]*(?:\r\n|\n|\r))+/, '')
  return {
    state: decodeStateBody([before, after].filter((part) => part !== '').join('\n\n')),
    now: revealCommentMarks(plainLine(body.slice(found.textStart, found.end))),
  }
}

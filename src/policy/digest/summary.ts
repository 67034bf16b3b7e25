import { inOneLine, redactToLine } from './quote.ts'
import type { SummaryParts } from './state.ts'

type QuotedParts = Pick<SummaryParts, 'intent' | 'said' | 'pending' | 'current'>

/** The parts of a summary that may be quoted, by the words that clients give them. What went wrong is not among them. */
const PARTS: ReadonlyArray<readonly [RegExp, keyof QuotedParts]> = [
  [/user messages|user said/, 'said'],
  [/primary request|intent|goal/, 'intent'],
  [/pending|remaining|left to do|open/, 'pending'],
  [/current work|current state|in progress/, 'current'],
]
const HEAD = /^(?:#{1,6}\s+|\d{1,2}[.)]\s+|\*\*)([^\n:*]{3,80})(?:\*\*)?:?\s*(.*)$/

/** The client's own summary of a compaction, in parts; the rest of it is left alone. */
export function summaryOf(text: string): QuotedParts {
  const parts: QuotedParts = { intent: '', said: '', pending: '', current: '' }
  let part: keyof QuotedParts | null = null
  for (const line of text.slice(0, 60_000).split('\n')) {
    const head = /^\s/.test(line) ? null : HEAD.exec(line)
    const title = (head?.[1] ?? '').toLowerCase()
    const named = head ? PARTS.find(([pattern]) => pattern.test(title))?.[1] : undefined
    if (head) part = named ?? null
    const said = head ? (head[2] ?? '') : line
    if (part !== null && said.trim() !== '') parts[part] += `${said.trim()}\n`
  }
  return {
    intent: redactToLine(inOneLine(parts.intent), 1_200),
    said: redactToLine(inOneLine(parts.said), 1_500),
    pending: redactToLine(inOneLine(parts.pending), 900),
    current: redactToLine(inOneLine(parts.current), 1_200),
  }
}

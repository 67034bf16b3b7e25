import { inOneLine, redactToLine, shorten } from './quote.ts'
import type { Digest, SummaryParts } from './state.ts'
import type { Size } from './tell-size.ts'

type QuotedParts = Pick<SummaryParts, 'intent' | 'userSaid' | 'pending' | 'currentWork'>

/** The parts of a summary that may be quoted, by the words that clients give them. What went wrong is not among them. */
const PARTS: ReadonlyArray<readonly [RegExp, keyof QuotedParts]> = [
  [/user messages|user said/, 'userSaid'],
  [/primary request|intent|goal/, 'intent'],
  [/pending|remaining|left to do|open/, 'pending'],
  [/current work|current state|in progress/, 'currentWork'],
]
const HEAD = /^(?:#{1,6}\s+|\d{1,2}[.)]\s+|\*\*)([^\n:*]{3,80})(?:\*\*)?:?\s*(.*)$/

/** The client's own summary of a compaction, in parts; the rest of it is left alone. */
export function summaryOf(text: string): QuotedParts {
  const parts: QuotedParts = { intent: '', userSaid: '', pending: '', currentWork: '' }
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
    userSaid: redactToLine(inOneLine(parts.userSaid), 1_500),
    pending: redactToLine(inOneLine(parts.pending), 900),
    currentWork: redactToLine(inOneLine(parts.currentWork), 1_200),
  }
}

/** A shorter part says nothing. */
const LEAST = 80

/**
 * What the client's own summary of a compaction says, in its words, where the talk that it sums up stands in another
 * transcript: else that itself is quoted, and knows better. What was pending holds until anybody speaks again.
 */
export function summaryLines({ summary, turn }: Digest, size: Size): string[] {
  const most = size('summary')
  if (summary === null || summary.requestsBefore > 0 || most < LEAST) return []
  const { intent, userSaid, pending, currentWork, requestsSince, at: writtenAt } = summary
  const isOvertaken = requestsSince > 0 || turn.some(({ at }) => at > writtenAt)
  const open = { 'In progress then': currentWork, 'Pending then': pending }
  return Object.entries({
    'The request': intent,
    'The user had said': userSaid,
    ...(isOvertaken ? {} : open),
  })
    .filter(([, text]) => text !== '' && !NOTHING.test(text))
    .map(([title, text]) => `${title}: "${shorten(text, most)}"`)
}

/** So a summary says that a part has nothing to tell. */
const NOTHING = /^(?:- )?(?:none|n\/a|no (?:explicit )?pending tasks)\b/i

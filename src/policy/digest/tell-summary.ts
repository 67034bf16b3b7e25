import { shorten } from './quote.ts'
import type { Digest } from './state.ts'
import type { Size } from './tell-size.ts'

/** A shorter part says nothing. */
const LEAST = 80

/**
 * What the client's own summary of a compaction says, in its words, where the talk that it sums up stands in another
 * transcript: else that itself is quoted, and knows better. What was pending holds until anybody speaks again.
 */
export function summaryLines({ summary, turn }: Digest, size: Size): string[] {
  const most = size('summary')
  if (summary === null || summary.before > 0 || most < LEAST) return []
  const { intent, said, pending, current, since, at: writtenAt } = summary
  const isOvertaken = since > 0 || turn.some(({ at }) => at > writtenAt)
  const open = { 'In work then': current, 'Pending then': pending }
  return Object.entries({
    'It was asked for': intent,
    'The user had said': said,
    ...(isOvertaken ? {} : open),
  })
    .filter(([, text]) => text !== '' && !NOTHING.test(text))
    .map(([title, text]) => `${title}: "${shorten(text, most)}"`)
}

/** So a summary says that a part has nothing to tell. */
const NOTHING = /^(?:- )?(?:none|n\/a|no (?:explicit )?pending tasks)\b/i

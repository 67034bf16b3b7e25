import { isFailing } from './calls.ts'
import { quoteOutput, shorten } from './quote.ts'
import type { Check, Digest, OpenCall } from './state.ts'
import type { Size } from './tell-size.ts'

/** How the turn ended, where it did not end by itself. */
export function endLines(digest: Digest, trusted: boolean): string[] {
  const { lastEvent, haltWords, turn } = digest
  const cut = trusted ? cutOffLines(digest) : []
  if (lastEvent === 'halt')
    return [trusted ? `Stopped by the provider: "${haltWords}"` : 'Stopped by the provider.', ...cut]
  if (lastEvent === 'interrupt') return cut
  if (lastEvent === 'request' && turn.length === 0) return ['The session ended before the agent answered.']
  const isInside = lastEvent === 'call' || turn.at(-1)?.isFollowedByCall === true
  if (!isInside) return []
  return cut.length > 0 ? cut : ['Cut off in the middle of a turn.']
}

/** What was being done when a turn was cut off. */
function cutOffLines({ lastCall, calls }: Digest): string[] {
  const open = calls.filter((call) => !isInFlight(call)).map(({ what }) => `\`${what}\``)
  if (open.length > 0)
    return [`Cut off during: ${open.join(', ')} (no result: check before running it again)`]
  if (lastCall === null || lastCall.outcome === 'none') return []
  const outcome = { succeeded: 'succeeded', failed: 'failed', refused: 'refused by the user' }[
    lastCall.outcome
  ]
  const detail = lastCall.detail === '' ? '' : `: ${quoteOutput(lastCall.detail)}`
  const { name, what } = lastCall
  return [`Last tool call: ${what === name ? name : `${name} \`${what}\``}, ${outcome}${detail}`]
}

export const isInFlight = ({ isInBackground, kind }: OpenCall) => isInBackground || kind !== 'call'

/** What waits: questions to the user, helpers and commands that were running, checks that fail. */
export const openLines = ({ openQuestions, calls, checks }: Digest, size: Size): string[] => [
  ...(openQuestions?.questions ?? []).map(
    ({ question, options }) =>
      `Open question to the user: ${question}${options.length === 0 ? '' : ` Options: ${options.join(' · ')}`}`,
  ),
  ...newestOf(
    calls.filter(isInFlight).map((call) => flightLine(call, size('told'))),
    size('open'),
    'more running',
  ),
  ...newestOf(
    checks.filter(isFailing).map((check) => failingLine(check, checks)),
    size('open'),
    'more failing',
  ),
]

/** The newest lines, and how many others there are. */
const newestOf = (lines: readonly string[], most: number, others: string): string[] =>
  lines.length > most ? [...lines.slice(-most), `${lines.length - most} ${others}`] : [...lines]

function failingLine({ family, kind, code, detail, at }: Check, checks: readonly Check[]): string {
  const exit = code === null ? '' : ` (exit ${code})`
  const since = checks
    .filter((one) => !one.failed && one.kind === kind && one.at > at)
    .map((one) => one.family)
  const passed = since.length === 0 ? '' : ` (passed since: ${since.join(', ')})`
  return `Failing when last run: ${family}${exit}${detail === '' ? '' : `: ${quoteOutput(detail)}`}${passed}`
}

function flightLine({ kind, what, prompt, stoppedBy }: OpenCall, most: number): string {
  const name = kind === 'subagent' ? `subagent ${what}` : `command \`${what}\``
  const state = stoppedBy === '' ? `Was still running: ${name}` : `Not finished: ${name} ("${stoppedBy}")`
  return prompt === '' ? state : `${state}, prompt: "${shorten(prompt, most)}"`
}

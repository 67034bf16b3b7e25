import { isFailing } from './calls.ts'
import { shorten } from './quote.ts'
import type { Check, Digest, OpenCall } from './state.ts'
import type { Size } from './tell-size.ts'

/** How the turn ended, where it did not end by itself. */
export function endLines(digest: Digest, trusted: boolean): string[] {
  const { last, halted, turn } = digest
  const cut = trusted ? cutOffLines(digest) : []
  if (last === 'halt')
    return [trusted ? `The provider stopped it: "${halted}"` : 'The provider stopped it.', ...cut]
  if (last === 'interrupt') return cut
  if (last === 'request' && turn.length === 0) return ['The session ended before the agent answered.']
  const isInside = last === 'call' || turn.at(-1)?.leadsOn === true
  if (!isInside) return []
  return cut.length > 0 ? cut : ['It broke off in the middle of a turn.']
}

/** What was being done when a turn was cut off. */
function cutOffLines({ lastCall, calls }: Digest): string[] {
  const open = calls.filter((call) => !isInFlight(call)).map(({ what }) => `\`${what}\``)
  if (open.length > 0) return [`Cut off in: ${open.join(', ')} (no result: check before running it again)`]
  if (lastCall === null || lastCall.came === 'nothing') return []
  const came = { well: 'it succeeded', failed: 'it failed', refused: 'the user refused it' }[lastCall.came]
  const detail = lastCall.detail === '' ? '' : `: ${lastCall.detail}`
  const { name, what } = lastCall
  return [`The last call was ${what === name ? name : `${name} \`${what}\``}, ${came}${detail}`]
}

export const isInFlight = ({ isBehind, kind }: OpenCall) => isBehind || kind !== 'call'

/** What waits: questions to the user, helpers and commands that were running, checks that fail. */
export const openLines = ({ asks, calls, checks }: Digest, size: Size): string[] => [
  ...(asks?.questions ?? []).map(
    ({ question, options }) =>
      `Open question to the user: ${question}${options.length === 0 ? '' : ` Options: ${options.join(' · ')}`}`,
  ),
  ...newest(calls.filter(isInFlight), size('open'), 'more running').map((call) =>
    typeof call === 'string' ? call : flightLine(call, size('told')),
  ),
  ...newest(checks.filter(isFailing), size('open'), 'more failing').map((check) =>
    typeof check === 'string' ? check : failingLine(check, checks),
  ),
]

/** The newest of a list, and how many others there are. */
function newest<T>(list: readonly T[], most: number, others: string): Array<T | string> {
  const left = list.length - most
  return left > 0 ? [...list.slice(-most), `${left} ${others}`] : [...list]
}

function failingLine({ family, kind, code, detail, at }: Check, checks: readonly Check[]): string {
  const exit = code === null ? '' : ` (exit ${code})`
  const since = checks
    .filter((one) => !one.failed && one.kind === kind && one.at > at)
    .map((one) => one.family)
  const passed = since.length === 0 ? '' : ` (since then passed: ${since.join(', ')})`
  return `Failing when last run: ${family}${exit}${detail === '' ? '' : `: ${detail}`}${passed}`
}

function flightLine({ kind, what, prompt, broke }: OpenCall, most: number): string {
  const name = kind === 'subagent' ? `helper ${what}` : `command \`${what}\``
  const state = broke === '' ? `Was still running: ${name}` : `Not finished: ${name} ("${broke}")`
  return prompt === '' ? state : `${state}, told: "${shorten(prompt, most)}"`
}

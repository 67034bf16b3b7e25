import { PRESSURES } from '../../core/checkpoint.ts'
import { shortId } from '../../core/session-name.ts'
import { shortNumber, shortSpan } from '../../core/text.ts'
import { requireLast } from '../../engine/sessions/current.ts'
import { readToEnd } from '../../engine/sessions/read-to-end.ts'
import { type Budget, budgetOf, DELEGATE_FROM_PERCENT } from '../../policy/window.ts'
import {
  choiceFact,
  flagFact,
  integerFact,
  listFact,
  nullableFact,
  numberFact,
  recordFact,
  textFact,
} from '../define/facts.ts'
import { defineVerb } from '../define/verb.ts'
import { sayRows, timesOf } from './session-words.ts'

export const budget = defineVerb({
  name: 'sessions budget',
  summary: 'Show context window usage and what to do about it',
  detail:
    'Tokens used and left, the thresholds at 70 % and 85 %, how fast the window fills, warnings, and when to delegate, save or clear.',
  fields: {
    forecast: {
      ...{ kind: 'count', least: 1, most: 1_440, value: 'MINUTES' },
      about: 'estimate usage after this many more minutes',
    },
    session: { kind: 'text', value: 'ID', about: 'session id (default: the current session)' },
  },
  examples: [
    'savepoint sessions budget',
    'savepoint sessions budget --forecast 30',
    'savepoint sessions budget --json',
  ],
  access: 'read',
  takesIn: 'events',
  lenient: true,
  async perform(context, { forecast, session: id }) {
    const before = await requireLast(context, id)
    const session = await readToEnd(context, before)
    const use = session.context
    const nowMs = context.ports.now()
    const found = budgetOf({
      context: use,
      statistics: session.statistics,
      startedAtMs: Date.parse(session.startedAt),
      nowMs: session.phase === 'active' ? nowMs : Date.parse(session.lastActivityAt),
      compactions: session.compactions,
      samples: [before.context, use].flatMap((sample) =>
        sample ? [{ atMs: Date.parse(sample.at), tokens: sample.tokens }] : [],
      ),
    })
    return {
      sessionId: session.id,
      ...found,
      model: use?.model ?? session.environment.model,
      durationMs: timesOf(session, nowMs).durationMs,
      /** When the model was last called. */
      at: use?.at ?? null,
      compactions: session.compactions,
      forecast: forecast === undefined ? null : forecastOf(found, forecast),
    }
  },
  say: ({ used, window, usedPercent, headroom, burnPerMinute, ...now }, screen) =>
    sayRows(
      [
        [
          'Session',
          [shortId(now.sessionId), shortSpan(now.durationMs), now.model].filter(Boolean).join(', '),
        ],
        ['Used', used === null ? 'unknown' : sayUse(used, window, usedPercent)],
        ['Pressure', now.pressure],
        ['Thresholds', sayThresholds(now.thresholds)],
        ['Position', usedPercent === null ? 'unknown' : sayPosition(usedPercent, now.thresholds)],
        ['Headroom', headroom === null ? null : `${shortNumber(headroom)} tokens`],
        ['Burn rate', burnPerMinute === null ? 'unknown yet' : sayBurn(burnPerMinute, now.minutesLeft)],
        ['Consumed', `${shortNumber(now.consumed)} tokens over all calls`],
        ['Compactions', now.compactions > 0 ? String(now.compactions) : null],
        ['Forecast', now.forecast && sayForecast(now.forecast, window)],
        ['Warning', now.warnings, 'warn'],
        ['Delegate', usedPercent === null ? 'unknown' : sayDelegation(now.advice)],
        ['Do', now.advice.filter(({ kind }) => kind !== 'delegate').map(({ text }) => text), 'good'],
      ],
      screen,
    ),
  tool: {
    title: 'Context window budget',
    name: 'budget',
    when: 'Call it before large reads or long work. It says when to delegate, save or clear.',
    effect: 'reads',
    facts: {
      session: textFact(),
      used: nullableFact(integerFact()),
      window: nullableFact(integerFact()),
      usedPercent: nullableFact(numberFact()),
      headroom: nullableFact(integerFact()),
      pressure: nullableFact(choiceFact(PRESSURES)),
      nextThreshold: nullableFact(integerFact('percent')),
      burnPerMinute: nullableFact(integerFact()),
      minutesLeft: nullableFact(integerFact()),
      consumed: integerFact(),
      compactions: integerFact(),
      advice: listFact(choiceFact(['delegate', 'save', 'clear'])),
      forecast: nullableFact(
        recordFact({
          minutes: integerFact(),
          used: nullableFact(integerFact()),
          usedPercent: nullableFact(numberFact()),
          full: nullableFact(flagFact('compacted before then')),
        }),
      ),
    },
    factsOf: ({ sessionId, advice, thresholds, ...now }) => ({
      ...now,
      session: sessionId,
      nextThreshold: thresholds.find(({ left }) => left !== null && left > 0)?.percent ?? null,
      advice: advice.map(({ kind }) => kind),
    }),
  },
})

/** The use of the window if the work continues at the present rate. */
type Forecast = ReturnType<typeof forecastOf>

/** All but the minutes is null where nobody knows how fast the window fills; `full`: a compaction comes before that. */
function forecastOf({ used, window, burnPerMinute }: Budget, minutes: number) {
  const later = used === null || burnPerMinute === null ? null : used + Math.max(0, burnPerMinute) * minutes
  if (later === null || window === null) return { minutes, used: later, usedPercent: null, full: null }
  const usedPercent = Math.min(100, Math.floor((later / window) * 1_000) / 10)
  return { minutes, used: Math.min(later, window), usedPercent, full: later >= window }
}

/** What each threshold calls for, in the order of the thresholds. */
const CALLS_FOR = ['save', 'save and clear'] as const

const sayThresholds = (thresholds: Budget['thresholds']) =>
  thresholds
    .map(({ percent, tokens }, at) => {
      const many = tokens === null ? '' : ` (${shortNumber(tokens)})`
      return `${percent} %${many}: ${CALLS_FOR[at] ?? ''}`
    })
    .join(', ')

/** Where the window stands between its thresholds. */
function sayPosition(usedPercent: number, thresholds: Budget['thresholds']): string {
  const next = thresholds.find(({ left }) => left !== 0)
  const passed = thresholds.filter(({ left }) => left === 0).at(-1)
  const left = next ? `, ${shortNumber(next.left ?? 0)} tokens until ${next.percent} %` : ''
  if (!passed) return `${usedPercent} %: below both${left}`
  return next
    ? `${usedPercent} %: between ${passed.percent} % and ${next.percent} %${left}`
    : `${usedPercent} %: past both`
}

const sayDelegation = (advice: Budget['advice']) =>
  advice.find(({ kind }) => kind === 'delegate')?.text ?? `not needed below ${DELEGATE_FROM_PERCENT} %`

const sayUse = (used: number, window: number | null, percent: number | null) =>
  window === null
    ? `${shortNumber(used)} tokens`
    : `${shortNumber(used)} of ${shortNumber(window)} tokens (${percent} %)`

const sayBurn = (burn: number, left: number | null) =>
  `${shortNumber(Math.max(0, burn))} tokens a minute${left === null || left < 0 ? '' : `: full in ${shortSpan(left * 60_000)}`}`

function sayForecast({ minutes, used, usedPercent, full }: Forecast, window: number | null): string {
  if (used === null) return `in ${minutes} minutes: unknown (burn rate unknown)`
  if (full) return `in ${minutes} minutes: full; a compaction comes first`
  return `in ${minutes} minutes: ${sayUse(used, window, usedPercent)}`
}

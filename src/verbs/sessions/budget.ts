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
  summary: "Show how full the session's context window is, and what to do about it",
  detail:
    'What is used and left, where that stands between the thresholds of 70 % and 85 %, how fast it fills, warnings, and when to give work to a helper, save or clear.',
  fields: {
    forecast: {
      kind: 'count',
      least: 1,
      most: 1_440,
      value: 'MINUTES',
      about: 'how full it will be after so many more minutes like the last ones',
    },
    session: { kind: 'text', value: 'ID', about: 'another session than the current one, by its id' },
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
  say: ({ used, window, usedPercent, headroom, burnPerMinute, ...now }, { columns }) =>
    sayRows(
      [
        [
          'Session',
          [shortId(now.sessionId), shortSpan(now.durationMs), now.model].filter(Boolean).join(', '),
        ],
        ['Used', used === null ? 'not known' : sayUse(used, window, usedPercent)],
        ['Pressure', now.pressure],
        ['Thresholds', sayThresholds(now.thresholds)],
        ['Position', usedPercent === null ? 'not known' : sayPosition(usedPercent, now.thresholds)],
        ['Headroom', headroom === null ? null : `${shortNumber(headroom)} tokens`],
        ['Burn rate', burnPerMinute === null ? 'not known yet' : sayBurn(burnPerMinute, now.minutesLeft)],
        ['Consumed', `${shortNumber(now.consumed)} tokens in all calls of the session`],
        ['Compactions', now.compactions > 0 ? String(now.compactions) : null],
        ['Forecast', now.forecast && sayForecast(now.forecast, window)],
        ['Warning', now.warnings],
        ['Delegate', usedPercent === null ? 'not known' : sayDelegation(now.advice)],
        ['Do', now.advice.filter(({ kind }) => kind !== 'delegate').map(({ text }) => text)],
      ],
      columns,
    ),
  tool: {
    title: 'Context window budget',
    name: 'budget',
    when: 'Call it before large reads or a long piece of work, and when the window may be filling up. It says when to give work to a helper, to save, and to clear.',
    effect: 'reads',
    facts: {
      session: textFact('the id of the session'),
      used: nullableFact(integerFact('tokens in the window at the last call')),
      window: nullableFact(integerFact('tokens that fit into it')),
      usedPercent: nullableFact(numberFact('how full it is')),
      headroom: nullableFact(integerFact('tokens that are left')),
      pressure: nullableFact(choiceFact('how bad that is', PRESSURES)),
      nextThreshold: nullableFact(integerFact('percent at which the next warning comes')),
      burnPerMinute: nullableFact(integerFact('tokens that it gains in a minute')),
      minutesLeft: nullableFact(integerFact('how long that can go on')),
      consumed: integerFact('tokens in all calls of the session'),
      compactions: integerFact('how often the session was compacted'),
      advice: listFact('what to do', choiceFact('a kind of advice', ['delegate', 'save', 'clear'])),
      forecast: nullableFact(
        recordFact('what was asked for', {
          minutes: integerFact('so many minutes from now'),
          used: nullableFact(integerFact('tokens in the window then')),
          usedPercent: nullableFact(numberFact('how full it is then')),
          full: nullableFact(flagFact('whether a compaction comes before that')),
        }),
      ),
    },
    factsOf: ({
      sessionId,
      advice,
      thresholds,
      model: _m,
      durationMs: _ms,
      at: _at,
      warnings: _said,
      ...now
    }) => ({
      session: sessionId,
      ...now,
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
  if (used === null) return `in ${minutes} minutes: not known, because the burn rate is not`
  if (full) return `in ${minutes} minutes: full, a compaction comes before that`
  return `in ${minutes} minutes: ${sayUse(used, window, usedPercent)}`
}

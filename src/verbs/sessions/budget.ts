import { PRESSURES } from '../../core/checkpoint.ts'
import { shortId } from '../../core/session-name.ts'
import { visibleLine } from '../../core/visible.ts'
import { requireLast } from '../../engine/sessions/current.ts'
import { readToEnd } from '../../engine/sessions/read-to-end.ts'
import { type Budget, budgetOf } from '../../policy/budget.ts'
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
import { namedRows } from '../say/table.ts'
import { durationOf, shortNumber, shortSpan } from './session-text.ts'

/** The use of the window if the work continues at the present rate. */
interface Forecast {
  minutes: number
  /** Null where nobody knows how fast the window fills. */
  used: number | null
  usedPercent: number | null
  /** A compaction would have come by then. */
  full: boolean | null
}

interface BudgetNow extends Budget {
  sessionId: string
  model: string | null
  durationMs: number
  /** When the model was last called. */
  at: string | null
  compactions: number
  forecast: Forecast | null
}

export const budget = defineVerb({
  name: 'budget',
  summary: "Show how full the session's context window is, and what to do about it",
  detail:
    'What is used and left, how fast it fills, warnings from 70 % on, and when to give work to a helper, save or clear.',
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
  examples: ['savepoint budget', 'savepoint budget --forecast 30', 'savepoint budget --json'],
  access: 'read',
  takesIn: 'events',
  lenient: true,
  async perform(context, { forecast, session: id }): Promise<BudgetNow> {
    const before = (await requireLast(context, id)).session
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
      durationMs: durationOf(session, nowMs),
      at: use?.at ?? null,
      compactions: session.compactions,
      forecast: forecast === undefined ? null : forecastOf(found, forecast),
    }
  },
  say: (result, { columns }) => namedRows(rowsOf(result), columns),
  tool: {
    title: 'Context window budget',
    when: 'Call it before large reads or a long piece of work, and when the window may be filling up. It says when to give work to a helper, to save, and to clear.',
    effect: 'reads',
    facts: {
      session: textFact('the id of the session'),
      used: nullableFact(integerFact('tokens in the window at the last call')),
      window: nullableFact(integerFact('tokens that fit into it')),
      usedPercent: nullableFact(numberFact('how full it is')),
      headroom: nullableFact(integerFact('tokens that are left')),
      pressure: nullableFact(choiceFact('how bad that is', PRESSURES)),
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
    factsOf: ({ used, window, headroom, pressure, consumed, compactions, ...now }) => ({
      session: now.sessionId,
      ...{ used, window, headroom, pressure, consumed, compactions },
      usedPercent: now.usedPercent,
      burnPerMinute: now.burnPerMinute,
      minutesLeft: now.minutesLeft,
      advice: now.advice.map(({ kind }) => kind),
      forecast: now.forecast && {
        ...{ minutes: now.forecast.minutes, used: now.forecast.used, full: now.forecast.full },
        usedPercent: now.forecast.usedPercent,
      },
    }),
  },
})

function forecastOf({ used, window, burnPerMinute }: Budget, minutes: number): Forecast {
  if (used === null || burnPerMinute === null) return { minutes, used: null, usedPercent: null, full: null }
  const later = used + Math.max(0, burnPerMinute) * minutes
  const full = window === null ? null : later >= window
  const usedPercent = window === null ? null : Math.min(100, Math.floor((later / window) * 1_000) / 10)
  return { minutes, used: window === null ? later : Math.min(later, window), usedPercent, full }
}

function rowsOf(now: BudgetNow): Array<[string, string]> {
  const { used, window, usedPercent, headroom, burnPerMinute, minutesLeft, pressure, forecast } = now
  const rows: Array<[string, string | null]> = [
    ['Session', [shortId(now.sessionId), shortSpan(now.durationMs), now.model].filter(Boolean).join(', ')],
    ['Used', used === null ? 'not known' : sayUse(used, window, usedPercent)],
    ['Pressure', pressure],
    ['Headroom', headroom === null ? null : `${shortNumber(headroom)} tokens`],
    ['Burn rate', burnPerMinute === null ? 'not known yet' : sayBurn(burnPerMinute, minutesLeft)],
    ['Consumed', `${shortNumber(now.consumed)} tokens in all calls of the session`],
    ['Compactions', now.compactions > 0 ? String(now.compactions) : null],
    ['Forecast', forecast && sayForecast(forecast, window)],
    ...now.warnings.map((text): [string, string] => ['Warning', text]),
    ...now.advice.map(({ text }): [string, string] => ['Do', text]),
  ]
  return rows.flatMap(([name, text]): Array<[string, string]> => (text ? [[name, visibleLine(text)]] : []))
}

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

// Which runs are made: scenarios × the ways a session ends × what came with it; and one run, measured.
import { join } from 'node:path'
import { shows } from './expression.mjs'
import { CLAIMS, feedSession } from './feed.mjs'
import { rowsOf } from './rows.mjs'
import { lastWordsWithin, scoreBrief } from './score.mjs'
import { buildTranscript, CUT_ENDS } from './transcript.mjs'

export const ENDS = ['normal', 'kill', 'clear', 'compact', 'limit', 'api']
/** An agent saved before the end; a small session came after it; the program was set up only after the session. */
export const SITUATIONS = ['saved', 'small', 'before']

/** How it ended is worth telling, in whatever words. */
const END_FACTS = {
  kill: {
    fact: 'The session broke off',
    shown_by: ['broke off|cut off|died|killed|interrupted|without an end|mid-?turn|middle of'],
  },
  limit: {
    fact: "The session was stopped by the provider's limit",
    shown_by: [
      "rate_limit|(hit|reached|usage|provider's).{0,12}limit|stopped by.{0,30}limit|limit.{0,20}(reached|resets)",
    ],
  },
  api: {
    fact: "The session was stopped by an error of the provider's",
    shown_by: ['API error|overload|server.?error|529'],
  },
}

/** Every scenario with every end; what came with it takes turns, unless all is asked for. */
export function plannedRuns(scenarios, { all = false } = {}) {
  const isTurn = (end, at, turn) => ENDS[(at + 2 * turn) % ENDS.length] === end
  return scenarios.flatMap((scenario, at) =>
    ENDS.flatMap((end) => [
      { scenario, end, situation: 'plain' },
      ...SITUATIONS.filter((_, turn) => all || isTurn(end, at, turn)).map((situation) => ({
        scenario,
        end,
        situation,
      })),
    ]),
  )
}

/** What holds at the end of a run. */
export function claimsOf({ scenario, end, situation }) {
  const when = CUT_ENDS.includes(end) ? 'cut' : 'whole'
  const holds = (claim) => claim.when === 'always' || claim.when === when
  const saved = CLAIMS.map(({ kind, mark, text }) => ({ kind, fact: text, shown_by: [mark], must: true }))
  const ended =
    END_FACTS[end] && situation !== 'before' ? [{ kind: 'state', must: false, ...END_FACTS[end] }] : []
  return {
    facts: [...scenario.facts.filter(holds), ...(situation === 'saved' ? saved : []), ...ended],
    traps: scenario.traps.filter(holds),
  }
}

/** One run of a scenario, fed and measured. */
export function measureRun(run, means) {
  const { scenario, end, situation } = run
  const { id: name, what, language } = scenario
  const about = { id: `${name}.${end}.${situation}`, name, what, end, situation }
  return measureFed(about, { ...buildTranscript(scenario, end), ...claimsOf(run), language }, means)
}

/** A session of others. `plain`: it died, and nothing came with it. */
export function measureSession({ id: name, what, ...session }, situation, means) {
  return measureFed({ id: `${name}.${situation}`, name, what, end: 'kill', situation }, session, means)
}

async function measureFed(about, session, { place, tokens, estimate }) {
  const { lines, facts } = session
  const rows = rowsOf(lines)
  const brief = await feedSession(join(place, about.id), { ...session, ...about, tokens })
  const words = tokens === undefined ? '' : lastWordsWithin(rows, tokens, estimate)
  return {
    ...about,
    ...scoreBrief({ ...session, rows, brief }),
    tokens: estimate(brief),
    inBudget: facts.filter(({ shown_by }) => shows(words, shown_by)).length,
  }
}

/** All of them, a few at a time, in their order. */
export async function inTurn(list, workers, act) {
  const results = []
  let next = 0
  const work = async () => {
    while (next < list.length) {
      const at = next
      next += 1
      results[at] = await act(list[at])
    }
  }
  await Promise.all(Array.from({ length: workers }, work))
  return results
}

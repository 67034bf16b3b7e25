// Adds up what runs came to, and says whether what must hold does.
import { CLAIMS } from './feed.mjs'
import { WHO } from './score.mjs'

/** Must-keep recall below this fails; smaller budgets than this cannot hold all of it. */
const MUST_RECALL = 0.95
const MUST_BUDGET = 1_000

const sum = (list, number) => list.reduce((total, one) => total + number(one), 0)
const share = (part, of) => (of === 0 ? 0 : part / of)

/** How often a brief told more than a baseline, and how often less. */
const against = (runs, other) => ({
  ahead: runs.filter(({ told }) => told.brief > told[other]).length,
  behind: runs.filter(({ told }) => told.brief < told[other]).length,
})

function byKind(runs) {
  const kinds = {}
  for (const fact of runs.flatMap(({ facts }) => facts)) {
    kinds[fact.kind] ??= { of: 0, ...Object.fromEntries(WHO.map((who) => [who, 0])) }
    kinds[fact.kind].of += 1
    for (const who of WHO) if (fact[who]) kinds[fact.kind][who] += 1
  }
  return Object.fromEntries(Object.entries(kinds).sort(([, a], [, b]) => b.of - a.of))
}

function qualityOf(runs) {
  const add = (key) => sum(runs, ({ quality }) => quality[key])
  const prose = runs.map(({ quality }) => quality.prose).filter((value) => value !== null)
  const characters = sum(runs, (run) => run.characters)
  return {
    prose: prose.length > 0 ? Math.min(...prose) : null,
    cut: share(add('cut'), add('lines')),
    repeat: share(add('repeat'), add('runs')),
    noise: share(add('noise'), add('lines')),
    dense: share(1_000 * sum(runs, ({ told }) => told.brief), characters),
    late: add('late'),
    present: add('present'),
    characters: Math.floor(characters / Math.max(1, runs.length)),
    tokens: Math.round(
      share(
        sum(runs, ({ tokens }) => tokens),
        runs.length,
      ),
    ),
  }
}

/** The figures of some runs together. */
export function tally(runs) {
  const musts = runs.flatMap(({ facts }) => facts).filter(({ must }) => must)
  const of = sum(runs, (run) => run.of)
  const told = Object.fromEntries(WHO.map((who) => [who, sum(runs, (run) => run.told[who])]))
  return {
    runs: runs.length,
    of,
    told,
    recall: Object.fromEntries(WHO.map((who) => [who, share(told[who], of)])),
    /** What the last words tell that have as many tokens as the brief may have; 0 where no budget was given. */
    inBudget: share(
      sum(runs, ({ inBudget }) => inBudget),
      of,
    ),
    must: {
      of: musts.length,
      ...Object.fromEntries(WHO.map((who) => [who, musts.filter((fact) => fact[who]).length])),
    },
    against: { last_words: against(runs, 'last_words'), first_last_files: against(runs, 'first_last_files') },
    traps: sum(runs, (run) => run.traps),
    trapsTold: sum(runs, ({ trapsTold }) => trapsTold.length),
    kinds: byKind(runs),
    quality: qualityOf(runs),
  }
}

/** The same figures for each value of a field, in the order in which the values come. */
export const tallyBy = (runs, field) =>
  [...new Set(runs.map((run) => run[field]))].map((value) => ({
    value,
    ...tally(runs.filter((run) => run[field] === value)),
  }))

/** What must hold of our own scenarios: a line for each, with how it came out. */
export function verdicts(runs, budget) {
  const { must, trapsTold, traps } = tally(runs)
  const recall = share(must.brief, must.of)
  const above = runs.filter(({ tokens }) => tokens > budget)
  const kept = {
    what: `must-keep facts told: ${must.brief} of ${must.of} (${Math.floor(100 * recall)} %), at least ${100 * MUST_RECALL} %`,
    ok: recall >= MUST_RECALL,
  }
  return [
    ...(budget < MUST_BUDGET ? [] : [kept]),
    { what: `traps told as if they held: ${trapsTold} of ${traps}, none allowed`, ok: trapsTold === 0 },
    {
      what: `briefs above ${budget} tokens: ${above.length} of ${runs.length}, none allowed`,
      ok: above.length === 0,
    },
  ]
}

/** What somebody saved by hand, in the briefs of sessions in which somebody did. */
export function savedClaims(runs) {
  const told = (text) => CLAIMS.filter(({ mark }) => text.includes(mark)).length
  return {
    of: runs.length * CLAIMS.length,
    told: sum(runs, ({ texts }) => told(texts.brief)),
    early: sum(runs, ({ texts }) => told(texts.brief.slice(0, Math.floor(texts.brief.length / 2)))),
  }
}

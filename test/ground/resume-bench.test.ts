import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { projectRoot } from '../support/sandbox.ts'

interface Claim {
  kind?: string
  fact: string
  shown_by: string[]
  must?: boolean
}
interface Scenario {
  id: string
  language: string
  files: string[]
  steps: Array<{ verb: string; words: string; body: string[] }>
  summary: string
  facts: Claim[]
  traps: Claim[]
}
interface Run {
  scenario: Scenario
  end: string
  situation: string
}
interface Bench {
  readScenarios: () => Scenario[]
  readScenario: (id: string, text: string) => Scenario
  buildTranscript: (scenario: Scenario, end: string) => { lines: string[]; endRows: number }
  shows: (text: string, expressions: string[]) => boolean
  toldLive: (text: string, trap: Claim & { unless?: string[] }) => boolean
  plannedRuns: (scenarios: Scenario[], options?: { all?: boolean }) => Run[]
  claimsOf: (run: Run) => { facts: Claim[]; traps: Claim[] }
  verdicts: (runs: unknown[], budget: number) => Array<{ what: string; ok: boolean }>
}

const PARTS = ['read-scenario', 'transcript', 'expression', 'runs', 'tally']
const modules = await Promise.all(
  PARTS.map((name) => import(pathToFileURL(join(projectRoot, `bench/resume/${name}.mjs`)).href)),
)
// The bench is plain JavaScript; this is what the test uses of it.
const bench = Object.assign({}, ...modules) as Bench
const scenarios = bench.readScenarios()
const runs = bench.plannedRuns(scenarios)

/** All texts of a transcript, as they were before they became JSON. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}
const rowsOf = (scenario: Scenario, end: string) =>
  bench.buildTranscript(scenario, end).lines.map((line) => JSON.parse(line))
const textOf = (scenario: Scenario, end: string) => textsIn(rowsOf(scenario, end)).join('\n')

test('there are a dozen scenarios in four languages, and every way to end is run', () => {
  expect(scenarios.length).toBeGreaterThanOrEqual(12)
  expect(new Set(scenarios.map(({ language }) => language)).size).toBeGreaterThanOrEqual(4)
  expect(new Set(runs.map(({ end }) => end))).toEqual(
    new Set(['normal', 'kill', 'clear', 'compact', 'limit', 'api']),
  )
  expect(new Set(runs.map(({ situation }) => situation))).toEqual(
    new Set(['plain', 'saved', 'small', 'before']),
  )
  expect(bench.plannedRuns(scenarios, { all: true })).toHaveLength(scenarios.length * 6 * 4)
})

describe.each(scenarios.map((scenario) => [scenario.id, scenario] as const))('%s', (_, scenario) => {
  test.each(['normal', 'kill', 'compact', 'limit', 'api'])('ended by %s: what it plants is in it', (end) => {
    const text = textOf(scenario, end)
    const { facts, traps } = bench.claimsOf({ scenario, end, situation: 'before' })
    const missing = [...facts, ...traps].filter(({ shown_by }) => !bench.shows(text, shown_by))
    expect(missing.map(({ fact }) => fact)).toEqual([])
    expect(facts.filter(({ must }) => must).length).toBeGreaterThanOrEqual(6)
  })

  test('its transcript is a chain in time', () => {
    for (const end of ['normal', 'kill', 'compact']) {
      const rows = rowsOf(scenario, end)
      const times = rows.map(({ timestamp }) => timestamp).filter((time) => time !== undefined)
      expect(times).toEqual([...times].sort())
      const ids = new Set(rows.map(({ uuid }) => uuid))
      const parents = rows.map(({ parentUuid }) => parentUuid).filter((parent) => typeof parent === 'string')
      expect(parents.filter((parent) => !ids.has(parent))).toEqual([])
      const calls = rows.filter(({ type }) => type === 'assistant').map(({ message }) => message.id)
      expect(new Set(calls).size).toBeGreaterThanOrEqual(15)
    }
  })

  test('a kill leaves it inside of its last turn, and a compaction adds its summary', () => {
    expect(bench.buildTranscript(scenario, 'kill').lines.length).toBeLessThan(
      bench.buildTranscript(scenario, 'normal').lines.length,
    )
    const last = rowsOf(scenario, 'compact').slice(-bench.buildTranscript(scenario, 'compact').endRows)
    expect(last.some(({ isCompactSummary }) => isCompactSummary === true)).toBe(true)
    expect(scenario.summary).not.toBe('')
  })

  test('what agents say in passing tells no fact of it', () => {
    const steps = ['chat', 'work'].map((verb) => ({ verb, words: '30', body: [] }))
    const rows = rowsOf({ ...scenario, steps }, 'normal').filter(
      ({ sourceToolAssistantUUID }) => sourceToolAssistantUUID === undefined,
    )
    const text = textsIn(rows.map(({ message }) => message?.content)).join('\n')
    const told = [...scenario.facts, ...scenario.traps].filter(
      ({ kind, shown_by }) => kind !== 'files' && bench.shows(text, shown_by),
    )
    expect(told.map(({ fact }) => fact)).toEqual([])
  })
})

test('the talks hold what real ones do', () => {
  const verbs = new Set(scenarios.flatMap(({ steps }) => steps.map(({ verb }) => verb)))
  const wanted =
    'user agent read edit write bash ask plan approved refused beside queued later takenback slash todo helper launch landed background compacted halt pause local cut'
  expect(wanted.split(' ').filter((verb) => !verbs.has(verb))).toEqual([])
})

test.each([
  ['case does not count, and a dot meets a line break', 'Keep\nthe OLD api', ['keep.the old'], true],
  ['both parts are needed', 'the tax code', ['tax&&audit'], false],
  ['a word ends after a letter of any script', 'Köhler und Söhne', ['\\bKöhl\\b'], false],
  ['a class may hold what a word is made of', 'résumé-2', ['^[\\w-]+$'], true],
])('an expression: %s', (_, text, expressions, shown) => {
  expect(bench.shows(text, expressions)).toBe(shown)
})

test('a trap is told by a line that has no word of its end', () => {
  const trap = { fact: 'Redis', shown_by: ['redis'], unless: ['no redis'] }
  expect(bench.toldLive('Counters in Redis\nso no redis', trap)).toBe(true)
  expect(bench.toldLive('Redis first, then: no redis', trap)).toBe(false)
})

test('too few must-keep facts, a trap or a brief above its budget fail the bench', () => {
  const fact = { kind: 'rule', must: true, last_words: false, first_last_files: false }
  const told = { brief: 1, last_words: 0, first_last_files: 0 }
  const quality = { prose: null }
  const good = {
    of: 1,
    told,
    traps: 1,
    trapsTold: [],
    facts: [{ ...fact, brief: true }],
    tokens: 900,
    quality,
  }
  const outcome = (run: object) => bench.verdicts([{ ...good, ...run }], 1_000).map(({ ok }) => ok)
  expect(outcome({})).toEqual([true, true, true])
  expect(outcome({ facts: [{ ...fact, brief: false }] })).toEqual([false, true, true])
  expect(outcome({ trapsTold: ['Redis'] })).toEqual([true, false, true])
  expect(outcome({ tokens: 1_001 })).toEqual([true, true, false])
})

test('a scenario that cannot be read is refused by its name', () => {
  expect(() => bench.readScenario('x', 'what: y\n')).toThrow('x: no "language:" in its head')
})

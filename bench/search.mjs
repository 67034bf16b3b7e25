// What a search costs inside the process where much is stored, against a plain scan of the same texts.
import { mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { bundled } from './filled.mjs'
import { inTempFolder, median, p95, random, row, timed } from './measure.mjs'

const RECORDS = 100_000
const QUERIES = 300
const SCANS = 20
const LIMIT_MS = 10
/** A machine that cannot fill the store in this time cannot be measured. */
const FILL_MS = 600_000

/** Every limit, measured in one go. */
export function measure() {
  return inTempFolder(async (place) => {
    const { realPorts, openSound, search, parseInput } = await bundled(
      place,
      "export { search } from './src/verbs/work/search.ts'",
    )
    const repo = join(place, 'work')
    mkdirSync(repo)
    const { NODE_OPTIONS: _options, ...outer } = process.env
    const env = { ...outer, HOME: place, USERPROFILE: place, SAVEPOINT_HOME: join(place, 'home') }
    const context = await openSound({ cwd: repo, env, ports: realPorts, access: 'write', lenient: true })
    const ask = (words, more = {}) => search.perform(context, parseInput(search.fields, { words, ...more }))
    try {
      await fill(context)
      const filling = await timed(() => ask(['first']))
      const { text } = countOf(context)
      const asked = queries(phrasesIn(context))
      for (const { words, more } of asked.slice(0, 30)) await ask(words, more)
      const times = {}
      for (const { kind, words, more } of asked) {
        const time = await timed(() => ask(words, more))
        times[kind] = [...(times[kind] ?? []), time]
      }
      const scan = await scanned(context, asked)
      const all = Object.values(times).flat()
      const within = (what, numbers) => ({
        ...row(
          `${what}: p95 (p50 ${median(numbers).toFixed(2)}, max ${Math.max(...numbers).toFixed(1)} ms)`,
          p95(numbers),
          LIMIT_MS,
          1,
        ),
      })
      return [
        within(`search at ${text} records, ${all.length} queries / 10 ms`, all),
        ...Object.entries(times).map(([kind, numbers]) => ({
          ...within(`  ${kind}`, numbers),
          limit: null,
          ok: true,
        })),
        row(`search, median / a plain scan of the same texts`, median(all), median(scan), 0.2),
        row(
          `the first search, which fills the index, for each 1,000 records / 1,000 ms`,
          filling / (text / 1_000),
          1_000,
          1,
        ),
      ]
    } finally {
      await context.store.close()
    }
  })
}

const VOCABULARY = 12_000
const SYLLABLES = 'ba ke lo mi nu ra se ti vo za dro fle gri plu sta kon ter mal'.split(' ')
const nameOf = (rank) => {
  let [word, rest] = ['', rank + 40]
  while (rest > 0) {
    word += SYLLABLES[rest % SYLLABLES.length]
    rest = Math.floor(rest / SYLLABLES.length)
  }
  return word
}

/** Words as often as in real texts: the second half as often as the first, the third a third as often. */
function wordsFrom(next) {
  const sums = []
  let sum = 0
  for (let rank = 1; rank <= VOCABULARY; rank += 1) {
    sum += 1 / (rank + 2)
    sums.push(sum)
  }
  const word = () => {
    const wanted = next() * sum
    let [low, high] = [0, VOCABULARY - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if (sums[middle] < wanted) low = middle + 1
      else high = middle
    }
    return nameOf(low)
  }
  return (count) => Array.from({ length: count }, word).join(' ')
}

const STREAMS = 400
const BRANCHES = ['main', 'feature/auth', 'feature/search', 'fix/race', 'release']

/** Work with what it says, through the store's own commands. */
async function fill(context) {
  const next = random(7)
  const words = wordsFrom(next)
  const { store, identity } = context
  const deadline = performance.now() + FILL_MS
  const start = Date.UTC(2026, 0, 1)
  const heads = new Map()
  let records = 0
  for (let number = 0; records < RECORDS; ) {
    const begins = []
    const appends = []
    for (let part = 0; part < 200; part += 1, number += 1) {
      const name = `work-${number % STREAMS}`
      const stream = `bench_${name}`
      const head = heads.get(name)
      if (!head)
        begins.push({
          id: stream,
          repository: identity.repository,
          workspace: identity.workspace,
          kind: 'work',
          name,
        })
      const at = new Date(start + number * 240_000).toISOString()
      const decided = number % 4 === 0
      const learned = number % 9 === 0
      records += 1 + (decided ? 1 : 0) + (learned ? 1 : 0)
      const checkpoint = checkpointOf({
        number,
        stream,
        at,
        words,
        next,
        decided,
        learned,
        parent: head ?? null,
      })
      appends.push({ checkpoint, after: head?.id ?? null, foreign: false })
      heads.set(name, checkpoint)
    }
    const done = await store.acts.commit({ workspace: identity.workspace, begins, appends })
    if (!done.done) throw new Error(`the store refused: ${done.why}`)
    if (performance.now() > deadline) throw new Error(`only ${records} records were stored in time`)
  }
}

function checkpointOf({ number, stream, at, words, next, decided, learned, parent }) {
  const claim = (text) => ({ text, origin: 'agent', confirmed: true })
  const kept = (list) => (list ?? []).slice(-6)
  return {
    id: `cp_20260101T000000000Z_${number + 1}-${String(number).padStart(8, '0')}`,
    stream,
    parent: parent?.id ?? null,
    at,
    triggers: [{ kind: 'manual', at, note: 'saved' }],
    progress: 'in_progress',
    work: {
      problem: parent?.work.problem ?? words(12),
      intent: parent?.work.intent ?? words(8),
      decisions: [
        ...kept(parent?.work.decisions),
        ...(decided ? [{ ...claim(words(9)), why: words(8), supersededBy: null }] : []),
      ],
      ...{
        constraints: [],
        rules: kept(parent?.work.rules),
        facts: [...kept(parent?.work.facts), claim(words(10))],
      },
      done: [...kept(parent?.work.done), { text: words(7), at }],
      state: words(18),
      now: words(10),
      next: [{ text: words(9) }],
      ...{ blockers: [], questions: next() < 0.2 ? [claim(words(11))] : [] },
      artifacts: [{ path: `src/${words(1)}/${words(1)}.ts`, action: 'modified', description: words(4) }],
      references: [
        ...kept(parent?.work.references),
        ...(learned ? [{ kind: 'learning', text: words(14) }] : []),
      ],
      position: { plan: null, step: null, fault: null, stage: '', tddPhase: '', anchor: '' },
    },
    change: { summary: words(10), artifacts: [], transitions: [], commands: [] },
    health: { pressure: 'low', protected: [], dropped: 0, profile: 'default' },
    provenance: { branch: BRANCHES[number % BRANCHES.length], commit: null, author: null },
  }
}

/** Answers of the file itself, beside the store. */
function readRows({ home }, sql, ...values) {
  const { DatabaseSync } = createRequire(import.meta.url)('@photostructure/sqlite')
  const db = new DatabaseSync(home.database)
  try {
    return db.prepare(sql).all(...values)
  } finally {
    db.close()
  }
}

const countOf = (context) => readRows(context, 'SELECT count(*) AS text FROM search_records')[0]

/** Neighbours in the texts themselves, but for the words that stand everywhere: nobody quotes those alone. */
function phrasesIn(context) {
  const everywhere = new Set(Array.from({ length: 15 }, (_, rank) => nameOf(rank)))
  const rows = readRows(context, 'SELECT text FROM search_texts WHERE rowid % 9973 < 8 LIMIT 200')
  return rows.flatMap(({ text }) => {
    const [first, second] = text.split(/\s+/).filter((word) => /^[a-z]+$/.test(word))
    return text.includes(`${first} ${second}`) && !everywhere.has(first) && !everywhere.has(second)
      ? [`${first} ${second}`]
      : []
  })
}

/** What people ask: mostly one or two telling words; sometimes one that half of everything has. */
function queries(phrases) {
  const next = random(11)
  const words = wordsFrom(next)
  const rank = (low, high) => nameOf(low + Math.floor(next() * (high - low)))
  const kinds = {
    'a rare word': () => ({ words: [rank(3_000, 9_000)] }),
    'a word': () => ({ words: [rank(60, 1_500)] }),
    'a common word': () => ({ words: [rank(0, 12)] }),
    'two words': () => ({ words: [rank(5, 300), rank(20, 1_000)] }),
    'two common words': () => ({ words: [rank(0, 10), rank(0, 20)] }),
    'a phrase': () => ({ words: [`"${phrases[Math.floor(next() * phrases.length)]}"`] }),
    'a beginning': () => ({ words: [`${rank(20, 4_000).slice(0, 4)}*`] }),
    'a sentence (any of the words)': () => ({ words: [words(6)] }),
    'with a kind': () => ({ words: [rank(0, 200)], more: { kind: next() < 0.5 ? 'decision' : 'learning' } }),
    'with a branch': () => ({ words: [rank(0, 200)], more: { branch: BRANCHES[1] } }),
    'with a time': () => ({ words: [rank(0, 200)], more: { since: '2026-06-01' } }),
    everywhere: () => ({ words: [rank(0, 200)], more: { allWorkspaces: true } }),
  }
  const names = Object.keys(kinds)
  return Array.from({ length: QUERIES }, (_, at) => {
    const kind = names[at % names.length]
    return { kind, ...kinds[kind]() }
  })
}

/** The same texts read one after another, which is what a search without an index does. */
async function scanned(context, asked) {
  const times = []
  for (const { words } of asked.slice(0, SCANS)) {
    const parts = words.join(' ').replace(/["*]/g, '').split(' ')
    const where = parts.map(() => 'text LIKE ?').join(' AND ')
    times.push(
      await timed(() =>
        readRows(
          context,
          `SELECT rowid FROM search_texts WHERE ${where} ORDER BY rowid DESC LIMIT 10000`,
          ...parts.map((part) => `%${part}%`),
        ),
      ),
    )
  }
  return times
}

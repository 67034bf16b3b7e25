// Says what was measured, in tables for a terminal.
import { savedClaims, tally, tallyBy } from './tally.mjs'

const percent = (share) => `${Math.round(100 * share)} %`
const ratio = (part, of) => (of === 0 ? '–' : percent(part / of))

/** Columns as wide as their widest cell; all but the first are numbers. */
export function table(head, lines) {
  const rows = [head, ...lines].map((row) => row.map(String))
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column].length)))
  const cell = (text, at) => (at === 0 ? text.padEnd(widths[at]) : text.padStart(widths[at]))
  return rows.map((row) => row.map(cell).join('  ').trimEnd()).join('\n')
}

const HEAD = ['RUNS', 'FACTS', 'BRIEF', 'LAST WORDS', 'FIRST+LAST', 'MUST', 'TRAPS', 'TOKENS']
const figures = ({ runs, of, recall, must, trapsTold, traps, quality }) => [
  runs,
  of,
  percent(recall.brief),
  percent(recall.last_words),
  percent(recall.first_last_files),
  ratio(must.brief, must.of),
  `${trapsTold}/${traps}`,
  quality.tokens,
]
const grouped = (title, groups) =>
  table(
    [title, ...HEAD],
    groups.map((one) => [one.value, ...figures(one)]),
  )

function kindTable({ kinds }) {
  const lines = Object.entries(kinds).map(([kind, { of, brief, last_words, first_last_files }]) => [
    kind,
    of,
    ...[brief, last_words, first_last_files].map((told) => `${told} (${ratio(told, of)})`),
  ])
  return table(['KIND', 'FACTS', 'BRIEF', 'LAST WORDS', 'FIRST+LAST'], lines)
}

function totalLines({ runs, of, told, recall, against, traps, trapsTold, quality }) {
  const all = Object.entries(told).map(([who, count]) => `${who} ${count} (${percent(recall[who])})`)
  const ahead = Object.entries(against).map(
    ([who, { ahead, behind }]) => `ahead of ${who} in ${ahead}, behind in ${behind} of ${runs}`,
  )
  const { prose, cut, repeat, noise, dense, late, present, characters, tokens } = quality
  return [
    `all ${of} facts: ${all.join(', ')}`,
    `${ahead.join('; ')}; traps told ${trapsTold} of ${traps}`,
    `quality: prose at least ${(prose ?? 0).toFixed(2)}, cut ${percent(cut)}, repeat ${percent(repeat)}, noise ${percent(noise)}, dense ${dense.toFixed(1)}, late ${late} of ${present}, ${characters} characters and ${tokens} tokens on average`,
  ].join('\n')
}

/** Facts that a brief left out, and traps that it told: who mends the program reads this. */
function details(runs, only) {
  const mark = (fact) =>
    ['brief', 'last_words', 'first_last_files'].map((who) => (fact[who] ? 'x' : '-')).join('')
  return runs.flatMap(({ id, facts, trapsTold }) => {
    const lines = facts
      .filter((fact) => only === 'all' || (fact.must && !fact.brief))
      .map((fact) => `  ${mark(fact)} ${fact.must ? 'must' : 'also'} ${fact.kind.padEnd(10)} ${fact.fact}`)
    const traps = trapsTold.map((trap) => `  trap told: ${trap}`)
    return lines.length + traps.length > 0 ? [id, ...lines, ...traps] : []
  })
}

/** Our own scenarios. */
export function sayScenarios({ runs, verdicts }, { facts }) {
  return [
    grouped('SCENARIO', tallyBy(runs, 'name')),
    grouped('END', tallyBy(runs, 'end')),
    grouped('CAME WITH IT', tallyBy(runs, 'situation')),
    kindTable(tally(runs)),
    totalLines(tally(runs)),
    ...(facts ? [details(runs, 'all').join('\n')] : []),
    verdicts.map(({ what, ok }) => `${ok ? 'ok    ' : 'MISSED'} ${what}`).join('\n'),
  ].join('\n\n')
}

/** Sessions of others: each once, and the sums of what came with them. */
export function saySessions({ runs }, { facts }) {
  const plain = runs.filter(({ situation }) => situation === 'plain')
  const alone = tally(plain)
  const others = tallyBy(runs, 'situation').filter(({ value }) => value !== 'plain')
  const situations = others.map(({ value, told, of, quality }) => {
    const more = told.brief - alone.told.brief
    const line = `${value.padEnd(7)} ${told.brief} of ${of} facts (${more < 0 ? '' : '+'}${more} against the session alone), ${quality.characters} characters on average`
    if (value !== 'saved') return line
    const claims = savedClaims(runs.filter(({ situation }) => situation === 'saved'))
    return `${line}; claims told ${claims.told} of ${claims.of}, in the first half ${claims.early}`
  })
  return [
    grouped('SESSION', tallyBy(plain, 'name')),
    kindTable(alone),
    [totalLines(alone), ...situations].join('\n'),
    ...(facts ? [details(plain, 'all').join('\n')] : []),
  ].join('\n\n')
}

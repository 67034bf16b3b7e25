import { expect, test } from 'vitest'
import { fitScale, type Talk, tellTalks } from '../../src/policy/brief/brief-talk.ts'
import { around, digestOf, edits, ROOT, request, runs, says, type Untimed } from './digest/sample.ts'

const talk = (age: string, ...entries: Array<Untimed | Untimed[]>): Talk => ({
  ...{ id: age, age, state: 'ended', isLive: false, parent: null, digest: digestOf(...entries) },
})
const MAIN = talk(
  '1 hour',
  request('Make the export of the invoices fast, for large customers.'),
  says('Done.'),
)
const before = (count: number) =>
  Array.from({ length: count }, (_, at) =>
    talk(`${at + 1} days`, request(`Task ${at} of the week`), edits('a.ts')),
  )
const othersIn = (talks: Partial<Parameters<typeof tellTalks>[0]>, scale = 1) =>
  tellTalks({ main: MAIN, after: [], before: [], around: around(), ...talks })(scale)
    .filter(({ title }) => title === 'Other sessions')
    .flatMap(({ lines }) => lines.map(({ text }) => text))

test('other sessions are told in a line each, with what they did', () => {
  const small = talk('5 minutes', request('What is left?'), request('And when is it due?'))
  const commit = runs('git commit -m "Import"')
  const earlier = talk('2 days', request('Write the import.'), edits('a.ts'), commit, says('Done.'))
  expect(othersIn({ after: [small], before: [earlier] })).toEqual([
    'Later, 5 minutes ago: user: "What is left?" … user: "And when is it due?"; left: cut off',
    'Earlier, 2 days ago: user: "Write the import."; done: committed; 1 edit, 1 commit',
  ])
  expect(othersIn({})).toEqual([])
})

test.each([
  [1, 3],
  [0.5, 2],
  [0, 0],
])('at the scale %d, %i of the sessions before are told', (scale, count) => {
  expect(othersIn({ before: before(5) }, scale)).toHaveLength(count)
})

test('words that hold for good are quoted from any session and at any scale, an answer never', () => {
  const said = talk('3 days', request('Never push to main.'), request('Always ask', 'answer', 'May I push?'))
  expect(othersIn({ before: [said] }, 0)).toEqual(['Said 3 days ago: user: "Never push to main."'])
})

test('words that only look typed are quoted where the workspace is trusted, and nowhere else', () => {
  const said = talk('3 days', {
    ...{ kind: 'request', how: 'refusal', text: 'Never push to main.', about: '' },
    isUnsure: true,
  })
  expect(othersIn({ before: [said] })).toEqual(['Said 3 days ago: user: "Never push to main."'])
  expect(othersIn({ before: [said], around: around({ trusted: false }) })).toEqual([])
})

test('a file of the workspace is told without the folder of that', () => {
  const main = talk('1 hour', request('Look at it.'), says(`It is in ${ROOT}/src/a.ts, and in /etc/hosts.`))
  const [section] = tellTalks({ main, after: [], before: [], around: around() })(1)
  expect(section?.lines[0]?.text).toContain('"It is in src/a.ts, and in /etc/hosts."')
})

test("the agent's words are marked as quoted", () => {
  const main = talk(
    '1 hour',
    request('Make it fast.'),
    says('It is fast now, since rows are streamed. '.repeat(9)),
  )
  const quoted = tellTalks({ main, after: [], before: [], around: around() })(1).filter((one) => one.quoted)
  expect(quoted.map(({ title }) => title)).toEqual(["The agent's last message"])
})

test.each([
  ['everything', () => true, 1],
  ['nothing', () => false, null],
  ['what is below a third', (scale: number) => scale <= 1 / 3, 1 / 3],
])('the scale that fits where %s does', (_, fits, scale) => {
  const found = fitScale(fits)
  if (scale === null || found === null) expect(found).toBe(scale)
  else expect(found).toBeCloseTo(scale, 2)
  expect(found === null || fits(found)).toBe(true)
})

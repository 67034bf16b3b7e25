import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lastCheckpointIn, putLastCheckpoint, readIndex } from '../../src/formats/state-index/codec.ts'

const AT = '2026-01-31T12:00:00Z'
const setTime = (text: string) => putLastCheckpoint(text, JSON.stringify(AT))

test('it tells the plan, its stage as a number, a name or null, the phase and the last checkpoint [001.17]', () => {
  const index = (stage: string) =>
    `{"active_plan":"auth","active_plan_stage":${stage},"active_tdd_phase":"red","last_checkpoint":"t"}`
  const said = { activePlan: 'auth', tddPhase: 'red', lastCheckpoint: 't' }
  expect(readIndex(index('3'))).toEqual({ ...said, stage: 3 })
  expect(readIndex(index('"spec"'))).toEqual({ ...said, stage: 'spec' })
  expect(readIndex(index('null'))).toEqual({ ...said, stage: null })
  const nothing = { activePlan: null, stage: null, tddPhase: null, lastCheckpoint: null }
  expect(readIndex('{}')).toEqual(nothing)
  expect(
    readIndex('{"active_plan":" ","active_plan_stage":[1],"active_tdd_phase":{},"last_checkpoint":5}'),
  ).toEqual(nothing)
})

const KEPT: Array<[string, string]> = [
  ['{"last_checkpoint":null}', `{"last_checkpoint":"${AT}"}`],
  ['{"last_checkpoint":"old","a":1.0}', `{"last_checkpoint":"${AT}","a":1.0}`],
  [
    '\uFEFF{\r\n\t"n": 1e3 ,\r\n\t"last_checkpoint" : [ {"a":"}"} ] ,\r\n\t"big": 12345678901234567890\r\n}',
    `\uFEFF{\r\n\t"n": 1e3 ,\r\n\t"last_checkpoint" : "${AT}" ,\r\n\t"big": 12345678901234567890\r\n}`,
  ],
  [
    '{"x":{"last_checkpoint":1},"last\\u005fcheckpoint":true}',
    `{"x":{"last_checkpoint":1},"last\\u005fcheckpoint":"${AT}"}`,
  ],
  ['{"last_checkpoint":1,"last_checkpoint":2}', `{"last_checkpoint":1,"last_checkpoint":"${AT}"}`],
  [
    '{"a":"last_checkpoint\\"","last_checkpoint":-0.5e-3}\n',
    `{"a":"last_checkpoint\\"","last_checkpoint":"${AT}"}\n`,
  ],
]
test.each(KEPT)('only the value changes: %j', (before, after) => {
  expect(setTime(before)).toBe(after)
})

const ADDED: Array<[string, string]> = [
  ['{}', `{"last_checkpoint": "${AT}"}`],
  ['{ }', `{ "last_checkpoint": "${AT}" }`],
  ['{\n}\n', `{\n  "last_checkpoint": "${AT}"\n}\n`],
  ['{"a":1}', `{"a":1,"last_checkpoint":"${AT}"}`],
  ['{ "a": 1 }', `{ "a": 1, "last_checkpoint": "${AT}" }`],
  ['{\r\n    "a": [\r\n    1 ]\r\n}', `{\r\n    "a": [\r\n    1 ],\r\n    "last_checkpoint": "${AT}"\r\n}`],
  ['{ "a" : 1\n, "b" : 2\n}', `{ "a" : 1\n, "b" : 2\n, "last_checkpoint" : "${AT}"\n}`],
]
test.each(ADDED)("a missing key comes last, in the file's own style: %j", (before, after) => {
  expect(setTime(before)).toBe(after)
})

test.each([...KEPT, ...ADDED])('what was set is taken back to the byte: %j', (before, after) => {
  expect(lastCheckpointIn(after)).toBe(JSON.stringify(AT))
  expect(putLastCheckpoint(after, lastCheckpointIn(before))).toBe(before)
})

test('a key that others put more behind goes alone; where there is none, nothing changes', () => {
  expect(putLastCheckpoint('{ "last_checkpoint": 1, "b": 2 }', null)).toBe('{ "b": 2 }')
  expect(putLastCheckpoint('{ "b": 2 }', null)).toBe('{ "b": 2 }')
  expect(lastCheckpointIn('{ "b": 2 }')).toBe(null)
  expect(lastCheckpointIn('broken')).toBe(null)
})

test.each([
  '',
  ' \n',
  '{',
  '[]',
  '"x"',
  'null',
  '{"a":1,}',
  '{a:1}',
  '{"a":1} x',
  "{'a':1}",
  '{"a":01}',
  '{"a":1}{}',
])('a malformed index is a problem: %j', (text) => {
  expect(readIndex(text)).toEqual({ problem: expect.any(String) })
  expect(setTime(text)).toEqual({ problem: expect.any(String) })
})

test('deep nesting is no trouble, and a file beyond all measure is a problem', () => {
  const deep = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
  expect(setTime(deep)).toBe(`${deep.slice(0, -1)},"last_checkpoint":"${AT}"}`)
  expect(readIndex(`{"a":"${'x'.repeat(1024 * 1024)}"}`)).toHaveProperty('problem')
})

const gap = fc.stringMatching(/^[ \t\r\n]{0,3}$/)
const scalar = fc.oneof(
  fc.constantFrom('1.0', '1e3', '-0', '12345678901234567890', 'true', 'null', '"\\u007d"'),
  fc.string({ unit: 'binary', maxLength: 8 }).map((text) => JSON.stringify(text)),
)
const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc
      .tuple(gap, fc.array(tie('value'), { maxLength: 3 }))
      .map(([space, items]) => `[${space}${items.join(`${space},`)}]`),
    fc
      .tuple(
        gap,
        fc.array(
          fc.tuple(
            scalar.filter((one) => one.startsWith('"')),
            tie('value'),
          ),
          { maxLength: 3 },
        ),
      )
      .map(
        ([space, members]) =>
          `{${members.map(([key, one]) => `${space}${key}${space}:${one}`).join(',')}${space}}`,
      ),
  ),
}))
const member = fc.tuple(
  gap,
  fc.oneof(
    fc.constantFrom('"a"', '"b"', '"LAST_CHECKPOINT"', '""'),
    fc.string().map((one) => JSON.stringify(one)),
  ),
  gap,
  value,
  gap,
)

/** A text with marks around one value: what stands outside must stay. */
const index = fc.record({
  before: fc.array(member, { maxLength: 3 }),
  mine: fc.option(
    fc.tuple(gap, fc.constantFrom('"last_checkpoint"', '"l\\u0061st_checkpoint"'), gap, value, gap),
  ),
  after: fc.array(member, { maxLength: 3 }),
  around: fc.tuple(fc.constantFrom('', '\uFEFF'), gap, gap),
})

test('for any index the result is the same value but for one key, and the same text outside of it [001.20] [001.21]', () => {
  fc.assert(
    fc.property(index, ({ before, mine, after, around: [bom, head, tail] }) => {
      const text = (members: string[][]) =>
        members.map(([a, key, b, one, c]) => `${a}${key}${b}:${b}${one}${c}`)
      const whole = (parts: string[]) => `${bom}${head}{${parts.join(',')}}${tail}`
      const old = whole([...text(before), ...text(mine ? [mine] : []), ...text(after)])
      const fresh = setTime(old)
      if (typeof fresh !== 'string') throw new Error(fresh.problem)
      const parsed = (one: string) => JSON.parse(one.replace('\uFEFF', ''))
      expect(parsed(fresh)).toEqual({ ...parsed(old), last_checkpoint: AT })
      if (mine) {
        const [a, key, b, , c] = mine
        expect(fresh).toBe(
          whole([...text(before), ...text([[a, key, b, JSON.stringify(AT), c]]), ...text(after)]),
        )
      } else {
        const put = fresh.length - old.length
        let same = 0
        while (same < old.length && old[same] === fresh[same]) same += 1
        expect(
          [...Array(same + 1).keys()].some((at) => fresh.slice(0, at) + fresh.slice(at + put) === old),
        ).toBe(true)
      }
      expect(setTime(fresh)).toBe(fresh)
    }),
    { numRuns: 500 },
  )
})

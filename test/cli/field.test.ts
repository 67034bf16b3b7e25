import { expect, test } from 'vitest'
import { optionName, parseInput } from '../../src/verbs/define/field.ts'

const FIELDS = {
  maxPerRun: { kind: 'count', least: 1, about: '' },
  percent: { kind: 'count', most: 100, about: '' },
  state: { kind: 'choice', choices: ['done', 'failed'], about: '' },
  run: { kind: 'text', at: 0, required: true, about: '' },
  command: { kind: 'words', at: 1, required: true, about: '' },
  dryRun: { kind: 'flag', about: '' },
} as const

const given = { run: 'r1', command: ['ls'] }
const parse = (more: Record<string, unknown>) => parseInput(FIELDS, { ...given, ...more })

const NOT_COUNTS = [
  'abc',
  '-1',
  '1e3',
  '',
  ' ',
  ' 5',
  '5 ',
  '+5',
  '0x10',
  '1.5',
  '1_000',
  '٣',
  'NaN',
  'Infinity',
  '9'.repeat(10),
]

test.each(NOT_COUNTS)('%j is no count, and the refusal names the option', (value) => {
  expect(() => parse({ maxPerRun: value })).toThrow(
    expect.objectContaining({
      reason: 'usage_invalid',
      message: expect.stringMatching(/^invalid --max-per-run ".*": use a whole number from 1 to 1000000$/s),
    }),
  )
})

test('a count keeps its limits', () => {
  expect(parse({ maxPerRun: '1', percent: '100' })).toMatchObject({ maxPerRun: 1, percent: 100 })
  expect(() => parse({ maxPerRun: '0' })).toThrow(/from 1/)
  expect(() => parse({ percent: '101' })).toThrow(/to 100/)
})

test('what is not given is undefined, false or empty, and never a default by accident', () => {
  expect(parse({})).toEqual({
    maxPerRun: undefined,
    percent: undefined,
    state: undefined,
    run: 'r1',
    command: ['ls'],
    dryRun: false,
  })
})

test('a missing value is named as it is written on the command line', () => {
  expect(() => parseInput(FIELDS, { command: ['ls'] })).toThrow('<run> is missing')
  expect(() => parseInput(FIELDS, { run: 'r1', command: [] })).toThrow('<command> is missing')
})

test('a choice that does not exist is told with those that do', () => {
  expect(() => parse({ state: 'finished' })).toThrow('invalid --state "finished": use done, failed')
})

test('a field is written with dashes', () => {
  expect(optionName('compressAfterHours')).toBe('compress-after-hours')
})

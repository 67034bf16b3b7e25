import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sha256 } from '../../src/core/canonical.ts'
import {
  adoptedId,
  checkpointId,
  nameProblem,
  requireName,
  requireRunName,
  sequenceOf,
  streamId,
} from '../../src/core/id.ts'
import { ReasonError } from '../../src/core/reason.ts'
import { testPorts } from '../support/ports.ts'

const HOSTILE = [
  ...[
    '',
    ' ',
    '.',
    '..',
    '...',
    '../x',
    '..\\x',
    '../../etc/passwd',
    'a/b',
    'a\\b',
    '/',
    '/abs',
    'C:\\x',
    'C:',
  ],
  ...[
    'CON',
    'con',
    'Con.txt',
    'PRN',
    'aux',
    'AUX.json',
    'nul',
    'NUL.',
    'com1',
    'com1.txt',
    'COM9',
    'lpt1.log',
  ],
  ...[
    '.hidden',
    '-rf',
    '--json',
    '_x',
    'a.',
    'a..b',
    'trailing.',
    'x '.repeat(3),
    ' lead',
    'tab\t',
    'new\nline',
  ],
  ...[
    'nul\0byte',
    'a\r',
    'ünïcode',
    'файл',
    '名前',
    '😀',
    '\ud800',
    'a\u202eb',
    'ａ',
    'a:b',
    'a*b',
    'a?b',
    'a|b',
  ],
  ...[
    '<a>',
    '"a"',
    "'a'",
    '$(id)',
    '`id`',
    'a;b',
    'a&b',
    '%2e%2e',
    '~',
    '~root',
    '@x',
    '#x',
    'x'.repeat(129),
  ],
  ...['x'.repeat(300), `${'x'.repeat(127)}.`],
]
const RESERVED = ['active', 'Active', 'ACTIVE', 'archive', 'Archive', 'LEARNINGS.md', 'learnings.MD']
const GOOD = [
  'a',
  'r1',
  'A',
  '0',
  'release-2',
  'v1.2.3',
  'a_b-c.d',
  'x'.repeat(128),
  'a-',
  'a_',
  'console',
  'com10',
]

test.each(HOSTILE)('the id %j is refused, as a name and as a run', (id) => {
  for (const require of [requireName, requireRunName]) {
    expect(() => require(id)).toThrow(ReasonError)
    expect(() => require(id)).toThrow(expect.objectContaining({ reason: 'id_invalid' }))
  }
})

test.each(RESERVED)('no run may be called %s', (id) => {
  expect(() => requireRunName(id)).toThrow(expect.objectContaining({ reason: 'id_invalid' }))
})

test.each(GOOD)('the id %s is accepted', (id) => {
  expect(requireRunName(id)).toBe(id)
})

test('an accepted id is one plain path component on every system', () => {
  const anything = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 140 }),
    fc.stringMatching(/^[A-Za-z0-9._/\\-]{1,12}$/),
    fc.stringMatching(/^(con|nul|com1|a)[.]{0,2}[a-z]{0,3}$/),
  )
  let accepted = 0
  fc.assert(
    fc.property(anything, (id) => {
      if (nameProblem(id) !== null) return
      accepted += 1
      expect(id).toMatch(/^[A-Za-z0-9._-]{1,128}$/)
      expect(id).not.toContain('..')
      expect(id).not.toMatch(/^[.-]|\.$|^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i)
    }),
    { numRuns: 3_000 },
  )
  expect(accepted).toBeGreaterThan(100)
})

test('a refusal says what is wrong and never repeats a long value whole', () => {
  const refusal = catching(() => requireRunName('x'.repeat(300)))
  expect(refusal.message).toContain('300 characters')
  expect(refusal.message.length).toBeLessThan(250)
  expect(refusal.hint).toContain('letters')
})

test('checkpoint ids of one millisecond are distinct and carry their sequence [004.02]', () => {
  const { random } = testPorts()
  const at = Date.parse('2026-01-02T03:04:05.678Z')
  const ids = Array.from({ length: 500 }, (_, index) => checkpointId(at, index + 1, random))
  expect(new Set(ids).size).toBe(500)
  expect(ids.map(sequenceOf)).toEqual(ids.map((_, index) => index + 1))
  for (const id of ids) expect(id).toMatch(/^cp_20260102T030405678Z_\d+-[0-9a-f]{8}$/)
})

test('two processes that draw different dice never make the same checkpoint id [004.02]', () => {
  const one = checkpointId(0, 1, () => new Uint8Array([1, 2, 3, 4]))
  const two = checkpointId(0, 1, () => new Uint8Array([1, 2, 3, 5]))
  expect(one).not.toBe(two)
})

test.each(['', 'cp_', 'cp_x_1', 'cp_20260102T030405678Z_1', 'x', 'cp_20260102T030405678Z_-abcdefab'])(
  '%j is no checkpoint id of ours, so it has no sequence',
  (id) => {
    expect(sequenceOf(id)).toBeNull()
  },
)

function catching(act: () => unknown): ReasonError {
  try {
    act()
  } catch (error) {
    if (error instanceof ReasonError) return error
  }
  throw new Error('nothing was refused')
}

test('an adopted checkpoint has the same id wherever it is adopted, by the time and bytes of its document', () => {
  const at = Date.parse('2026-01-02T03:04:05.678Z')
  const digest = sha256('stream\nbytes')
  expect(adoptedId(at, digest)).toBe(`cp_20260102T030405678Z_${digest.slice(0, 16)}`)
  expect(adoptedId(at, digest)).toBe(adoptedId(at, digest))
  expect(adoptedId(at, sha256('stream\nother'))).not.toBe(adoptedId(at, digest))
  expect(adoptedId(at + 1, digest)).not.toBe(adoptedId(at, digest))
})

test('a document without a time that can be read is adopted all the same', () => {
  for (const at of [Number.NaN, Number.POSITIVE_INFINITY, Date.parse('yesterday')])
    expect(adoptedId(at, sha256('x'))).toBe(adoptedId(0, sha256('x')))
})

test('any time that a document may name gives an id that is safe as a file name and has no sequence', () => {
  fc.assert(
    fc.property(fc.date({ noInvalidDate: true }), fc.string(), (date, text) => {
      const id = adoptedId(date.getTime(), sha256(text))
      expect(id).toMatch(/^cp_[+-]?\d{8,12}T\d{9}Z_[0-9a-f]{16}$/)
      expect(sequenceOf(id)).toBeNull()
    }),
  )
})

test('a repository and a name always give the same stream, whatever the case of the name', () => {
  expect(streamId('repo_1', 'Auth')).toBe(streamId('repo_1', 'auth'))
  expect(streamId('repo_1', 'auth')).toMatch(/^work_[0-9a-f]{24}$/)
  expect(streamId('repo_2', 'auth')).not.toBe(streamId('repo_1', 'auth'))
  expect(streamId('repo_1', 'auth-2')).not.toBe(streamId('repo_1', 'auth'))
  // The two parts cannot run into each other.
  expect(streamId('repo_1a', 'uth')).not.toBe(streamId('repo_1', 'auth'))
})

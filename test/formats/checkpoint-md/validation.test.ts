import { describe, expect, test } from 'vitest'
import { appendDelta, setCompletion } from '../../../src/formats/checkpoint-md/edit.ts'
import { validateDocument } from '../../../src/formats/checkpoint-md/validate.ts'
import { DELTA, DONE, PLAIN } from './plain-document.ts'

const AROUND = { parents: new Map([['chk-001', null]]), otherCurrent: [], archived: false }
const findings = (text: string, archived = false) =>
  validateDocument(text, { ...AROUND, archived }).map(({ level, what }) => `${level}: ${what}`)
const WITH_DELTA = appendDelta(PLAIN, DELTA)

describe('times', () => {
  test.each([
    '2026-02-30T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2025-02-29',
    '2026-01-01T25:00:00Z',
    '2026-01-01 00:00Z',
  ])('%s is none [000.03]', (time) => {
    expect(findings(PLAIN.replace('2026-01-01T00:00:00Z', time))).toEqual([
      `error: \`created\` is not an ISO-8601 timestamp: "${time}"`,
    ])
  })

  test.each([
    '2024-02-29T00:00:00Z',
    '2026-01-01T00:00:00,5Z',
    '2026-01-01T00:00+0200',
    '2026-01-01T00:00:00.123456-09:30',
  ])('%s is one [000.03]', (time) => {
    expect(findings(PLAIN.replace('2026-01-01T00:00:00Z', time))).toEqual([])
  })

  test.each([
    ['2026-13-45T99:00:00Z', 'error: the delta\'s time is not an ISO-8601 timestamp: "2026-13-45T99:00:00Z"'],
    ['2026-01-02', "warning: the delta's time has no time zone"],
  ])('a delta at %s is told [000.67]', (time, told) => {
    const text = WITH_DELTA.replace(`Delta: ${DELTA.at}`, `Delta: ${time}`)
    expect(findings(text)).toEqual([told])
  })
})

describe('a completion', () => {
  const done = setCompletion(PLAIN, DONE)

  test.each([
    ['Archived', 'ARCHIVED', []],
    ['Archived', 'Banana', ['error: the completion\'s status is "Banana"']],
    ['- **Status**: Archived\n', '', ['error: the completion has no status']],
    [DONE.date, 'yesterday', ['error: the completion\'s date is not an ISO-8601 timestamp: "yesterday"']],
    [DONE.date, '2026-01-03', ["warning: the completion's date has no time zone"]],
  ])('with %j as %j gives %j [000.85]', (from, to, told) => {
    expect(findings(done.replace(from, to), true)).toEqual(told)
  })
})

describe('last_delta', () => {
  const without = WITH_DELTA.replace(/^last_delta.*\n/m, '')

  test('is told where a document with deltas does not have it [000.72]', () => {
    expect(findings(without)).toEqual(['warning: `last_delta` is missing'])
  })

  test('is told where a delta is newer, and not where it is as old or older [000.72]', () => {
    const at = (time: string) =>
      findings(WITH_DELTA.replace(`last_delta: ${DELTA.at}`, `last_delta: ${time}`))
    expect(at('2026-01-01T00:00:00Z')).toEqual([expect.stringContaining('warning: the delta is newer than')])
    expect(at('2026-01-02T02:00:00+02:00')).toEqual([])
    expect(at('2026-01-09T00:00:00Z')).toEqual([])
  })
})

describe('the artifacts of a delta', () => {
  const row = (cells: string) => findings(WITH_DELTA.replace('| - | - | No files named |', cells))

  test('are found below an emphasised heading as well [000.69]', () => {
    expect(findings(WITH_DELTA.replace('### Artifacts', '### **Artifacts**'))).toEqual([])
  })

  test('a row without a file is no row [000.69]', () => {
    expect(row('|  |  |  |')).toHaveLength(1)
    expect(row('|  |  |  |')[0]).toBe("error: the delta's artifact table has no row")
    expect(row('| - | | |')).toEqual([])
  })

  test('a file is created, modified or deleted; other words are warned of [000.69]', () => {
    expect(row('| `a.ts` | Created | x |\n| `b.ts` | **deleted** | x |')).toEqual([])
    expect(row('| `a.ts` | renamed | x |')).toEqual(['warning: the action of a.ts is "renamed"'])
  })
})

describe('the words of the tables', () => {
  const CRUMBS = '### Breadcrumbs\n\n| Type | Reference | Hint |\n|---|---|---|\n'
  const crumbs = (...rows: string[]) =>
    validateDocument(
      PLAIN.replace('### Play-By-Play', `${CRUMBS}${rows.join('\n')}\n\n### Play-By-Play`),
      AROUND,
    )
  const trail = (...rows: string[]) =>
    validateDocument(PLAIN.replace('| `a` | created | x |', rows.join('\n')), AROUND)
  const lineOf = (text: string, part: string) => text.slice(0, text.indexOf(part)).split('\n').length

  test('a breadcrumb is a file, a function, a decision or something external; other types are told [000.33]', () => {
    expect(
      crumbs(...['file', 'Function', '`decision`', 'external', '-'].map((type) => `| ${type} | x | y |`)),
    ).toEqual([])
    const [found, ...others] = crumbs('| file | x | |', '| url | x | |', '| command | y | |', '| url | z | |')
    expect(others).toEqual([])
    expect(found).toEqual({
      level: 'warning',
      line: lineOf(PLAIN, '### Play-By-Play') + 5,
      what: 'unknown type in Breadcrumbs: "url", "command" (3 rows)',
      mend: 'Write file, function, decision, external.',
    })
  })

  test('a file of the trail is created, modified or deleted; other states are told [000.30]', () => {
    expect(
      trail('| `a` | **Created** | |', '| `b` | modified | |', '| `c` | deleted | |', '| - | - | none |'),
    ).toEqual([])
    expect(trail('| `a` | created | |', '| `b` | in progress | |')).toEqual([
      {
        level: 'warning',
        line: lineOf(PLAIN, '| `a` | created') + 1,
        what: 'unknown status in Artifact Trail: "in progress"',
        mend: 'Write created, modified, deleted.',
      },
    ])
  })
})

test.each(['```', '~~~~\n~~~', '<!-- a', '<script>'])('%j without an end is an error at its line', (open) => {
  const [finding, ...others] = validateDocument(`${PLAIN}\n${open}\n\ntext\n`, AROUND)
  expect(others).toEqual([])
  expect(finding).toMatchObject({
    level: 'error',
    line: PLAIN.split('\n').length + 1,
    what: 'the code fence or comment that starts here is not closed',
  })
})

test.each(['```\n```', '<!-- a\n-->', '<div>', '- a\n  ```', '    ```', 'a <!-- b'])(
  '%j is no open block',
  (closed) => {
    expect(findings(`${PLAIN}\n${closed}\n`)).toEqual([])
  },
)

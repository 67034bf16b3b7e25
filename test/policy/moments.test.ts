import { expect, test } from 'vitest'
import { SESSION_SOURCES } from '../../src/core/session.ts'
import { MOMENTS, messageAtStart, momentOf } from '../../src/policy/moments.ts'
import { madeLines } from '../support/made-part.ts'

test.each([
  ['start', 'always', 'session-end', 'start'],
  ['prompt', 'when-due', null, 'dropped nudge ask'],
  ['batch', 'when-due', 'pressure', 'dropped nudge'],
  ['stop', 'when-due', 'pressure', 'nudge'],
  ['failure', 'always', 'error', ''],
  ['compacting', 'always', 'compaction', ''],
  ['compacted', 'always', null, ''],
  ['helper-started', 'never', null, ''],
  ['helper-stopped', 'never', null, ''],
  ['task-created', 'never', null, ''],
  ['task-completed', 'never', null, ''],
  ['end', 'never', null, ''],
] as const)(
  '%s opens the store %s, takes a checkpoint for %s and tells "%s"',
  (kind, opens, trigger, tells) => {
    expect(momentOf(kind)).toMatchObject({ opens, trigger, tells: tells.split(' ').filter(Boolean) })
  },
)

test('what never opens the store takes no checkpoint and tells nothing', () => {
  const never = Object.values(MOMENTS).filter(({ opens }) => opens === 'never')
  expect(never).toHaveLength(5)
  expect(
    never.filter(({ trigger, tells, savesAtOnce }) => trigger !== null || tells.length > 0 || savesAtOnce),
  ).toEqual([])
})

test('only a failure and a compaction save whatever is told', () => {
  const kinds = Object.keys(MOMENTS) as Array<keyof typeof MOMENTS>
  expect(kinds.filter((kind) => momentOf(kind).savesAtOnce)).toEqual(['failure', 'compacting'])
})

test('a start tells the brief, a resume what changed, a compaction nothing yet', () => {
  expect(SESSION_SOURCES.map((source) => [source, messageAtStart(source)])).toEqual([
    ['startup', 'brief'],
    ['resume', 'changes'],
    ['clear', 'brief'],
    ['compact', null],
    ['fork', 'brief'],
  ])
})

test('the table for the docs has a row for each event', () => {
  const [head, rule, ...rows] = madeLines('moments')
  expect(head).toBe('| event | what happens | opens the store | checkpoint | may tell |')
  expect(rule).toBe('| --- | --- | --- | --- | --- |')
  expect(rows.map((row) => row.split('|')[1]?.trim())).toEqual(
    Object.keys(MOMENTS).map((kind) => `\`${kind}\``),
  )
  expect(rows[5]).toBe(
    '| `compacting` | Saves a checkpoint from the complete transcript. | yes | `compaction` | – |',
  )
  expect(rows.every((row) => row.split('|').length === 7)).toBe(true)
})

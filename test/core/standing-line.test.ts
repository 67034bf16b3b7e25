import { expect, test } from 'vitest'
import { idsIn, standingLines } from '../../src/core/standing-line.ts'

const point = (id: string, stands?: string | null) => ({ id, stands })

test('what stands after each checkpoint: undone ones not, those done again, and the appended ones never', () => {
  const history = [
    ...[point('1'), point('2'), point('3', '1'), point('4', null), point('5', '2')],
    ...[point('6'), point('7', '3'), point('8', 'lost')],
  ]
  const lines = standingLines(history)
  expect(history.map(({ id }) => idsIn(lines.get(id) ?? null).join(' '))).toEqual([
    ...['1', '2 1', '1', '', '2 1', '6 2 1', '1', ''],
  ])
})

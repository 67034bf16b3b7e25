import { expect, test } from 'vitest'
import { looksLikeSame } from '../../src/policy/same-repository.ts'

const marks = (remote: string | null, ...roots: string[]) => ({ remote, roots })

test('first commits decide where both are known, else the remote does', () => {
  expect(looksLikeSame(marks('h/a', 'one'), marks('h/b', 'one', 'two'))).toBe(true)
  expect(looksLikeSame(marks('h/a', 'one'), marks('h/a', 'two'))).toBe(false)
  expect(looksLikeSame(marks('h/a'), marks('h/a', 'two'))).toBe(true)
  expect(looksLikeSame(marks('h/a'), marks('h/b', 'two'))).toBe(false)
  expect(looksLikeSame(marks(null), marks(null))).toBe(false)
})

import { describe, expect, test } from 'vitest'
import { nudgesFor } from '../../src/policy/window.ts'

const at = (usedPercent: number | null, more: Partial<Parameters<typeof nudgesFor>[0]> = {}) =>
  nudgesFor({ usedPercent, compactions: 0, nudged: [], handedOff: false, ...more })
const keys = (nudges: ReturnType<typeof nudgesFor>) =>
  nudges.map(({ key, text }) => (text === null ? `(${key})` : key))

/** Keys in brackets are due without a text. */
const DUE = [
  [null, 0, '', []],
  [0, 0, '', []],
  [69.9, 0, '', []],
  [70, 0, '', ['70']],
  [84.9, 1, '', ['70']],
  [72, 0, '70', []],
  [85, 0, '', ['85', '(70)']],
  [85, 0, '70', ['85']],
  [99, 0, '70 85', []],
  [72, 0, '85', ['(70)']],
  [null, 2, '', ['compactions']],
  [10, 3, '', ['compactions']],
  [10, 3, 'compactions', []],
  [72, 2, '', ['compactions', '(70)']],
  [90, 2, '', ['85', '(compactions)', '(70)']],
  [90, 2, '70 85', ['compactions']],
] as const

test.each(DUE)(
  'at %s %% after %i compactions, with "%s" given before: %j [003.17]',
  (percent, compactions, before, due) => {
    expect(keys(at(percent, { compactions, nudged: before.split(' ') }))).toEqual(due)
  },
)

test('each is due, also where the work was handed over and no advice is [003.22]', () => {
  const quiet = at(90, { compactions: 2, handedOff: true })
  expect(keys(quiet)).toEqual(['(85)', '(compactions)', '(70)'])
})

test('given once, each stays silent', () => {
  const first = at(90, { compactions: 2 })
  expect(at(100, { compactions: 9, nudged: first.map(({ key }) => key) })).toEqual([])
})

describe('the texts', () => {
  test('70 % names the command that saves [003.17]', () => {
    expect(at(71.8)[0]?.text).toBe(
      'Savepoint: the context window is 71 % full. A compaction loses unsaved decisions. Save them: `savepoint save --decision "…" --next "…"`',
    )
  })

  test('85 % and the second compaction advise to save, clear and go on from the brief [003.18] [003.32]', () => {
    const texts = [at(86), at(null, { compactions: 2 })].map(([first]) => first?.text ?? '')
    expect(texts[0]).toContain('the context window is 86 % full')
    expect(texts[1]).toContain('compacted 2 times')
    for (const text of texts) {
      expect(text).toMatch(/`savepoint save .*`\/clear`.*brief/)
      expect(text.length).toBeLessThanOrEqual(300)
      expect(text).not.toContain('\n')
    }
  })
})

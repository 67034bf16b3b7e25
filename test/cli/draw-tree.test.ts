import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type LineageRow, lineageOf } from '../../src/policy/lineage.ts'
import { drawTree } from '../../src/verbs/documents/list-tree.ts'

const family = (parents: Record<string, string | null>) =>
  lineageOf(Object.entries(parents).map(([id, parent]) => ({ id, parent, created: '2026-03-01' }))).rows

test('a tree of three levels', () => {
  const rows = family({
    api: null,
    'api-auth': 'api',
    'api-auth-tokens': 'api-auth',
    'api-auth-users': 'api-auth',
    'api-cache': 'api',
    'api-cache-ttl': 'api-cache',
    site: null,
  })
  expect(drawTree(rows, ({ id }) => (id === 'api-auth' ? `${id}  current` : id))).toBe(
    [
      'api',
      '├─ api-auth  current',
      '│  ├─ api-auth-tokens',
      '│  └─ api-auth-users',
      '└─ api-cache',
      '   └─ api-cache-ttl',
      'site',
    ].join('\n'),
  )
})

test('below the greatest depth the indentation stays, and the depth is a number', () => {
  const rows = family({ a: null, b: 'a', c: 'b', d: 'c', e: 'd', f: 'd', g: 'b', h: 'g' })
  expect(drawTree(rows, ({ id }) => id, { maxDepth: 2 })).toBe(
    [
      'a',
      '└─ b',
      '   ├─ c',
      '   │  … 3 └─ d',
      '   │  … 4 ├─ e',
      '   │  … 4 └─ f',
      '   └─ g',
      '      … 3 └─ h',
    ].join('\n'),
  )
})

test('no rows draw nothing', () => {
  expect(drawTree([], ({ id }) => id)).toBe('')
})

test('a chain of 10,000 draws, and its drawing grows with its length alone', () => {
  const chain = Array.from({ length: 10_000 }, (_, depth): LineageRow => ({ id: 'x', depth, last: true }))
  const size = (length: number) => drawTree(chain.slice(0, length), ({ id }) => id).length
  expect(
    drawTree(chain, ({ id }) => id)
      .split('\n')[9_999]
      ?.trimStart(),
  ).toBe('… 9999 └─ x')
  expect(size(10_000)).toBeLessThan(2.2 * size(5_000))
})

test('every upright line leads to a sibling further down', () => {
  const parents = fc.array(fc.nat(30), { minLength: 1, maxLength: 30 })
  fc.assert(
    fc.property(parents, (numbers) => {
      const rows = family(
        Object.fromEntries(
          numbers.map((number, index) => [`n${index}`, number < index ? `n${number}` : null]),
        ),
      )
      const drawn = drawTree(rows, ({ id }) => id, { maxDepth: 40 }).split('\n')
      expect(drawn.map((line) => line.replace(/^[ │├└─]*/, ''))).toEqual(rows.map(({ id }) => id))
      expect(drawn.map((line) => line.search(/n/) / 3)).toEqual(rows.map(({ depth }) => depth))
      for (const [index, line] of drawn.entries())
        for (const [column, mark] of [...line].entries()) {
          const below = drawn[index + 1]?.[column] ?? ''
          if (mark === '│' || mark === '├') expect(below).toMatch(/[│├└]/)
          if (/[│├└]/.test(below)) expect(mark).toMatch(/[│├n]/)
        }
    }),
  )
})

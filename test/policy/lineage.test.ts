import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { nameKey } from '../../src/core/id.ts'
import { type LineageNode, lineageOf } from '../../src/policy/lineage.ts'
import { timeCpu } from '../support/cpu-time.ts'

const DAY = '2026-03-01'
const node = (id: string, parent: string | null = null, created = DAY): LineageNode => ({
  id,
  parent,
  created,
})
const outline = (nodes: LineageNode[]) => lineageOf(nodes).rows.map(({ id, depth }) => `${depth} ${id}`)

test('children follow their parent, and the last of each family is marked', () => {
  expect(lineageOf([node('b', 'a'), node('c', 'a'), node('a'), node('d', 'b'), node('z')])).toEqual({
    rows: [
      { id: 'a', depth: 0, last: false },
      { id: 'b', depth: 1, last: false },
      { id: 'd', depth: 2, last: true },
      { id: 'c', depth: 1, last: true },
      { id: 'z', depth: 0, last: true },
    ],
    cycles: [],
    missing: [],
  })
})

test('dates sort among timestamps, times without a zone are UTC, and what cannot be read comes last', () => {
  vi.stubEnv('TZ', 'Pacific/Auckland')
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(new Date(DAY).getTimezoneOffset()).toBe(-780)
  const created = [
    ['f', 'yesterday'],
    ['e', '2026-03-02'],
    ['d', '2026-03-01T23:30:00-00:15'],
    ['c', '2026-03-01T13:00:00+0200'],
    ['b', '2026-03-01T10:59:59.999'],
    ['a', '2026-03-01'],
    ['g', ''],
    ['0', '2026-02-28T23:59Z'],
    ['00', '2026-99-99'],
    ['b2', '2026-03-01T10:59:59.5'],
  ] as const
  expect(outline(created.map(([id, at]) => node(id, null, at)))).toEqual(
    ['0', 'a', 'b2', 'b', 'c', 'd', 'e', '00', 'f', 'g'].map((id) => `0 ${id}`),
  )
})

test('ties are broken by id, ignoring case', () => {
  expect(outline([node('b'), node('C'), node('a'), node('B2')])).toEqual(['0 a', '0 b', '0 B2', '0 C'])
})

test('a parent is found in any case; one that is not there leaves a root and a report', () => {
  expect(lineageOf([node('Main'), node('x', 'mAIN'), node('y', 'gone')])).toMatchObject({
    rows: [
      { id: 'Main', depth: 0 },
      { id: 'x', depth: 1 },
      { id: 'y', depth: 0 },
    ],
    missing: [{ id: 'y', parent: 'gone' }],
  })
})

test('a cycle is reported, opened above its oldest member, and all its members are still there', () => {
  const { rows, cycles, missing } = lineageOf([
    node('tail', 'c', '2026-01-01'),
    node('a', 'c', '2026-03-03'),
    node('b', 'a', '2026-03-02'),
    node('c', 'b', '2026-03-04'),
    node('self', 'SELF'),
  ])
  expect(cycles).toEqual([['b', 'a', 'c'], ['self']])
  expect(missing).toEqual([])
  expect(rows.map(({ id, depth }) => `${depth} ${id}`)).toEqual(['0 self', '0 b', '1 c', '2 tail', '2 a'])
})

test('two nodes with one name are both drawn, and the older one has the children', () => {
  const nodes = [node('A', null, '2026-03-05'), node('a', null, '2026-03-04'), node('x', 'A')]
  expect(outline(nodes)).toEqual(['0 a', '1 x', '0 A'])
})

const many = Array.from({ length: 10_000 }, (_, index) => index)

test.each([
  ['a chain', (index: number) => (index === 0 ? null : `n${index - 1}`), 9_999],
  ['a family', (index: number) => (index === 0 ? null : 'n0'), 1],
  ['a cycle', (index: number) => `n${(index + 9_999) % 10_000}`, 9_999],
  ['a chain without a beginning', (index: number) => `n${index - 1}`, 9_999],
])('%s of 10,000', (_, parentOf, depth) => {
  const nodes = many.map((index) =>
    node(`n${index}`, parentOf(index), `2026-03-01T00:00:00.${String(index).padStart(6, '0')}Z`),
  )
  const { result, ms } = timeCpu(() => lineageOf(nodes.toReversed()))
  const { rows } = result
  expect(ms).toBeLessThan(2_000)
  expect(rows).toHaveLength(10_000)
  expect(rows.at(-1)).toMatchObject({ depth, last: true })
})

const ids = fc.constantFrom('a', 'A', 'b', 'c', 'd', 'e', 'f', 'g')
const created = fc.constantFrom('2026-01-01', '2026-01-01T00:00:00Z', '2026-01-02T10:00:00+02:00', 'rubbish')
const families = fc.uniqueArray(
  fc.record({ id: ids, parent: fc.option(fc.oneof(ids, fc.constant('gone'))), created }),
  { selector: ({ id }) => nameKey(id) },
)

test('every node is in exactly one row, below its parent unless it is a root for a reason', () => {
  fc.assert(
    fc.property(families, (nodes) => {
      const { rows, cycles, missing } = lineageOf(nodes)
      expect(rows.map(({ id }) => id).sort()).toEqual(nodes.map(({ id }) => id).sort())
      const path: string[] = []
      for (const [index, { id, depth, last }] of rows.entries()) {
        path.length = depth
        const parent = nodes.find((one) => one.id === id)?.parent ?? null
        const isFreed =
          parent === null || missing.some((one) => one.id === id) || cycles.some(([first]) => first === id)
        if (isFreed) expect(depth).toBe(0)
        else expect(nameKey(path[depth - 1] ?? '')).toBe(nameKey(parent))
        path.push(id)
        const after = rows.slice(index + 1)
        const end = after.findIndex((row) => row.depth < depth)
        const sibling = (end === -1 ? after : after.slice(0, end)).some((row) => row.depth === depth)
        expect(last).toBe(!sibling)
      }
      for (const cycle of cycles)
        for (const [index, id] of cycle.entries())
          expect(nameKey(nodes.find((one) => one.id === id)?.parent ?? '')).toBe(
            nameKey(cycle[(index + 1) % cycle.length] ?? ''),
          )
    }),
    { numRuns: 1_000 },
  )
})

test('the order of the nodes makes no difference', () => {
  fc.assert(
    fc.property(
      families.chain((nodes) =>
        fc.tuple(fc.constant(nodes), fc.shuffledSubarray(nodes, { minLength: nodes.length })),
      ),
      ([nodes, shuffled]) => {
        expect(lineageOf(shuffled)).toEqual(lineageOf(nodes))
      },
    ),
  )
})

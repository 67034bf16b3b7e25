import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type PlacedSource, placeSources, type StreamHead } from '../../src/engine/import/place-sources.ts'

const source = (path: string, atMs: number, more: Partial<PlacedSource> = {}): PlacedSource => ({
  ...{ path, kind: 'note', hash: path, saidMs: atMs, atMs, stream: 'main', branch: null, commit: null },
  foreign: false,
  ...more,
})

const head = (name: string, atMs: number, more: Partial<StreamHead> = {}): StreamHead => ({
  ...{ name, atMs, foreign: false, imported: false, shut: false },
  ...more,
})

/** Which stream each source goes to. */
const placed = (sources: PlacedSource[], heads: StreamHead[]) =>
  placeSources(sources, heads).lanes.map(({ name, sources: mine }) => [name, mine.map(({ path }) => path)])

test('what is not newer than the head goes beside it, and what is newer behind it', () => {
  const sources = [source('old', 1), source('same', 5), source('new', 6)]
  expect(placed(sources, [head('main', 5)])).toEqual([
    ['main-earlier', ['old', 'same']],
    ['main', ['new']],
  ])
})

test('of one instant, a source goes behind one that was imported, as it would have without a break', () => {
  const both = [source('a', 5), source('b', 5)]
  expect(placed(both, [])).toEqual([['main', ['a', 'b']]])
  expect(placed(both.slice(1), [head('main', 5, { imported: true })])).toEqual([['main', ['b']]])
})

test('names are the same whatever their case, and a long one has room for a word behind it', () => {
  expect(placed([source('a', 9, { stream: 'MAIN' })], [head('Main', 5)])).toEqual([['Main', ['a']]])
  const stream = 'x'.repeat(128)
  expect(placed([source('a', 1, { stream })], [head(stream, 5)])).toEqual([
    [`${'x'.repeat(100)}-earlier`, ['a']],
  ])
})

test('of two documents with one id the newer one is taken', () => {
  const documents = [1, 2].map((at) => source(`${at}.md`, at, { kind: 'document', stream: 'login' }))
  const { lanes, taken } = placeSources(documents, [])
  expect(lanes).toMatchObject([{ name: 'login', sources: [{ path: '2.md' }] }])
  expect(taken).toMatchObject([{ path: '1.md' }])
})

const sources = fc.uniqueArray(
  fc.record({
    path: fc.nat(50).map(String),
    atMs: fc.nat(20),
    stream: fc.constantFrom('main', 'Main', 'auth', 'main-earlier'),
    foreign: fc.boolean(),
    kind: fc.constantFrom<PlacedSource['kind']>('note', 'ledger', 'document'),
  }),
  { selector: ({ path }) => path, maxLength: 30 },
)
const heads = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom('main', 'auth', 'main-earlier', 'main-earlier-2', 'main-foreign', 'auth-imported'),
    ...{ atMs: fc.nat(20), foreign: fc.boolean(), imported: fc.boolean(), shut: fc.boolean() },
  }),
  { selector: ({ name }) => name },
)

test('every source has one place; no head is followed by what is older, shut or not of its kind', () => {
  fc.assert(
    fc.property(sources, heads, (given, known) => {
      const all = given.map(({ path, atMs, ...more }) => source(path, atMs, more))
      const { lanes, taken } = placeSources(all, known)
      const paths = [...lanes.flatMap((lane) => lane.sources), ...taken].map(({ path }) => path)
      expect(paths.sort()).toEqual(all.map(({ path }) => path).sort())
      for (const { name, isNew, foreign, sources: mine } of lanes) {
        const before = known.find((one) => one.name.toLowerCase() === name.toLowerCase())
        expect(isNew).toBe(before === undefined)
        expect(before?.shut ?? false).toBe(false)
        expect(before?.foreign ?? foreign).toBe(foreign)
        expect(mine.every((one) => one.foreign === foreign)).toBe(true)
        const times = mine.map(({ atMs }) => atMs)
        expect(times).toEqual(times.toSorted((a, b) => a - b))
        const [first = 0] = times
        if (before) expect(before.imported ? first >= before.atMs : first > before.atMs).toBe(true)
      }
    }),
  )
})

test('broken off anywhere between two sources of a stream, the rest goes where it would have gone', () => {
  fc.assert(
    fc.property(sources, heads, fc.nat(30), (given, known, cut) => {
      const all = given
        .filter(({ kind }) => kind !== 'document')
        .map(({ path, atMs, ...more }) => source(path, atMs, more))
      const whole = placeSources(all, known).lanes
      // Streams are taken one after another: all of the first, and a part of the one that was under way.
      let left = cut
      const after: StreamHead[] = [...known]
      const done = new Set<string>()
      for (const { name, foreign, sources: mine } of whole) {
        const some = mine.slice(0, left)
        left -= some.length
        const last = some.at(-1)
        if (!last) continue
        for (const { path } of some) done.add(path)
        const now = { name, atMs: last.atMs, foreign, imported: true, shut: false }
        const at = after.findIndex((one) => one.name.toLowerCase() === name.toLowerCase())
        if (at < 0) after.push(now)
        else after[at] = now
      }
      const placeOf = (lanes: typeof whole) =>
        new Map(
          lanes.flatMap(({ name, sources: mine }) => mine.map(({ path }) => [path, name.toLowerCase()])),
        )
      const expected = placeOf(whole)
      const rest = all.filter(({ path }) => !done.has(path))
      for (const [path, name] of placeOf(placeSources(rest, after).lanes))
        expect(name).toBe(expected.get(path))
    }),
  )
})

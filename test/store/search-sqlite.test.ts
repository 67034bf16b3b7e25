import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ReasonError } from '../../src/core/reason.ts'
import { fillIndex } from '../../src/engine/search/fill-index.ts'
import type { SearchRecord } from '../../src/store/search-index.ts'
import { MIGRATIONS } from '../../src/store/sqlite/migrations.ts'
import type { Store } from '../../src/store/store.ts'
import { AT, freshFolder, grow, LATER, newCheckpoint, readmitTo, WORKSPACE } from './make.ts'
import { EVERYTHING, filled, fillingOf, found, foundAt, says, wordsOf } from './make-search.ts'
import { newWork } from './make-work.ts'
import { freshPath, onFile, openAt } from './sqlite-file.ts'

const recordOf = (number: number, text: string): SearchRecord => ({
  ...{ id: `s${number}`, kind: 'session', text, repository: WORKSPACE.repository, at: AT, branch: null },
  ...{ stream: null, checkpoint: null },
})

/** Puts records into the index that nothing in the store says. */
async function putIn(store: Store, records: SearchRecord[]): Promise<void> {
  const part = await store.index.readUnsearched(1)
  expect(await store.index.putPart({ ...part, to: `${part.to} ` }, records)).toBe(true)
}

describe('many matches', () => {
  const many = async (...rest: string[]) => {
    const store = openAt(freshPath())
    const common = Array.from({ length: 1_010 }, (_, number) => recordOf(number, `common word ${number}`))
    await putIn(store, [...rest.map((text, at) => recordOf(5_000 + at, text)), ...common])
    return store
  }

  test('the newest are ranked, and it is said that there are more', async () => {
    const store = await many()
    const all = await store.index.search({ terms: wordsOf('common'), of: 'all' }, EVERYTHING)
    expect(all).toMatchObject({ total: 1_000, more: true })
    expect(all?.hits).toHaveLength(10)
    const two = await store.index.search({ terms: wordsOf('common', '777'), of: 'all' }, EVERYTHING)
    expect(two).toMatchObject({ total: 1, more: false, hits: [{ id: 's777' }] })
  })

  test('of any of the words, a rare one is not lost behind those that everything has', async () => {
    const store = await many('the unicorn, older than everything')
    const any = await store.index.search({ terms: wordsOf('common', 'unicorn'), of: 'any' }, EVERYTHING)
    expect(any).toMatchObject({ total: 1, hits: [{ id: 's5000' }] })
    const none = await store.index.search({ terms: wordsOf('common', 'word'), of: 'any' }, EVERYTHING)
    expect(none).toMatchObject({ total: 1_000, more: true })
  })
})

test('however much came that nobody reviewed, it takes no place from what is ours', async () => {
  const store = openAt(freshPath())
  await says(store, 1, { now: 'common unicorn, ours' })
  const theirs = await says(store, 1, { now: 'theirs' }, { name: 'theirs', foreign: true })
  await filled(store)
  const flood = Array.from({ length: 1_010 }, (_, number) => ({
    ...recordOf(number, `common unicorn ${number}`),
    checkpoint: theirs,
    stream: newWork('theirs').id,
  }))
  await putIn(store, flood)
  for (const wanted of [
    { terms: wordsOf('common'), of: 'all' as const },
    { terms: wordsOf('common', 'unicorn'), of: 'all' as const },
    { terms: wordsOf('unicorn', 'absent'), of: 'any' as const },
    { contains: ['corn'] },
  ]) {
    const answer = await store.index.search(wanted, EVERYTHING)
    expect(answer).toMatchObject({ total: 1, more: false, foreign: { records: 1_010 } })
    expect(answer?.hits).toMatchObject([{ place: { stream: 'auth' } }])
  }
})

describe('the index begins anew', () => {
  test('where the row of the last checkpoint holds another one since', async () => {
    const store = openAt(freshPath())
    const { stream, ids } = await grow(store, { length: 3 })
    // A place is held for the second of three, which is lost: the last row of the table.
    await says(store, 1, { now: 'Still here' })
    onFile(
      store.path,
      'PRAGMA foreign_keys = OFF',
      'DROP TRIGGER checkpoints_stay',
      `DELETE FROM checkpoints WHERE id = '${ids[1]}'`,
    )
    expect(await store.log.closeGaps(AT)).toBe(1)
    expect(await filled(store)).toEqual([])
    const back = newCheckpoint(stream, 2, { triggers: [{ kind: 'step', at: AT, note: 'came back' }] })
    expect(await readmitTo(store.acts, back, 2, [])).toBe(true)
    expect(await store.index.readUnsearched(10)).toMatchObject({ anew: true })
    expect(await foundAt(store, 'came back')).toEqual(['run r1@2'])
    expect(await found(store, 'still')).toMatchObject({ total: 1 })
  })

  test.each(['not JSON', '{"format":0,"row":1}', '{}', 'null', '{"format":1,"row":99,"id":"x"}'])(
    'where its mark says %s',
    async (mark) => {
      const store = openAt(freshPath())
      await says(store, 1, { now: 'Still here' })
      await filled(store)
      onFile(store.path, `UPDATE meta SET value = '${mark}' WHERE key = 'search'`)
      expect(await found(store, 'still')).toMatchObject({ total: 1 })
      expect((await store.index.readUnsearched(1)).anew).toBe(false)
    },
  )

  test('where its words are lost', async () => {
    const path = freshPath()
    const before = openAt(path)
    await says(before, 1, { now: 'Still here' })
    await filled(before)
    await before.close()
    onFile(path, 'DROP TABLE search_texts')
    const store = openAt(path)
    expect(await store.index.search({ terms: wordsOf('still'), of: 'all' }, EVERYTHING)).toBeNull()
    await store.index.forget()
    expect(await found(store, 'still')).toMatchObject({ total: 1 })
    expect(await store.check()).toEqual([])
  })
})

describe('beside others', () => {
  test('a store from before there was a search is found whole', async () => {
    const path = freshPath()
    const before = MIGRATIONS.findIndex((step) => step.includes('search_records'))
    const older = openAt(path, { migrations: MIGRATIONS.slice(0, before) })
    await says(older, 1, { now: 'Long ago' })
    const store = openAt(path)
    expect(await foundAt(store, 'long')).toEqual(['checkpoint auth@1'])
    // The older program goes on, and moves no mark.
    await says(older, 2, { now: 'Long after' })
    expect((await foundAt(store, 'long')).toSorted()).toEqual(['checkpoint auth@1', 'checkpoint auth@2'])
    expect(await store.check()).toEqual([])
  })

  test('what is merged into a store is found there', async () => {
    const from = openAt(freshPath())
    for (const sequence of [1, 2]) await says(from, sequence, { now: `Merged ${sequence}` })
    await filled(from)
    const copy = join(freshFolder(), 'copy.db')
    await from.copyTo(copy)
    const store = openAt(freshPath())
    await says(store, 1, { now: 'Own' }, { name: 'own' })
    await filled(store)
    expect(await store.mergeFrom(copy)).toBe(2)
    expect((await foundAt(store, 'merged')).toSorted()).toEqual(['checkpoint auth@1', 'checkpoint auth@2'])
    expect(await foundAt(store, 'own')).toEqual(['checkpoint own@1'])
  })

  test('where the index cannot be written, what it has is found, and that is said', async () => {
    const store = openAt(freshPath())
    await says(store, 1, { now: 'Still here' })
    await filled(store)
    await says(store, 2, { now: 'Still new' })
    const index = Object.assign(Object.create(store.index), {
      putPart: () =>
        Promise.reject(
          new ReasonError('checkpoint_atomic_write_failed', { path: 'x', problem: 'read-only' }),
        ),
    })
    const stuck = Object.assign(Object.create(store), { index })
    const notices: string[] = []
    await fillIndex(fillingOf(stuck, { notices }))
    expect(notices).toEqual([expect.stringContaining('may be missing')])
    const answer = await store.index.search({ terms: wordsOf('still'), of: 'all' }, EVERYTHING)
    expect(answer).toMatchObject({ total: 1 })
    index.putPart = () => Promise.reject(new TypeError('a mistake of ours'))
    await expect(fillIndex(fillingOf(stuck, { notices }))).rejects.toThrow(TypeError)
  })

  test('who waits for much is told how far it is', async () => {
    const store = openAt(freshPath())
    await grow(store, { length: 1_201 })
    const told: Array<[number, number]> = []
    await fillIndex(fillingOf(store, { progress: (done, total) => told.push([done, total]) }))
    expect(told[0]).toEqual([200, 1_201])
    expect(told.at(-1)).toEqual([1_201, 1_201])
    expect(told.slice(0, -1).every(([done, total]) => done < total)).toBe(true)
    const again: unknown[] = []
    await fillIndex(fillingOf(store, { progress: (done) => again.push(done) }))
    expect(again).toEqual([])
  })

  test('a time that an import brought along hides nothing newer', async () => {
    const store = openAt(freshPath())
    await says(store, 1, { now: 'Tokens ahead' }, { at: '2099-01-01T00:00:00.000Z' })
    await says(store, 2, { now: 'Tokens of old' }, { at: '2020-01-01T00:00:00.000Z' })
    await says(store, 3, { now: 'Tokens later' }, { at: LATER })
    expect((await foundAt(store, 'tokens', { since: LATER })).toSorted()).toEqual([
      ...['checkpoint auth@1', 'checkpoint auth@3'],
    ])
  })
})

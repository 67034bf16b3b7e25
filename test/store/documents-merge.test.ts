import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sha256 } from '../../src/core/canonical.ts'
import type { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { AT, contentOf, freshFolder, grow, LATER, WORKSPACE } from './make.ts'
import {
  BESIDE,
  documentsOf,
  focusedIn,
  growWork,
  hashOf,
  leavingFrom,
  newDocument,
  newEntry,
  newPoint,
  newWork,
  pathOf,
  step,
  textOf,
} from './make-work.ts'
import { closedStore, copyBeforeDocuments, freshPath, onFile, openAt } from './sqlite-file.ts'

const HERE = { workspace: WORKSPACE.id }
const placesOf = async (store: SqliteStore, name = 'auth') =>
  (await store.acts.listWork(WORKSPACE.repository, WORKSPACE.id))
    .filter(({ stream }) => stream.name === name)
    .map(({ view }) => view?.path)

/** Something of everything: two documents, one foreign, one in focus here and the other beside, one owed. */
async function furnish(store: SqliteStore): Promise<void> {
  await growWork(store, { length: 3 })
  await growWork(store, { name: 'theirs', foreign: true })
  await store.acts.commit({ ...HERE, focus: newWork().id })
  await store.acts.commit({
    workspace: BESIDE.id,
    views: [newDocument('auth', 2)],
    focus: newWork('theirs').id,
  })
  await store.local.setTrust(WORKSPACE.id, WORKSPACE.path, 'own', AT)
  const view = { state: 'pending', base: hashOf('theirs', 1), current: true } as const
  await store.acts.commit(step('theirs', 2, { view, foreign: true }))
  await store.acts.commit({
    ...HERE,
    views: [newEntry('auth', 3), leavingFrom(pathOf('old'), 'auth', 1)],
  })
}

/** A store, and a copy of it as it was a moment ago. */
async function withCopy(prepare: (store: SqliteStore) => Promise<unknown>) {
  const store = openAt(freshPath())
  await prepare(store)
  const copy = join(freshFolder(), 'copy.db')
  await store.copyTo(copy)
  return { store, copy }
}

describe('merging documents', () => {
  test('carries texts, versions, focus, trust, marks and views into an empty store, once', async () => {
    const { store, copy } = await withCopy(furnish)
    const into = openAt(freshPath())
    expect(await into.mergeFrom(copy)).toBe(5)
    expect(await documentsOf(into)).toEqual(await documentsOf(store))
    expect(await into.mergeFrom(copy)).toBe(0)
    expect(await documentsOf(into)).toEqual(await documentsOf(store))
    expect(await into.check()).toEqual([])
  })

  test('of a copy into its own store changes nothing', async () => {
    const { store, copy } = await withCopy(furnish)
    const before = await documentsOf(store)
    expect(await store.mergeFrom(copy)).toBe(0)
    expect(await documentsOf(store)).toEqual(before)
  })

  test('gives a newer document the place of the older one, and never the other way round', async () => {
    const { store, copy } = await withCopy((one) => growWork(one))
    await growWork(store, { length: 3, from: 2 })
    const after = await documentsOf(store)
    await store.mergeFrom(copy)
    expect(await documentsOf(store)).toEqual(after)
    const older = openAt(copy)
    await older.mergeFrom(store.path)
    expect(await documentsOf(older)).toEqual(after)
  })

  test.each(['the older into the newer', 'the newer into the older'])(
    'of %s leaves a document that was moved in one place',
    async (order) => {
      const { store, copy } = await withCopy((one) => growWork(one))
      await store.acts.commit(step('auth', 2, { view: { path: pathOf('auth', 'archive') } }))
      const isOlder = order === 'the older into the newer'
      const into = isOlder ? store : openAt(copy)
      await into.mergeFrom(isOlder ? copy : store.path)
      expect(await placesOf(into)).toEqual([pathOf('auth', 'archive')])
      expect((await into.local.listViews(HERE)).map(({ path }) => path)).toEqual([pathOf('auth', 'archive')])
    },
  )

  test('brings the acts of a workspace that has none, and never mixes them with others', async () => {
    const act = (id: string) => ({
      ...{ id, at: AT, verb: 'save', by: 'user' as const, session: null },
      record: { what: id, summary: '', streams: [], files: [], focus: null },
    })
    const { store, copy } = await withCopy(async (one) => {
      await growWork(one)
      for (const id of ['a', 'b']) await one.acts.commit({ ...HERE, act: act(id) })
    })
    const idsIn = async (one: SqliteStore) => (await one.local.listActs(WORKSPACE.id)).map(({ id }) => id)
    const into = openAt(freshPath())
    await into.mergeFrom(copy)
    expect(await idsIn(into)).toEqual(['a', 'b'])
    await store.acts.commit({ ...HERE, turn: { act: 'b', isUndone: true } })
    await store.acts.commit({ ...HERE, act: act('c') })
    await store.mergeFrom(copy)
    expect(await idsIn(store)).toEqual(['a', 'c'])
  })

  test('keeps the focus that is there, and takes the other one as open', async () => {
    const { store, copy } = await withCopy(async (one) => {
      for (const name of ['one', 'two']) await growWork(one, { name })
      await one.acts.commit({ ...HERE, focus: newWork('one').id })
    })
    await store.acts.commit({ ...HERE, focus: newWork('two').id })
    await store.mergeFrom(copy)
    expect(await focusedIn(store)).toEqual(['two'])
    await store.acts.commit({ ...HERE, focus: null })
    await store.mergeFrom(copy)
    expect(await focusedIn(store)).toEqual([])
  })

  test('does not bring back a mark that was reviewed, and brings those of new checkpoints', async () => {
    const { store, copy } = await withCopy((one) => growWork(one, { foreign: true }))
    await openAt(copy).acts.commit(step('auth', 2, { foreign: true }))
    const [first] = await store.log.readHistory(newWork().id)
    await store.acts.commit({ ...HERE, reviews: [first?.id ?? ''] })
    await store.mergeFrom(copy)
    const marks = (await store.log.readHistory(newWork().id)).map(({ foreign }) => foreign)
    expect(marks).toEqual([false, true])
  })

  test('knows who trusted or took trust last, whichever file says so', async () => {
    const { store, copy } = await withCopy(async (one) => {
      await growWork(one)
      await one.local.setTrust(WORKSPACE.id, WORKSPACE.path, 'own', AT)
    })
    const trustIn = (one: SqliteStore) => one.local.readTrust(WORKSPACE.id, WORKSPACE.path)
    await store.local.setTrust(WORKSPACE.id, WORKSPACE.path, 'withdrawn', LATER)
    await store.mergeFrom(copy)
    expect(await trustIn(store)).toBe('withdrawn')
    const older = openAt(copy)
    await older.mergeFrom(store.path)
    expect(await trustIn(older)).toBe('withdrawn')
    await older.local.setTrust(WORKSPACE.id, WORKSPACE.path, 'vouched', '2026-02-01T00:00:00.000Z')
    await store.mergeFrom(copy)
    expect(await trustIn(store)).toBe('vouched')
  })

  test('leaves out a text that is damaged, and its version', async () => {
    const { store, copy } = await withCopy((one) => growWork(one, { length: 2 }))
    onFile(copy, `UPDATE texts SET body = X'1f8b' WHERE hash = '${hashOf('auth', 1)}'`)
    const into = openAt(freshPath())
    expect(await into.mergeFrom(copy)).toBe(2)
    expect(await into.log.readText(hashOf('auth', 1))).toBeNull()
    expect(await into.log.findVersion(newWork().id, hashOf('auth', 1))).toBeNull()
    expect(await into.log.readText(hashOf('auth', 2))).toBe(textOf('auth', 2))
    expect(await into.check()).toEqual([])
    await into.mergeFrom(store.path)
    expect(await documentsOf(into)).toEqual(await documentsOf(store))
  })

  test('takes the runs of a file from before there were documents', async () => {
    const path = freshPath()
    const newer = freshPath()
    const { stream, ids } = await closedStore(newer)
    copyBeforeDocuments(newer, path)
    const into = openAt(freshPath())
    await furnish(into)
    const before = JSON.stringify(await into.acts.listWork(WORKSPACE.repository, WORKSPACE.id))
    expect(await into.mergeFrom(path)).toBe(3)
    expect((await into.log.readHistory(stream)).map(({ id }) => id)).toEqual(ids)
    expect((await into.local.listViews({ stream })).map(({ path }) => path)).toEqual(['r1/1', 'r1/2', 'r1/3'])
    expect(JSON.stringify(await into.acts.listWork(WORKSPACE.repository, WORKSPACE.id))).toBe(before)
    expect(await into.check()).toEqual([])
  })
})

describe('merging what saves write', () => {
  const NOTE = { kind: 'note', path: '.claude/checkpoints/a.json', hash: sha256('a note') } as const
  const LEDGER = { kind: 'ledger', path: 'ledger.md', hash: sha256('a ledger') } as const
  const point = (sequence: number, name = 'auth') => ({
    ...{ stream: newWork(name).id, checkpoint: newPoint(name, sequence).id },
  })
  const owed = { base: null, state: 'pending' } as const
  const texts = [NOTE, LEDGER].map(({ kind, hash }) => ({ hash, text: `a ${kind}` }))
  const ledgerOf = (sequence: number, hash: string = LEDGER.hash) => ({
    ...{ path: LEDGER.path, checkpoint: newPoint('auth', sequence).id, hash, at: AT },
  })
  const saved = async (one: SqliteStore) => {
    await growWork(one)
    await one.acts.commit({
      ...{ ...HERE, texts, ledgers: [ledgerOf(1)] },
      views: [NOTE, LEDGER].map((file) => ({ ...file, ...point(1), ...owed })),
    })
  }
  const filesOf = async (one: SqliteStore) => ({
    note: await one.local.readFileView(WORKSPACE.id, NOTE.path),
    ledger: await one.local.readFileView(WORKSPACE.id, LEDGER.path),
    ledgers: await one.acts.listLedgers(WORKSPACE.id),
    owed: await one.local.listOwedViews(WORKSPACE.id),
  })

  test('carries notes, ledgers and their history, once', async () => {
    const { store, copy } = await withCopy(saved)
    const into = openAt(freshPath())
    await into.mergeFrom(copy)
    expect(await filesOf(into)).toEqual(await filesOf(store))
    expect(await into.acts.listLedgers(WORKSPACE.id)).toHaveLength(1)
    await into.mergeFrom(copy)
    expect(await filesOf(into)).toEqual(await filesOf(store))
    expect(await into.check()).toEqual([])
  })

  test('brings the ledgers of both files together, and the newer row of a file counts', async () => {
    const { store, copy } = await withCopy(saved)
    await store.acts.commit(step('auth', 2))
    const hash = sha256('a newer ledger')
    await store.acts.commit({
      ...{ ...HERE, texts: [{ hash, text: 'a newer ledger' }], ledgers: [ledgerOf(2, hash)] },
      views: [{ ...LEDGER, ...point(2), hash, base: null, state: 'published' }],
    })
    const before = await filesOf(store)
    await store.mergeFrom(copy)
    expect(await filesOf(store)).toEqual(before)
    const older = openAt(copy)
    await older.mergeFrom(store.path)
    expect(await filesOf(older)).toEqual(before)
    expect(before.ledgers.map((row) => row.hash)).toEqual([LEDGER.hash, hash])
  })

  test('leaves out a file and a ledger whose text is damaged', async () => {
    const { copy } = await withCopy(saved)
    onFile(copy, `UPDATE texts SET body = X'1f8b' WHERE hash IN ('${NOTE.hash}', '${LEDGER.hash}')`)
    const into = openAt(freshPath())
    await into.mergeFrom(copy)
    expect(await filesOf(into)).toEqual({ note: null, ledger: null, ledgers: [], owed: [] })
    expect(await into.check()).toEqual([])
  })

  test('of a file that has lost the row of a workspace brings all that is not of that workspace', async () => {
    const { store, copy } = await withCopy(async (one) => {
      await saved(one)
      const views = [{ ...NOTE, ...point(1), ...owed }]
      await one.acts.commit({ workspace: BESIDE.id, texts, ledgers: [ledgerOf(1)], views })
    })
    onFile(copy, 'PRAGMA foreign_keys = OFF', `DELETE FROM workspaces WHERE id = '${BESIDE.id}'`)
    const into = openAt(freshPath())
    expect(await into.mergeFrom(copy)).toBe(1)
    expect(await filesOf(into)).toEqual(await filesOf(store))
    expect(await into.check()).toEqual([])
  })

  test('takes the work of a file from before there were ledgers', async () => {
    const { store, copy } = await withCopy((one) => growWork(one, { length: 2 }))
    onFile(copy, 'DROP TABLE ledgers')
    const into = openAt(freshPath())
    await saved(into)
    const before = await filesOf(into)
    expect(await into.mergeFrom(copy)).toBe(1)
    expect(await into.log.readHistory(newWork().id)).toEqual(await store.log.readHistory(newWork().id))
    expect(await filesOf(into)).toEqual(before)
  })
})

describe('a file replaced under an open store with documents', () => {
  test.each(['deleted', 'replaced by another', 'replaced by an older copy'])(
    'that is %s keeps what was confirmed',
    async (how) => {
      const { store, copy } = await withCopy((one) => growWork(one))
      await furnishFurther(store)
      const before = await documentsOf(store)
      if (how === 'deleted') rmSync(store.path)
      else if (how === 'replaced by an older copy') renameSync(copy, store.path)
      else {
        const other = join(freshFolder(), 'other.db')
        const theirs = openAt(other)
        await grow(theirs, { name: 'r9' })
        await theirs.copyTo(`${other}.copy`)
        renameSync(`${other}.copy`, store.path)
      }
      const runs = how === 'replaced by another' ? 1 : 0
      expect(await store.log.listStreams(null)).toHaveLength(runs)
      expect(withoutRuns(await documentsOf(openAt(store.path)))).toEqual(withoutRuns(before))
      await store.acts.commit(step('auth', 4))
      expect(
        (await openAt(store.path).log.readHistory(newWork().id)).map(({ sequence }) => sequence),
      ).toEqual([1, 2, 3, 4])
      expect(await contentOf(store)).toEqual(await contentOf(openAt(store.path)))
      expect(await store.check()).toEqual([])
    },
  )
})

async function furnishFurther(store: SqliteStore): Promise<void> {
  await growWork(store, { length: 3, from: 2 })
  await growWork(store, { name: 'theirs', foreign: true })
  await store.acts.commit({ ...HERE, focus: newWork().id })
  await store.local.setTrust(WORKSPACE.id, WORKSPACE.path, 'own', AT)
}

/** The views of runs are left out: they belong to the other file. */
const withoutRuns = (documents: unknown) =>
  JSON.parse(
    JSON.stringify(documents, (key, value) =>
      key === 'views' ? value.filter(({ path }: { path: string }) => path.startsWith('checkpoints/')) : value,
    ),
  )

import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Session } from '../../src/core/session.ts'
import { MIGRATIONS } from '../../src/store/sqlite/migrations.ts'
import type { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { advanceAtOnce } from './advance-at-once.ts'
import { AT, contentOf, freshFolder, grow, WORKSPACE } from './make.ts'
import { idsIn, keyOf, newSession } from './make-session.ts'
import { growWork } from './make-work.ts'
import { freshPath, onFile, openAt } from './sqlite-file.ts'

async function begin(store: SqliteStore, ...sessions: Session[]): Promise<void> {
  await store.local.seeWorkspace(WORKSPACE, AT)
  for (const session of sessions) expect(await store.log.advance(session, null)).toBe(true)
}

test('50 processes that change one row at once are counted 50 times', { timeout: 120_000 }, async () => {
  const path = freshPath()
  const store = openAt(path)
  await begin(store, newSession('s1'))
  const codes = await advanceAtOnce(path, 's1', 50)
  expect(codes.filter((code) => code !== 0)).toEqual([])
  const row = await store.log.readSession(keyOf('s1'))
  expect(row?.version).toBe(51)
  const numbers = Array.from({ length: 50 }, (_, index) => `${index}`)
  expect(row?.session.accomplishments.toSorted()).toEqual(numbers.toSorted())
})

describe('a row whose body is damaged', () => {
  const damaged = async () => {
    const path = freshPath()
    const store = openAt(path)
    await begin(store, newSession('s1'), newSession('s2'))
    onFile(path, `UPDATE sessions SET body = substr(body, 1, 50) WHERE id = 's1'`)
    return store
  }

  test('is left out, alone', async () => {
    const store = await damaged()
    expect(await store.log.readSession(keyOf('s1'))).toBeNull()
    expect(await idsIn(store)).toEqual(['s2'])
  })

  test('is named by the check, alone', async () => {
    const store = await damaged()
    expect((await store.check()).map(({ what }) => what)).toEqual([
      'the row of the claude session s1 is unreadable',
    ])
  })

  test('begins anew, and then counts as any other', async () => {
    const store = await damaged()
    const session = newSession('s1', { phase: 'recent' })
    expect(await store.log.advance(session, null)).toBe(true)
    expect(await store.log.readSession(keyOf('s1'))).toEqual({ session, version: 2 })
    expect(await store.log.advance(newSession('s1'), null)).toBe(false)
    expect(await store.log.advance(newSession('s1'), 2)).toBe(true)
    expect(await store.check()).toEqual([])
  })
})

describe('merging sessions', () => {
  const withCopy = async (...sessions: Session[]) => {
    const store = openAt(freshPath())
    await begin(store, ...sessions)
    const copy = join(freshFolder(), 'copy.db')
    await store.copyTo(copy)
    return { store, copy }
  }

  test('brings them into an empty store, with what was read, and once', async () => {
    const { store } = await withCopy(newSession('s1'), newSession('s2', { stream: 'auth' }))
    await store.log.advance(newSession('s1', { phase: 'stale', journalRead: 5 }), 1, 'reading')
    const into = openAt(freshPath())
    await into.mergeFrom(store.path)
    expect(await into.log.listSessions({})).toEqual(await store.log.listSessions({}))
    expect(await idsIn(into, { phases: ['stale'] })).toEqual(['s1'])
    expect(await into.log.readReading(keyOf('s1'))).toBe('reading')
    expect(await into.log.readJournalPositions()).toEqual(await store.log.readJournalPositions())
    await into.mergeFrom(store.path)
    expect(await into.log.listSessions({})).toEqual(await store.log.listSessions({}))
    expect(await into.check()).toEqual([])
  })

  test.each(['the older into the newer', 'the newer into the older'])(
    'of %s keeps the row that was changed more often, and its reading',
    async (order) => {
      const { store, copy } = await withCopy(newSession('s1'))
      await store.log.advance(
        newSession('s1', { phase: 'recent', lastActivityAt: AT, journalRead: 9 }),
        1,
        'newer',
      )
      await openAt(copy).log.advance(newSession('only-there'), null, 'there')
      const newer = await store.log.readSession(keyOf('s1'))
      const read = await store.log.readJournalPositions()
      const isOlder = order === 'the older into the newer'
      const into = isOlder ? store : openAt(copy)
      await into.mergeFrom(isOlder ? copy : store.path)
      expect(await into.log.readSession(keyOf('s1'))).toEqual(newer)
      expect((await into.log.readJournalPositions()).get('claude/s1')).toBe(read.get('claude/s1'))
      expect(await into.log.readReading(keyOf('s1'))).toBe('newer')
      expect(await idsIn(into, { phases: ['recent'] })).toEqual(['s1'])
      expect(await into.log.readReading(keyOf('only-there'))).toBe('there')
    },
  )

  test('of a store from before there were sessions takes nothing away', async () => {
    const older = freshPath()
    await grow(openAt(older, { migrations: BEFORE }), { length: 2 })
    const { store } = await withCopy(newSession('s1'))
    await store.mergeFrom(older)
    expect(await idsIn(store)).toEqual(['s1'])
    expect(await store.log.listStreams(null)).toHaveLength(1)
  })
})

/** The shape of a store before it knew sessions. */
const BEFORE = MIGRATIONS.slice(
  0,
  MIGRATIONS.findIndex((step) => step.includes('CREATE TABLE sessions')),
)

describe('a store from before there were sessions', () => {
  const older = async () => {
    const path = freshPath()
    const store = openAt(path, { migrations: BEFORE })
    await grow(store, { length: 3 })
    await growWork(store, { length: 2 })
    const content = await contentOf(store)
    await store.close()
    return { path, content }
  }

  test('keeps everything, and takes sessions', async () => {
    expect(BEFORE).toHaveLength(3)
    const { path, content } = await older()
    const store = openAt(path)
    expect(await contentOf(store)).toEqual(content)
    expect(await store.log.listSessions({})).toEqual([])
    expect(await store.log.advance(newSession('s1'), null, 'reading')).toBe(true)
    expect(await idsIn(store)).toEqual(['s1'])
    expect(await store.check()).toEqual([])
  })

  test('is refused by who may not change its shape, and stays as it is', async () => {
    const { path, content } = await older()
    await expect(openAt(path, { mayMigrate: false }).log.listSessions({})).rejects.toMatchObject({
      reason: 'store_older',
    })
    expect(await contentOf(openAt(path, { migrations: BEFORE }))).toEqual(content)
  })

  test('who may not change a shape makes a new store all the same', async () => {
    const store = openAt(freshPath(), { mayMigrate: false })
    await begin(store, newSession('s1'))
    expect(await idsIn(store)).toEqual(['s1'])
  })
})

import { copyFileSync, existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { realPorts } from '../../src/apps/process/real-ports.ts'
import { openDatabase } from '../../src/store/sqlite/driver.ts'
import { MIGRATIONS } from '../../src/store/sqlite/migrations.ts'
import { describeDatabase, replaceStore } from '../../src/store/sqlite/replace.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { appendTo, extend, freshFolder, grow, newCheckpoint } from './make.ts'
import { openAt } from './sqlite-file.ts'

const NOW = Date.parse('2026-03-01T10:00:00.000Z')

function foldersIn(home: string) {
  const database = join(home, 'savepoint.db')
  return {
    database,
    backups: join(home, 'backups'),
    locks: join(home, 'locks'),
    setAside: join(home, 'set-aside'),
  }
}

/** A store of four checkpoints, with a backup of two. */
async function ready() {
  const folders = foldersIn(freshFolder())
  const store = openAt(folders.database)
  const { stream, ids } = await grow(store, { length: 2 })
  const copy = join(freshFolder(), 'copy.db')
  await store.copyTo(copy)
  await extend(store, stream, ids, 4)
  return { folders, store, stream, ids, copy }
}

const numbersIn = async (store: ReturnType<typeof openAt>, stream: string) =>
  (await store.log.readHistory(stream)).map(({ sequence }) => sequence)

test('a backup takes the place of the store, which is kept twice', async () => {
  const { folders, store, stream, copy } = await ready()
  expect(describeDatabase(copy)).toMatchObject({ streams: 1, checkpoints: 2, sessions: 0 })
  const { before, setAside } = await replaceStore(store, folders, NOW, copy)
  expect(await numbersIn(store, stream)).toEqual([1, 2])
  expect(await store.check()).toEqual([])
  for (const kept of [before, setAside]) expect(describeDatabase(kept)).toMatchObject({ checkpoints: 4 })
  expect(statSync(folders.database).mode & 0o777).toBe(0o600)
  // And back again.
  await replaceStore(store, folders, NOW + 1_000, before)
  expect(await numbersIn(store, stream)).toEqual([1, 2, 3, 4])
})

test('a process that has the old file open goes on with the new one, and brings nothing of the old one back', async () => {
  const { folders, store, stream, ids, copy } = await ready()
  const running = openAt(folders.database)
  expect(await numbersIn(running, stream)).toEqual([1, 2, 3, 4])
  await replaceStore(store, folders, NOW, copy)
  const third = newCheckpoint(stream, 3, { parent: ids[1] ?? '', id: 'cp_20260301T100000000Z_3-aaaaaaaa' })
  const appended = await appendTo(running.acts, third, ids[1] ?? '', { takes: [], views: [] })
  expect(appended).toEqual({ done: true })
  expect(await numbersIn(openAt(folders.database), stream)).toEqual([1, 2, 3])
  expect(await running.check()).toEqual([])
})

test('a process that slept through two restores brings nothing back either', async () => {
  const { folders, store, stream, copy } = await ready()
  const running = openAt(folders.database)
  await numbersIn(running, stream)
  await replaceStore(store, folders, NOW, copy)
  await replaceStore(store, folders, NOW + 1_000, copy)
  expect(await numbersIn(running, stream)).toEqual([1, 2])
})

test('what is no store, is damaged or newer is refused, and nothing is changed', async () => {
  const { folders, store, stream, copy } = await ready()
  const file = (name: string) => join(freshFolder(), name)
  const text = file('text.db')
  writeFileSync(text, 'no database at all, but long enough to have a header of one'.repeat(20))
  const other = file('other.db')
  const db = openDatabase(other)
  db.exec('CREATE TABLE mine (a); PRAGMA user_version = 3')
  db.close()
  const torn = file('torn.db')
  copyFileSync(copy, torn)
  const bytes = Buffer.alloc(8_192, 0x5a)
  const { readFileSync } = await import('node:fs')
  const half = readFileSync(torn)
  bytes.copy(half, 4_096)
  writeFileSync(torn, half)
  const newer = file('newer.db')
  copyFileSync(copy, newer)
  const newerDb = openDatabase(newer)
  newerDb.exec(`PRAGMA user_version = ${MIGRATIONS.length + 1}`)
  newerDb.close()
  for (const [path, reason] of [
    [text, 'backup_invalid'],
    [other, 'backup_invalid'],
    [torn, 'backup_invalid'],
    [file('gone.db'), 'file_unknown'],
    [newer, 'store_newer'],
  ] as const)
    await expect(replaceStore(store, folders, NOW, path), path).rejects.toMatchObject({ reason })
  expect(await numbersIn(store, stream)).toEqual([1, 2, 3, 4])
  expect(existsSync(folders.setAside)).toBe(false)
})

test('a backup of an older shape is brought to the newest', async () => {
  const { folders, store, stream } = await ready()
  const old = join(freshFolder(), 'old.db')
  const before = openSqliteStore({
    path: old,
    ports: realPorts,
    migrations: MIGRATIONS.slice(0, 6),
    locksFolder: null,
  })
  const { stream: theirs } = await grow(before, { length: 1 })
  await before.close()
  await replaceStore(store, folders, NOW, old)
  expect(theirs).toBe(stream)
  expect(await numbersIn(store, stream)).toEqual([1])
  expect(await store.local.listRepositories()).toEqual([])
})

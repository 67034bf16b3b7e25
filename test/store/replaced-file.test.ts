import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { realPorts } from '../../src/apps/process/real-ports.ts'
import { Connection } from '../../src/store/sqlite/connection.ts'
import { openDatabase } from '../../src/store/sqlite/driver.ts'
import { MIGRATIONS } from '../../src/store/sqlite/migrations.ts'
import {
  appendTo,
  extend,
  freshFolder,
  grow,
  LATER,
  NOTHING_MORE,
  newCheckpoint,
  newOutcome,
} from './make.ts'
import { closedStore, freshPath, openAt } from './sqlite-file.ts'

describe('a file replaced under an open store', () => {
  test('keeps what was confirmed, and the next command works on the new file', async () => {
    const path = freshPath()
    const store = openAt(path)
    const { stream, ids } = await grow(store, { length: 3 })
    await store.log.recordOutcome(stream, newOutcome('waiting'), LATER)
    await store.log.pin(ids[0] ?? '', true)
    const other = join(freshFolder(), 'other.db')
    const theirs = await closedStore(other, 'theirs', 2)
    renameSync(other, path)
    await extend(store, stream, ids, 5)
    const beside = openAt(path)
    expect((await beside.log.readHistory(stream)).map(({ id }) => id)).toEqual(ids)
    for (const id of [...ids, ...theirs.ids])
      expect((await beside.log.readCheckpoint(id))?.state, id).toBe('whole')
    const { pending, pinned } = await beside.log.readSituation(stream)
    expect(pending.map(({ outcome }) => outcome.name)).toEqual(['waiting'])
    expect(pinned).toEqual([ids[0]])
    expect(await beside.check()).toEqual([])
  })

  test('carries over a commit that went into the old file while it was being replaced', async () => {
    const path = freshPath()
    const other = join(freshFolder(), 'other.db')
    await closedStore(other, 'theirs', 1)
    const connection = new Connection({
      path,
      ports: realPorts,
      waitMs: 1_000,
      migrations: MIGRATIONS,
      beforeMigration: () => undefined,
    })
    onTestFinished(() => connection.close())
    await connection.write((sql) => {
      sql.run(`INSERT INTO workspaces (id, repository, path, seen_at) VALUES ('ws_late', 'r', '/', ?)`, LATER)
      renameSync(other, path)
    })
    expect((await openAt(path).local.listWorkspaces()).map(({ id }) => id)).toContain('ws_late')
  })

  test('keeps what was confirmed where the file was deleted', async () => {
    const path = freshPath()
    const store = openAt(path)
    const { stream, ids } = await grow(store, { length: 3 })
    rmSync(path)
    await extend(store, stream, ids, 4)
    const beside = openAt(path)
    expect((await beside.log.readHistory(stream)).map(({ id }) => id)).toEqual(ids)
    expect(await beside.check()).toEqual([])
  })

  test('keeps what was confirmed where the file and its log were deleted', async () => {
    const path = freshPath()
    const store = openAt(path)
    const { stream, ids } = await grow(store, { length: 3 })
    for (const ending of ['', '-wal', '-shm']) rmSync(path + ending)
    await extend(store, stream, ids, 4)
    await store.close()
    expect((await openAt(path).log.readHistory(stream)).map(({ id }) => id)).toEqual(ids)
  })

  test('does not replay the old log into the new file, and keeps it aside', async () => {
    const path = freshPath()
    const store = openAt(path)
    const { stream, ids } = await grow(store, { length: 40 })
    const other = join(freshFolder(), 'other.db')
    const theirs = await closedStore(other, 'theirs', 30)
    renameSync(other, path)
    expect(existsSync(`${path}-wal`)).toBe(true)
    expect(await store.log.readHistory(stream)).toHaveLength(ids.length)
    const beside = openAt(path)
    expect(await beside.check()).toEqual([])
    expect(await beside.log.readHistory(theirs.stream)).toHaveLength(30)
    const stale = readdirSync(join(path, '..')).filter((name) => name.includes('-wal.stale'))
    expect(stale).toHaveLength(1)
  })

  test('goes on where it is replaced again and again', async () => {
    const path = freshPath()
    const store = openAt(path)
    const { stream, ids } = await grow(store)
    for (let round = 1; round <= 4; round += 1) {
      const other = join(freshFolder(), 'other.db')
      await closedStore(other, `theirs-${round}`, 2)
      renameSync(other, path)
      await extend(store, stream, ids, ids.length + 2)
    }
    const beside = openAt(path)
    expect((await beside.log.readHistory(stream)).map(({ id }) => id)).toEqual(ids)
    expect(await beside.log.listStreams(null)).toHaveLength(5)
    expect(await beside.check()).toEqual([])
  })

  test('waits where somebody is writing in the new file, and then writes there', async () => {
    const path = freshPath()
    const other = join(freshFolder(), 'other.db')
    await closedStore(other, 'theirs')
    const holder = openDatabase(other)
    onTestFinished(() => holder.close())
    let waits = 0
    const sleep = async () => {
      waits += 1
      if (waits === 3) holder.exec('COMMIT')
    }
    const store = openAt(path, { ports: { ...realPorts, sleep } })
    const { stream, ids } = await grow(store, { length: 3 })
    holder.exec('BEGIN IMMEDIATE')
    renameSync(other, path)
    await extend(store, stream, ids, 4)
    expect(waits).toBe(3)
    expect((await openAt(path).log.readHistory(stream)).map(({ id }) => id)).toEqual(ids)
  })

  test('is refused as store_damaged where the new file is garbage, and the old content is not lost', async () => {
    const path = freshPath()
    const store = openAt(path)
    const { stream, ids } = await grow(store, { length: 3 })
    const garbage = join(freshFolder(), 'garbage')
    writeFileSync(garbage, randomBytes(20_000))
    renameSync(garbage, path)
    const next = newCheckpoint(stream, 4)
    await expect(appendTo(store.acts, next, ids[2] ?? '', NOTHING_MORE)).rejects.toMatchObject({
      reason: 'store_damaged',
    })
    rmSync(path)
    expect((await store.log.readHistory(stream)).map(({ id }) => id)).toEqual(ids)
  })
})

import { randomBytes } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/store/sqlite/driver.ts'
import { MIGRATIONS } from '../../src/store/sqlite/migrations.ts'
import { extend, freshFolder, grow, LATER, removeFrom } from './make.ts'
import { openAtOnce } from './open-at-once.ts'
import { closedStore, freshPath, onFile, openAt } from './sqlite-file.ts'

const ADDED = 'CREATE TABLE added (word TEXT NOT NULL) STRICT'

function versionOf(path: string): unknown {
  const db = openDatabase(path)
  try {
    return db.prepare('PRAGMA user_version').get()
  } finally {
    db.close()
  }
}

describe('the file', () => {
  test('a checkpoint cannot be changed in SQL', async () => {
    const path = freshPath()
    await closedStore(path)
    const changes = [
      `id = 'cp_other'`,
      `stream = 'other'`,
      'seq = 9',
      `at = '2001-01-01T00:00:00.000Z'`,
      `progress = 'completed'`,
      `hash = 'other'`,
    ]
    const alsoRemoved = changes.map((change) => `${change}, body = NULL, removed_at = '${LATER}'`)
    for (const change of [`body = '{}'`, ...changes, ...alsoRemoved])
      expect(() => onFile(path, `UPDATE checkpoints SET ${change} WHERE seq = 1`), change).toThrow(
        'a checkpoint is immutable',
      )
  })

  test('a tombstone cannot be filled again in SQL', async () => {
    const path = freshPath()
    const { stream, ids } = await closedStore(path)
    const store = openAt(path)
    await removeFrom(store.acts, stream, ids.slice(0, 1), LATER)
    expect(() => onFile(path, `UPDATE checkpoints SET body = '{}', removed_at = NULL WHERE seq = 1`)).toThrow(
      'a checkpoint is immutable',
    )
  })

  test('a checkpoint cannot be deleted in SQL', async () => {
    const path = freshPath()
    await closedStore(path)
    expect(() => onFile(path, 'DELETE FROM checkpoints WHERE seq = 1')).toThrow('leaves a tombstone')
  })

  test('the database, its log and its index are private', async () => {
    const path = freshPath()
    await grow(openAt(path))
    for (const ending of ['', '-wal', '-shm'])
      expect(statSync(path + ending).mode & 0o777, ending).toBe(0o600)
  })
})

describe('migrations', () => {
  test('a step runs once, after the steps before it, and what was there stays', async () => {
    const path = freshPath()
    const { stream } = await closedStore(path)
    const migrations = [...MIGRATIONS, ADDED]
    const store = openAt(path, { migrations })
    expect(await store.log.readHistory(stream)).toHaveLength(3)
    expect(versionOf(path)).toEqual({ user_version: migrations.length })
    onFile(path, `INSERT INTO added VALUES ('kept')`)
    expect(await openAt(path, { migrations }).check()).toEqual([])
  })

  test('eight processes that open a new file at once make it once', { timeout: 60_000 }, async () => {
    const path = freshPath()
    const answers = await openAtOnce(path, [...MIGRATIONS, ADDED], 8)
    expect(answers).toEqual(Array.from({ length: 8 }, () => 'sound'))
    expect(versionOf(path)).toEqual({ user_version: MIGRATIONS.length + 1 })
  })

  test('eight processes that open an older file at once migrate it once', { timeout: 60_000 }, async () => {
    const path = freshPath()
    const { stream } = await closedStore(path)
    const answers = await openAtOnce(path, [...MIGRATIONS, ADDED], 8)
    expect(answers).toEqual(Array.from({ length: 8 }, () => 'sound'))
    expect(await openAt(path).log.readHistory(stream)).toHaveLength(3)
  })

  test('a backup with the old shape comes before the shape changes', async () => {
    const path = freshPath()
    const { ids } = await closedStore(path)
    const copy = join(freshFolder(), 'before.db')
    const store = openAt(path, {
      migrations: [...MIGRATIONS, ADDED],
      beforeMigration: (copyTo) => copyTo(copy),
    })
    await store.local.listWorkspaces()
    expect(versionOf(copy)).toEqual({ user_version: MIGRATIONS.length })
    expect((await openAt(copy).log.readCheckpoint(ids[2] ?? ''))?.state).toBe('whole')
  })

  test('a new file needs no backup, nor does one of the newest shape', async () => {
    const path = freshPath()
    let asked = 0
    const options = {
      beforeMigration: () => {
        asked += 1
      },
    }
    await openAt(path, options).local.listWorkspaces()
    await openAt(path, options).local.listWorkspaces()
    expect(asked).toBe(0)
  })

  test('a step that fails changes nothing and holds nothing', async () => {
    const path = freshPath()
    const { stream } = await closedStore(path)
    const broken = openAt(path, { migrations: [...MIGRATIONS, `${ADDED}; INSERT INTO nowhere VALUES (1)`] })
    await expect(broken.local.listWorkspaces()).rejects.toThrow('nowhere')
    expect(versionOf(path)).toEqual({ user_version: MIGRATIONS.length })
    // No lock is left behind: the next one need not wait at all.
    const mended = openAt(path, { migrations: [...MIGRATIONS, ADDED], waitMs: 0 })
    expect(await mended.log.readHistory(stream)).toHaveLength(3)
    expect(await mended.check()).toEqual([])
  })

  test('a newer database that shuts older writers out is left alone as store_newer', async () => {
    const path = freshPath()
    const { stream } = await closedStore(path)
    const newer = MIGRATIONS.length + 2
    onFile(path, `PRAGMA user_version = ${newer}`, `UPDATE meta SET value = '${newer}'`)
    const store = openAt(path)
    await expect(store.log.readHistory(stream)).rejects.toMatchObject({
      reason: 'store_newer',
      data: { found: newer, known: MIGRATIONS.length },
    })
    expect(versionOf(path)).toEqual({ user_version: newer })
  })

  test('a newer database that lets us write works, and stays as new as it is', async () => {
    const path = freshPath()
    const { stream, ids } = await closedStore(path)
    const newer = MIGRATIONS.length + 2
    onFile(path, ADDED, `PRAGMA user_version = ${newer}`)
    const store = openAt(path)
    await extend(store, stream, ids, 4)
    expect(await store.log.readHistory(stream)).toHaveLength(4)
    expect(versionOf(path)).toEqual({ user_version: newer })
  })
})

describe('damage', () => {
  test('random bytes are store_damaged', async () => {
    const path = freshPath()
    writeFileSync(path, randomBytes(20_000))
    await expect(openAt(path).local.listWorkspaces()).rejects.toMatchObject({ reason: 'store_damaged' })
  })

  test('a torn page anywhere in the file is noticed by check', async () => {
    const path = freshPath()
    await closedStore(path, 'r1', 12)
    const bytes = readFileSync(path)
    const unnoticed: string[] = []
    for (let at = 0; at < bytes.length; at += 4096) {
      const torn = freshPath()
      writeFileSync(torn, Buffer.from(bytes).fill(0xff, at, at + 4096))
      const said = await openAt(torn)
        .check()
        .then(
          (problems) => (problems.length > 0 ? 'noticed' : 'nothing'),
          (error) => (error.reason === 'store_damaged' ? 'noticed' : String(error)),
        )
      if (said !== 'noticed') unnoticed.push(`page ${at / 4096 + 1}: ${said}`)
    }
    expect(bytes.length).toBeGreaterThan(15 * 4096)
    expect(unnoticed).toEqual([])
  })

  test('a byte flipped inside a checkpoint is named by check and never served', async () => {
    const path = freshPath()
    const { stream, ids } = await closedStore(path)
    flipIn(path, ids[2] ?? '')
    const store = openAt(path)
    expect(await store.log.readCheckpoint(ids[2] ?? '')).not.toHaveProperty('checkpoint')
    expect((await store.log.readCheckpoint(ids[2] ?? ''))?.state).toBe('damaged')
    expect(await store.check()).toEqual([
      { what: expect.stringContaining(ids[2] ?? ''), checkpoint: ids[2] ?? '' },
    ])
    expect((await store.log.readSituation(stream)).base.checkpoint.id).toBe(ids[1])
  })

  test('a run without one whole checkpoint says so, and hides no other', async () => {
    const path = freshPath()
    const { stream, ids } = await closedStore(path, 'r1', 1)
    const other = await closedStore(path, 'r2', 1)
    flipIn(path, ids[0] ?? '')
    const store = openAt(path)
    await expect(store.log.readSituation(stream)).rejects.toMatchObject({
      reason: 'checkpoint_integrity_mismatch',
    })
    expect((await store.log.readSituation(other.stream)).base.checkpoint.id).toBe(other.ids[0])
  })
})

/** Changes one letter of a checkpoint's text in the file, as a bad disk would. */
function flipIn(path: string, checkpoint: string): void {
  const bytes = readFileSync(path)
  const at = bytes.indexOf(`"id":"${checkpoint}"`)
  const word = bytes.indexOf('in_progress', at)
  if (at === -1 || word === -1) throw new Error(`${checkpoint} is not in the file as text`)
  bytes[word] = (bytes[word] ?? 0) ^ 1
  writeFileSync(path, bytes)
}

import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { realPorts } from '../../src/apps/process/real-ports.ts'
import { openContext } from '../../src/engine/context/context.ts'
import { openDatabase } from '../../src/store/sqlite/driver.ts'
import { MIGRATIONS } from '../../src/store/sqlite/migrations.ts'
import { backupName } from '../../src/store/sqlite/restore.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { sandbox } from '../support/sandbox.ts'
import { AT, contentOf, extend, freshFolder, grow, LATER, newOutcome, removeFrom, WORKSPACE } from './make.ts'
import { BESIDE, documentsOf, growWork, hashOf, newPoint, newWork } from './make-work.ts'
import { openAtOnce } from './open-at-once.ts'
import {
  copyBeforeDocuments,
  freshPath,
  onFile,
  openAt,
  TABLES_BEFORE_DOCUMENTS,
  VIEWS_BEFORE_DOCUMENTS,
} from './sqlite-file.ts'

/** The shape before there were checkpoint documents. */
const BEFORE_DOCUMENTS = MIGRATIONS.slice(0, 1)

/** Every row of the shape before documents, and the version of the shape. */
function dump(path: string): Record<string, unknown> {
  const db = openDatabase(path)
  try {
    const rows = TABLES_BEFORE_DOCUMENTS.map(
      (table) => [table, db.prepare(`SELECT * FROM ${table}`).all()] as const,
    )
    return {
      ...Object.fromEntries(rows),
      views: db.prepare(`SELECT ${VIEWS_BEFORE_DOCUMENTS} FROM views`).all(),
    }
  } finally {
    db.close()
  }
}

function versionOf(path: string): unknown {
  const db = openDatabase(path)
  try {
    return db.prepare('PRAGMA user_version').get()
  } finally {
    db.close()
  }
}

/** A closed database of the shape before documents, with something of everything in it. */
async function older(path = freshPath()) {
  const newer = freshPath()
  const store = openSqliteStore({ path: newer, ports: realPorts, locksFolder: null })
  const { stream, ids } = await grow(store, { length: 4 })
  await store.log.pin(ids[1] ?? '', true)
  await removeFrom(store.acts, stream, ids.slice(0, 2), LATER)
  await store.log.recordOutcome(stream, newOutcome('waiting'), AT)
  await store.close()
  copyBeforeDocuments(newer, path)
  return { path, stream, ids }
}

describe('the file with documents', () => {
  test('a second focused stream is refused in SQL, in one workspace [000.10]', async () => {
    const path = freshPath()
    const store = openAt(path)
    for (const name of ['one', 'two']) await growWork(store, { name })
    await store.acts.commit({ workspace: WORKSPACE.id, focus: newWork('one').id })
    const add = (workspace: string, standing: string) =>
      onFile(path, `INSERT INTO standings VALUES ('${workspace}', '${newWork('two').id}', '${standing}')`)
    expect(() => add(WORKSPACE.id, 'focused')).toThrow(/UNIQUE/)
    expect(() => add(WORKSPACE.id, 'archived')).toThrow(/CHECK/)
    add(BESIDE.id, 'focused')
    add(WORKSPACE.id, 'open')
    expect(() => onFile(path, `UPDATE standings SET standing = 'focused'`)).toThrow(/UNIQUE/)
  })

  test('a checkpoint of a document cannot be changed or deleted in SQL', async () => {
    const path = freshPath()
    await growWork(openAt(path), { length: 2 })
    for (const change of [`body = '{}'`, 'seq = 9', `hash = 'other'`, `stream = 'other'`, `id = 'other'`])
      expect(() => onFile(path, `UPDATE checkpoints SET ${change}`), change).toThrow(
        'a checkpoint is immutable',
      )
    expect(() => onFile(path, 'DELETE FROM checkpoints WHERE seq = 1')).toThrow('leaves a tombstone')
  })

  test.each([`X'00'`, `substr(body, 1, 12)`, `(SELECT body FROM texts WHERE hash <> t.hash LIMIT 1)`])(
    'a text that became %s is named by check and never shown',
    async (body) => {
      const path = freshPath()
      const store = openAt(path)
      await growWork(store, { length: 2 })
      const hash = hashOf('auth', 1)
      onFile(path, `UPDATE texts AS t SET body = CAST(${body} AS BLOB) WHERE hash = '${hash}'`)
      expect(await store.check()).toEqual([{ what: expect.stringContaining(hash.slice(0, 12)) }])
      await expect(store.log.readText(hash)).rejects.toMatchObject({
        reason: 'checkpoint_integrity_mismatch',
      })
      expect(await store.log.readText(hashOf('auth', 2))).toContain('at 2')
    },
  )
})

describe('a gist that is damaged', () => {
  test.each(['half {', '', 'null', '5', '["a"]'])(
    '%j is named by check, and all work is listed',
    async (gist) => {
      const path = freshPath()
      const store = openAt(path)
      for (const name of ['one', 'two']) await growWork(store, { name })
      const before = await store.acts.listWork(WORKSPACE.repository, WORKSPACE.id)
      const { id } = newPoint('one', 1)
      onFile(
        path,
        'DROP TRIGGER checkpoints_are_immutable',
        `UPDATE checkpoints SET gist = '${gist}' WHERE id = '${id}'`,
      )
      const after = await store.acts.listWork(WORKSPACE.repository, WORKSPACE.id)
      expect(after).toEqual(
        before.map((row) =>
          row.stream.name === 'one'
            ? { ...row, position: { ...row.position, gist: { step: null, stepsDone: 0, steps: 0 } } }
            : row,
        ),
      )
      expect(await store.check()).toEqual([
        { what: `the summary of checkpoint ${id} is unreadable`, checkpoint: id },
      ])
    },
  )
})

test('trust from before there were two kinds of it is for own words alone', async () => {
  const path = join(freshFolder(), 'store.db')
  const before = openSqliteStore({
    path,
    ports: realPorts,
    locksFolder: null,
    migrations: MIGRATIONS.slice(0, -1),
  })
  await before.local.seeWorkspace(WORKSPACE, AT)
  await before.close()
  const sql = openDatabase(path)
  sql.exec(`INSERT INTO trust (workspace, path, at) VALUES ('${WORKSPACE.id}', '${WORKSPACE.path}', '${AT}')`)
  sql.close()
  const store = openAt(path)
  expect(await store.local.readTrust(WORKSPACE.id, WORKSPACE.path)).toBe('own')
  await store.local.setTrust(WORKSPACE.id, WORKSPACE.path, 'vouched', AT)
  expect(await store.local.readTrust(WORKSPACE.id, WORKSPACE.path)).toBe('vouched')
  // An older program that trusts it again says nothing of what git brings.
  const old = openDatabase(path)
  old.exec(
    `INSERT OR REPLACE INTO trust (workspace, path, at) VALUES ('${WORKSPACE.id}', '${WORKSPACE.path}', '${AT}')`,
  )
  old.close()
  expect(await store.local.readTrust(WORKSPACE.id, WORKSPACE.path)).toBe('own')
})

describe('a database from before there were documents', () => {
  test('is migrated with everything in it, after a backup of its shape', async () => {
    const { path, stream, ids } = await older()
    const before = dump(path)
    const copy = join(freshFolder(), 'before.db')
    const store = openAt(path, { beforeMigration: (copyTo) => copyTo(copy) })
    expect((await store.log.readHistory(stream)).map(({ id }) => id)).toEqual(ids)
    expect(versionOf(path)).toEqual({ user_version: MIGRATIONS.length })
    expect(versionOf(copy)).toEqual({ user_version: 1 })
    expect(dump(path)).toEqual(before)
    expect(dump(copy)).toEqual(before)
    expect(await store.acts.listWork(WORKSPACE.repository, WORKSPACE.id)).toEqual([])
    expect(await store.local.listOwedViews(WORKSPACE.id)).toEqual([])
    await growWork(store, { length: 2 })
    await extend(store, stream, ids, 5)
    expect(await store.check()).toEqual([])
  })

  test('is migrated once by four processes at once', { timeout: 60_000 }, async () => {
    const { path } = await older()
    const before = dump(path)
    expect(await openAtOnce(path, MIGRATIONS, 4)).toEqual(['sound', 'sound', 'sound', 'sound'])
    expect(dump(path)).toEqual(before)
    expect(versionOf(path)).toEqual({ user_version: MIGRATIONS.length })
  })

  test('is backed up once, however long a writer keeps its migration waiting', async () => {
    const { path } = await older()
    const writer = openDatabase(path)
    writer.exec('BEGIN IMMEDIATE')
    let backups = 0
    const beforeMigration = () => {
      backups += 1
    }
    const store = openAt(path, { waitMs: 300, beforeMigration })
    await expect(store.local.listWorkspaces()).rejects.toMatchObject({ reason: 'store_busy' })
    writer.exec('ROLLBACK')
    writer.close()
    expect(await store.local.listWorkspaces()).toHaveLength(1)
    expect(backups).toBe(1)
  })

  test('is migrated by a command, which keeps a backup beside it', async () => {
    const box = sandbox()
    mkdirSync(box.home, { mode: 0o700 })
    const { path } = await older(join(box.home, 'savepoint.db'))
    const before = dump(path)
    expect(box.run(['list']).code).toBe(0)
    const [copy = ''] = readdirSync(join(box.home, 'backups'))
    expect(versionOf(join(box.home, 'backups', copy))).toEqual({ user_version: 1 })
    expect(dump(join(box.home, 'backups', copy))).toEqual(before)
    expect(versionOf(path)).toEqual({ user_version: MIGRATIONS.length })
  })

  test('is migrated also where another process made the backup in the same millisecond', async () => {
    const box = sandbox()
    mkdirSync(join(box.home, 'backups'), { recursive: true, mode: 0o700 })
    await older(join(box.home, 'savepoint.db'))
    const ports = { ...realPorts, now: () => Date.parse(LATER) }
    const theirs = join(box.home, 'backups', backupName(ports.now()))
    writeFileSync(theirs, 'theirs', { mode: 0o600 })
    const context = await openContext({ cwd: box.repo, env: box.env, ports, access: 'read' })
    try {
      expect(await context.store.local.listWorkspaces()).toHaveLength(1)
    } finally {
      await context.store.close()
    }
    expect(readdirSync(join(box.home, 'backups'))).toEqual([backupName(ports.now())])
  })
})

test('a program from before documents reads and writes runs beside a newer one', async () => {
  const path = freshPath()
  const newer = openAt(path)
  await growWork(newer, { length: 2 })
  await newer.acts.commit({ workspace: WORKSPACE.id, focus: newWork().id })
  const documents = await documentsOf(newer)
  const old = openAt(path, { migrations: BEFORE_DOCUMENTS })
  const { stream, ids } = await grow(old, { length: 3 })
  await removeFrom(old.acts, stream, ids.slice(0, 1), LATER)
  await extend(newer, stream, ids, 4)
  await extend(old, stream, ids, 5)
  expect(await contentOf(old)).toEqual(await contentOf(newer))
  expect((await old.log.listStreams(null)).map(({ id }) => id)).toEqual([stream])
  expect(withoutViews(await documentsOf(newer))).toEqual(withoutViews(documents))
  expect(versionOf(path)).toEqual({ user_version: MIGRATIONS.length })
  expect(await newer.check()).toEqual([])
})

/** The files of runs are views as well; of them the one who wrote last knows more. */
const withoutViews = (documents: unknown) =>
  JSON.parse(JSON.stringify(documents, (key, value) => (key === 'views' ? undefined : value)))

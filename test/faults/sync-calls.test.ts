import * as fs from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { openSound } from '../../src/engine/heal/open-sound.ts'
import { setAside } from '../../src/engine/publish/publish-snapshot.ts'
import { findRun } from '../../src/engine/runs/find-run.ts'
import { openRunFolder, publishRun } from '../../src/engine/runs/publish-run.ts'
import { inspectView } from '../../src/engine/runs/verify-run.ts'
import { openFolder } from '../../src/fs/disk.ts'
import { createDurably, makeFolders, removeDurably, writeDurably } from '../../src/fs/durable.ts'
import { createPrivateFile, makePrivateFolder } from '../../src/fs/private.ts'
import { copyDatabase } from '../../src/store/sqlite/backup.ts'
import { Connection } from '../../src/store/sqlite/connection.ts'
import { MIGRATIONS } from '../../src/store/sqlite/migrations.ts'
import { testPorts } from '../support/ports.ts'
import { sandbox } from '../support/sandbox.ts'

/** The calls that reached the real file system, in their order. */
const calls = vi.hoisted(() => [] as string[])
/** What another process does right after we looked at a name. */
const afterLook = vi.hoisted(() => ({ act: () => undefined as unknown }))
vi.mock('node:fs', async (original) => {
  const real = await original<typeof fs>()
  const noted =
    <Args extends unknown[], Result>(
      act: (...args: Args) => Result,
      name: (...args: NoInfer<Args>) => string,
    ) =>
    (...args: Args): Result => {
      calls.push(name(...args))
      return act(...args)
    }
  const lstatSync = (path: string, options: { throwIfNoEntry: false }) => {
    const found = real.lstatSync(path, options)
    afterLook.act()
    return found
  }
  const fstatSync = (fd: number) => {
    const found = real.fstatSync(fd)
    afterLook.act()
    return found
  }
  return {
    ...real,
    lstatSync,
    fstatSync,
    readSync: noted(real.readSync, () => 'read'),
    writeSync: noted(real.writeSync, () => 'write'),
    fsyncSync: noted(real.fsyncSync, (fd) =>
      real.fstatSync(fd).isDirectory() ? 'sync folder' : 'sync file',
    ),
    renameSync: noted(real.renameSync, () => 'rename'),
    linkSync: noted(real.linkSync, () => 'link'),
    unlinkSync: noted(real.unlinkSync, () => 'unlink'),
    mkdirSync: noted(real.mkdirSync, () => 'make folder'),
  }
})

beforeEach(() => {
  calls.length = 0
  afterLook.act = () => undefined
})

/** What an act on a fresh folder asked of the file system. */
function callsOf(act: (folder: ReturnType<typeof openFolder>) => void): string[] {
  const folder = openFolder(sandbox({ git: false }).repo)
  calls.length = 0
  act(folder)
  folder.close()
  return [...calls]
}

const bytes = Buffer.from('a document')
const token = 'token'

test('[004.35] a file is synced before it gets its name, and the name after', () => {
  expect(callsOf((folder) => writeDurably(folder, 'a', bytes, { token }))).toEqual([
    'write',
    'sync file',
    'rename',
    'sync folder',
  ])
})

test('a file that must not replace another is synced in the same way', () => {
  expect(callsOf((folder) => createDurably(folder, 'a', bytes, { token }))).toEqual([
    'write',
    'sync file',
    'link',
    'unlink',
    'sync folder',
  ])
})

test('a removed name is synced', () => {
  expect(callsOf((folder) => removeDurably(folder, 'a'))).toEqual(['unlink', 'sync folder'])
})

test('a new folder is synced in its parent, one that is there is not', () => {
  expect(
    callsOf((folder) => {
      makeFolders(folder, ['a', 'b']).close()
      makeFolders(folder, ['a', 'b']).close()
    }),
  ).toEqual(['make folder', 'sync folder', 'make folder', 'sync folder'])
})

function connect(path: string): Connection {
  return new Connection({
    path,
    ports: testPorts(),
    waitMs: 100,
    migrations: MIGRATIONS,
    beforeMigration: () => undefined,
  })
}

const FULL = { synchronous: 2 }

test('the store syncs every commit, also after one that need not be', async () => {
  const connection = connect(join(sandbox({ git: false }).root, 'store.db'))
  const level = () => connection.attempt((sql) => ({ ...sql.get<object>('PRAGMA synchronous') }))
  expect(await level()).toEqual(FULL)
  await connection.writeSoft(() => undefined)
  expect(await level()).toEqual(FULL)
  await expect(
    connection.writeSoft(() => {
      throw new Error('no')
    }),
  ).rejects.toThrow('no')
  expect(await level()).toEqual(FULL)
  connection.close()
})

test('a backup is synced before it gets its name, and the name after', async () => {
  const { root } = sandbox({ git: false })
  const connection = connect(join(root, 'store.db'))
  await connection.read(() => undefined)
  calls.length = 0
  await connection.attempt((sql) => copyDatabase(sql.db, join(root, 'copy.db')))
  expect(calls).toEqual(['sync file', 'link', 'sync folder'])
  connection.close()
})

test('a file that lies where a temp file should be is never written to', () => {
  const { repo } = sandbox({ git: false })
  fs.writeFileSync(join(repo, 'taken'), 'a stranger')
  const folder = openFolder(repo)
  expect(() => folder.create('taken', 0o666)).toThrow('EEXIST')
  folder.close()
  expect(fs.readFileSync(join(repo, 'taken'), 'utf8')).toBe('a stranger')
})

test('a file behind a link is not read', () => {
  const { root, repo } = sandbox({ git: false })
  fs.writeFileSync(join(root, 'secret'), 'a secret')
  fs.symlinkSync(join(root, 'secret'), join(repo, 'a'))
  const folder = openFolder(repo)
  expect(() => folder.read('a', 100)).toThrow(expect.objectContaining({ reason: 'path_unsafe' }))
  folder.close()
})

test('a folder that becomes a link after the look at it is not entered', () => {
  const { root, repo } = sandbox({ git: false })
  fs.mkdirSync(join(repo, 'a'))
  const folder = openFolder(repo)
  afterLook.act = () => {
    afterLook.act = () => undefined
    fs.rmdirSync(join(repo, 'a'))
    fs.symlinkSync(root, join(repo, 'a'))
  }
  expect(() => folder.folder('a')).toThrow(/ELOOP|ENOTDIR/)
  folder.close()
})

test('a file over the limit is refused before a byte of it is read', () => {
  const { repo } = sandbox({ git: false })
  fs.writeFileSync(join(repo, 'a'), 'x'.repeat(101))
  const folder = openFolder(repo)
  expect(() => folder.read('a', 100)).toThrow(expect.objectContaining({ reason: 'file_too_large' }))
  expect(calls).not.toContain('read')
  expect(folder.read('a', 101)).toHaveLength(101)
  expect(calls).toContain('read')
  folder.close()
})

test('a file that grows past the limit after it was measured is refused', () => {
  const { repo } = sandbox({ git: false })
  fs.writeFileSync(join(repo, 'a'), 'x')
  const folder = openFolder(repo)
  afterLook.act = () => fs.writeFileSync(join(repo, 'a'), 'x'.repeat(101))
  expect(() => folder.read('a', 100)).toThrow(expect.objectContaining({ reason: 'file_too_large' }))
  folder.close()
})

test('folders that a writer who died may have made are synced in their parents once more', () => {
  expect(
    callsOf((folder) => {
      makeFolders(folder, ['a', 'b']).close()
      calls.length = 0
      makeFolders(folder, ['a', 'b'], { sure: true }).close()
    }),
  ).toEqual(['sync folder', 'sync folder'])
})

test('a new private folder is synced in its parent, one that is there is not', () => {
  const { root } = sandbox({ git: false })
  calls.length = 0
  makePrivateFolder(join(root, 'a', 'b'))
  makePrivateFolder(join(root, 'a', 'b'))
  expect(calls).toEqual(['make folder', 'sync folder', 'make folder', 'sync folder'])
})

test('a new private file is synced in its folder, one that is there is not', () => {
  const { root } = sandbox({ git: false })
  calls.length = 0
  createPrivateFile(join(root, 'a'))
  createPrivateFile(join(root, 'a'))
  expect(calls).toEqual(['sync folder'])
})

/** A run with one snapshot, opened in this process. */
async function openedRun() {
  const box = sandbox()
  box.start()
  const context = await openSound({ cwd: box.repo, env: box.env, access: 'write', ports: testPorts() })
  onTestFinished(() => context.store.close())
  const run = await findRun(context, 'r1')
  const folder = await openRunFolder(context, run)
  if (folder === null) throw new Error('the run has no folder')
  onTestFinished(() => folder.close())
  const row = (await context.store.local.listViews({ stream: run.id })).find(({ path }) =>
    path.includes('/history/'),
  )
  if (row === undefined) throw new Error('the run has no history')
  return { context, run, folder, row }
}

test('a file that is set aside is synced where it goes to, and where it came from', async () => {
  const { context, folder } = await openedRun()
  calls.length = 0
  setAside(context, folder, folder, 'latest.json')
  expect(calls).toEqual(['make folder', 'sync folder', 'rename', 'sync folder', 'sync folder'])
})

test('a history file that another writer left is synced before it is taken for published', async () => {
  const { context, run, row } = await openedRun()
  await context.store.local.oweView(row)
  calls.length = 0
  expect(await publishRun(context, run)).toBe('published')
  expect(calls.slice(calls.lastIndexOf('read'))).toEqual(['read', 'sync folder'])
})

test('a file is sound only where the document inside is the one that was published', async () => {
  const { folder, row } = await openedRun()
  expect(inspectView(folder, row)).toEqual({ state: 'sound' })
  expect(inspectView(folder, { ...row, contentHash: row.contentHash.replace(/^./, 'x') })).toMatchObject({
    state: 'damaged',
    error: { reason: 'checkpoint_integrity_mismatch' },
  })
})

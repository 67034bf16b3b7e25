import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sha256 } from '../../src/core/canonical.ts'
import { listUnread, restoreStore } from '../../src/store/sqlite/restore.ts'
import {
  damageDatabase,
  deleteDatabase,
  doctor,
  idsOf,
  ready,
  readyWithGoneWorkspace,
  setAside,
} from './ailing.ts'
import { freshFolder } from './make.ts'
import { openAt } from './sqlite-file.ts'

describe('a damaged database', () => {
  test('is restored by the next command from its backup and the snapshot files, with a notice', () => {
    const { box, ids } = ready()
    const noise = damageDatabase(box)
    const done = box.run(['run', 'step', 'r1', 's2', 'in_progress', '--json'])
    expect(done.code, done.stdout + done.stderr).toBe(0)
    expect(done.stderr).toContain('The store was damaged')
    expect(done.stderr).toContain(join(box.home, 'set-aside'))
    expect(JSON.parse(done.stdout)).toMatchObject({ sequence: 4 })
    expect(idsOf(box).slice(0, 3)).toEqual(ids)
    expect(setAside(box)).toContain(sha256(noise))
    const { snapshot } = box.json(['run', 'show', 'r1'])
    expect(snapshot).toMatchObject({ step_state: { step_id: 's2', step_status: 'in_progress' } })
    expect(box.json(['run', 'show', 'r1']).plan).toMatchObject({ steps: [{ state: 'done' }, {}, {}] })
    expect(box.run(['run', 'verify', 'r1']).code).toBe(0)
    expect(doctor(box)).toMatchObject({ code: 0, findings: [] })
  })

  test('is restored once by six commands at once, and all of them go through', async () => {
    const { box, ids } = ready()
    const noise = damageDatabase(box)
    const notes = ['one', 'two', 'three', 'four', 'five', 'six']
    const saves = notes.map((note) => box.spawn(['run', 'save', 'r1', '--note', note, '--json']).done)
    for (const { code, stdout, stderr } of await Promise.all(saves)) expect(code, stdout + stderr).toBe(0)
    expect(idsOf(box).slice(0, 3)).toEqual(ids)
    expect(setAside(box)).toEqual([sha256(noise)])
    const told = idsOf(box).map((id) => JSON.stringify(box.json(['run', 'show', 'r1', id])))
    for (const note of notes) expect(told.filter((text) => text.includes(`"${note}"`))).toHaveLength(1)
    expect(doctor(box)).toMatchObject({ code: 0, findings: [] })
  })

  test('is restored also where the workspace of one of its runs is gone', () => {
    const { box, ids } = readyWithGoneWorkspace()
    const noise = damageDatabase(box)
    expect(idsOf(box)).toEqual(ids)
    expect(setAside(box)).toContain(sha256(noise))
  })

  test('is restored by a command that only reads', () => {
    const { box, ids } = ready()
    damageDatabase(box)
    expect(idsOf(box)).toEqual(ids)
  })

  test('with a torn page lets the next command through, and loses no snapshot', { timeout: 600_000 }, () => {
    const { box, ids } = ready()
    const path = join(box.home, 'savepoint.db')
    const copy = join(box.root, 'copy.db')
    box.json(['backup', copy])
    const bytes = readFileSync(copy)
    const broken: string[] = []
    for (let at = 4096; at < bytes.length; at += 4096) {
      for (const ending of ['-wal', '-shm']) rmSync(path + ending, { force: true })
      writeFileSync(path, Buffer.from(bytes).fill(0xff, at, at + 4096))
      for (const args of [
        ['run', 'save', 'r1'],
        ['doctor', '--fix'],
      ]) {
        const { code, stdout } = box.run([...args, '--json'])
        if (code !== 0) broken.push(`page ${at / 4096 + 1}: ${args.join(' ')}: ${stdout.slice(0, 200)}`)
      }
      const { stdout } = box.run(['run', 'show', 'r1', '--history', '--json'])
      if (!ids.every((id) => stdout.includes(id))) broken.push(`page ${at / 4096 + 1}: a snapshot is lost`)
    }
    expect(broken).toEqual([])
  })

  test('that is gone is restored by the next command', () => {
    const { box, ids } = ready()
    deleteDatabase(box)
    expect(idsOf(box)).toEqual(ids)
  })
})

test('until all is back, a restore counts as unfinished, and whoever wants to write waits for it', async () => {
  const folder = freshFolder()
  const path = join(folder, 'savepoint.db')
  writeFileSync(path, 'no database at all, but long enough to be looked at as one')
  const [store, other] = [openAt(path, { locksFolder: folder }), openAt(path, { locksFolder: folder })]
  const setAsideFolder = join(folder, 'set-aside')
  const folders = { setAside: setAsideFolder, backups: join(folder, 'backups') }
  let isAsked = false
  await restoreStore(store, folders, Date.now(), {
    force: false,
    async bringBack() {
      isAsked = true
      expect(listUnread(setAsideFolder)).toHaveLength(1)
      expect(await other.local.takeLock('restore', 0)).toBeNull()
    },
  })
  expect(isAsked).toBe(true)
  expect(listUnread(setAsideFolder)).toEqual([])
  expect(await other.local.takeLock('restore', 0)).not.toBeNull()
})

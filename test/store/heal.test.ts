import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { noChange } from '../../src/core/checkpoint.ts'
import { openDatabase } from '../../src/store/sqlite/driver.ts'
import type { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { PLAN, type Sandbox, sandbox } from '../support/sandbox.ts'
import { deleteDatabase, doctor, idsOf, LATEST, ready } from './ailing.ts'
import { AT, appendTo, freshFolder, grow, LATER, newCheckpoint, newOutcome, newView, noteOn } from './make.ts'
import { closedStore, freshPath, onFile, openAt } from './sqlite-file.ts'

const databaseOf = (box: Sandbox) => join(box.home, 'savepoint.db')

/** Breaks the first page of the table of workspaces, and no other. */
function breakWorkspaces(box: Sandbox): void {
  const path = databaseOf(box)
  onFile(path, 'PRAGMA wal_checkpoint(TRUNCATE)')
  const db = openDatabase(path)
  // `as`: the statement names its one column.
  const { rootpage } = db.prepare(`SELECT rootpage FROM sqlite_master WHERE name = 'workspaces'`).get() as {
    rootpage: number
  }
  db.close()
  const at = (rootpage - 1) * 4096
  writeFileSync(path, readFileSync(path).fill(0xff, at, at + 100))
}

describe('a damaged table of workspaces', () => {
  test('takes no run with it, neither here nor in a repository that no backup knows', () => {
    const { box, ids } = ready()
    const cwd = join(box.root, 'other')
    mkdirSync(cwd)
    box.git('init', '--quiet', cwd)
    writeFileSync(join(cwd, 'plan.md'), PLAN)
    box.json(['run', 'start', 'plan.md', '--run-id', 'theirs'], { cwd })
    const { snapshotId } = box.json(['run', 'step', 'theirs', 's1', 'in_progress'], { cwd })
    breakWorkspaces(box)
    const healed = box.run(['run', 'list'])
    expect(healed.code, healed.stdout + healed.stderr).toBe(0)
    expect(healed.stderr).toContain('The store was damaged')
    expect(idsOf(box)).toEqual(ids)
    expect(box.json(['run', 'resume', 'theirs'], { cwd })).toMatchObject({ snapshotId })
    expect(box.json(['run', 'save', 'theirs'], { cwd })).toMatchObject({ runId: 'theirs' })
    expect(doctor(box)).toMatchObject({ code: 0, findings: [] })
  })

  test('keeps no stream from being merged', async () => {
    const path = freshPath()
    const { stream, ids } = await closedStore(path)
    onFile(path, 'PRAGMA foreign_keys = OFF', 'DELETE FROM workspaces')
    const into = openAt(freshPath())
    expect(await into.mergeFrom(path)).toBe(3)
    expect((await into.log.readHistory(stream)).map(({ id }) => id)).toEqual(ids)
    expect(await into.check()).toEqual([])
  })
})

/** What a heal leaves that is killed after it set the database aside: log and all, and nothing in its place. */
function killedAfterSettingAside(box: Sandbox): string {
  const name = 'savepoint-20260102T030405000Z'
  const folder = join(box.home, 'set-aside', `${name}.unread`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const ending of ['', '-wal'])
    copyFileSync(databaseOf(box) + ending, join(folder, `savepoint.db${ending}`))
  deleteDatabase(box)
  return name
}

test('what a heal set aside and did not live to read is read by the next command', async () => {
  const { box, ids } = ready()
  const head = ids.at(-1) ?? ''
  // Only the database has these: the backup is older, and no file was written.
  const store = openAt(databaseOf(box))
  const stream = (await store.log.listStreams(null))[0]?.id ?? ''
  await addNote(store, stream, 'only in the store')
  await store.log.pin(head, true)
  await store.log.recordOutcome(stream, newOutcome('the tests'), AT)
  const name = killedAfterSettingAside(box)

  const resumed = box.json(['run', 'resume', 'r1'])
  expect(resumed).toMatchObject({ snapshotId: head, commandOutcomes: [{ name: 'the tests' }] })
  expect(JSON.stringify(box.json(['run', 'show', 'r1']))).toContain('only in the store')
  expect((await openAt(databaseOf(box)).log.readSituation(stream)).pinned).toEqual([head])
  expect(readdirSync(join(box.home, 'set-aside'))).toEqual([name])
  expect(idsOf(box)).toEqual(ids)
})

async function addNote(store: SqliteStore, stream: string, note: string): Promise<void> {
  const { base, stream: now } = await store.log.readSituation(stream)
  const expected = { head: now.headId, notes: base.notes.length }
  const [row] = (await store.local.listViews({ stream })).filter(({ path }) => path.endsWith('latest.json'))
  const view = row ? { ...row, state: 'pending' as const } : newView('r1/1')
  const { done } = await noteOn(store.acts, stream, expected, { kind: 'manual', at: AT, note }, view)
  if (!done) throw new Error('the head moved')
}

test('after a heal from an older backup, resuming keeps the newest latest.json', () => {
  const { box, ids } = ready()
  const latest = box.read(LATEST)
  breakWorkspaces(box)
  box.json(['run', 'list'])
  for (const _ of [1, 2])
    expect(box.json(['run', 'resume', 'r1'])).toMatchObject({ snapshotId: ids.at(-1), recovered: null })
  expect(box.read(LATEST)).toBe(latest)
  expect(box.run(['run', 'verify', 'r1']).code).toBe(0)
  expect(existsSync(box.path('checkpoints/r1/set-aside'))).toBe(false)
})

/** A store with one checkpoint, and a second one that was the same until now. */
async function twins(prepare: (store: SqliteStore, stream: string) => Promise<void> = async () => undefined) {
  const one = openAt(freshPath())
  const { stream, ids } = await grow(one)
  await prepare(one, stream)
  const copy = join(freshFolder(), 'copy.db')
  await one.copyTo(copy)
  return { one, other: openAt(copy), stream, head: ids[0] ?? '' }
}

describe('merging', () => {
  test('keeps two different notes that have the same number, each once', async () => {
    const { one, other, stream } = await twins()
    await addNote(one, stream, 'from one')
    await addNote(other, stream, 'from the other')
    for (const _ of ['once', 'again']) await one.mergeFrom(other.path)
    const { base } = await one.log.readSituation(stream)
    expect(base.notes.map(({ note }) => note)).toEqual(['from one', 'from the other'])
  })

  test('does not bring back an outcome that a checkpoint has taken in', async () => {
    const record = async (store: SqliteStore, stream: string) => {
      await store.log.recordOutcome(stream, newOutcome('taken'), AT)
    }
    const { one, other, stream, head } = await twins(record)
    const { pending } = await one.log.readSituation(stream)
    const change = { ...noChange(), commands: pending.map(({ outcome }) => outcome) }
    const takes = pending.map(({ event }) => event)
    await appendTo(one.acts, newCheckpoint(stream, 2, { at: LATER, change }), head, { takes, views: [] })
    await other.log.recordOutcome(stream, newOutcome('still waiting'), LATER)
    for (const _ of ['once', 'again']) await one.mergeFrom(other.path)
    const waiting = (await one.log.readSituation(stream)).pending.map(({ outcome }) => outcome.name)
    expect(waiting).toEqual(['still waiting'])
  })
})

describe('backups from a clock that was ahead', () => {
  const FUTURE = [2091, 2092, 2093, 2094, 2095].map((year) => `savepoint-${year}0101T000000000Z.db`)

  function aheadOfTime(): { box: Sandbox; folder: string; real: string } {
    const box = sandbox()
    box.start()
    const folder = join(box.home, 'backups')
    const [real = ''] = readdirSync(folder)
    for (const name of FUTURE) copyFileSync(join(folder, real), join(folder, name))
    return { box, folder, real }
  }

  const saveThrice = (box: Sandbox, folder: string) =>
    ['one', 'two', 'three'].map((note) => {
      box.json(['run', 'save', 'r1', '--note', note])
      return readdirSync(folder).filter((name) => !FUTURE.includes(name))
    })

  test('do not make every save write another, nor take the place of the real one', () => {
    const { box, folder, real } = aheadOfTime()
    expect(saveThrice(box, folder)).toEqual([[real], [real], [real]])
  })

  test('do not keep the first real one from staying', () => {
    const { box, folder, real } = aheadOfTime()
    rmSync(join(folder, real))
    const [first, ...later] = saveThrice(box, folder)
    expect(first).toHaveLength(1)
    expect(later).toEqual([first, first])
  })
})

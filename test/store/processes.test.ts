import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { realPorts } from '../../src/apps/process/real-ports.ts'
import { sha256 } from '../../src/core/canonical.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { type Finished, type Sandbox, sandbox } from '../support/sandbox.ts'
import { stoppedHolder } from './lock-holder.ts'

interface Listed {
  snapshotId: string
  sequence: number
}

const database = (box: Sandbox) => join(box.home, 'savepoint.db')
const backups = (box: Sandbox) =>
  readdirSync(join(box.home, 'backups')).filter((name) => name.endsWith('.db'))

// `as`: the answer of a command that is tested elsewhere.
const historyOf = (box: Sandbox, run = 'r1') =>
  box.json(['run', 'show', run, '--history']).snapshots as Listed[]

/** `1, 2, 3 …` */
const counted = (length: number) => Array.from({ length }, (_, index) => index + 1)

describe('a stopped process', () => {
  test('that holds the store lets a save end in time as store_busy', { timeout: 60_000 }, async () => {
    const box = sandbox()
    box.start()
    const before = historyOf(box)
    const holder = await stoppedHolder(database(box))
    const startedMs = performance.now()
    const done = box.run(['run', 'save', 'r1', '--json'])
    expect(performance.now() - startedMs).toBeLessThan(30_000)
    expect(done.code).toBe(75)
    expect(JSON.parse(done.stdout)).toMatchObject({ ok: false, reason: 'store_busy' })
    expect(historyOf(box)).toEqual(before)

    await holder.kill()
    expect(box.json(['run', 'step', 'r1', 's1', 'in_progress'])).toMatchObject({ sequence: 2 })
    expect(historyOf(box).map(({ sequence }) => sequence)).toEqual([1, 2])
    expect(box.run(['doctor']).code).toBe(0)
  })

  test('that holds the store keeps nobody from reading', { timeout: 60_000 }, async () => {
    const box = sandbox()
    box.start()
    await stoppedHolder(database(box))
    expect(box.json(['run', 'list']).runs).toMatchObject([{ runId: 'r1' }])
    expect(box.json(['run', 'show', 'r1'])).toMatchObject({ sequence: 1 })
  })

  test('that holds the workspace lets a save wait 5 seconds for it, not the time of a whole queue', {
    timeout: 60_000,
  }, async () => {
    const box = sandbox()
    box.json(['new', 'auth', '--current'])
    const workspace = box.read('.git', 'savepoint-id-workspace').trim()
    const lock = join(box.home, 'locks', `${sha256(`workspace:${workspace}`).slice(0, 24)}.lock`)
    const holder = await stoppedHolder(lock)
    for (const words of [
      ['save', 'Meanwhile'],
      ['delta', '--what', 'Meanwhile'],
      ['handoff', 'Meanwhile'],
    ]) {
      const startedMs = performance.now()
      const done = box.run([...words, '--json'])
      expect(performance.now() - startedMs).toBeLessThan(30_000)
      expect(done.code, done.stdout).toBe(75)
      expect(JSON.parse(done.stdout)).toMatchObject({ reason: 'store_busy', data: { waitedMs: 5_000 } })
    }

    await holder.kill()
    expect(box.json(['save', 'Afterwards'])).toMatchObject({ sequence: 2 })
  })

  test('that holds the workspace leaves the files pending, and the next command writes them', {
    timeout: 60_000,
  }, async () => {
    const box = sandbox()
    box.start()
    const workspace = box.read('.git', 'savepoint-id-workspace').trim()
    const lock = `${sha256(`workspace:${workspace}`).slice(0, 24)}.lock`
    expect(existsSync(join(box.home, 'locks', lock))).toBe(true)
    const holder = await stoppedHolder(join(box.home, 'locks', lock))
    const first = box.readJson('checkpoints/r1/latest.json')
    const saved = box.json(['run', 'step', 'r1', 's1', 'in_progress'])
    expect(saved).toMatchObject({ sequence: 2, files: 'pending' })
    expect(box.readJson('checkpoints/r1/latest.json')).toEqual(first)
    expect(existsSync(box.path(String(saved.history)))).toBe(false)

    await holder.kill()
    const next = box.json(['run', 'step', 'r1', 's1', 'done'])
    expect(next).toMatchObject({ sequence: 3, files: 'published' })
    expect(box.readJson('checkpoints/r1/latest.json').snapshot_id).toBe(next.snapshotId)
    expect(box.readJson(String(saved.history)).snapshot_id).toBe(saved.snapshotId)
    expect(box.run(['run', 'verify', 'r1']).code).toBe(0)
  })
})

describe('many processes at once', () => {
  test('[004.02] [004.14] 20 writers lose no outcome, no save and no number', {
    timeout: 120_000,
  }, async () => {
    const box = sandbox()
    box.start()
    const writers = 20
    const work = async (who: number): Promise<Finished[]> => {
      const exec = await box.spawn(['run', 'exec', 'r1', '--', process.execPath, '-e', '0', `w${who}`]).done
      const save = await box.spawn(['run', 'save', 'r1', '--note', `save ${who}`, '--json']).done
      return [exec, save]
    }
    const done = await Promise.all(counted(writers).map(work))
    for (const { code, stderr } of done.flat()) expect(code, stderr).toBe(0)

    const history = historyOf(box)
    expect(history.map(({ sequence }) => sequence)).toEqual(counted(history.length))
    expect(new Set(history.map(({ snapshotId }) => snapshotId)).size).toBe(history.length)
    expect(readdirSync(box.path('checkpoints/r1/history')).toSorted()).toEqual(
      history.map(({ snapshotId }) => `${snapshotId}.json`).toSorted(),
    )

    const outcomes: string[] = []
    const notes: string[] = []
    for (const { snapshotId } of history) {
      const file = box.readJson('checkpoints/r1/history', `${snapshotId}.json`)
      for (const { name } of file.command_outcomes) outcomes.push(String(name).split(' ').at(-1) ?? '')
      const { snapshot } = box.json(['run', 'show', 'r1', snapshotId])
      // `as`: the document is checked by its own tests.
      const { source_details } = snapshot as { source_details: Array<{ note?: string }> }
      for (const { note } of source_details) if (note?.startsWith('save ')) notes.push(note)
    }
    expect(outcomes.toSorted()).toEqual(
      counted(writers)
        .map((who) => `w${who}`)
        .toSorted(),
    )
    expect(notes.toSorted()).toEqual(
      counted(writers)
        .map((who) => `save ${who}`)
        .toSorted(),
    )

    const newest = history.at(-1)?.snapshotId
    const latest = box.readJson('checkpoints/r1/latest.json')
    expect(latest.snapshot_id).toBe(newest)
    expect(latest.source_details).toEqual(
      (box.json(['run', 'show', 'r1']).snapshot as { source_details: unknown }).source_details,
    )
    const receipts = done.map(([, save]) => JSON.parse(save?.stdout ?? ''))
    const own = receipts.filter(({ coalesced }) => coalesced === false).map(({ snapshotId }) => snapshotId)
    expect(new Set(own).size).toBe(own.length)
    expect(own.length).toBe(history.length - 1)
    expect(box.run(['run', 'verify', 'r1']).code).toBe(0)
  })

  test('a backup beside four writers is sound and holds all that was confirmed before', {
    timeout: 120_000,
  }, async () => {
    const box = sandbox()
    box.start()
    let confirmed = 1
    const write = async (who: number) => {
      for (let round = 0; round < 4; round += 1) {
        const state = round % 2 === 0 ? 'in_progress' : 'done'
        const { done } = box.spawn(['run', 'step', 'r1', `w${who}-${round}`, state, '--add', '--json'])
        const { code, stdout, stderr } = await done
        expect(code, stderr).toBe(0)
        confirmed = Math.max(confirmed, JSON.parse(stdout).sequence)
      }
    }
    const copies: Array<{ file: string; atLeast: number }> = []
    const copy = async () => {
      for (const name of ['one', 'two', 'three']) {
        const atLeast = confirmed
        const file = join(box.root, `${name}.db`)
        const { code, stderr } = await box.spawn(['backup', file]).done
        expect(code, stderr).toBe(0)
        copies.push({ file, atLeast })
      }
    }
    await Promise.all([...counted(4).map(write), copy()])
    expect(historyOf(box)).toHaveLength(17)
    for (const { file, atLeast } of copies) {
      const store = openSqliteStore({ path: file, ports: realPorts, locksFolder: null })
      const [run] = await store.log.listStreams(null)
      const history = await store.log.readHistory(run?.id ?? '')
      expect(history.map(({ sequence }) => sequence)).toEqual(counted(history.length))
      expect(history.length).toBeGreaterThanOrEqual(atLeast)
      expect(await store.check()).toEqual([])
      await store.close()
    }
  })
})

describe('backups', () => {
  test('one is made by the first command that writes, and no second one the same day', () => {
    const box = sandbox()
    box.start()
    expect(backups(box)).toEqual([expect.stringMatching(/^savepoint-\d{8}T\d{9}Z\.db$/)])
    box.json(['run', 'save', 'r1'])
    expect(backups(box)).toHaveLength(1)
  })

  test('at most five stay, the newest ones, and nothing else in their folder is touched', () => {
    const box = sandbox()
    box.start()
    const [real = ''] = backups(box)
    const content = readFileSync(join(box.home, 'backups', real))
    rmSync(join(box.home, 'backups', real))
    const old = counted(7).map((day) => `savepoint-2020010${day}T000000000Z.db`)
    for (const name of [...old, 'mine.db']) writeFileSync(join(box.home, 'backups', name), content)
    box.json(['run', 'save', 'r1'])
    const left = backups(box)
    expect(left.filter((name) => name.startsWith('savepoint-2020')).toSorted()).toEqual(old.slice(3))
    expect(left.filter((name) => name.startsWith('savepoint-'))).toHaveLength(5)
    expect(left).toContain('mine.db')
  })

  test('a backup by hand never overwrites, and is private', () => {
    const box = sandbox()
    box.start()
    const file = join(box.root, 'copy.db')
    box.json(['backup', file])
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const again = box.run(['backup', file, '--json'])
    expect(again.code).toBe(6)
    expect(JSON.parse(again.stdout)).toMatchObject({ reason: 'backup_exists' })
  })
})

import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { RunRecorder } from '../../src/apps/library/run-recorder.ts'
import { sha256 } from '../../src/core/canonical.ts'
import { REASONS } from '../../src/core/reason.ts'
import { PLAN, type Sandbox } from '../support/sandbox.ts'
import { leastOf } from './sample.ts'
import { hasCompiler, type LoggedCall, type Mode } from './shim.ts'
import { callsOf, command, type Fault, type Faulted, pointsOf, type Scene, strike, sweep } from './sweep.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const LONG = 240_000
/** What it takes to put one file in its place. */
const FILE_PROTOCOL = ['open', 'write', 'fsync', 'rename', 'fsync']

/** A run with snapshots that were all taken so long ago. */
async function oldRun(box: Sandbox, agoMs: number, saves: number): Promise<string[]> {
  let time = Date.now() - agoMs
  const recorder = await RunRecorder.start({
    plan: { text: PLAN },
    runId: 'r1',
    cwd: box.repo,
    home: box.home,
    heartbeatMs: 0,
    ports: { now: () => time },
  })
  const ids = [String(JSON.parse(readFileSync(box.path('checkpoints/r1/latest.json'), 'utf8')).snapshot_id)]
  for (let index = 0; index < saves; index += 1) {
    time += 10_000
    ids.push((await recorder.save()).snapshotId)
  }
  await recorder.close()
  // A command of today makes the backup of today, so that the one under test has only its own work to do.
  const pinned = await command(box, ['run', 'pin', 'r1', ids.at(-1) ?? ''])
  expect(pinned.code).toBe(0)
  return ids
}

const start: Scene = {
  words: ['run', 'start', 'plan.md', '--run-id', 'r1'],
  async prepare(box) {
    writeFileSync(box.path('plan.md'), PLAN)
    return []
  },
}
const save: Scene = { words: ['run', 'save', 'r1'], prepare: (box) => oldRun(box, 10 * MINUTE_MS, 2) }
const removal: Scene = {
  words: ['run', 'prune', '--compress-after-hours', '100000'],
  prepare: (box) => oldRun(box, 20 * DAY_MS, 3),
  removes: true,
}
const compression: Scene = { words: ['run', 'prune'], prepare: (box) => oldRun(box, 2 * DAY_MS, 2) }
/** A save that finds a prune which died before it removed its first file. */
const afterCutPrune: Scene = {
  words: ['run', 'save', 'r1'],
  async prepare(box) {
    const ids = await removal.prepare(box)
    const unlink = (await callsOf(box, removal.words)).find(
      ({ call, path }) => call === 'unlink' && inRepo(path),
    )
    const { done } = await strike(box, removal.words, { at: unlink?.number ?? 0, mode: 'kill' })
    expect(done.signal).toBe('SIGKILL')
    return ids
  },
  removes: true,
}
/** There are few, and each has to be told by its own reason. */
const ALL_OF_THEM = { whole: true }
const inRepo = (path: string) => path.startsWith('repo/')

interface Choice {
  modes: Mode[]
  /** Of a long row of writes to one file take every one, not only the first two and the last. */
  all?: boolean
  every?: number
  sticky?: boolean
}

/** The faults of some modes at every point; torn only where something is written. */
const at =
  ({ modes, all = false, every = 1, sticky = false }: Choice) =>
  (calls: LoggedCall[]): Fault[] =>
    modes.flatMap((mode) =>
      (all ? calls : pointsOf(calls))
        .filter(({ call }) => mode !== 'torn' || call === 'write')
        .filter((_, index) => index % every === 0)
        .map(({ number }) => ({ at: number, mode, sticky })),
    )

async function expectSound(scene: Scene, choice: Choice, floor: number): Promise<Faulted[]> {
  const all = await sweep(scene, at(choice))
  expect(all.flatMap(({ wrong }) => wrong)).toEqual([])
  expect(all.filter(({ hit }) => hit !== undefined).length).toBeGreaterThanOrEqual(leastOf(floor))
  return all
}

test.skipIf(!hasCompiler)(
  'the first command on an empty home survives a kill at every call',
  { timeout: LONG },
  async () => {
    await expectSound(start, { modes: ['kill'] }, 60)
  },
)

test.skipIf(!hasCompiler)(
  'the first command on an empty home survives half a write',
  { timeout: LONG },
  async () => {
    await expectSound(start, { modes: ['torn'] }, 20)
  },
)

test.skipIf(!hasCompiler)(
  'the first command on an empty home tells every failed call',
  { timeout: LONG },
  async () => {
    const all = await expectSound(start, { modes: ['EIO'] }, 60)
    const lock = `${sha256('backup').slice(0, 24)}.lock`
    const backup = all.filter(({ hit }) => hit?.path.includes('/home/backups') || hit?.path.includes(lock))
    // A backup that cannot be made is told, and the command has done its work all the same.
    expect(backup.length).toBeGreaterThanOrEqual(leastOf(11))
    expect(backup.filter(({ done }) => done.code !== 0).map(({ hit }) => hit)).toEqual([])
  },
)

test.skipIf(!hasCompiler)(
  'a save survives a kill at every call and half of every write',
  { timeout: LONG },
  async () => {
    await expectSound(save, { modes: ['kill', 'torn'], all: true }, 90)
  },
)

test.skipIf(!hasCompiler)('a save tells every failed call', { timeout: LONG }, async () => {
  await expectSound(save, { modes: ['EIO'], all: true }, 60)
})

test.skipIf(!hasCompiler)(
  'a save tells it where everything fails from some call on',
  { timeout: LONG },
  async () => {
    await expectSound(save, { modes: ['EIO'], every: 4, sticky: true }, 8)
  },
)

test.skipIf(!hasCompiler)(
  'a save that finishes a cut prune survives a kill at every call',
  { timeout: LONG },
  async () => {
    await expectSound(afterCutPrune, { modes: ['kill'] }, 50)
  },
)

test.skipIf(!hasCompiler)(
  'a save that finishes a cut prune tells every failed call',
  { timeout: LONG },
  async () => {
    await expectSound(afterCutPrune, { modes: ['EIO'], every: 2 }, 25)
  },
)

test.skipIf(!hasCompiler)(
  'a prune that removes survives a kill at every call',
  { timeout: LONG },
  async () => {
    await expectSound(removal, { modes: ['kill'] }, 30)
  },
)

test.skipIf(!hasCompiler)(
  'a prune that removes tells a full and a read-only disk',
  { timeout: LONG },
  async () => {
    await expectSound(removal, { modes: ['ENOSPC', 'EROFS'], every: 3 }, 20)
  },
)

test.skipIf(!hasCompiler)(
  'a prune that compresses survives a kill at every call',
  { timeout: LONG },
  async () => {
    await expectSound(compression, { modes: ['kill'] }, 50)
  },
)

test.skipIf(!hasCompiler)(
  'a prune that compresses tells a full and a read-only disk',
  { timeout: LONG },
  async () => {
    await expectSound(compression, { modes: ['ENOSPC', 'EROFS'], every: 3 }, 30)
  },
)

test.skipIf(!hasCompiler)(
  'a full disk while a snapshot is written to the workspace is checkpoint_atomic_write_failed [004.43]',
  { timeout: LONG },
  async () => {
    const all = await sweep(
      save,
      (calls) => {
        const files = calls.filter(({ path }) => inRepo(path))
        expect(files.map(({ call }) => call)).toEqual([...FILE_PROTOCOL, ...FILE_PROTOCOL])
        return files.map(({ number }) => ({ at: number, mode: 'ENOSPC' }))
      },
      ALL_OF_THEM,
    )
    expect(all).toHaveLength(10)
    for (const { done, reason, wrong } of all)
      expect({ code: done.code, reason, wrong }).toEqual({
        code: REASONS.checkpoint_atomic_write_failed.exit,
        reason: 'checkpoint_atomic_write_failed',
        wrong: [],
      })
  },
)

test.skipIf(!hasCompiler)(
  'a prune that cannot remove a file is checkpoint_retention_prune_failed [004.44]',
  { timeout: LONG },
  async () => {
    const all = await sweep(
      removal,
      (calls) =>
        calls
          .filter(({ call, path }) => call === 'unlink' && inRepo(path))
          .map(({ number }) => ({ at: number, mode: 'EROFS' })),
      ALL_OF_THEM,
    )
    expect(all.length).toBeGreaterThanOrEqual(3)
    for (const { done, reason, wrong } of all)
      expect({ code: done.code, reason, wrong }).toEqual({
        code: REASONS.checkpoint_retention_prune_failed.exit,
        reason: 'checkpoint_retention_prune_failed',
        wrong: [],
      })
  },
)

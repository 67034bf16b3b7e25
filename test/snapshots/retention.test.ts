import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { runPin } from '../../src/verbs/runs/pin.ts'
import { runPrune } from '../../src/verbs/runs/prune.ts'
import { runShow } from '../../src/verbs/runs/show.ts'
import { runVerify } from '../../src/verbs/runs/verify.ts'
import { sandbox } from '../support/sandbox.ts'
import { DAY, type Lab, lab, SECOND } from './lab.ts'

/** The user's own settings, so wide that nothing is removed or compressed by itself. */
function keepAll(world: Lab): void {
  const file = join(world.box.root, 'config', 'savepoint', 'config.yml')
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(
    file,
    'session: { snapshots_per_run: 9999, snapshot_days: 9999, compress_after_hours: 999999 }\n',
  )
}

const USUAL = { maxPerRun: '50', maxAgeDays: '14', compressAfterHours: '24' }

/** Snapshots a day apart: only number 20 is failed, number 30 is pinned. */
async function daily(world: Lab, run = 'r1', days = 120): Promise<{ failed: string; pinned: string }> {
  const recorder = await world.start({ runId: run })
  let failed = ''
  let pinned = ''
  for (let day = 2; day <= days; day += 1) {
    world.pass(DAY)
    const state = day === 20 ? 'failed' : day % 2 === 0 ? 'skipped' : 'in_progress'
    const { snapshotId } = await recorder.step('s1', state)
    if (day === 20) failed = snapshotId
    if (day === 30) pinned = snapshotId
  }
  await recorder.close()
  await world.do(runPin, { run, artifact: pinned })
  return { failed, pinned }
}

test('120 snapshots over 120 days: plain where a setting says so, and what prune reports removed is removed [004.32] [004.36]', async () => {
  const world = lab()
  keepAll(world)
  const { failed, pinned } = await daily(world)
  expect(world.names().filter((name) => name.endsWith('.json'))).toHaveLength(120)
  const before = world.names()
  const report = await world.do(runPrune, USUAL)
  const [run] = report.runs
  if (!run) throw new Error('there is a run')
  const left = world.names()
  expect(report.removed).toBe(run.removed.length)
  expect(before.length - left.length).toBe(report.removed)
  expect(report.kept).toBe(left.length)
  for (const id of run.removed) expect(left.join()).not.toContain(id)
  // 15 of the last 14 days with both ends, the failed one and the pinned one.
  expect(left).toHaveLength(17)
  expect(left.join()).toContain(failed)
  expect(left.join()).toContain(pinned)
  expect(world.latest().snapshot_id).toBe(world.history().at(-1)?.snapshot_id)
  expect(await world.do(runPrune, USUAL)).toMatchObject({ removed: 0, compressed: 0, kept: 17 })
  expect(world.names()).toEqual(left)
})

test('compressed snapshots are counted and removed like plain ones [004.36]', async () => {
  const world = lab()
  keepAll(world)
  await daily(world)
  const first = await world.do(runPrune, { maxPerRun: '9999', maxAgeDays: '9999', compressAfterHours: '24' })
  expect(first).toMatchObject({ removed: 0, kept: 120 })
  const packed = world.names().filter((name) => name.endsWith('.gz'))
  expect(packed).toHaveLength(first.compressed)
  expect(packed.length).toBeGreaterThan(110)
  const second = await world.do(runPrune, USUAL)
  expect(second.removed).toBe(103)
  expect(world.names()).toHaveLength(17)
  expect(await world.do(runVerify, {})).toMatchObject({ problems: [] })
})

test('a dry run says the same numbers and changes nothing [004.32]', async () => {
  const world = lab()
  keepAll(world)
  await daily(world, 'r1', 40)
  const before = world.names()
  const dry = await world.do(runPrune, { ...USUAL, dryRun: true })
  expect(world.names()).toEqual(before)
  const real = await world.do(runPrune, USUAL)
  expect({ ...dry, dryRun: false }).toEqual(real)
})

test('a removed snapshot leaves a tombstone that says so, and never comes back', async () => {
  const world = lab()
  keepAll(world)
  await daily(world, 'r1', 40)
  const [first = ''] = world.names()
  await world.do(runPrune, USUAL)
  const id = first.replace('.json', '')
  await expect(world.do(runShow, { run: 'r1', snapshot: id })).rejects.toMatchObject({
    reason: 'snapshot_removed',
  })
  const listed = await world.do(runShow, { run: 'r1', history: true })
  if (listed.kind !== 'history') throw new Error(listed.kind)
  expect(listed.snapshots.map(({ sequence }) => sequence)).toEqual(
    Array.from({ length: 40 }, (_, index) => index + 1),
  )
  expect(listed.snapshots.filter(({ removedAt }) => removedAt === null)).toHaveLength(16)
})

test('the last completed snapshot stays [004.31]', async () => {
  const world = lab()
  keepAll(world)
  const recorder = await world.start()
  const { snapshotId } = await recorder.finish({ incomplete: true })
  const again = await world.resume()
  for (let day = 0; day < 30; day += 1) {
    world.pass(DAY)
    await again.save()
  }
  await world.do(runPrune, { ...USUAL, maxPerRun: '1' })
  // The newest is completed as well: it is the last one, so the first completed one may go.
  expect(world.history().map(({ status }) => status)).toEqual(['completed'])
  expect(world.latest().snapshot_id).not.toBe(snapshotId)
})

test('when the save of the 51st returns, the latest 50 are kept, and the preserved ones besides [004.30]', async () => {
  const world = lab()
  const recorder = await world.start()
  const { snapshotId: failed } = await recorder.step('s1', 'failed')
  await recorder.step('s1', 'in_progress')
  const { snapshotId: pinned } = await recorder.step('s1', 'done')
  await world.do(runPin, { run: 'r1', artifact: pinned })
  for (let save = 5; save <= 75; save += 1) {
    world.pass(4 * SECOND)
    await recorder.save()
    const kept = world.names()
    expect(kept.slice(-50)).toHaveLength(Math.min(save, 50))
    expect(kept.length).toBeLessThanOrEqual(52)
  }
  const ids = world.history().map(({ snapshot_id }) => snapshot_id)
  expect(ids).toHaveLength(52)
  expect(ids.slice(0, 2)).toEqual([failed, pinned])
  expect(ids.at(-1)).toBe(world.latest().snapshot_id)
  expect(world.notices).toEqual([])
})

test('the command that takes the 51st snapshot leaves 50 behind [004.30]', () => {
  const box = sandbox()
  box.start()
  for (let save = 2; save <= 51; save += 1)
    box.json(['run', 'step', 'r1', 's1', save % 2 === 0 ? 'in_progress' : 'skipped'])
  expect(readdirSync(box.path('checkpoints/r1/history'))).toHaveLength(50)
  expect(box.json(['run', 'verify'])).toMatchObject({ problems: [] })
})

test('the age limit holds by itself in a run that goes on [004.32]', async () => {
  const world = lab()
  const recorder = await world.start()
  for (let day = 0; day < 30; day += 1) {
    world.pass(DAY)
    await recorder.save()
  }
  const oldest = world.history()[0]?.created_at ?? ''
  expect(world.time - Date.parse(oldest)).toBeLessThanOrEqual(14 * DAY)
})

test('a damaged file stops the pruning of its own run and of no other [004.44]', async () => {
  const world = lab()
  keepAll(world)
  await daily(world, 'good', 40)
  await daily(world, 'bad', 40)
  const victim = world.names('bad').at(20) ?? ''
  writeFileSync(world.box.path('checkpoints', 'bad', 'history', victim), 'garbage')
  const folder = world.box.path('checkpoints', 'bad', 'history')
  const before = readdirSync(folder)
  const report = await world.do(runPrune, USUAL)
  expect(runPrune.failure?.(report)).toMatchObject({ exit: 5, reason: 'checkpoint_retention_prune_failed' })
  const runs = new Map(report.runs.map((run) => [run.runId, run]))
  expect(runs.get('bad')).toMatchObject({ removed: [], compressed: [], kept: 40 })
  expect(runs.get('bad')?.problem).toContain('checkpoint_schema_invalid')
  expect(readdirSync(folder)).toEqual(before)
  expect(runs.get('good')).toMatchObject({ problem: null, kept: expect.any(Number) })
  expect(runs.get('good')?.removed.length).toBeGreaterThan(20)
})

test('retention that cannot run never undoes the save, and says so [004.44]', async () => {
  const world = lab()
  const recorder = await world.start()
  for (let save = 2; save <= 49; save += 1) {
    world.pass(4 * SECOND)
    await recorder.save()
  }
  const [victim = ''] = world.names()
  writeFileSync(world.box.path('checkpoints', 'r1', 'history', victim), '{}')
  for (let save = 0; save < 3; save += 1) {
    world.pass(4 * SECOND)
    await recorder.save()
  }
  expect(world.latest().snapshot_id).toBe((await recorder.save()).snapshotId)
  expect(world.notices.join()).toContain('Could not remove old snapshots of run r1')
})

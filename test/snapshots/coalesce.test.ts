import { readFileSync, unlinkSync } from 'node:fs'
import { expect, test } from 'vitest'
import { runShow } from '../../src/verbs/runs/show.ts'
import { doctor } from '../../src/verbs/setup/doctor.ts'
import { lab, SECOND } from './lab.ts'

test('two saves within 3 seconds keep one snapshot with both sources [004.26] [004.28]', async () => {
  const world = lab()
  const recorder = await world.start()
  const [name = ''] = world.names()
  const file = world.box.path('checkpoints', 'r1', 'history', name)
  const before = readFileSync(file)
  world.pass(2_999)
  const receipt = await recorder.save({ note: 'again' })
  expect(receipt).toMatchObject({
    coalesced: true,
    snapshotId: world.latest().snapshot_id,
    files: 'published',
  })
  expect(world.names()).toEqual([name])
  expect(readFileSync(file)).toEqual(before)
  const details = [
    { source: 'manual', trigger: 'manual', note: 'run started' },
    { source: 'manual', trigger: 'manual', note: 'again' },
  ]
  expect(world.latest().source_details).toMatchObject(details)
  const shown = await world.do(runShow, { run: 'r1' })
  expect(shown).toMatchObject({ snapshot: { source_details: details } })
  const byId = await world.do(runShow, { run: 'r1', snapshot: receipt.snapshotId })
  expect(byId).toMatchObject({ snapshot: { source_details: details } })
})

test('a history file that is written again is the one that was, without later triggers [004.34]', async () => {
  const world = lab()
  const recorder = await world.start()
  const file = world.box.path('checkpoints', 'r1', 'history', world.names()[0] ?? '')
  const before = readFileSync(file)
  await recorder.save({ note: 'again' })
  unlinkSync(file)
  await world.do(doctor, { fix: true })
  expect(readFileSync(file)).toEqual(before)
  expect(world.latest().source_details).toHaveLength(2)
})

test('a trigger of another kind is told on the snapshot that it joins [004.26]', async () => {
  const world = lab()
  const recorder = await world.start()
  world.pass(SECOND)
  await recorder.heartbeat()
  const { source, source_details } = world.latest()
  expect(source).toBe('manual')
  expect(source_details.map((detail) => detail.source)).toEqual(['manual', 'timer'])
})

test('after 3 seconds a save makes a snapshot of its own [004.26]', async () => {
  const world = lab()
  const recorder = await world.start()
  world.pass(3 * SECOND)
  expect(await recorder.save()).toMatchObject({ coalesced: false, sequence: 2 })
  expect(world.names()).toHaveLength(2)
})

test('a change within 3 seconds makes a snapshot of its own [004.26]', async () => {
  const world = lab()
  const recorder = await world.start()
  await recorder.command({ kind: 'shell', name: 'make', result: 'PASS', duration_ms: 1, summary: '' })
  expect(await recorder.save()).toMatchObject({ coalesced: false })
  expect(await recorder.save({ contextUsedPercent: 90 })).toMatchObject({ coalesced: false })
  expect(world.names()).toHaveLength(3)
})

test('20 saves within one second, each with a change, have 20 ids and 20 files [004.02]', async () => {
  const world = lab()
  const recorder = await world.start()
  const receipts = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      await recorder.command({
        kind: 'shell',
        name: `c${index}`,
        result: 'PASS',
        duration_ms: 1,
        summary: '',
      })
      return recorder.step('s1', index % 2 === 0 ? 'in_progress' : 'skipped')
    }),
  )
  expect(new Set(receipts.map(({ snapshotId }) => snapshotId)).size).toBe(20)
  expect(world.names()).toHaveLength(21)
  const told = world.history().flatMap(({ command_outcomes }) => command_outcomes.map(({ name }) => name))
  expect(told.sort()).toEqual(Array.from({ length: 20 }, (_, index) => `c${index}`).sort())
})

test('a clock that goes backwards makes a new snapshot and keeps the order [004.02]', async () => {
  const world = lab()
  const recorder = await world.start()
  world.pass(-3_600 * SECOND)
  expect(await recorder.save()).toMatchObject({ coalesced: false, sequence: 2 })
  expect(world.latest().snapshot_id).toBe(world.history().at(-1)?.snapshot_id)
})

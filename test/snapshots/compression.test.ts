import { readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { runList } from '../../src/verbs/runs/list.ts'
import { runPrune } from '../../src/verbs/runs/prune.ts'
import { runResume } from '../../src/verbs/runs/resume.ts'
import { runShow } from '../../src/verbs/runs/show.ts'
import { runVerify } from '../../src/verbs/runs/verify.ts'
import { DAY, type Lab, lab } from './lab.ts'

/** A run whose two snapshots are both old enough, so that the newest one is compressed as well. */
async function packed(): Promise<{ world: Lab; plain: Buffer; first: string; file: string }> {
  const world = lab()
  const recorder = await world.start()
  await recorder.step('s1', 'in_progress')
  await recorder.close()
  const [name = ''] = world.names()
  const plain = readFileSync(world.box.path('checkpoints', 'r1', 'history', name))
  world.pass(2 * DAY)
  const report = await world.do(runPrune)
  expect(report).toMatchObject({ removed: 0, compressed: 2 })
  const file = world.box.path('checkpoints', 'r1', 'history', `${name}.gz`)
  return { world, plain, first: name.replace('.json', ''), file }
}

test('history older than 24 hours becomes gzip with the same bytes inside [004.36]', async () => {
  const { world, plain, file } = await packed()
  expect(world.names().every((name) => name.endsWith('.json.gz'))).toBe(true)
  expect(gunzipSync(readFileSync(file))).toEqual(plain)
})

test('latest.json is never compressed [004.37]', async () => {
  const { world } = await packed()
  const text = world.box.read('checkpoints', 'r1', 'latest.json')
  expect(JSON.parse(text).snapshot_id).toBe(world.history().at(-1)?.snapshot_id)
})

test('a compressed snapshot lists, shows, verifies and resumes like any other [004.36]', async () => {
  const { world, plain, first } = await packed()
  expect(await world.do(runList)).toMatchObject({ runs: [{ runId: 'r1', snapshots: 2 }] })
  const listed = await world.do(runShow, { run: 'r1', history: true })
  expect(listed).toMatchObject({
    snapshots: [{ snapshotId: first, compressed: true }, { compressed: true }],
  })
  const shown = await world.do(runShow, { run: 'r1', snapshot: first })
  expect(shown).toMatchObject({ snapshot: JSON.parse(plain.toString()) })
  expect(await world.do(runVerify, { run: 'r1' })).toMatchObject({ checked: 5, problems: [] })
  expect(await world.do(runResume, { run: 'r1' })).toMatchObject({ eligible: true, recovered: null })
})

test('the compressed form has a checksum of its own: a changed byte is found [004.38]', async () => {
  const { world, file } = await packed()
  const bytes = readFileSync(file)
  // The operating system byte of the header: the document inside stays the same.
  bytes[9] = (bytes[9] ?? 0) ^ 0x7f
  writeFileSync(file, bytes)
  const { problems } = await world.do(runVerify, { run: 'r1' })
  expect(problems).toMatchObject([{ reason: 'checkpoint_integrity_mismatch' }])
})

test('the plain form has a checksum of its own: another valid file in its place is found [004.38]', async () => {
  const world = lab()
  const recorder = await world.start()
  await recorder.step('s1', 'in_progress')
  const [one = '', two = ''] = world
    .names()
    .map((name) => world.box.path('checkpoints', 'r1', 'history', name))
  writeFileSync(one, readFileSync(two))
  const { problems } = await world.do(runVerify, { run: 'r1' })
  expect(problems).toMatchObject([{ reason: 'checkpoint_integrity_mismatch' }])
})

test('both forms of one snapshot, as a crash may leave them, become one [004.36]', async () => {
  const { world, plain, file } = await packed()
  writeFileSync(file.replace(/\.gz$/, ''), plain)
  expect(world.names()).toHaveLength(3)
  expect(await world.do(runVerify, { run: 'r1' })).toMatchObject({ problems: [] })
  await world.do(runPrune)
  expect(world.names()).toHaveLength(2)
  expect(readFileSync(file).length).toBeGreaterThan(0)
})

test('a history file that is missing is told, not passed over [004.34]', async () => {
  const { world, file } = await packed()
  unlinkSync(file)
  const { problems } = await world.do(runVerify, { run: 'r1' })
  expect(problems).toMatchObject([{ reason: 'missing' }])
})

test('history files never change while a run goes on [004.34]', async () => {
  const world = lab()
  const recorder = await world.start()
  const seen = new Map<string, string>()
  for (const state of ['in_progress', 'failed', 'in_progress', 'done'] as const) {
    await recorder.step('s1', state)
    await recorder.save()
    for (const name of world.names()) {
      const text = world.box.read('checkpoints', 'r1', 'history', name)
      expect(seen.get(name) ?? text).toBe(text)
      seen.set(name, text)
    }
  }
  expect(seen.size).toBe(5)
})

test('every snapshot of a run carries its run id and is named after its own [004.04]', async () => {
  const world = lab()
  const recorder = await world.start({ runId: 'one' })
  const other = await world.start({ runId: 'two' })
  for (const state of ['in_progress', 'done'] as const) {
    await recorder.step('s1', state)
    await other.step('s1', state)
  }
  for (const run of ['one', 'two']) {
    expect(new Set(world.history(run).map(({ run_id }) => run_id))).toEqual(new Set([run]))
    expect(world.names(run)).toEqual(world.history(run).map(({ snapshot_id }) => `${snapshot_id}.json`))
  }
})

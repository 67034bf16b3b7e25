import { expect, test } from 'vitest'
import { runPause, runSave } from '../../src/verbs/runs/record.ts'
import { lab, SECOND } from './lab.ts'

test('a run begins with a snapshot of the whole plan in both files [004.33]', async () => {
  const world = lab()
  await world.start()
  const latest = world.latest()
  expect(latest).toMatchObject({ run_id: 'r1', status: 'in_progress', source: 'manual' })
  expect(latest.step_state).toMatchObject({ step_id: 's1', step_ordinal: 1, step_status: 'pending' })
  expect(world.history()).toEqual([latest])
})

test('a step that starts writes a snapshot of its boundary [004.20]', async () => {
  const world = lab()
  const recorder = await world.start()
  const receipt = await recorder.step('s2', 'in_progress')
  expect(receipt).toMatchObject({
    runId: 'r1',
    source: 'step_boundary',
    coalesced: false,
    files: 'published',
  })
  const latest = world.latest()
  expect(latest.snapshot_id).toBe(receipt.snapshotId)
  expect(latest.source_details).toMatchObject([{ trigger: 'step', note: 's2 in_progress' }])
  expect(latest.step_state).toMatchObject({ step_id: 's2', step_ordinal: 2, step_status: 'in_progress' })
  expect(world.history()).toHaveLength(2)
})

test.each(['done', 'failed', 'skipped'] as const)(
  'a step that is %s writes a snapshot [004.21]',
  async (state) => {
    const world = lab()
    const recorder = await world.start()
    await recorder.step('s1', 'in_progress')
    await recorder.step('s1', state)
    const latest = world.latest()
    expect(latest.source).toBe('step_boundary')
    expect(latest.step_state).toMatchObject({ step_id: 's1', step_status: state })
    expect(latest.status).toBe(state === 'failed' ? 'failed' : 'in_progress')
    expect(world.history()).toHaveLength(3)
  },
)

test('a recoverable error writes a snapshot at once, and the run goes on [004.22]', async () => {
  const world = lab()
  const recorder = await world.start()
  await recorder.error('tests_failed', { message: 'two of them' })
  const latest = world.latest()
  expect(latest).toMatchObject({ source: 'error_boundary', status: 'in_progress' })
  expect(latest.step_state.resume_hints).toMatchObject({ eligible: true, reason_code: 'tests_failed' })
  expect(world.history()).toHaveLength(2)
})

test('before a forced stop a snapshot is written, and the run is failed and not eligible [004.23]', async () => {
  const world = lab()
  const recorder = await world.start()
  await recorder.error('disk_full', { recoverable: false })
  const latest = world.latest()
  expect(latest).toMatchObject({ source: 'error_boundary', status: 'failed' })
  expect(latest.step_state.resume_hints).toMatchObject({
    eligible: false,
    reason_code: 'disk_full',
    next_actions: [
      'resolve disk_full first',
      ...['s1: First', 's2: Second', 's3: Third'].map((s) => `start ${s} step`),
    ],
  })
})

test('a run that ends as failed after an unrecoverable error stays not eligible [004.09]', async () => {
  const world = lab()
  const recorder = await world.start()
  await recorder.error('disk_full', { recoverable: false })
  await recorder.finish({ failed: true })
  expect(world.latest().step_state.resume_hints).toMatchObject({ eligible: false, reason_code: 'disk_full' })
})

test('a run stays failed until a step starts again [004.06]', async () => {
  const world = lab()
  const recorder = await world.start()
  const statuses: string[] = []
  for (const [id, state] of [
    ['s1', 'in_progress'],
    ['s1', 'failed'],
    ['s2', 'done'],
    ['s3', 'skipped'],
    ['s1', 'in_progress'],
  ] as const)
    statuses.push((await recorder.step(id, state)).status)
  expect(statuses).toEqual(['in_progress', 'failed', 'failed', 'failed', 'in_progress'])
  expect(world.latest().step_state.resume_hints.reason_code).toBe('run_in_progress')
})

test('the heartbeat writes a snapshot of a run in progress [004.24]', async () => {
  const world = lab()
  const recorder = await world.start()
  world.pass(120 * SECOND)
  const receipt = await recorder.heartbeat()
  expect(receipt).toMatchObject({ source: 'timer', coalesced: false })
  expect(world.latest().source_details).toMatchObject([{ source: 'timer', trigger: 'timer' }])
})

test('a paused, a failed and a completed run have no heartbeat [004.24]', async () => {
  const world = lab()
  const recorder = await world.start()
  await world.do(runPause, { run: 'r1' })
  world.pass(500 * SECOND)
  expect(await recorder.heartbeat()).toBeNull()
  await recorder.step('s1', 'failed')
  world.pass(500 * SECOND)
  expect(await recorder.heartbeat()).toBeNull()
  expect(world.history().map(({ status }) => status)).toEqual(['in_progress', 'paused', 'failed'])
})

test('a recorder beats by itself while it lives [004.24]', async () => {
  const world = lab()
  let heard: () => void = () => undefined
  const two = new Promise<void>((resolve) => {
    heard = resolve
  })
  const recorder = await world.start({
    heartbeatMs: 10,
    ports: {
      ...world.ports,
      // Each look at the clock is a minute later, so that no two beats coalesce.
      now: () => {
        world.pass(60 * SECOND)
        return world.time
      },
      random: (bytes) => {
        if (world.history().filter(({ source }) => source === 'timer').length >= 2) heard()
        return world.ports.random(bytes)
      },
    },
  })
  await two
  await recorder.close()
  const sources = world.history().map(({ source }) => source)
  expect(sources.filter((source) => source === 'timer').length).toBeGreaterThanOrEqual(2)
})

test('an overdue heartbeat is made up for by the next event of any kind [004.24]', async () => {
  const world = lab()
  const recorder = await world.start()
  world.pass(121 * SECOND)
  await recorder.command({ kind: 'tool_use', name: 'read', result: 'PASS', duration_ms: 3, summary: '' })
  expect(world.latest()).toMatchObject({ source: 'timer', command_outcomes: [{ name: 'read' }] })
  world.pass(121 * SECOND)
  await recorder.save()
  expect(world.latest().source_details.map(({ trigger }) => trigger)).toEqual(['manual', 'timer'])
})

test('a snapshot is written when somebody asks for one [004.25]', async () => {
  const world = lab()
  await world.start()
  world.pass(4 * SECOND)
  const receipt = await world.do(runSave, { run: 'r1', note: 'before the migration' })
  expect(receipt).toMatchObject({ source: 'manual', coalesced: false, sequence: 2 })
  expect(world.latest().source_details).toMatchObject([{ source: 'manual', note: 'before the migration' }])
})

test('a run that pauses and one that finishes say so [004.06]', async () => {
  const world = lab()
  const recorder = await world.start()
  await world.do(runPause, { run: 'r1' })
  expect(world.latest().status).toBe('paused')
  await recorder.step('s1', 'in_progress')
  await recorder.finish({ incomplete: true })
  expect(world.latest()).toMatchObject({ status: 'completed', step_state: { step_status: 'in_progress' } })
})

test('the violations of a plan stand in its snapshots with the time of the check [004.08]', async () => {
  const world = lab()
  const recorder = await world.start()
  expect(world.latest().step_state.todo_compliance).toMatchObject({ result: 'PASS', violations: [] })
  await recorder.step('s1', 'in_progress')
  await recorder.step('s2', 'in_progress')
  await recorder.step('s3', 'done')
  await recorder.step('s9', 'in_progress', { add: true })
  const { created_at, step_state } = world.latest()
  expect(step_state.todo_compliance).toEqual({
    result: 'FAIL',
    violations: [
      'steps s1, s2 were in progress at once',
      'step s3 was done before s1',
      'step s9 is not in the plan',
      'steps s1, s2, s9 were in progress at once',
    ],
    checked_at: created_at,
  })
})

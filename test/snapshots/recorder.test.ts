import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { runPrune } from '../../src/verbs/runs/prune.ts'
import { runResume } from '../../src/verbs/runs/resume.ts'
import { runShow } from '../../src/verbs/runs/show.ts'
import { runVerify } from '../../src/verbs/runs/verify.ts'
import { PLAN, projectRoot } from '../support/sandbox.ts'
import { lab, SECOND } from './lab.ts'

test('a plan file is kept by its path in the workspace [004.07]', async () => {
  const world = lab()
  mkdirSync(world.box.path('docs'))
  writeFileSync(world.box.path('docs', 'plan.md'), PLAN)
  await world.start({ plan: 'docs/plan.md' })
  expect(world.latest().step_state.plan_path).toBe('docs/plan.md')
})

test('a run without a name gets one from its plan and the time [004.04]', async () => {
  const world = lab()
  writeFileSync(world.box.path('My plan.md'), PLAN)
  const recorder = await world.start({ plan: 'My plan.md', ...{ runId: undefined } } as object)
  expect(recorder.runId).toMatch(/^My-plan-/)
  expect(world.latest(recorder.runId).run_id).toBe(recorder.runId)
})

test('another recorder takes the run up where it was left [004.04]', async () => {
  const world = lab()
  const first = await world.start()
  await first.step('s1', 'in_progress')
  await first.close()
  const second = await world.resume()
  await second.step('s1', 'done')
  expect(world.history().map(({ run_id }) => run_id)).toEqual(['r1', 'r1', 'r1'])
  expect(world.latest().step_state.resume_hints.next_actions).toEqual([
    'start s2: Second step',
    'start s3: Third step',
  ])
})

test('another process takes the run up, and this one sees what it did [004.04]', async () => {
  const world = lab()
  const first = await world.start()
  const library = pathToFileURL(join(projectRoot, 'dist', 'index.js')).href
  const script = world.box.path('other.mjs')
  writeFileSync(
    script,
    `import { RunRecorder } from ${JSON.stringify(library)}
     const recorder = await RunRecorder.resume({ runId: 'r1' })
     await recorder.step('s1', 'in_progress')
     await recorder.command({ kind: 'tool_use', name: 'other', result: 'PASS', duration_ms: 1, summary: '' })
     await recorder.close()`,
  )
  const { spawnSync } = await import('node:child_process')
  const done = spawnSync(process.execPath, [script], {
    cwd: world.box.repo,
    env: world.box.env,
    encoding: 'utf8',
  })
  expect(done).toMatchObject({ status: 0, stderr: '' })
  await first.step('s1', 'done')
  expect(world.latest()).toMatchObject({
    command_outcomes: [{ name: 'other' }],
    step_state: { step_status: 'done' },
  })
  expect(world.latest().step_state.todo_compliance.result).toBe('PASS')
})

test('a run id that is taken is refused, also in another case, and nothing is changed', async () => {
  const world = lab()
  await world.start()
  const before = world.box.read('checkpoints', 'r1', 'latest.json')
  await expect(world.start()).rejects.toMatchObject({ reason: 'run_exists' })
  await expect(world.start({ runId: 'R1' })).rejects.toMatchObject({ reason: 'run_exists' })
  expect(world.box.read('checkpoints', 'r1', 'latest.json')).toBe(before)
})

test('a folder of somebody else is not taken for a run’s', async () => {
  const world = lab()
  mkdirSync(world.box.path('checkpoints', 'r1'), { recursive: true })
  writeFileSync(world.box.path('checkpoints', 'r1', 'latest.json'), 'theirs')
  await expect(world.start()).rejects.toMatchObject({ reason: 'run_folder_taken' })
  expect(world.box.read('checkpoints', 'r1', 'latest.json')).toBe('theirs')
})

test('calls are done in the order they were made, also without awaiting them', async () => {
  const world = lab()
  const recorder = await world.start()
  const calls = [
    recorder.step('s1', 'in_progress'),
    recorder.step('s1', 'done'),
    recorder.step('s2', 'in_progress'),
    recorder.step('s2', 'skipped'),
  ]
  expect((await Promise.all(calls)).map(({ sequence }) => sequence)).toEqual([2, 3, 4, 5])
  expect(world.latest().step_state).toMatchObject({ step_id: 's2', step_status: 'skipped' })
})

test('a call that is refused does not stop the next one', async () => {
  const world = lab()
  const recorder = await world.start()
  await expect(recorder.step('../x', 'done')).rejects.toMatchObject({ reason: 'id_invalid' })
  await expect(recorder.error('no spaces allowed')).rejects.toMatchObject({ reason: 'id_invalid' })
  expect(await recorder.step('s1', 'done')).toMatchObject({ sequence: 2 })
})

test('a step state that does not exist is refused and never reaches a file [004.07]', async () => {
  const world = lab()
  const recorder = await world.start()
  // `as`: a program without types may pass anything.
  await expect(recorder.step('s1', 'finished' as 'done')).rejects.toMatchObject({ reason: 'usage_invalid' })
  expect(world.history()).toHaveLength(1)
})

test('a completed run refuses more work with a reason, and can still be shown', async () => {
  const world = lab()
  const recorder = await world.start()
  await recorder.finish({ incomplete: true })
  const again = await world.resume()
  await expect(again.step('s1', 'done')).rejects.toMatchObject({ reason: 'run_transition_refused' })
  const outcome = { kind: 'shell', name: 'x', result: 'PASS', duration_ms: 1, summary: '' } as const
  await expect(again.command(outcome)).rejects.toMatchObject({ reason: 'run_transition_refused' })
  expect(await world.do(runShow, { run: 'r1' })).toMatchObject({ snapshot: { status: 'completed' } })
})

test('closing twice is no error', async () => {
  const world = lab()
  const recorder = await world.start()
  await recorder.finish({ incomplete: true })
  await recorder.close()
  expect(world.latest().status).toBe('completed')
})

test('run folders are hidden from git, and from nothing else', async () => {
  const world = lab()
  await world.start()
  expect(world.box.git('status', '--porcelain')).toBe('')
  expect(readFileSync(world.box.path('.git', 'info', 'exclude'), 'utf8')).toContain('/checkpoints/r1/')
})

test('a directory without git works the same', async () => {
  const world = lab({ git: false })
  const recorder = await world.start()
  world.pass(5 * SECOND)
  await recorder.save()
  expect(world.history()).toHaveLength(2)
  expect(existsSync(world.box.path('.git'))).toBe(false)
})

test.skipIf(!existsSync('/proc/self/fd'))('a long run leaves no file of the workspace open', async () => {
  const world = lab()
  const recorder = await world.start()
  const isOurs = (name: string) => {
    const link = `/proc/self/fd/${name}`
    return existsSync(link) && readlinkSync(link).startsWith(world.box.repo)
  }
  for (let index = 0; index < 3; index += 1) {
    world.pass(3_600 * SECOND)
    await recorder.step('s1', 'in_progress')
    await world.do(runResume, { run: 'r1' })
    await world.do(runVerify, { run: 'r1' })
    await world.do(runPrune, {})
  }
  expect(readdirSync('/proc/self/fd').filter(isOurs)).toEqual([])
})

test('an unknown run is refused by name', async () => {
  const world = lab()
  await expect(world.resume('nobody')).rejects.toMatchObject({ reason: 'run_unknown' })
})

test('a step that the plan does not have, and an end with open steps, are refused; the recorder goes on', async () => {
  const world = lab()
  const recorder = await world.start()
  await expect(recorder.step('s9', 'done')).rejects.toMatchObject({ reason: 'step_unknown' })
  await recorder.step('s9', 'done', { add: true })
  await expect(recorder.finish()).rejects.toMatchObject({ reason: 'run_incomplete' })
  for (const step of ['s1', 's2', 's3']) await recorder.step(step, step === 's2' ? 'skipped' : 'done')
  expect(await recorder.finish()).toMatchObject({ status: 'completed' })
})

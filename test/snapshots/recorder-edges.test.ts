import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as turnOfTimers } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { RecorderOptions, RunRecorder } from '../../src/apps/library/run-recorder.ts'
import { canonicalJson, sha256 } from '../../src/core/canonical.ts'
import { sequenceOf } from '../../src/core/id.ts'
import { ReasonError } from '../../src/core/reason.ts'
import { openContext } from '../../src/engine/context/context.ts'
import { loadSettings } from '../../src/engine/context/load-settings.ts'
import { encodeSnapshot } from '../../src/formats/snapshot/codec.ts'
import { doctor } from '../../src/verbs/setup/doctor.ts'
import { PLAN } from '../support/sandbox.ts'
import { type Lab, lab, SECOND } from './lab.ts'

/** The reason that a call was refused with; fails where it was not, or not with a ReasonError. */
async function refusal(call: Promise<unknown>): Promise<string> {
  const thrown = await call.then(
    () => null,
    (error: unknown) => error,
  )
  expect(thrown).toBeInstanceOf(ReasonError)
  return thrown instanceof ReasonError ? thrown.reason : ''
}

// `as never`: a program without types may pass anything.
const STARTS: Array<[string, string, (world: Lab) => Partial<RecorderOptions>]> = [
  ['a directory that does not exist', 'folder_unreadable', ({ box }) => ({ cwd: join(box.root, 'none') })],
  ['no plan', 'usage_invalid', () => ({ plan: undefined as never })],
  ['a plan without text', 'usage_invalid', () => ({ plan: {} as never })],
  ['a plan file that is not there', 'plan_unreadable', () => ({ plan: 'none.md' })],
]

test.each(STARTS)('a start with %s is refused with %s', async (_what, reason, options) => {
  const world = lab()
  expect(await refusal(world.start(options(world)))).toBe(reason)
  expect(existsSync(world.box.path('checkpoints'))).toBe(false)
})

const CALLS: Array<[string, string, (recorder: RunRecorder) => Promise<unknown>]> = [
  ['step(undefined)', 'id_invalid', (recorder) => recorder.step(undefined as never, 'done')],
  ['command(undefined)', 'usage_invalid', (recorder) => recorder.command(undefined as never)],
  ['command({})', 'usage_invalid', (recorder) => recorder.command({} as never)],
  ...[Number.NaN, -1, 101].flatMap((contextUsedPercent): typeof CALLS => [
    [`save at ${contextUsedPercent} %`, 'usage_invalid', (recorder) => recorder.save({ contextUsedPercent })],
    [
      `step at ${contextUsedPercent} %`,
      'usage_invalid',
      (recorder) => recorder.step('s1', 'done', { contextUsedPercent }),
    ],
  ]),
]

test.each(CALLS)('%s is refused with %s, and the next call is done', async (_what, reason, call) => {
  const world = lab()
  const recorder = await world.start()
  expect(await refusal(call(recorder))).toBe(reason)
  expect(world.history()).toHaveLength(1)
  expect(await recorder.step('s1', 'done', { contextUsedPercent: 100 })).toMatchObject({ sequence: 2 })
})

test('every call after the close is refused with recorder_closed', async () => {
  const world = lab()
  const recorder = await world.start()
  await recorder.close()
  const outcome = { kind: 'shell', name: 'x', result: 'PASS', duration_ms: 1, summary: '' } as const
  const calls = [
    recorder.step('s1', 'done'),
    recorder.save(),
    recorder.error('code'),
    recorder.command(outcome),
    recorder.heartbeat(),
    recorder.finish({ incomplete: true }),
  ]
  expect(new Set(await Promise.all(calls.map(refusal)))).toEqual(new Set(['recorder_closed']))
  expect(world.history()).toHaveLength(1)
})

/** Lets timers of a millisecond fire a good many times. */
async function manyTurns(): Promise<void> {
  for (let turn = 0; turn < 30; turn += 1) await turnOfTimers(1)
}

test.each([Number.POSITIVE_INFINITY, 2 ** 31])(
  'a heartbeat every %d ms does not beat at once',
  async (ms) => {
    const world = lab()
    const recorder = await world.start({ heartbeatMs: ms })
    world.pass(3_600 * SECOND)
    await manyTurns()
    await recorder.close()
    expect(world.history()).toHaveLength(1)
  },
)

test('a heartbeat every millisecond does beat in that time', async () => {
  const world = lab()
  const recorder = await world.start({ heartbeatMs: 1 })
  world.pass(3_600 * SECOND)
  await manyTurns()
  await recorder.close()
  expect(world.history().length).toBeGreaterThan(1)
})

test('a listener that throws does not stop the next call', async () => {
  const world = lab()
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
  onTestFinished(() => warned.mockRestore())
  const heard: string[] = []
  const onNotice = (notice: string) => {
    heard.push(notice)
    throw new Error('the listener is broken')
  }
  const recorder = await world.start({ onNotice })
  rmSync(world.box.repo, { recursive: true })
  expect(await recorder.step('s1', 'in_progress')).toMatchObject({ sequence: 2, files: 'pending' })
  expect(await recorder.step('s1', 'done')).toMatchObject({ sequence: 3, files: 'pending' })
  await recorder.close()
  expect(heard).toHaveLength(2)
  expect(warned).toHaveBeenCalledWith('onNotice failed: the listener is broken', 'SavepointWarning')
})

test('a plan of a mebibyte is read, one of a byte more is refused', async () => {
  const world = lab()
  const most = 1024 * 1024
  const plan = world.box.path('plan.md')
  writeFileSync(plan, PLAN.padEnd(most + 1, '\n'))
  expect(await refusal(world.start({ plan }))).toBe('plan_unreadable')
  writeFileSync(plan, PLAN.padEnd(most, '\n'))
  expect((await world.start({ plan })).runId).toBe('r1')
})

test('a settings file of 64 KiB is read, one of a byte more is refused', async () => {
  const { box } = lab()
  const most = 64 * 1024
  const text = 'session:\n  policy_profile: strict\n'
  writeFileSync(box.path('.agents.yml'), text.padEnd(most + 1, '\n'))
  expect((await loadSettings(box.repo, box.env)).problems).toMatchObject([{ path: box.path('.agents.yml') }])
  writeFileSync(box.path('.agents.yml'), text.padEnd(most, '\n'))
  expect((await loadSettings(box.repo, box.env)).settings).toMatchObject({ policy_profile: 'strict' })
})

test('a sequence number that no run can reach is nobody’s', () => {
  const id = (sequence: number) => `cp_20260102T030405000Z_${sequence}-0badcafe`
  expect(sequenceOf(id(10_000_000))).toBe(10_000_000)
  expect(sequenceOf(id(10_000_001))).toBeNull()
  expect(sequenceOf(id(0))).toBeNull()
})

/** Puts a well-formed history file into a run that claims a sequence number of its own choice. */
function forge(world: Lab, sequence: number): string {
  const { integrity, ...first } = world.latest()
  const snapshot_id = first.snapshot_id.replace(/_\d+-/, `_${sequence}-f`)
  const body = { ...first, snapshot_id }
  const seal = { ...integrity, checksum: `sha256:${sha256(canonicalJson(body))}` }
  const path = world.box.path('checkpoints', 'r1', 'history', `${snapshot_id}.json`)
  writeFileSync(path, encodeSnapshot({ ...body, integrity: seal }))
  return path
}

test('a forged file far ahead of its run is set aside and does not move the run', async () => {
  const world = lab()
  const recorder = await world.start()
  const path = forge(world, 2_002)
  const { findings } = await world.do(doctor, { fix: true })
  expect(findings).toMatchObject([{ fixed: expect.stringMatching(/^moved to /) }])
  expect(existsSync(path)).toBe(false)
  expect(await recorder.step('s1', 'in_progress')).toMatchObject({ sequence: 2 })
})

test('a file a little ahead of its run is added to the store', async () => {
  const world = lab()
  const recorder = await world.start()
  const path = forge(world, 2)
  const { findings } = await world.do(doctor, { fix: true })
  expect(findings).toContainEqual(expect.objectContaining({ fixed: 'added to the store' }))
  expect(existsSync(path)).toBe(true)
  expect(await recorder.step('s1', 'in_progress')).toMatchObject({ sequence: 3 })
})

test('doctor looks again under the lock, and leaves a file alone that is in order by then', async () => {
  const world = lab()
  await world.start()
  const latest = world.box.path('checkpoints', 'r1', 'latest.json')
  const sound = readFileSync(latest)
  writeFileSync(latest, 'half')
  const { box, ports } = world
  const context = await openContext({ cwd: box.repo, env: box.env, ports, access: 'write' })
  onTestFinished(() => context.store.close())
  const lock = context.store.local.takeLock.bind(context.store.local)
  const locked = vi.spyOn(context.store.local, 'takeLock').mockImplementation((name, waitMs) => {
    writeFileSync(latest, sound)
    return lock(name, waitMs)
  })
  await doctor.perform(context, { fix: true })
  expect(locked).toHaveBeenCalled()
  expect(readFileSync(latest)).toEqual(sound)
  expect(existsSync(world.box.path('checkpoints', 'r1', 'set-aside'))).toBe(false)
})

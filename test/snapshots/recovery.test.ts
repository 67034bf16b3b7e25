import { spawnSync } from 'node:child_process'
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { expect, test } from 'vitest'
import { runResume } from '../../src/verbs/runs/resume.ts'
import { runShow } from '../../src/verbs/runs/show.ts'
import { runVerify } from '../../src/verbs/runs/verify.ts'
import { type Lab, lab, SECOND } from './lab.ts'

type Damage = (file: string, world: Lab) => void

const overwrite =
  (change: (text: string) => string | Buffer): Damage =>
  (file) =>
    writeFileSync(file, change(readFileSync(file, 'utf8')))

const replaceBy =
  (make: Damage): Damage =>
  (file, world) => {
    unlinkSync(file)
    make(file, world)
  }

const SCHEMA = 'checkpoint_schema_invalid'
const INTEGRITY = 'checkpoint_integrity_mismatch'
const DAMAGES: Array<[string, string, Damage]> = [
  ['torn', SCHEMA, overwrite((text) => text.slice(0, text.length / 2))],
  ['empty', SCHEMA, overwrite(() => '')],
  ['zeros', SCHEMA, overwrite((text) => Buffer.alloc(text.length))],
  ['garbage', SCHEMA, overwrite(() => 'garbage')],
  [
    'another version',
    SCHEMA,
    overwrite((text) => text.replace('"format_version": 1', '"format_version": 2')),
  ],
  ['without integrity', SCHEMA, overwrite((text) => text.replace(/,\s*"integrity": \{[^}]*\}/, ''))],
  ['changed', INTEGRITY, overwrite((text) => text.replace('"in_progress"', '"completed"'))],
  ['reformatted', INTEGRITY, overwrite((text) => JSON.stringify(JSON.parse(text)))],
  ['a folder', SCHEMA, replaceBy((file) => mkdirSync(file))],
  ['a symbolic link', SCHEMA, replaceBy((file, world) => symlinkSync(world.box.path('elsewhere'), file))],
  ['a named pipe', SCHEMA, replaceBy((file) => void spawnSync('mkfifo', [file]))],
  ['300 MB of nothing', SCHEMA, (file) => truncateSync(file, 300 * 1024 * 1024)],
]

async function started(): Promise<{ world: Lab; file: string; good: string }> {
  const world = lab()
  writeFileSync(world.box.path('elsewhere'), 'not ours')
  const recorder = await world.start()
  await recorder.step('s1', 'in_progress')
  await recorder.close()
  const file = world.box.path('checkpoints', 'r1', 'latest.json')
  return { world, file, good: readFileSync(file, 'utf8') }
}

const DOORS = [
  ['resume', runResume],
  ['show', runShow],
] as const
const CASES = DAMAGES.flatMap(([what, reason, damage]) =>
  DOORS.map(([door, verb]) => ({ what, reason, damage, door, operation: verb })),
)

test.each(CASES)(
  'a latest.json that is $what is recovered by $door, with its reason [004.40]',
  async (one) => {
    const { world, file, good } = await started()
    one.damage(file, world)
    const answer = await (one.door === 'resume'
      ? world.do(runResume, { run: 'r1' })
      : world.do(runShow, { run: 'r1' }))
    expect(answer).toMatchObject({ recovered: { reason: one.reason, from: JSON.parse(good).snapshot_id } })
    expect(readFileSync(file, 'utf8')).toBe(good)
    expect(readdirSync(world.box.path('checkpoints', 'r1', 'set-aside'))).toHaveLength(1)
    expect(world.notices.join()).toContain('Rewritten from')
    expect(world.history()).toHaveLength(2)
    expect(readFileSync(world.box.path('elsewhere'), 'utf8')).toBe('not ours')
    expect(await world.do(runVerify, { run: 'r1' })).toMatchObject({ problems: [] })
  },
)

test('a latest.json that is gone is written again, and told [004.40]', async () => {
  const { world, file, good } = await started()
  unlinkSync(file)
  expect(await world.do(runResume, { run: 'r1' })).toMatchObject({
    recovered: { reason: 'missing', setAside: null },
  })
  expect(readFileSync(file, 'utf8')).toBe(good)
})

test('a valid snapshot of another run in place of latest.json is not taken for it [004.42]', async () => {
  const { world, file, good } = await started()
  const other = await world.start({ runId: 'r2' })
  await other.close()
  writeFileSync(file, world.box.read('checkpoints', 'r2', 'latest.json'))
  const answer = await world.do(runResume, { run: 'r1' })
  expect(answer).toMatchObject({ recovered: { reason: INTEGRITY } })
  expect(readFileSync(file, 'utf8')).toBe(good)
})

test('the whole run folder is gone: resuming brings latest.json back [004.40]', async () => {
  const { world, file, good } = await started()
  rmSync(world.box.path('checkpoints'), { recursive: true })
  expect(await world.do(runResume, { run: 'r1' })).toMatchObject({ eligible: true })
  expect(readFileSync(file, 'utf8')).toBe(good)
})

test('one bad history file hides no other, and resuming works all the same [004.41]', async () => {
  const { world } = await started()
  const [first = '', second = ''] = world.names()
  writeFileSync(world.box.path('checkpoints', 'r1', 'history', first), 'garbage')
  expect(await world.do(runResume, { run: 'r1' })).toMatchObject({ eligible: true, recovered: null })
  const { problems, checked } = await world.do(runVerify, { run: 'r1' })
  expect(checked).toBe(5)
  expect(problems).toMatchObject([{ reason: SCHEMA, path: expect.stringContaining(first) }])
  const shown = await world.do(runShow, { run: 'r1', snapshot: second.replace('.json', '') })
  expect(shown).toMatchObject({ kind: 'snapshot' })
})

test.each(DAMAGES)(
  'a save goes through where latest.json is %s, and leaves it sound [004.40]',
  async (_, __, damage) => {
    const { world, file } = await started()
    damage(file, world)
    const recorder = await world.resume()
    const { snapshotId } = await recorder.step('s1', 'done')
    expect(world.latest().snapshot_id).toBe(snapshotId)
    expect(readFileSync(world.box.path('elsewhere'), 'utf8')).toBe('not ours')
  },
)

test('resuming marks nothing done and takes no snapshot [004.09]', async () => {
  const { world, good } = await started()
  world.pass(600 * SECOND)
  const answer = await world.do(runResume, { run: 'r1' })
  expect(answer.plan?.steps.map(({ state }) => state)).toEqual(['in_progress', 'pending', 'pending'])
  expect(answer.nextActions).toEqual([
    'continue s1: First step',
    'start s2: Second step',
    'start s3: Third step',
  ])
  expect(world.history()).toHaveLength(2)
  expect(world.box.read('checkpoints', 'r1', 'latest.json')).toBe(good)
})

const PLANTED: Array<[string, (world: Lab, outside: string) => void]> = [
  ['checkpoints', (world, outside) => plant(world, outside, 'checkpoints')],
  ['checkpoints/r1', (world, outside) => plant(world, outside, 'checkpoints', 'r1')],
  ['checkpoints/r1/history', (world, outside) => plant(world, outside, 'checkpoints', 'r1', 'history')],
]

function plant(world: Lab, outside: string, ...parts: string[]): void {
  renameSync(world.box.path(...parts), `${world.box.path('moved')}`)
  symlinkSync(outside, world.box.path(...parts))
}

test.each(PLANTED)('a link planted at %s is refused, and nothing is written through it', async (_, act) => {
  const { world } = await started()
  const outside = `${world.box.root}/outside`
  mkdirSync(outside)
  act(world, outside)
  const recorder = await world.resume()
  await expect(recorder.step('s1', 'done')).rejects.toMatchObject({ reason: 'path_unsafe' })
  expect(readdirSync(outside)).toEqual([])
})

test('a link planted before a run starts is refused, and no run is begun', async () => {
  const world = lab()
  const outside = `${world.box.root}/outside`
  mkdirSync(outside)
  symlinkSync(outside, world.box.path('checkpoints'))
  await expect(world.start()).rejects.toMatchObject({ reason: 'path_unsafe' })
  expect(readdirSync(outside)).toEqual([])
})

test('a planted link in one run does not hide the problems of another', async () => {
  const { world } = await started()
  const outside = `${world.box.root}/outside`
  mkdirSync(outside)
  const other = await world.start({ runId: 'r2' })
  await other.close()
  writeFileSync(world.box.path('checkpoints', 'r2', 'latest.json'), 'garbage')
  plant(world, outside, 'checkpoints', 'r1', 'history')
  const { problems } = await world.do(runVerify, {})
  expect(problems.map(({ runId }) => runId)).toContain('r2')
  expect(problems.map(({ runId }) => runId)).toContain('r1')
})

import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { CommandOutcome } from '../../src/core/checkpoint.ts'
import { runPin } from '../../src/verbs/runs/pin.ts'
import { runResume } from '../../src/verbs/runs/resume.ts'
import { lab, SECOND } from './lab.ts'

const outcome = (name: string, more: Partial<CommandOutcome> = {}): CommandOutcome => ({
  kind: 'shell',
  name,
  result: 'PASS',
  duration_ms: 12,
  summary: 'exit code 0',
  ...more,
})

test('a snapshot holds the outcomes since the one before, and no others [004.14]', async () => {
  const world = lab()
  const recorder = await world.start()
  await recorder.command(outcome('first'))
  await recorder.command(outcome('second', { kind: 'tool_use', result: 'WARN', reason_code: 'slow' }))
  await recorder.step('s1', 'in_progress')
  await recorder.command(outcome('third', { kind: 'slash_command', result: 'FAIL' }))
  await recorder.step('s1', 'done')
  await recorder.step('s2', 'in_progress')
  expect(world.history().map((snapshot) => snapshot.command_outcomes)).toEqual([
    [],
    [outcome('first'), outcome('second', { kind: 'tool_use', result: 'WARN', reason_code: 'slow' })],
    [outcome('third', { kind: 'slash_command', result: 'FAIL' })],
    [],
  ])
})

test('a reason code of an outcome is kept [004.16]', async () => {
  const world = lab()
  const recorder = await world.start()
  await recorder.command(outcome('test', { result: 'FAIL', reason_code: 'tests_failed' }))
  await recorder.save()
  expect(world.latest().command_outcomes).toEqual([
    outcome('test', { result: 'FAIL', reason_code: 'tests_failed' }),
  ])
})

test('50 outcomes are kept, what was cut is counted, and texts are short [004.15]', async () => {
  const world = lab()
  const recorder = await world.start()
  for (let index = 0; index < 55; index += 1)
    await recorder.command(outcome(`c${index} ${'n'.repeat(500)}`, { summary: 's'.repeat(2_000) }))
  await recorder.save()
  const { command_outcomes, context_digest } = world.latest()
  expect(command_outcomes).toHaveLength(50)
  expect(command_outcomes[0]?.name).toMatch(/^c5 /)
  for (const { name, summary } of command_outcomes) {
    expect(name.length).toBeLessThanOrEqual(200)
    expect(summary.length).toBeLessThanOrEqual(500)
  }
  expect(context_digest.dropped_items).toBe(5)
})

const UNSOUND: Array<[string, Partial<Record<keyof CommandOutcome, unknown>>]> = [
  ['an unknown kind', { kind: 'bash' }],
  ['an unknown result', { result: 'OK' }],
  ['no duration', { duration_ms: Number.NaN }],
  ['no name', { name: undefined }],
  ['a summary that is no text', { summary: 7 }],
]

test.each(UNSOUND)('an outcome with %s is refused and never reaches a file [004.15]', async (_, more) => {
  const world = lab()
  const recorder = await world.start()
  // `as`: a program without types may pass anything.
  const unsound = { ...outcome('x'), ...more } as CommandOutcome
  await expect(recorder.command(unsound)).rejects.toMatchObject({ reason: 'usage_invalid' })
  world.pass(5 * SECOND)
  await recorder.save()
  expect(world.latest().command_outcomes).toEqual([])
})

test('the pressure follows the reported use of the context window [004.10]', async () => {
  const world = lab()
  const recorder = await world.start()
  const seen: string[] = []
  for (const used of [69, 70, 84, 85, 10]) {
    await recorder.save({ contextUsedPercent: used })
    seen.push(world.latest().context_digest.window_pressure)
  }
  expect(seen).toEqual(['low', 'medium', 'medium', 'high', 'low'])
})

test('pinned snapshots are named as protected by the snapshots after them [004.11]', async () => {
  const world = lab()
  const recorder = await world.start()
  const { snapshotId } = await world.do(runPin, { run: 'r1', artifact: 'latest' })
  await recorder.step('s1', 'in_progress')
  expect(world.latest().context_digest.protected_artifacts).toEqual([snapshotId])
  await world.do(runPin, { run: 'r1', artifact: snapshotId, remove: true })
  await recorder.step('s1', 'done')
  expect(world.latest().context_digest.protected_artifacts).toEqual([])
})

test('the profile comes from the repository’s settings, and the local file overrides it [004.13]', async () => {
  const world = lab()
  const profiles: string[] = []
  const saved = async () => {
    const recorder = await (profiles.length === 0 ? world.start() : world.resume())
    world.pass(5 * SECOND)
    await recorder.save()
    profiles.push(world.latest().context_digest.policy_profile)
    await recorder.close()
  }
  await saved()
  writeFileSync(world.box.path('.agents.yml'), 'other: kept\nsession: { policy_profile: strict }\n')
  await saved()
  writeFileSync(world.box.path('.agents.local.yml'), 'session:\n  policy_profile: mine\n')
  await saved()
  expect(profiles).toEqual(['default', 'strict', 'mine'])
})

test('resuming tells outcomes that no snapshot has taken in yet', async () => {
  const world = lab()
  const recorder = await world.start()
  await recorder.command(outcome('waiting'))
  const answer = await world.do(runResume, { run: 'r1' })
  expect(answer.commandOutcomes).toEqual([outcome('waiting')])
})

import { rmSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type Sandbox, sandbox } from '../support/sandbox.ts'
import { slashCommand } from './slash-lab.ts'

/** A run whose newest snapshot was taken long ago: the next one is never noted on it. */
function withRun(...runs: string[]): Sandbox {
  const box = sandbox()
  for (const run of runs) {
    box.start(run)
    box.json(['run', 'step', run, 's1', 'in_progress'])
  }
  return box
}

const details = (box: Sandbox, run: string) =>
  box
    .readJson('checkpoints', run, 'latest.json')
    .source_details.map((one: { source: string; note: string }) => `${one.source}: ${one.note}`)

const SAVE = ['save', 'Backfill is half way', '--next', 'Copy the rest']

test('a save while a run is in progress takes its manual snapshot, and the receipt names it [004.25]', () => {
  const box = withRun('r1')
  const { run } = box.json(SAVE)
  const latest = box.readJson('checkpoints', 'r1', 'latest.json')
  expect(run).toMatchObject({ runId: 'r1', snapshotId: latest.snapshot_id, files: 'published', others: 0 })
  expect(details(box, 'r1').at(-1)).toBe('manual: savepoint save')
  expect(box.run(SAVE).stdout).toMatch(/\n {2}Run r1: .*snapshot cp_\w+-\w+\n/)
})

test.each(['/checkpoint', '/context:checkpoint'] as const)(
  '%s takes the manual snapshot of the run [004.27]',
  (name) => {
    const box = withRun('r1')
    const words = slashCommand(name, ['Backfill is half way'])
    expect(words[0]).toBe('save')
    const { run } = box.json(words)
    expect(run).toMatchObject({
      runId: 'r1',
      snapshotId: box.readJson('checkpoints/r1/latest.json').snapshot_id,
    })
    expect(details(box, 'r1').at(-1)).toBe('manual: savepoint save')
  },
)

test('a save without a run in progress says nothing of runs', () => {
  const box = withRun('r1')
  box.json(['run', 'finish', 'r1', '--incomplete'])
  const before = box.read('checkpoints/r1/latest.json')
  expect(box.json(SAVE)).toMatchObject({ run: null })
  expect(box.run(SAVE).stdout).not.toContain('Run:')
  expect(box.read('checkpoints/r1/latest.json')).toBe(before)
})

test('of several runs the newest is meant, and the receipt says how many there are [004.27]', () => {
  const box = withRun('r1', 'r2')
  expect(box.json(SAVE)).toMatchObject({ run: { runId: 'r2', others: 1 } })
  expect(box.run(SAVE).stdout).toMatch(/Run r2: .*; 1 more in progress\n/)
})

test('in a session the run is meant that the session works on [004.27]', () => {
  const box = sandbox()
  const session = (id: string) => ({ env: { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: id } })
  writeFileSync(box.path('plan.md'), '- [ ] s1: One\n')
  box.json(['run', 'start', 'plan.md', '--run-id', 'mine'], session('5e55a000-0000-4000-8000-000000000001'))
  box.json(['run', 'start', 'plan.md', '--run-id', 'other'], session('5e55a000-0000-4000-8000-000000000002'))
  const { run } = box.json(SAVE, session('5e55a000-0000-4000-8000-000000000001'))
  expect(run).toMatchObject({ runId: 'mine', others: 1 })
})

test('the save holds where the snapshot cannot be taken', () => {
  const box = withRun('r1')
  rmSync(box.path('checkpoints/r1'), { recursive: true })
  writeFileSync(box.path('checkpoints/r1'), 'in the way')
  const { code, stdout, stderr } = box.run([...SAVE, '--json'])
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ ok: true, run: null, sequence: 1 })
  expect(stdout + stderr).toContain('Taking the snapshot of the run in progress')
})

test('the brief names the run in progress, its step and its age [004.04]', () => {
  const box = withRun('r1')
  box.json(SAVE)
  const { text } = box.json(['resume'])
  expect(text).toMatch(
    /\n- Run r1 is in progress at s1, 0\/3 steps done, last snapshot less than a minute ago: savepoint run resume r1\n/,
  )
})

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { decodeSnapshot } from '../../src/formats/snapshot/codec.ts'
import { PLAN, type Sandbox, sandbox } from '../support/sandbox.ts'

/** The one JSON line of a command, whatever its exit code. */
const answer = (box: Sandbox, args: string[]) => {
  const { code, stdout, stderr } = box.run([...args, '--json'])
  const lines = stdout.trim().split('\n')
  expect(lines).toHaveLength(1)
  return { code, stderr, ...JSON.parse(lines[0] ?? '') }
}

test('a run from start to finish: every verb answers in JSON with exit 0', () => {
  const box = sandbox()
  writeFileSync(box.path('plan.md'), PLAN)
  const ask = (...args: string[]) => answer(box, ['run', ...args])
  expect(ask('start', 'plan.md', '--run-id', 'r1')).toMatchObject({
    code: 0,
    ok: true,
    runId: 'r1',
    steps: 3,
  })
  expect(ask('step', 'r1', 's1', 'in_progress')).toMatchObject({
    code: 0,
    source: 'step_boundary',
    sequence: 2,
  })
  expect(ask('step', 'r1', 's1', 'done', '--context', '86')).toMatchObject({ code: 0, sequence: 3 })
  expect(ask('error', 'r1', '--reason-code', 'flaky', '--message', 'once')).toMatchObject({
    code: 0,
    source: 'error_boundary',
    status: 'in_progress',
  })
  expect(ask('save', 'r1', '--note', 'mine')).toMatchObject({ code: 0, ok: true })
  expect(ask('pause', 'r1')).toMatchObject({ code: 0, status: 'paused' })
  expect(ask('pin', 'r1', 'latest')).toMatchObject({ code: 0, pinned: true })
  expect(ask('list')).toMatchObject({
    code: 0,
    runs: [{ runId: 'r1', status: 'paused', stepsDone: 1, steps: 3 }],
  })
  expect(ask('show', 'r1')).toMatchObject({ code: 0, snapshot: { run_id: 'r1', status: 'paused' } })
  expect(ask('show', 'r1', '--history').snapshots.length).toBeGreaterThanOrEqual(5)
  expect(ask('verify')).toMatchObject({ code: 0, runs: 1, problems: [] })
  expect(ask('prune', '--dry-run')).toMatchObject({ code: 0, dryRun: true, removed: 0 })
  expect(ask('resume', 'r1')).toMatchObject({ code: 0, eligible: true, reasonCode: 'run_paused' })
  expect(ask('finish', 'r1', '--incomplete')).toMatchObject({ code: 0, status: 'completed' })
  expect(answer(box, ['doctor'])).toMatchObject({ code: 0, healthy: true, findings: [] })
  expect(answer(box, ['backup', '../copy.db'])).toMatchObject({ code: 0 })
  expect(existsSync(box.path('..', 'copy.db'))).toBe(true)
  const file = box.path('checkpoints', 'r1', 'latest.json')
  expect(decodeSnapshot(readFileSync(file), file).context_digest.window_pressure).toBe('high')
})

test('the same verbs speak plain words without --json', () => {
  const box = sandbox()
  box.start()
  expect(box.run(['run', 'step', 'r1', 's1', 'in_progress']).stdout).toContain('Run r1: in_progress')
  expect(box.run(['run', 'list']).stdout).toMatch(/^RUN +STATUS/)
  expect(box.run(['run', 'show', 'r1']).stdout).toContain('[>] s1: First step')
  expect(box.run(['run', 'resume', 'r1']).stdout).toContain('continue s1: First step')
  expect(box.run(['run', 'verify']).stdout).toContain('no problems')
})

const REFUSED: Array<[string, string[], number, string]> = [
  ['an unknown run', ['run', 'show', 'nobody'], 3, 'run_unknown'],
  ['an unknown snapshot', ['run', 'show', 'r1', 'cp_x_1'], 3, 'snapshot_unknown'],
  ['a snapshot to pin that is not there', ['run', 'pin', 'r1', 'cp_x_1'], 3, 'snapshot_unknown'],
  ['a run id that is taken', ['run', 'start', 'plan.md', '--run-id', 'r1'], 6, 'run_exists'],
  ['a plan that is not there', ['run', 'start', 'none.md'], 3, 'plan_unreadable'],
  ['a plan that is a folder', ['run', 'start', '.git'], 3, 'plan_unreadable'],
  ['a plan without steps', ['run', 'start', 'empty.md'], 4, 'plan_invalid'],
  ['an unknown step state', ['run', 'step', 'r1', 's1', 'finished'], 2, 'usage_invalid'],
  ['a missing reason code', ['run', 'error', 'r1'], 2, 'usage_invalid'],
  ['a reason code with spaces', ['run', 'error', 'r1', '--reason-code', 'a b'], 2, 'id_invalid'],
  ['a hostile step', ['run', 'step', 'r1', '../x', 'done'], 2, 'id_invalid'],
  ['a context over 100 percent', ['run', 'save', 'r1', '--context', '101'], 2, 'usage_invalid'],
  ['a command that is missing', ['run', 'exec', 'r1'], 2, 'usage_invalid'],
  ['a backup over a file', ['backup', 'plan.md'], 6, 'backup_exists'],
]

test('every refusal has a reason, a message, a hint and its exit code', () => {
  const box = sandbox()
  box.start()
  writeFileSync(box.path('empty.md'), '# nothing\n')
  const before = box.read('checkpoints', 'r1', 'latest.json')
  for (const [what, args, code, reason] of REFUSED) {
    const refused = answer(box, args)
    expect(refused, what).toMatchObject({ ok: false, code, reason })
    expect(refused.message.length, what).toBeGreaterThan(10)
    expect(refused.hint.length, what).toBeGreaterThan(10)
    expect(refused.stderr, what).toBe('')
  }
  expect(box.read('checkpoints', 'r1', 'latest.json')).toBe(before)
})

test('a refusal in words goes to stderr with its reason, and shows no stack', () => {
  const box = sandbox()
  const { code, stdout, stderr } = box.run(['run', 'show', 'nobody'])
  expect(code).toBe(3)
  expect(stdout).toBe('')
  expect(stderr).toContain('Run not found: nobody')
  expect(stderr).toContain('(run_unknown)')
  expect(stderr).not.toMatch(/^\s+at /m)
})

test('a step that the plan does not have is refused with what may be meant, and added where that is asked for', () => {
  const box = sandbox()
  box.start()
  expect(answer(box, ['run', 'step', 'r1', 'nope', 'done'])).toMatchObject({
    ...{ code: 3, reason: 'step_unknown' },
    message: 'No step nope in the plan of run r1: it has s1, s2, s3.',
  })
  box.json(['run', 'step', 'r1', 'migrate', 'in_progress', '--add'])
  expect(answer(box, ['run', 'step', 'r1', 'migarte', 'done'])).toMatchObject({
    message: 'No step migarte in the plan of run r1: did you mean migrate?',
  })
  expect(box.run(['run', 'exec', 'r1', '--step', 'Nope', '--', 'true']).code).toBe(3)
  expect(answer(box, ['run', 'step', 'r1', 'S1', 'done'])).toMatchObject({ code: 0, sequence: 3 })
})

test('a run with steps that are open or failed is not completed, unless its user says so', () => {
  const box = sandbox()
  box.start()
  box.json(['run', 'step', 'r1', 's1', 'done'])
  box.json(['run', 'step', 'r1', 's2', 'failed'])
  expect(answer(box, ['run', 'finish', 'r1'])).toMatchObject({
    ...{ code: 6, reason: 'run_incomplete' },
    message: 'Run r1 has unfinished steps: s2 (failed), s3 (pending)',
  })
  expect(answer(box, ['run', 'show', 'r1'])).toMatchObject({ snapshot: { status: 'failed' } })
  expect(answer(box, ['run', 'finish', 'r1', '--failed', '--incomplete'])).toMatchObject({ code: 2 })
  box.json(['run', 'step', 'r1', 's2', 'in_progress'])
  box.json(['run', 'step', 'r1', 's2', 'done'])
  box.json(['run', 'step', 'r1', 's3', 'skipped'])
  expect(answer(box, ['run', 'finish', 'r1'])).toMatchObject({ code: 0, status: 'completed' })
  expect(answer(box, ['run', 'finish', 'r1'])).toMatchObject({ code: 0, status: 'completed' })
})

test('a completed run refuses a step with exit 6', () => {
  const box = sandbox()
  box.start()
  box.json(['run', 'finish', 'r1', '--incomplete'])
  expect(answer(box, ['run', 'step', 'r1', 's1', 'done'])).toMatchObject({
    code: 6,
    reason: 'run_transition_refused',
  })
})

test('a failed run that ends stays open to a step that starts again [004.31]', () => {
  const box = sandbox()
  box.start()
  expect(answer(box, ['run', 'finish', 'r1', '--failed'])).toMatchObject({ status: 'failed' })
  expect(answer(box, ['run', 'step', 'r1', 's1', 'in_progress'])).toMatchObject({ status: 'in_progress' })
})

test('a damaged file: verify exits 4, and says ok: false with the reason [004.41]', () => {
  const box = sandbox()
  box.start()
  writeFileSync(box.path('checkpoints', 'r1', 'latest.json'), 'garbage')
  const found = answer(box, ['run', 'verify', 'r1'])
  expect(found).toMatchObject({ code: 4, problems: [{ reason: 'checkpoint_schema_invalid' }] })
  expect(found.ok).toBe(false)
})

test('prune that could not be done exits 5 and says ok: false with its reason [004.44]', () => {
  const box = sandbox()
  box.start()
  writeFileSync(box.path('checkpoints', 'r1', 'latest.json'), 'garbage')
  const report = answer(box, ['run', 'prune'])
  expect(report).toMatchObject({ code: 5, reason: 'checkpoint_retention_prune_failed', removed: 0 })
  expect(report.ok).toBe(false)
})

test('an empty repository lists no runs, and makes nothing', () => {
  const box = sandbox()
  expect(answer(box, ['run', 'list'])).toMatchObject({ code: 0, runs: [] })
  expect(box.run(['run', 'list']).stdout).toContain('No runs here yet')
  expect(existsSync(box.home)).toBe(false)
  expect(existsSync(box.path('checkpoints'))).toBe(false)
  expect(existsSync(box.path('.git', 'savepoint-id'))).toBe(false)
})

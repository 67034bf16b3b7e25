import { expect, test } from 'vitest'
import { sandbox } from '../support/sandbox.ts'

const started = () => {
  const box = sandbox()
  box.start('r1')
  return box
}

test('every run command means the only run in progress where none is named', () => {
  const box = started()
  expect(box.json(['run', 'step', 's1', 'in_progress'])).toMatchObject({ runId: 'r1' })
  expect(box.json(['run', 'step', 's1', 'done', '--context', '40'])).toMatchObject({ runId: 'r1' })
  expect(box.json(['run', 'exec', '--step', 's2', '--', 'true'])).toMatchObject({ runId: 'r1' })
  expect(box.json(['run', 'save'])).toMatchObject({ runId: 'r1' })
  expect(box.json(['run', 'pin', 'latest'])).toMatchObject({ runId: 'r1', pinned: true })
  expect(box.json(['run', 'show', '--history'])).toMatchObject({ runId: 'r1' })
  expect(box.json(['run', 'error', '--reason-code', 'tests_failed'])).toMatchObject({ runId: 'r1' })
  expect(box.json(['run', 'pause'])).toMatchObject({ runId: 'r1' })
  expect(box.json(['run', 'resume'])).toMatchObject({ runId: 'r1' })
  expect(box.json(['run', 'finish', '--incomplete'])).toMatchObject({ runId: 'r1', status: 'completed' })
})

test('of several in progress none is guessed; of one in progress beside finished ones that one is meant', () => {
  const box = started()
  box.start('r2')
  const refused = box.run(['run', 'finish', '--json'])
  expect([refused.code, JSON.parse(refused.stdout).message]).toEqual([
    2,
    expect.stringMatching(/^which run\? /),
  ])
  box.json(['run', 'finish', 'r1', '--incomplete'])
  expect(box.json(['run', 'resume'])).toMatchObject({ runId: 'r2' })
})

test.each([[['run', 'exec', 'r1']], [['run', 'pin', 'r1']], [['run', 'step', 's1']], [['run', 'step']]])(
  '%j lacks something, and nothing is run or pinned',
  (words) => {
    const box = started()
    const before = box.read('checkpoints/r1/latest.json')
    expect(box.run([...words, '--json']).code).toBe(2)
    expect(box.read('checkpoints/r1/latest.json')).toBe(before)
  },
)

test('a command keeps its own dashes', () => {
  const box = started()
  const done = box.run(['run', 'exec', '--', 'printf', '%s ', 'a', '--', 'b'])
  expect(done.stdout).toBe('a -- b ')
})

test('without any run it says how to start one', () => {
  const { code, stderr } = sandbox().run(['run', 'resume'])
  expect([code, stderr]).toEqual([2, expect.stringContaining('savepoint run start <plan.md>')])
})

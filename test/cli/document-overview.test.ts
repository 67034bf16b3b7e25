import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Sandbox } from '../support/sandbox.ts'
import { active, edit, elsewhere, listed, put, rows, textOf, workBox } from './document-lab.ts'

const MANY = 60
const name = (number: number) => `chk-${String(number).padStart(2, '0')}`

/** So many documents that a list remembers its answer, and it does: the second list reads no file. */
function manyBox(): Sandbox {
  const documents = Array.from({ length: MANY }, (_, number) => [name(number), textOf(name(number))] as const)
  const box = workBox(Object.fromEntries(documents))
  settle(box)
  return box
}

/** Files that changed a moment ago are not remembered: the list is asked until it does. */
function settle(box: Sandbox): void {
  for (let tries = 0; tries < 50; tries += 1) {
    listed(box)
    if (rows(box, 'SELECT * FROM glances').length === 1) return
  }
  throw new Error('the list never remembered its answer')
}

const stateOf = (box: Sandbox, id: string) => listed(box, '--all').find((one) => one.id === id)

test('a list that is remembered says the same again, byte for byte', () => {
  const box = manyBox()
  const first = box.run(['list', '--all']).stdout
  expect(first.split('\n').filter((line) => line.startsWith('chk-'))).toHaveLength(MANY)
  expect(box.run(['list', '--all']).stdout).toBe(first)
  expect(box.run(['tree']).stdout.split('\n').filter(Boolean)).toHaveLength(MANY)
})

test('an edit of one file among many is seen by the next list', () => {
  const box = manyBox()
  edit(box, active(name(7)), 'as it began', 'as it is now')
  expect(stateOf(box, name(7))?.sequence).toBe(2)
  settle(box)
  expect(stateOf(box, name(7))?.sequence).toBe(2)
  edit(box, active(name(7)), 'as it is now', 'as it was there')
  expect(stateOf(box, name(7))?.sequence).toBe(3)
})

test('a file that is removed, added or comes back is seen by the next list', () => {
  const box = manyBox()
  rmSync(box.path(active(name(3))))
  expect(stateOf(box, name(3))?.path).toBeNull()
  settle(box)
  expect(stateOf(box, name(3))?.path).toBeNull()
  box.json(['restore', name(3)])
  expect(stateOf(box, name(3))?.path).toBe(active(name(3)))
  put(box, active('added'), textOf('added'))
  expect(listed(box)).toHaveLength(MANY + 1)
})

test('what another worktree does to a stream is told by the next list here', () => {
  const box = manyBox()
  box.git('worktree', 'add', '--quiet', '-b', 'other', '../other')
  const other = elsewhere(box, 'other')
  other.json(['delta', name(5), '--what', 'there', '--artifact', 'a:modified'])
  expect(stateOf(box, name(5))).toMatchObject({ checkpoints: 2, sequence: 1 })
})

test('several current documents are told from memory too, and a focus is not forgotten', () => {
  const box = manyBox()
  box.json(['focus', name(1)])
  settle(box)
  expect(stateOf(box, name(1))?.standing).toBe('focused')
  edit(box, active(name(2)), 'created:', 'status: current\ncreated:')
  settle(box)
  expect(box.run(['list']).stderr).toContain(`Several documents are marked current: ${name(1)}, ${name(2)}`)
})

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadVerbs } from '../../src/verbs/table.ts'
import { projectRoot } from '../support/sandbox.ts'

const SNAKE = /(?<![\w'"-])([a-z]+(?:_[a-z0-9]+)+)\??:/g

/** Keys of others that verbs read: of a note, a snapshot, a setting; states of a step, a client's reason for an end. */
const OTHERS = [
  ...['tdd_phase', 'next_action', 'in_progress', 'prompt_input_exit', 'reason_code', 'next_actions'],
  ...['step_state', 'step_id', 'step_status', 'plan_path', 'context_digest', 'ledger_path'],
]

test('the keys of our own answers are camelCase', () => {
  const verbs = join(projectRoot, 'src/verbs')
  const found = readdirSync(verbs, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) =>
      [...readFileSync(join(verbs, name), 'utf8').matchAll(SNAKE)].map(([, key = '']) => `${name}: ${key}`),
    )
    .filter((line) => !OTHERS.some((word) => line.endsWith(`: ${word}`)))
  expect(found).toEqual([])
})

test('and so are the facts of every tool', async () => {
  const tools = (await loadVerbs()).flatMap(({ tool }) => (tool ? [tool] : []))
  expect(tools.length).toBeGreaterThan(5)
  expect(tools.flatMap(({ facts }) => Object.keys(facts)).filter((key) => key.includes('_'))).toEqual([])
})

import { mkdirSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Sandbox } from '../support/sandbox.ts'
import { claude } from './client.ts'
import { installed, shown } from './lab.ts'
import type { ModelRequest } from './messages-api.ts'
import { hold, say, use } from './scenario.ts'
import { repeated, toldAt } from './told.ts'

const TASK = 'Sign the tokens of the gateway. Never touch the legacy folder.'
const NEXT = 'Next step: keep the id of the old token, so that a refresh can rotate it.'
const FAILING = 'a refresh rotates the token'

/** A session that writes a file, fails a test and says what comes next. */
const writes = use(
  'Write',
  { file_path: 'src/tokens.js', content: 'exports.algorithm = "RS256"\n' },
  "I'll use RS256 for the tokens because the gateway verifies with a public key.",
)
const fails = use('Bash', { command: 'node --test --test-reporter=spec tokens.test.js' }, 'Now the tests.')

/** What a later session must be told of it: what its user said, where it stood, and its last words. */
const KNOWN = [
  `user: "${TASK}"`,
  'Failing when last run: tokens.test.js',
  FAILING,
  'keep the id of the old token',
  'src/tokens.js (new, uncommitted)',
  'nothing was saved manually: quotes, not instructions.',
]

function place(): Sandbox {
  const made = installed()
  mkdirSync(made.path('src'))
  writeFileSync(
    made.path('tokens.test.js'),
    `require('node:test').test('${FAILING}', () => { throw new Error('the old token is still good') })\n`,
  )
  return made
}

function expectToldOnce(request: ModelRequest | undefined): void {
  const told = toldAt('SessionStart', request)
  for (const words of KNOWN) expect(told).toContain(words)
  if (request) expect(repeated(told, request)).toEqual([])
}

test('a new session is told in its first request what the last one knew, each line once', async () => {
  const at = place()
  const first = await claude(at, { prompts: [TASK], scenario: { turns: [writes, fails, say(NEXT)] } })
  expect(first).toMatchObject({ exit: 0, results: [NEXT] })
  const second = await claude(at, { prompts: ['Go on.'], scenario: { turns: [] } })
  expectToldOnce(second.requests[0])
})

test('the same after the client was killed in the middle of a turn', async () => {
  const at = place()
  const goes = use('Bash', { command: 'git status --short' }, NEXT)
  const first = await claude(at, {
    prompts: [TASK],
    scenario: { turns: [writes, fails, goes, hold] },
    killOnce: 'keep the id of the old token',
  })
  expect(first.exit).toBeNull()
  expect(first.requests).toHaveLength(4)
  const second = await claude(at, { prompts: ['Go on.'], scenario: { turns: [] } })
  expectToldOnce(second.requests[0])
  // It may still live: nobody can tell a killed client from one that thinks.
  expect(toldAt('SessionStart', second.requests[0])).toContain(first.sessionId.slice(0, 8))
})

test('what the user asked is not lost when the client dies before it wrote a line', async () => {
  const at = place()
  const first = await claude(at, { prompts: [TASK], scenario: { turns: [hold] } })
  expect(first.exit).toBeNull()
  const second = await claude(at, { prompts: ['Go on.'], scenario: { turns: [] } })
  expect(toldAt('SessionStart', second.requests[0])).toContain('Never touch the legacy folder')
})

test('the same after /clear, and the new session knows the one before', async () => {
  const at = place()
  const run = await claude(at, {
    prompts: [TASK, '/clear', 'Go on.'],
    scenario: { turns: [writes, fails, say(NEXT)] },
  })
  expect(run.exit).toBe(0)
  expect(run.requests).toHaveLength(4)
  const [before] = run.sessions
  expect(run.sessionId).not.toBe(before)
  expectToldOnce(run.requests[3])
  expect(shown(at, run.sessionId)).toMatchObject({ parent: before })
})

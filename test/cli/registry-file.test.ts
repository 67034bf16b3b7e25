import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Sandbox } from '../support/sandbox.ts'
import { sandbox } from '../support/sandbox.ts'
import { put, workBox } from './document-lab.ts'
import { heard, idOf } from './session-lab.ts'

const FILE = '.agents/session_registry.json'
const [A, B] = [idOf('aaaa'), idOf('bbbb')]

/** A workspace whose user keeps the registry as a file. */
function keptBox(): Sandbox {
  const box = workBox()
  askForFile(box)
  return box
}

function askForFile(box: Sandbox): void {
  mkdirSync(join(box.root, 'config', 'savepoint'), { recursive: true })
  writeFileSync(join(box.root, 'config', 'savepoint', 'config.yml'), 'session:\n  registry: true\n')
}

const registryOf = (box: Sandbox) => box.json(['sessions', '--registry'])

test('the registry is a file where the user asks for it: hooks and commands keep it as the store has it [002.94]', () => {
  const box = keptBox()
  expect(heard(box, A, 'SessionStart', { source: 'startup' })).toBe(0)
  expect(box.readJson(FILE)).toMatchObject({ activeSessions: [{ sessionId: A, isStale: false }] })
  heard(box, A, 'SessionEnd', { reason: 'logout' })
  heard(box, B, 'SessionStart', { source: 'startup' })
  expect(box.readJson(FILE)).toMatchObject({
    activeSessions: [{ sessionId: B }],
    recentHistory: [{ sessionId: A, sessionEndReason: 'logout' }],
    lastWorked: { sessionId: A },
    staleSessionsDetected: [],
    indexByBranch: { main: [B, A] },
  })
  expect(registryOf(box)).toEqual(box.readJson(FILE))
  expect(box.git('status', '--porcelain')).toBe('')
  expect(box.json(['status']).uncommitted).toBe(0)
})

test('nobody who does not ask has it, and a repository cannot ask', () => {
  const box = workBox()
  put(box, '.agents.yml', 'session:\n  registry: true\n')
  heard(box, A, 'SessionStart', { source: 'startup' })
  registryOf(box)
  expect(existsSync(box.path(FILE))).toBe(false)
})

test('one that was changed by hand is set aside and rebuilt; one that was removed comes back', () => {
  const box = keptBox()
  heard(box, A, 'SessionStart', { source: 'startup' })
  registryOf(box)
  const whole = box.read(FILE)
  put(box, FILE, '{"mine": true}')
  expect(box.run(['sessions']).stderr).toContain(`${FILE} was edited by hand. The edited file was moved to `)
  expect(box.read(FILE)).toBe(whole)
  const [kept = '', ...others] = readdirSync(box.path('.agents/set-aside'))
  expect([others, box.read(`.agents/set-aside/${kept}`)]).toEqual([[], '{"mine": true}'])
  rmSync(box.path(FILE))
  expect(box.run(['sessions']).code).toBe(0)
  expect(box.read(FILE)).toBe(whole)
  expect(box.git('status', '--porcelain')).toBe('')
})

test('a file that was never ours is left alone, and that is said', () => {
  const box = keptBox()
  put(box, FILE, '{"theirs": true}')
  expect(heard(box, A, 'SessionStart', { source: 'startup' })).toBe(0)
  expect(box.run(['sessions']).stderr).toContain(`${FILE} was not written: another tool's file is there`)
  expect(box.read(FILE)).toBe('{"theirs": true}')
})

test('one that git tracks is not dirtied any more', () => {
  const box = keptBox()
  heard(box, A, 'SessionStart', { source: 'startup' })
  box.git('add', '--force', FILE)
  const tracked = box.read(FILE)
  heard(box, B, 'SessionStart', { source: 'startup' })
  expect(box.run(['sessions']).stderr).toContain(`${FILE} was not written because git tracks it`)
  expect(box.read(FILE)).toBe(tracked)
})

test('where nobody trusts the workspace no file is written, as git cannot be asked', () => {
  const box = sandbox()
  askForFile(box)
  heard(box, A, 'SessionStart', { source: 'startup' })
  expect(box.run(['sessions']).code).toBe(0)
  expect(existsSync(box.path('.agents'))).toBe(false)
})

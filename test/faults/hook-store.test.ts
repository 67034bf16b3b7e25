import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { realPorts } from '../../src/apps/process/real-ports.ts'
import { MIGRATIONS } from '../../src/store/sqlite/migrations.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { faultsOf, heard, idOf, rowsOf, UNNOTICED, words } from '../cli/hook-lab.ts'
import { damageDatabase, doctor } from '../store/ailing.ts'
import { stoppedHolder } from '../store/lock-holder.ts'
import { onFile } from '../store/sqlite-file.ts'
import { type Sandbox, sandbox } from '../support/sandbox.ts'

const A = idOf('a')
const B = idOf('b')
const database = (box: Sandbox) => join(box.home, 'savepoint.db')
const saidBy = (box: Sandbox) =>
  doctor(box)
    .findings.map(({ what }) => what)
    .join('\n')

/** A home that was used: there is a store, and a session in it. */
function used(): Sandbox {
  const box = sandbox()
  heard(box, A, 'SessionStart')
  return box
}

const kindsOf = async (box: Sandbox, id = A) =>
  (await rowsOf(box)).find((row) => row.id === id)?.events.map(({ kind }) => kind)

test('a store that another holds: the agent waits a moment, and the next command has the event', {
  timeout: 90_000,
}, async () => {
  const box = used()
  const holder = await stoppedHolder(database(box))
  const startedMs = performance.now()
  // What can be read is told.
  expect(words(heard(box, B, 'SessionStart'))).toContain('Session a0000000 may still be running')
  expect(heard(box, A, 'PreCompact', { trigger: 'auto' })).toEqual(UNNOTICED)
  // Two hooks, each with a few waits of a tenth of a second; a command would wait for five.
  expect(performance.now() - startedMs).toBeLessThan(9_000)
  expect(faultsOf(box).map(({ event, reason }) => [event, reason])).toEqual([
    ['start', 'store_busy'],
    ['compacting', 'store_busy'],
  ])
  // What needs no store is not even held up.
  expect(heard(box, A, 'SessionEnd', { reason: 'other' })).toEqual(UNNOTICED)
  await holder.kill()
  expect(saidBy(box)).toContain('store_busy')
  box.json(['sessions'])
  expect(await kindsOf(box)).toEqual(['start', 'compacting', 'end'])
  expect(await kindsOf(box, B)).toEqual(['start'])
})

test('a damaged store: the hook leaves it alone, doctor tells, and the next command heals and has all events', async () => {
  const box = used()
  const noise = damageDatabase(box)
  expect(heard(box, B, 'SessionStart')).toEqual(UNNOTICED)
  expect(heard(box, A, 'StopFailure', { error: 'overloaded' })).toEqual(UNNOTICED)
  expect(readFileSync(database(box)).equals(noise)).toBe(true)
  expect(existsSync(join(box.home, 'set-aside'))).toBe(false)
  expect(faultsOf(box).map(({ reason }) => reason)).toEqual(['store_damaged', 'store_damaged'])
  const told = doctor(box)
  expect(told.healthy).toBe(false)
  box.json(['sessions'])
  expect(await kindsOf(box)).toEqual(['start', 'failure'])
  expect(await kindsOf(box, B)).toEqual(['start'])
  expect(saidBy(box)).toContain('store_damaged')
})

test('a store that is gone while its backups are there is not begun anew by a hook', async () => {
  const box = used()
  box.json(['save', 'Login', '--stream', 'auth'])
  for (const ending of ['', '-wal', '-shm']) rmSync(database(box) + ending, { force: true })
  expect(heard(box, B, 'SessionStart')).toEqual(UNNOTICED)
  expect(faultsOf(box).map(({ reason }) => reason)).toEqual(['store_damaged'])
  box.json(['sessions'])
  expect(await kindsOf(box, B)).toEqual(['start'])
  expect(box.json(['resume', 'auth'])).toMatchObject({ stream: 'auth' })
})

test('a store of an older shape: the hook does not change it, and the next command does and has the event', async () => {
  const box = sandbox()
  box.json(['save', 'Login', '--stream', 'auth'])
  for (const ending of ['', '-wal', '-shm']) rmSync(database(box) + ending, { force: true })
  rmSync(join(box.home, 'backups'), { recursive: true, force: true })
  const migrations = MIGRATIONS.slice(
    0,
    MIGRATIONS.findIndex((step) => step.includes('TABLE sessions')),
  )
  const older = openSqliteStore({ path: database(box), ports: realPorts, locksFolder: null, migrations })
  await older.local.listWorkspaces()
  await older.close()
  onFile(database(box), 'PRAGMA wal_checkpoint(TRUNCATE)')
  const before = readFileSync(database(box))
  expect(heard(box, A, 'SessionStart')).toEqual(UNNOTICED)
  expect(faultsOf(box).map(({ event, reason }) => [event, reason])).toEqual([['start', 'store_older']])
  expect(readFileSync(database(box)).equals(before)).toBe(true)
  expect(heard(box, A, 'UserPromptSubmit', { prompt: 'Go' })).toEqual(UNNOTICED)
  box.json(['sessions'])
  expect(await kindsOf(box)).toEqual(['start', 'prompt'])
})

test('a row that cannot be read is named by doctor, and begins anew with the next event', async () => {
  const box = used()
  heard(box, B, 'SessionStart')
  onFile(database(box), `UPDATE sessions SET body = '{' WHERE id = '${A}'`)
  expect(saidBy(box)).toContain(`the row of the claude session ${A} is unreadable`)
  heard(box, A, 'UserPromptSubmit', { prompt: 'Go' })
  box.json(['sessions'])
  expect(await kindsOf(box)).toEqual(['start', 'prompt'])
  expect(saidBy(box)).not.toContain('cannot be read')
})

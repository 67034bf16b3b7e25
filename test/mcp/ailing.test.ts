import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { heard, idOf, within } from '../cli/session-lab.ts'
import { damageDatabase } from '../store/ailing.ts'
import { stoppedHolder } from '../store/lock-holder.ts'
import { damageTable } from '../store/sqlite-file.ts'
import { sandbox } from '../support/sandbox.ts'
import { expectProtocolOnly, served } from './server.ts'

test('without a home it reads nothing and makes nothing; the first save makes one', async () => {
  const box = sandbox()
  const server = await served(box)
  expect(await server.did('resume')).toMatchObject({ kind: 'nothing' })
  await server.did('list')
  await server.did('status')
  expect(existsSync(box.home)).toBe(false)
  expect(await server.did('save', { summary: 'Login' })).toMatchObject({ sequence: 1 })
  expect(existsSync(join(box.home, 'savepoint.db'))).toBe(true)
})

test('a home that cannot be is a reason, and a save after it was mended goes well', async () => {
  const box = sandbox()
  writeFileSync(box.home, 'a file\n')
  const server = await served(box)
  const { text } = await server.refused('save', { summary: 'Login' })
  expect(text).toContain(box.home)
  rmSync(box.home)
  expect(await server.did('save', { summary: 'Login' })).toMatchObject({ sequence: 1 })
  expectProtocolOnly(server)
})

// Root may write anywhere.
test.skipIf(process.getuid?.() === 0)('a home that is read-only is a reason, and nothing else', async () => {
  const box = sandbox()
  mkdirSync(box.home, { mode: 0o500 })
  const server = await served(box)
  await server.refused('save', { summary: 'Login' })
  chmodSync(box.home, 0o700)
  expect(await server.did('save', { summary: 'Login' })).toMatchObject({ sequence: 1 })
})

test('a store that another holds is a reason; when it is free, the same server saves', {
  timeout: 60_000,
}, async () => {
  const box = sandbox()
  const server = await served(box)
  await server.did('save', { summary: 'Login', stream: 'auth' })
  const holder = await stoppedHolder(join(box.home, 'savepoint.db'))
  expect((await server.refused('save', { summary: 'Held', stream: 'auth' })).reason).toBe('store_busy')
  // Whatever does not need the store is answered meanwhile.
  const waiting = server.call('save', { summary: 'Waits', stream: 'auth' })
  expect((await server.ask('ping')).result).toEqual({})
  await holder.kill()
  expect((await waiting).structuredContent).toMatchObject({ sequence: 2 })
  expect((await server.did('resume', { id: 'auth' })).text).toContain('Waits')
})

test('a store that is damaged while the server lives is healed from its backup, and told', async () => {
  const box = sandbox()
  const server = await served(box)
  await server.did('save', { summary: 'Login', stream: 'auth', decision: ['Tokens over cookies'] })
  damageDatabase(box)
  const { text } = await server.did('resume', { id: 'auth' })
  expect(text).toContain('Tokens over cookies')
  expect(text).toMatch(/^- .*damaged/m)
  expect(await server.did('save', { summary: 'Next', stream: 'auth' })).toMatchObject({ sequence: 2 })
})

test('damage that is met while the session is looked for is healed as well', async () => {
  const box = sandbox()
  const id = idOf('aaaa')
  heard(box, id, 'SessionStart', { source: 'startup' })
  const server = await served(box, { env: within(id) })
  await server.did('save', { summary: 'Login', stream: 'auth', decision: ['Tokens over cookies'] })
  damageTable(join(box.home, 'savepoint.db'), 'sessions')
  expect((await server.did('save', { summary: 'Next', stream: 'auth' })).text).toMatch(/^- .*damaged/m)
  expect((await server.did('resume', { id: 'auth' })).text).toContain('Tokens over cookies')
})

test('a settings file that cannot be read is a reason where it matters, and a notice where work is saved', async () => {
  const box = sandbox()
  const server = await served(box)
  await server.did('save', { summary: 'Login', stream: 'auth' })
  writeFileSync(box.path('.agents.yml'), 'session: [')
  expect((await server.did('save', { summary: 'Next', stream: 'auth' })).text).toMatch(/^- .*\.agents\.yml/m)
  rmSync(box.path('.agents.yml'))
  expect((await server.did('save', { summary: 'Then', stream: 'auth' })).text).not.toMatch(/^- /m)
})

test('a workspace that is gone is a reason, and the server ends well', async () => {
  const box = sandbox()
  const server = await served(box)
  rmSync(box.repo, { recursive: true })
  await server.refused('save', { summary: 'Login' })
  mkdirSync(box.repo)
  expect(await server.end()).toEqual({ code: 0, signal: null })
})

import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { workOf } from '../cli/save-lab.ts'
import { sandbox } from '../support/sandbox.ts'
import { expectProtocolOnly, Served, served } from './server.ts'

const WELL = { code: 0, signal: null }
const HELLO = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
}
const savingOf = (n: number) => ({
  name: 'savepoint_save',
  arguments: { summary: `Save ${n}`, stream: 'auth', decision: [`Decision ${n}`] },
})

test('a server ends with its client, before a greeting and after it', async () => {
  const box = sandbox()
  expect(await new Served(box).end()).toEqual(WELL)
  const server = await served(box)
  expect(await server.end()).toEqual(WELL)
  expect(server.stderr).toBe('')
})

test('a client that says all and leaves at once gets every answer, and every save is there', async () => {
  const box = sandbox()
  const server = new Served(box)
  const messages = [
    { id: 0, method: 'initialize', params: HELLO },
    { method: 'notifications/initialized' },
    ...[1, 2, 3].map((n) => ({ id: n, method: 'tools/call', params: savingOf(n) })),
    { id: 4, method: 'tools/list' },
  ]
  server.child.stdin.end(messages.map((one) => `${JSON.stringify({ jsonrpc: '2.0', ...one })}\n`).join(''))
  expect(await server.ended).toEqual(WELL)
  await vi.waitFor(() => expect(server.lines).toHaveLength(5), { timeout: 60_000 })
  expectProtocolOnly(server)
  expect(server.lines.map((line) => JSON.parse(line).id).toSorted()).toEqual([0, 1, 2, 3, 4])
  expect(workOf(box, ['auth']).decisions.map(({ text }) => text)).toEqual(
    [1, 2, 3].map((n) => `Decision ${n}`),
  )
})

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  '%s ends it when what was begun is done',
  async (signal) => {
    const box = sandbox()
    const server = await served(box)
    await server.did('save', { summary: 'First', stream: 'auth' })
    const saving = server.ask('tools/call', savingOf(1)).then(
      ({ result }) => result,
      () => null,
    )
    // When this is answered, the save before it was heard.
    await server.ask('ping')
    expect(await server.kill(signal)).toEqual(WELL)
    expect(await saving).toMatchObject({ structuredContent: { sequence: 2 } })
    expect(workOf(box, ['auth']).decisions.map(({ text }) => text)).toEqual(['Decision 1'])
    expectProtocolOnly(server)
  },
)

test('a server that is killed in a save leaves what was before or after it, and the next goes on', {
  timeout: 60_000,
}, async () => {
  const box = sandbox()
  let known = 0
  for (let round = 1; round <= 8; round += 1) {
    const server = await served(box)
    const before = await server.did('save', { summary: 'Sure', stream: 'auth', decision: [`Sure ${round}`] })
    const saving = server.ask('tools/call', savingOf(round)).catch(() => null)
    await server.ask('ping')
    // Each round a little later in the save.
    await new Promise((resolve) => setTimeout(resolve, round * 4))
    await server.kill('SIGKILL')
    const answered = (await saving)?.result !== undefined
    const next = await served(box)
    const after = await next.did('save', { summary: 'Next', stream: 'auth' })
    const gained = Number(after.sequence) - Number(before.sequence)
    expect(gained).toBeOneOf(answered ? [2] : [1, 2])
    known += gained
    expect((await next.did('resume', { id: 'auth', budget: 4_000 })).text).toContain(`Sure ${round}`)
    await next.end()
  }
  expect(known).toBeGreaterThanOrEqual(8)
  expect(box.json(['doctor'])).toMatchObject({ healthy: true })
})

test('a client that closes its ears ends the server', async () => {
  const box = sandbox()
  const server = await served(box)
  server.child.stdout.destroy()
  await server.send({ id: 'a', method: 'tools/call', params: savingOf(1) })
  await server.send({ id: 'b', method: 'tools/list' })
  expect(await server.end()).toEqual(WELL)
  expect(workOf(box, ['auth']).decisions.map(({ text }) => text)).toEqual(['Decision 1'])
})

test('what was compiled at one start is used by the next, and not made again', async () => {
  const box = sandbox()
  const serve = async () => {
    const server = await served(box, { env: { SAVEPOINT_NO_CACHE: '' } })
    await server.ask('tools/list')
    expect((await server.end()).code).toBe(0)
  }
  const kept = () =>
    readdirSync(join(box.home, 'cache'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.includes('mcp'))
      .map((name) => statSync(join(box.home, 'cache', name), { bigint: true }))
      .map(({ ino, mtimeNs }) => `${ino} ${mtimeNs}`)
  box.json(['save', 'Begin'])
  await serve()
  const first = kept()
  expect(first.length).toBeGreaterThan(0)
  await serve()
  expect(kept()).toEqual(first)
})

test('a client that goes away without reading has what it asked for', { timeout: 120_000 }, async () => {
  const box = sandbox()
  const server = await served(box)
  server.child.stdout.pause()
  for (let n = 0; n < 20; n += 1) await server.send({ id: `list-${n}`, method: 'tools/list', params: {} })
  for (let n = 0; n < 5; n += 1)
    await server.send({
      id: `save-${n}`,
      method: 'tools/call',
      params: { name: 'savepoint_save', arguments: { summary: `Queued ${n}`, stream: 'auth' } },
    })
  server.child.stdout.destroy()
  server.child.stdin.end()
  expect(await server.ended).toEqual(WELL)
  expect(box.json(['show', 'auth', '--history']).history).toHaveLength(5)
})

test('a folder that is not there has no server: it ends with a reason on stderr, and says nothing on stdout', async () => {
  const box = sandbox()
  const server = new Served(box, { words: ['mcp', join(box.root, 'nowhere')] })
  expect((await server.ended).code).toBe(3)
  expect(server.stderr).toMatch(/^savepoint: Could not use the folder .*nowhere: /)
  expect(server.stderr).not.toMatch(/^\s+at /m)
  expect(server.lines).toEqual([])
})

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { sandbox } from '../support/sandbox.ts'
import { framesOf, numbers } from './frames.ts'
import { expectProtocolOnly, Served, served } from './server.ts'

const FRAMES = 100_000
const MB = 1024 * 1024
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** The most memory that a process ever held; zero where the system does not tell. */
function mostMemoryOf(pid: number | undefined): number {
  if (process.platform !== 'linux') return 0
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) * 1024
}

/** Sends frames in pieces that end anywhere; answers the ids that must have been answered. */
async function flood(server: Served, seed: number, frames: number, meta?: object): Promise<string[]> {
  const next = numbers(-seed)
  const source = framesOf(seed, meta)
  const ids: string[] = []
  let bytes: Buffer[] = []
  for (let at = 0; at < frames; at += 1) {
    const { bytes: frame, id } = source.next().value
    bytes.push(frame)
    if (id !== null) ids.push(id)
    if (bytes.length < 500 && at < frames - 1) continue
    const all = Buffer.concat(bytes)
    const cut = Math.floor(next() * all.length)
    await server.write(all.subarray(0, cut))
    await server.write(all.subarray(cut))
    bytes = []
  }
  return ids
}

/** How a connection is opened before the flood, and what each of its requests then bears. */
const OPENINGS: ReadonlyArray<{
  label: string
  seed: number
  open(server: Served): Promise<unknown>
  meta?: object
}> = [
  { label: 'that was greeted', seed: 1, open: (server) => server.greet() },
  { label: 'that nobody greeted', seed: 2, open: async () => undefined },
  {
    label: 'of the newest revision',
    seed: 3,
    open: (server) => server.ask('tools/list', { _meta: META }),
    meta: META,
  },
]

test.each(OPENINGS)(
  'a server $label outlives random frames, and says nothing but protocol',
  {
    timeout: 120_000,
  },
  async ({ seed, open, meta }) => {
    const server = new Served(sandbox())
    await open(server)
    const ids = await flood(server, seed, Math.ceil(FRAMES / OPENINGS.length), meta)
    expect(ids.length).toBeGreaterThan(1_000)
    const { result } = await server.ask('tools/list', meta ? { _meta: meta } : undefined)
    expect(JSON.stringify(result)).toContain('savepoint_save')
    expectProtocolOnly(server)
    const heard = new Map<unknown, number>()
    for (const line of server.lines) {
      const { id } = JSON.parse(line)
      heard.set(id, (heard.get(id) ?? 0) + 1)
    }
    expect(ids.filter((id) => heard.get(id) !== 1)).toEqual([])
    expect(server.stderr).toContain('ignored a message')
    expect(server.stderr.length).toBeLessThan(2_000)
    expect(mostMemoryOf(server.child.pid)).toBeLessThan(200 * MB)
    expect(await server.end()).toEqual({ code: 0, signal: null })
  },
)

test('a client that asks faster than it reads does not fill the memory of the server', {
  timeout: 60_000,
}, async () => {
  const server = await served(sandbox())
  const asked = 3_000
  // Not by lines: they would be kept.
  server.child.stdout.removeAllListeners('data')
  let answered = 0
  const all = new Promise<void>((resolve) => {
    server.child.stdout.on('data', (chunk: Buffer) => {
      for (const byte of chunk) if (byte === 10) answered += 1
      if (answered === asked) resolve()
    })
  })
  const requests = Array.from({ length: asked }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/list' }))
  void server.write(requests.map((one) => `${JSON.stringify(one)}\n`).join(''))
  await all
  expect(mostMemoryOf(server.child.pid)).toBeLessThan(200 * MB)
  expect(server.stderr).toBe('')
})

test.each([
  ['with its id first', '{"jsonrpc":"2.0","id":"long","method":"ping","params":{"a":"', '"}}', 'long'],
  ['with its id last', '{"method":"ping","params":{"a":"', '"},"jsonrpc":"2.0","id":7}', 7],
  ['that is no message', 'x', '', null],
])('a line of more than 4 MB %s gets an error, and the server lives', async (_, start, end, id) => {
  const server = await served(sandbox())
  void server.write(`${start}${'x'.repeat(9 * MB)}${end}\n`)
  await server.did('save', { summary: 'After the flood' })
  const refused = server.lines.map((line) => JSON.parse(line)).filter(({ error }) => error)
  expect(refused).toEqual([
    { jsonrpc: '2.0', id, error: { code: -32_600, message: expect.stringContaining('4194304') } },
  ])
  expectProtocolOnly(server)
  expect(mostMemoryOf(server.child.pid)).toBeLessThan(200 * MB)
  expect(server.stderr).toBe('')
})

test('a line without an end is waited for, without growing, and ends with its client', async () => {
  const server = await served(sandbox())
  await server.did('save', { summary: 'Before the flood' })
  for (let piece = 0; piece < 40; piece += 1) await server.write('x'.repeat(MB))
  expect(mostMemoryOf(server.child.pid)).toBeLessThan(200 * MB)
  expect(await server.end()).toEqual({ code: 0, signal: null })
  expectProtocolOnly(server)
})

test('a message of 3 MB is answered', async () => {
  const server = await served(sandbox())
  expect((await server.ask('ping', { a: 'x'.repeat(3 * MB) })).result).toEqual({})
})

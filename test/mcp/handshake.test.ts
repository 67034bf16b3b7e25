import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, onTestFinished, test } from 'vitest'
import { cliPath, type Sandbox, sandbox } from '../support/sandbox.ts'
import { Served } from './server.ts'

const LEGACY = ['2025-06-18', '2025-11-25'] as const
const MODERN = '2026-07-28'

/** The official client, connected; it holds every answer against the schema that the tool promised. */
async function connected(box: Sandbox, version: string): Promise<Client> {
  const client = new Client(
    { name: 'official', version: '1' },
    version === MODERN
      ? { versionNegotiation: { mode: { pin: MODERN } } }
      : { supportedProtocolVersions: [version] },
  )
  onTestFinished(() => client.close())
  const env = Object.fromEntries(
    Object.entries(box.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [cliPath, 'mcp'],
      cwd: box.repo,
      env,
      stderr: 'pipe',
    }),
  )
  return client
}

test.each([...LEGACY, MODERN])(
  'the official client lists and calls tools in revision %s',
  async (version) => {
    const box = sandbox()
    const client = await connected(box, version)
    expect(client.getNegotiatedProtocolVersion()).toBe(version)
    expect(client.getServerVersion()).toMatchObject({ name: 'savepoint', title: 'Savepoint' })
    expect(client.getInstructions()).toContain('savepoint_save')
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['savepoint_save', 'savepoint_resume']),
    )
    const decision = ['Tokens over cookies because the app has no session']
    const saved = await client.callTool({
      name: 'savepoint_save',
      arguments: { summary: 'Login moves to tokens', decision, next: ['Write the refresh test'] },
    })
    expect(saved).toMatchObject({
      structuredContent: { sequence: 1, decisions: { new: 1, total: 1, unconfirmed: 1 } },
    })
    const resumed = await client.callTool({ name: 'savepoint_resume', arguments: {} })
    expect(resumed.isError).toBeUndefined()
    expect(JSON.stringify(resumed.content)).toContain('Tokens over cookies')
    expect(JSON.stringify(resumed.structuredContent)).toContain('Tokens over cookies')
    const refused = await client.callTool({ name: 'savepoint_resume', arguments: { id: 'nobody' } })
    expect(refused).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: expect.stringContaining('(stream_unknown)') }],
    })
    expect(refused.structuredContent).toBeUndefined()
    await expect(client.callTool({ name: 'savepoint_erase', arguments: {} })).rejects.toMatchObject({
      code: -32602,
    })
  },
)

test('every tool that takes nothing answers by the schema that it promises, before and after a save', async () => {
  const box = sandbox()
  const client = await connected(box, '2025-11-25')
  const { tools } = await client.listTools()
  const bare = tools.filter(({ inputSchema }) => (inputSchema.required ?? []).length === 0)
  expect(bare.length).toBeGreaterThan(5)
  const answers = async () => {
    const all = []
    // One after the other, as an agent does.
    for (const { name } of bare)
      all.push([name, (await client.callTool({ name, arguments: {} })).isError ?? false])
    return Object.fromEntries(all)
  }
  const empty = await answers()
  await client.callTool({ name: 'savepoint_save', arguments: { summary: 'Login', stream: 'auth' } })
  box.json(['new', 'pay', '--current'])
  const full = await answers()
  for (const name of ['resume', 'list', 'status', 'info', 'ledger'].map((verb) => `savepoint_${verb}`)) {
    expect(empty).toHaveProperty(name, false)
    expect(full).toHaveProperty(name, false)
  }
})

test.each(LEGACY)(
  'a client that offers %s gets it, and one that offers nothing known gets a known one',
  async (version) => {
    const box = sandbox()
    const server = new Served(box)
    expect((await server.greet(version)).result).toMatchObject({ protocolVersion: version })
    const stranger = new Served(box)
    expect((await stranger.greet('1999-01-01')).result?.protocolVersion).toMatch(/^202\d-/)
    for (const one of [server, stranger]) expect(await one.end()).toEqual({ code: 0, signal: null })
  },
)

test('a client that asks for the new revision by itself is told what it needs, without a handshake', async () => {
  const server = new Served(sandbox())
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientInfo': { name: 'bare', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const found = await server.ask('server/discover', { _meta })
  expect(found.result).toMatchObject({ supportedVersions: [MODERN], capabilities: { tools: {} } })
  const { result } = await server.ask('tools/call', { _meta, name: 'savepoint_resume', arguments: {} })
  expect(result).toMatchObject({ structuredContent: { kind: 'nothing' } })
})

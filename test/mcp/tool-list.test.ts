import { expect, test } from 'vitest'
import { sha256 } from '../../src/core/canonical.ts'
import { estimateTokens } from '../../src/core/tokens.ts'
import { sandbox } from '../support/sandbox.ts'
import { Served, served } from './server.ts'

/**
 * What every client pays for at every start, and what its user has agreed to. Whoever changes a tool changes this
 * knowingly: the order, and the digest of all of it.
 */
const NAMES = [
  'savepoint_save',
  'savepoint_confirm',
  'savepoint_reject',
  'savepoint_remove',
  'savepoint_resume',
  'savepoint_status',
  'savepoint_search',
  'savepoint_info',
  'savepoint_budget',
  'savepoint_compact',
  'savepoint_ledger',
  'savepoint_handoff',
  'savepoint_pickup',
  'savepoint_run_step',
  'savepoint_fork',
  'savepoint_delta',
  'savepoint_focus',
  'savepoint_list',
  'savepoint_show',
  'savepoint_undo',
  'savepoint_archive',
]
const DIGEST = '64f6cf2fa0f4e3cfd2f75c56510fb5aca847e80232e93dd7c0bda63c3721fe22'
/** By our own estimate, which is never too low: the whole list, and what a client puts before its model of it. */
const MOST_TOKENS = { list: 10_000, told: 4_100 }

interface Tool {
  name: string
  title: string
  description: string
  inputSchema: { properties: Record<string, { description: string }>; additionalProperties: boolean }
  outputSchema: { required: string[] }
  annotations: { readOnlyHint: boolean; destructiveHint: boolean }
}

// `as`: the protocol's own form, which the official client checks in another test.
const toolsIn = (list: string) => (JSON.parse(list) as { tools: Tool[] }).tools

test('the tools are these, in this order, word for word', async () => {
  const list = await (await served(sandbox())).toolList()
  expect(toolsIn(list).map(({ name }) => name)).toEqual(NAMES)
  expect(sha256(list)).toBe(DIGEST)
})

test('a tool says when to use it in few words, and promises what it takes and answers', async () => {
  const list = await (await served(sandbox())).toolList()
  for (const { name, title, description, inputSchema, outputSchema } of toolsIn(list)) {
    expect(name).toMatch(/^savepoint_[a-z]+(?:_[a-z]+)*$/)
    expect(title.length, name).toBeLessThan(60)
    expect(description, name).toMatch(/Call it/)
    expect(description.length, name).toBeLessThanOrEqual(2_000)
    expect(inputSchema.additionalProperties, name).toBe(false)
    expect(outputSchema.required, name).toContain('text')
    for (const about of Object.values(inputSchema.properties)) expect(about.description, name).toMatch(/\w/)
  }
  const told = toolsIn(list).map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
  expect(estimateTokens(list)).toBeLessThan(MOST_TOKENS.list)
  expect(estimateTokens(JSON.stringify(told))).toBeLessThan(MOST_TOKENS.told)
})

test('the list is the same to the byte at every start, whatever was called, wherever it is', async () => {
  const box = sandbox()
  const server = await served(box)
  const first = await server.toolList()
  await server.did('save', { summary: 'Login', decision: ['Tokens over cookies'], stream: 'auth' })
  await server.refused('resume', { id: 'nobody' })
  expect(await server.toolList()).toBe(first)
  await server.end()
  expect(await (await served(box)).toolList()).toBe(first)
  const elsewhere = sandbox({ git: false })
  const other = new Served(elsewhere, { env: { LANG: 'tr_TR.UTF-8', TZ: 'Asia/Tokyo', CLAUDECODE: '1' } })
  await other.greet('2025-06-18')
  expect(await other.toolList()).toBe(first)
})

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot, sandbox } from '../support/sandbox.ts'
import { expectProtocolOnly, Served, served } from './server.ts'

const LOUD = {
  SAVEPOINT_DEBUG: '1',
  NODE_DEBUG: 'fs,stream',
  NODE_OPTIONS: '--trace-warnings',
  FORCE_COLOR: '1',
}

/** A session in which much is told: receipts, briefs, notices, refusals. */
async function talk(server: Served): Promise<void> {
  await server.greet()
  await server.did('save', { summary: 'Login', stream: 'auth', decision: ['Tokens over cookies'] })
  await server.did('resume', { id: 'auth' })
  await server.did('status')
  await server.refused('resume', { id: 'nobody' })
  await server.ask('no/such/method')
  await server.toolList()
}

test('stdout carries the protocol alone, however loud the process was told to be', async () => {
  const server = new Served(sandbox(), { env: LOUD })
  await talk(server)
  expect(await server.end()).toEqual({ code: 0, signal: null })
  expectProtocolOnly(server)
  expect(server.lines).toHaveLength(7)
})

test('warnings of Node, and whatever a module writes to the console as an error, go to stderr', async () => {
  const box = sandbox()
  const noisy = join(box.root, 'noisy.cjs')
  writeFileSync(noisy, `process.emitWarning('a warning'); console.error('an error')`)
  const server = new Served(box, { node: [process.execPath, '--require', noisy] })
  await talk(server)
  await server.end()
  expectProtocolOnly(server)
  expect(server.stderr).toContain('a warning')
})

test('no file of the server writes to stdout by itself', async () => {
  const { readdirSync, readFileSync } = await import('node:fs')
  for (const folder of [
    'core',
    'policy',
    'formats',
    'fs',
    'config',
    'store',
    'workspace',
    'agents',
    'engine',
    'verbs',
    'apps/mcp',
  ])
    for (const name of readdirSync(join(projectRoot, 'src', folder), { recursive: true, encoding: 'utf8' }))
      if (name.endsWith('.ts'))
        expect(readFileSync(join(projectRoot, 'src', folder, name), 'utf8'), `${folder}/${name}`).not.toMatch(
          /console\.(?:log|info|debug|table|dir)\(|process\.stdout\.write\(/,
        )
})

test('an agent that starts it in a folder of the workspace, or names one, gets the same work', async () => {
  const box = sandbox()
  const first = await served(box)
  await first.did('save', { summary: 'Login', stream: 'auth' })
  const named = await served(box, { words: ['mcp', box.repo], env: { CLAUDE_PROJECT_DIR: '/' } })
  expect((await named.did('resume')).stream).toBe('auth')
  const told = await served(box, { env: { CLAUDE_PROJECT_DIR: box.repo } })
  expect((await told.did('resume')).stream).toBe('auth')
})

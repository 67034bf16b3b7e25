import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { put } from '../cli/document-lab.ts'
import { sandbox } from '../support/sandbox.ts'
import { seedFile } from '../support/seed-file.ts'
import { served } from './server.ts'

const LEDGER = '.agents/session_ledger.md'

test('a save that answers for the ledger confirms it in the words of the format [003.16] [003.23]', async () => {
  const box = sandbox()
  put(box, '.agents.yml', seedFile('003', 'agents.yml'))
  const server = await served(box)
  const { text } = await server.did('save', {
    ...{ summary: 'Refresh of an expired token', goal: 'Tokens instead of cookies', ledger: true },
    ...{ done: ['Login form'], next: ['Delete the cookie code'] },
  })
  expect(text).toContain(`
Checkpoint saved to .agents/session_ledger.md
- Goal: Tokens instead of cookies
- State: 1 done, now: Refresh of an expired token, next: Delete the cookie code
`)
  expect(box.read(LEDGER)).toContain('## Goal\nTokens instead of cookies\n')
  expect((await server.did('save', { summary: 'Go on' })).text).not.toContain('Checkpoint saved to')
})

test.each([
  ['there are no settings', null],
  ['the ledger is switched off', 'session:\n  ledger: false\n'],
])(
  'where %s, it says that the checkpoint is skipped, and makes no file [003.01] [003.02]',
  async (_, yaml) => {
    const box = sandbox()
    if (yaml !== null) put(box, '.agents.yml', yaml)
    const server = await served(box)
    const { text, sequence } = await server.did('save', { summary: 'Refresh', ledger: true })
    expect(text).toContain('\nCheckpoint skipped - session.ledger not enabled in .agents.yml\n')
    expect(existsSync(box.path('.agents'))).toBe(false)
    expect(sequence).toBe(1)
  },
)

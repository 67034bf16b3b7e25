import { appendFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Sandbox, sandbox } from '../support/sandbox.ts'
import { inStore } from '../support/stored-documents.ts'
import { faultsOf, heard, idOf, words } from './hook-lab.ts'

const A = idOf('aaaa')
const B = idOf('bbbb')
const C = idOf('cccc')

const journal = (box: Sandbox, id: string) => join(box.home, 'sessions', 'claude', `${id}.jsonl`)

/** What may be wrong with one session, of which the others must notice nothing. */
const TROUBLES: Record<string, (box: Sandbox) => Promise<void> | void> = {
  'a transcript whose name no system takes': (box) => {
    heard(box, A, 'UserPromptSubmit', { prompt: 'Go.', transcript_path: `/${'x'.repeat(300)}/t.jsonl` })
  },
  'a record of another version': (box) => {
    const event = { kind: 'batch', session: A, agent: 'claude', at: new Date().toISOString(), cwd: box.repo }
    appendFileSync(journal(box, A), `\n${JSON.stringify({ event })}\n`)
  },
  'a link in the place of a journal': (box) => {
    symlinkSync('/dev/zero', journal(box, C))
  },
  'a reading that is damaged': async (box) => {
    const path = join(box.root, 'a.jsonl')
    writeFileSync(path, '{}\n')
    heard(box, A, 'PreCompact', { trigger: 'manual', transcript_path: path })
    await inStore(box, async ({ store }) => {
      const row = await store.log.readSession({ agent: 'claude', id: A })
      if (!row) throw new Error('there is no such session')
      await store.log.advance(row.session, row.version, '{"reading":')
    })
    appendFileSync(path, '{}\n')
  },
}

test.each(Object.keys(TROUBLES))(
  '%s: starts are told, saves are saved, sessions are listed',
  async (name) => {
    const box = sandbox()
    box.run(['save', 'Moving the login', '--decision', 'JWT over cookies'])
    heard(box, A, 'SessionStart', { source: 'startup' })
    await TROUBLES[name]?.(box)
    expect(words(heard(box, B, 'SessionStart', { source: 'startup' }))).toContain('JWT over cookies')
    for (const verb of [
      ['save', 'Still here'],
      ['sessions'],
      ['resume'],
      ['status'],
      ['reconcile'],
      ['info'],
    ])
      expect(box.run(verb)).toMatchObject({ code: 0 })
  },
)

test('a session that cannot be read is named, and doctor tells of it', async () => {
  const box = sandbox()
  heard(box, A, 'SessionStart', { source: 'startup' })
  await TROUBLES['a transcript whose name no system takes']?.(box)
  expect(box.run(['sessions']).stderr).toMatch(/Could not read session aaaa0000: .*ENAMETOOLONG/)
  expect(faultsOf(box)).toMatchObject([{ reason: 'session_unreadable' }])
  expect(box.run(['doctor']).stdout).toContain('session_unreadable')
})

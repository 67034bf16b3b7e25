import { rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Sandbox, sandbox } from '../support/sandbox.ts'
import { heard, idOf, rowsOf, UNNOTICED } from './hook-lab.ts'

const A = idOf('aaaa')
const B = idOf('bbbb')

/** A repository with a second worktree, in which a session is asked for something. */
function withWorktree(): { box: Sandbox; tree: string; transcript: string } {
  const box = sandbox()
  box.git('init', '-q', '-b', 'main')
  box.git(
    '-c',
    'user.name=Ada',
    '-c',
    'user.email=ada@example.org',
    'commit',
    '-q',
    '--allow-empty',
    '-m',
    'begin',
  )
  const tree = join(box.root, 'tree')
  box.git('worktree', 'add', '-q', tree)
  const transcript = join(box.root, 'session.jsonl')
  const row = (type: string, content: unknown) =>
    `${JSON.stringify({
      ...{ type, uuid: type, isSidechain: false, timestamp: '2026-01-01T00:00:00.000Z', cwd: tree },
      message: { role: type, content },
    })}\n`
  writeFileSync(
    transcript,
    row('user', 'Move the queue to Redis. Never touch the legacy folder.') +
      row('assistant', [{ type: 'text', text: 'I decided to use streams because they can be replayed.' }]),
  )
  const told = { cwd: tree, transcript_path: transcript }
  heard(box, A, 'SessionStart', { source: 'startup', ...told }, { cwd: tree })
  return { box, tree, transcript }
}

const knowsTask = (box: Sandbox) =>
  box.run(['resume', 'session-aaaa0000aaaa']).stdout.includes('Move the queue to Redis.')

test('the work of a session whose worktree was removed is saved from another one', async () => {
  const { box, tree, transcript } = withWorktree()
  heard(box, A, 'SessionEnd', { reason: 'logout', cwd: tree, transcript_path: transcript }, { cwd: tree })
  rmSync(tree, { recursive: true })
  expect(heard(box, B, 'SessionStart', { source: 'startup' })).toMatchObject({ code: 0 })
  expect(knowsTask(box)).toBe(true)
  expect(await rowsOf(box)).toMatchObject([{ id: B }, { id: A, phase: 'recent', endReason: 'logout' }])
})

test('a session that broke off in one worktree is reconciled by a start in another, and stays of its own', async () => {
  const { box, tree, transcript } = withWorktree()
  // Two hours in which nobody wrote anything, for the row and for the file.
  const old = new Date(Date.now() - 7_200_000)
  utimesSync(transcript, old, old)
  expect(statSync(transcript).mtimeMs).toBeLessThan(Date.now() - 7_000_000)
  await silence(box, A, old)
  expect(heard(box, B, 'SessionStart', { source: 'startup' })).toMatchObject({ code: 0 })
  const [session] = (await rowsOf(box)).filter(({ id }) => id === A)
  expect(session).toMatchObject({ phase: 'recent', endReason: 'crash' })
  expect(knowsTask(box)).toBe(true)
  expect(box.run(['sessions'], { cwd: tree }).stdout).toContain('aaaa0000')
})

test('a hook whose folder is another repository saves the work of its session where it began', async () => {
  const { box, tree, transcript } = withWorktree()
  const other = join(box.root, 'other')
  box.git('init', '-q', other)
  const told = { cwd: other, transcript_path: transcript, trigger: 'manual' }
  expect(heard(box, A, 'PreCompact', told, { cwd: other })).toEqual(UNNOTICED)
  expect(box.run(['list', '--all'], { cwd: other }).stdout).toContain('Nothing saved here yet')
  expect(box.run(['resume', 'session-aaaa0000aaaa'], { cwd: tree }).stdout).toContain(
    'Move the queue to Redis.',
  )
})

/** As if the session had last been heard of then. */
async function silence(box: Sandbox, id: string, at: Date): Promise<void> {
  const { inStore } = await import('../support/stored-documents.ts')
  await inStore(box, async ({ store }) => {
    const row = await store.log.readSession({ agent: 'claude', id })
    if (!row) throw new Error('there is no such session')
    const session = { ...row.session, lastActivityAt: at.toISOString(), startedAt: at.toISOString() }
    expect(await store.log.advance(session, row.version)).toBe(true)
  })
}

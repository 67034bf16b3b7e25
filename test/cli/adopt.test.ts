import { cpSync, rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Sandbox } from '../support/sandbox.ts'
import { commit, elsewhere, history, listed, refusal, rows, textOf } from './document-lab.ts'
import { exported, fileIn, firstMachine, otherMachine, withAnswers } from './transfer-lab.ts'

const OFFER =
  /This looks like a clone of "repo", whose work is in the store \(1 piece of work\)\. .*savepoint import --adopt repo/

/** A first machine with one piece of work, and a second one whose store has it; its clone is fresh. */
function carried(remote?: string) {
  const box = firstMachine()
  box.json(['save', 'Login works', '--stream', 'auth'])
  const other = otherMachine(box, 'other', remote)
  const { stderr } = other.run(['import', exported(box)])
  return { box, other, stderr }
}

const names = (box: Sandbox) => listed(box, '--all').map(({ id }) => id)

test('a fresh clone is told by one line how to take its work over, and takes nothing by itself', () => {
  const { other, stderr } = carried()
  expect(stderr).toMatch(OFFER)
  for (const words of [['status'], ['resume']]) expect(other.run(words).stderr).toMatch(OFFER)
  expect(names(other)).toEqual([])
  const done = other.run(['import', '--adopt', 'repo'])
  expect(done.stdout).toContain('This clone now has the work of "repo": 1 piece of work.')
  expect(names(other)).toEqual(['auth'])
  expect(other.run(['status']).stderr).not.toMatch(OFFER)
  // A save goes on in the same line, with the ids of the first machine.
  expect(other.json(['save', 'Went on', '--stream', 'auth'])).toMatchObject({ sequence: 2 })
})

test('at a terminal the user is asked once: no is kept, yes takes it over and answers at once', async () => {
  const { other } = carried()
  const no = await withAnswers(other, ['status'], ['n'])
  expect(no.asked).toEqual([expect.stringContaining('Use it here? (y/N)')])
  expect(names(other)).toEqual([])
  expect((await withAnswers(other, ['resume'], ['y'])).asked).toEqual([])
  const { other: second } = carried()
  const yes = await withAnswers(second, ['resume'], ['y'])
  expect(yes.told).toContain('Login works')
  expect(names(second)).toEqual(['auth'])
})

test('an agent and its hooks hear nothing of it', () => {
  const { other } = carried()
  for (const words of [['status'], ['resume'], ['save', 'One']])
    expect(other.run(words, { env: { CLAUDECODE: '1' } }).stderr).not.toContain('clone of')
  const payload = {
    session_id: 'a0000000-aaaa-4bbb-8ccc-000000000000',
    hook_event_name: 'SessionStart',
    cwd: other.repo,
    source: 'startup',
  }
  const { stdout, stderr } = other.hook(['claude'], { input: JSON.stringify(payload) })
  expect(stdout + stderr).not.toMatch(/clone of|Login works/)
})

test('without a remote it is known by its first commit, where git may be asked', () => {
  const { other } = carried('/srv/git/shop.git')
  expect(other.run(['status']).stderr).not.toMatch(OFFER)
  other.json(['trust'])
  expect(other.run(['status']).stderr).toMatch(OFFER)
})

test('another repository at the same remote is not taken for it where git may be asked', () => {
  const { other } = carried()
  other.git('checkout', '--quiet', '--orphan', 'new')
  other.git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '--allow-empty', '-m', 'other')
  other.json(['trust'])
  expect(other.run(['status']).stderr).not.toMatch(OFFER)
})

test('work that was saved in the clone before is kept beside what it takes over', () => {
  const { other } = carried()
  other.json(['save', 'Begun in the clone', '--stream', 'auth'])
  other.json(['save', 'Only here', '--stream', 'local'])
  expect(other.run(['status']).stderr).not.toMatch(OFFER)
  const done = other.run(['import', '--adopt', 'repo'])
  expect(done.stdout).toContain("auth existed in both; this clone's is now auth-2.")
  expect(names(other).sort()).toEqual(['auth', 'auth-2', 'local'])
  expect(other.json(['resume', 'auth-2']).work).toMatchObject({ now: 'Begun in the clone' })
  expect(other.json(['resume', 'auth']).work).toMatchObject({ now: 'Login works' })
  expect(other.json(['search', 'clone'])).toMatchObject({ total: 1, hits: [{ where: 'auth-2' }] })
  expect(other.json(['doctor'])).toMatchObject({ healthy: true })
  expect(other.json(['import', '--adopt', 'repo']).adopted).toMatchObject({ renamed: [] })
})

test('a copy or a second clone beside the original is a repository of its own', () => {
  const box = firstMachine()
  box.json(['save', 'Login works', '--stream', 'auth'])
  const copy = elsewhere(box, 'copy')
  cpSync(box.repo, copy.repo, { recursive: true })
  const { stderr } = copy.run(['status'])
  expect(stderr).not.toContain('clone of')
  expect(refusal(copy, 'import', '--adopt', 'repo')).toMatchObject({
    reason: 'repository_present',
    data: { path: box.repo },
  })
  expect(names(copy)).toEqual([])
  // Once the original is gone, the copy may have its work.
  rmSync(box.repo, { recursive: true })
  expect(copy.json(['import', '--adopt', 'repo']).adopted).toMatchObject({ work: 1 })
  expect(history(copy, 'auth')).toHaveLength(1)
})

test('a store that was restored on another machine is offered to the clone there', () => {
  const box = firstMachine()
  box.json(['save', 'Login works', '--stream', 'auth'])
  box.json(['backup', fileIn(box, 'copy.db')])
  const other = otherMachine(box)
  other.json(['backup', '--restore', fileIn(box, 'copy.db')])
  rmSync(box.repo, { recursive: true })
  expect(other.run(['status']).stderr).toMatch(OFFER)
  other.json(['import', '--adopt', 'repo'])
  expect(names(other)).toEqual(['auth'])
})

test('what nobody knows cannot be adopted', () => {
  const { other } = carried()
  expect(refusal(other, 'import', '--adopt', 'nothing')).toMatchObject({ reason: 'repository_unknown' })
  // What is no clone is told so, whatever the store knows.
  const folder = elsewhere(other, 'user')
  expect(refusal(folder, 'import', '--adopt', 'repo')).toMatchObject({
    message: 'This folder is not a git repository, so it cannot adopt the work of repo.',
  })
  expect(rows(other, 'SELECT remote FROM repositories')).toEqual([{ remote: 'example.org/team/shop' }])
})

test('a search of all projects names the repository, not the worktree', () => {
  const box = firstMachine()
  box.json(['save', 'Login works', '--stream', 'auth'])
  const tree = elsewhere(box, 'feature-tree')
  box.git('worktree', 'add', '--quiet', tree.repo, '-b', 'feature')
  tree.json(['save', 'Login in a worktree', '--stream', 'tree'])
  const outside = elsewhere(box, 'user')
  // `as`: the shape is what the verb answers with.
  const { hits } = outside.json(['search', 'login', '--all-workspaces']) as unknown as {
    hits: Array<{ project: string; open: string }>
  }
  expect(new Set(hits.map(({ project }) => project))).toEqual(new Set(['repo']))
  for (const { open } of hits) expect(open).toContain(`cd ${box.repo} && `)
})

test('a document that came with the clone is listed once after its work was adopted', () => {
  const box = firstMachine({ auth: textOf('auth') })
  box.json(['save', 'Login works', '--stream', 'auth'])
  commit(box, 'documents')
  const other = otherMachine(box)
  other.json(['import', exported(box), '--adopt', 'repo'])
  expect(other.json(['list'])).toMatchObject({
    documents: [{ id: 'auth', standing: 'foreign' }],
    ...{ hidden: 0, trusted: false },
  })
  expect(other.json(['list', '--all'])).toMatchObject({ documents: [{ id: 'auth', standing: 'foreign' }] })
})

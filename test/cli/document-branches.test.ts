import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Sandbox } from '../support/sandbox.ts'
import {
  active,
  checkpoints,
  commit,
  edit,
  elsewhere,
  focused,
  history,
  identify,
  listed,
  put,
  reasonFor,
  refusal,
  rows,
  standings,
  stopped,
  textOf,
  workBox,
} from './document-lab.ts'

const status = (box: Sandbox) => box.git('status', '--porcelain')
const branch = (box: Sandbox, name: string) => box.git('checkout', '--quiet', name)
const positionOf = (box: Sandbox, id: string) => listed(box, '--all').find((one) => one.id === id)?.sequence

/** Nothing is told, but that a commit which git applied anew is not known as the user's own. */
const QUIET = /^(?:savepoint: a contains unreviewed text. Review it: savepoint trust --review\n)?$/

/** Every verb that only looks, as a user or an agent would at each stop. */
function lookAround(box: Sandbox, ...ids: string[]): void {
  for (const words of [['list'], ['list', '--all'], ['tree'], ['focus'], ...ids.map((id) => ['show', id])])
    expect(box.run(words), words.join(' ')).toMatchObject({ code: 0, stderr: expect.stringMatching(QUIET) })
}

/** `main` and `side` differ in every document: `a` is changed, `b` and `c` are on one of them alone. */
function twoBranches(): { box: Sandbox; texts: Record<string, Record<string, string>> } {
  const box = workBox({ a: textOf('a', { status: 'current' }), b: textOf('b') })
  const write = (what: string, ...ids: string[]) => {
    for (const id of ids) box.json(['delta', id, '--what', what, '--artifact', 'x:created:y'])
    commit(box, what)
    return Object.fromEntries(ids.map((id) => [id, box.read(active(id))]))
  }
  box.git('checkout', '--quiet', '-b', 'side')
  edit(box, active('a'), 'as it began', 'on the side')
  edit(box, active('a'), 'status: current', 'status: active')
  put(box, active('c'), textOf('c', { status: 'current' }))
  box.git('rm', '--quiet', active('b'))
  const side = write('Work on the side', 'a', 'c')
  branch(box, 'main')
  const main = write('Work on main', 'a', 'b')
  return { box, texts: { main, side } }
}

test('ten round trips between two branches add no checkpoint and change no byte; focus follows', {
  timeout: 120_000,
}, () => {
  const { box, texts } = twoBranches()
  const before = checkpoints(box)
  const commits = box.git('log', '--all', '--format=%H')
  for (let trip = 0; trip < 10; trip += 1)
    for (const [name, current] of [
      ['side', 'c'],
      ['main', 'a'],
    ] as const) {
      branch(box, name)
      const documents = texts[name] ?? {}
      expect(standings(box)).toEqual(
        Object.fromEntries(Object.keys(documents).map((id) => [id, id === current ? 'focused' : 'open'])),
      )
      expect(box.run(['focus', '--json'])).toMatchObject({
        code: 0,
        stderr: '',
        stdout: expect.stringContaining(`"id":"${current}"`),
      })
      for (const [id, text] of Object.entries(documents)) {
        expect(box.run(['show', id])).toMatchObject({ code: 0, stderr: '', stdout: text })
        expect(box.read(active(id))).toBe(text)
      }
      expect(status(box)).toBe('')
    }
  expect(checkpoints(box)).toBe(before)
  expect(box.git('log', '--all', '--format=%H')).toBe(commits)
})

test('a branch switch without a look between is followed too', () => {
  const { box } = twoBranches()
  const before = checkpoints(box)
  for (let trip = 0; trip < 10; trip += 1) branch(box, trip % 2 === 0 ? 'side' : 'main')
  branch(box, 'side')
  expect(focused(box)).toBe('c')
  expect(checkpoints(box)).toBe(before)
})

test('a delta on each branch goes on from what stands there', () => {
  const { box } = twoBranches()
  expect(box.read(active('a'))).toContain('Work on main')
  expect(box.read(active('a'))).not.toContain('Work on the side')
  expect(history(box, 'a').map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4])
  expect(positionOf(box, 'a')).toBe(4)
  branch(box, 'side')
  expect(positionOf(box, 'a')).toBe(3)
  box.json(['delta', 'a', '--what', 'More on the side'])
  expect(box.read(active('a')).match(/(Work|More) on .*/g)).toEqual(['Work on the side', 'More on the side'])
  expect(positionOf(box, 'a')).toBe(5)
})

test('`git stash` and `stash pop` are never blocked, and make no checkpoint', () => {
  const box = workBox({ a: textOf('a') })
  edit(box, active('a'), 'as it began', 'Login works.')
  box.json(['delta', 'a', '--what', 'Tokens rotate'])
  const text = box.read(active('a'))
  const before = checkpoints(box)
  for (let turn = 0; turn < 3; turn += 1) {
    box.git('stash')
    lookAround(box, 'a')
    expect(box.read(active('a'))).toBe(textOf('a'))
    expect(positionOf(box, 'a')).toBe(1)
    expect(status(box)).toBe('')
    box.git('stash', 'pop')
    lookAround(box, 'a')
    expect(box.read(active('a'))).toBe(text)
    expect(positionOf(box, 'a')).toBe(3)
  }
  expect(checkpoints(box)).toBe(before)
})

test('a stash of an edit that nobody saw is taken in once, when it is popped', () => {
  const box = workBox({ a: textOf('a') })
  edit(box, active('a'), 'as it began', 'Login works.')
  box.git('stash')
  lookAround(box, 'a')
  box.git('stash', 'pop')
  lookAround(box, 'a')
  expect(history(box, 'a')).toHaveLength(2)
})

test('documents that git does not track go and come with `git stash -u`', () => {
  const box = workBox()
  box.json(['new', 'a', '--current'])
  const text = box.read(active('a'))
  box.git('stash', '-u')
  expect(standings(box)).toEqual({})
  box.git('stash', 'pop')
  expect(box.read(active('a'))).toBe(text)
  expect(standings(box)).toEqual({ a: 'focused' })
  expect(checkpoints(box)).toBe(1)
})

/** A bare remote with `main`, and a second clone of it. */
function withRemote(box: Sandbox): Sandbox {
  const remote = join(box.root, 'remote.git')
  box.git('init', '--quiet', '--bare', '--initial-branch=main', remote)
  box.git('remote', 'add', 'origin', remote)
  box.git('push', '--quiet', '-u', 'origin', 'main')
  box.git('remote', 'set-head', 'origin', 'main')
  box.git('clone', '--quiet', remote, join(box.root, 'other'))
  const other = elsewhere(box, 'other')
  identify(other, 'Olga Other')
  return other
}

test('`git pull --rebase` is never blocked, and both sides arrive', () => {
  const box = workBox({ a: textOf('a'), b: textOf('b') })
  const other = withRemote(box)
  edit(other, active('b'), 'as it began', 'Changed elsewhere.')
  const theirs = commit(other, 'their work')
  other.git('push', '--quiet')
  box.json(['delta', 'a', '--what', 'Tokens rotate'])
  commit(box, 'our work')
  const before = checkpoints(box)
  box.git('pull', '--quiet', '--rebase')
  lookAround(box, 'a', 'b')
  expect(status(box)).toBe('')
  expect(checkpoints(box)).toBe(before + 1)
  const [newest] = rows(box, `SELECT body FROM checkpoints ORDER BY rowid DESC LIMIT 1`)
  expect(JSON.parse(String(newest?.body)).provenance).toMatchObject({ commit: theirs, author: 'Olga Other' })
  expect(listed(box).map(({ foreign }) => foreign)).toEqual([false, false])
  lookAround(box, 'a', 'b')
  expect(checkpoints(box)).toBe(before + 1)
})

test('a delta of ours whose commit a `pull --rebase` moved is not foreign', () => {
  const box = workBox({ a: textOf('a') })
  const other = withRemote(box)
  put(other, 'readme.txt', 'their line\n')
  commit(other, 'their work')
  other.git('push', '--quiet')
  box.json(['delta', 'a', '--what', 'Tokens rotate'])
  commit(box, 'our work')
  box.git('pull', '--quiet', '--rebase')
  expect(listed(box)).toMatchObject([{ id: 'a', foreign: false, checkpoints: 2 }])
})

test('a pull that changes the document in which a delta was written is taken in as one', () => {
  const box = workBox({ a: textOf('a') })
  const other = withRemote(box)
  edit(other, active('a'), 'Login that lasts.', 'Login that lasts for a week.')
  commit(other, 'their work')
  other.git('push', '--quiet')
  box.json(['delta', 'a', '--what', 'Tokens rotate'])
  commit(box, 'our work')
  box.git('pull', '--quiet', '--rebase')
  const merged = box.read(active('a'))
  expect(merged).toContain('for a week')
  expect(merged).toContain('Tokens rotate')
  lookAround(box, 'a')
  expect(box.run(['show', 'a']).stdout).toBe(merged)
  expect(history(box, 'a')).toHaveLength(3)
  expect(status(box)).toBe('')
})

test('a reverted commit brings the old position back', () => {
  const box = workBox({ a: textOf('a') })
  box.json(['delta', 'a', '--what', 'Tokens rotate'])
  commit(box, 'delta')
  box.git('revert', '--no-edit', 'HEAD')
  lookAround(box, 'a')
  expect(positionOf(box, 'a')).toBe(1)
  expect(history(box, 'a')).toHaveLength(2)
  box.git('reset', '--quiet', '--hard', 'HEAD~1')
  expect(positionOf(box, 'a')).toBe(2)
  expect(history(box, 'a')).toHaveLength(2)
})

/** Two branches that change the same line of `a`; `main` is checked out, and both texts are known. */
function conflicting(): Sandbox {
  const box = workBox({ a: textOf('a'), b: textOf('b') })
  box.git('checkout', '--quiet', '-b', 'side')
  edit(box, active('a'), 'as it began', 'side')
  commit(box, 'side')
  box.json(['list'])
  branch(box, 'main')
  edit(box, active('a'), 'as it began', 'main')
  commit(box, 'main')
  box.json(['list'])
  return box
}

const WRITING = [
  ['delta', 'b', '--what', 'x'],
  ['focus', 'b'],
  ['focus', '--clear'],
  ['new', 'z'],
  ['fork', 'b', 'z'],
  ['archive', 'b', '--outcome', 'x'],
  ['restore', 'b', '--at', '1'],
]

const STOPS: Record<string, { stop: string[]; goOn: string[] }> = {
  merge: { stop: ['merge', 'side'], goOn: ['commit', '--quiet', '--no-edit'] },
  rebase: { stop: ['rebase', 'side'], goOn: ['-c', 'core.editor=true', 'rebase', '--continue'] },
  'cherry-pick': {
    stop: ['cherry-pick', 'side'],
    goOn: ['-c', 'core.editor=true', 'cherry-pick', '--continue'],
  },
}

test.each(Object.keys(STOPS))(
  'a stopped %s: documents are left alone, and taken in after it',
  { timeout: 60_000 },
  (name) => {
    const { stop = [], goOn = [] } = STOPS[name] ?? {}
    const box = conflicting()
    const before = checkpoints(box)
    stopped(box, ...stop)
    const bytes = box.read(active('a'))
    expect(bytes).toContain('<<<<<<<')
    const index = box.git('ls-files', '--stage')
    for (const words of [['list'], ['tree'], ['show', 'a'], ['focus']]) {
      const done = box.run(words)
      expect(done.code, words.join(' ')).toBe(0)
      expect(done.stderr, words.join(' ')).toContain(`A git ${name} is in progress`)
    }
    for (const words of WRITING)
      expect(refusal(box, ...words), words.join(' ')).toMatchObject({
        reason: 'git_in_progress',
        message: expect.stringContaining(name),
      })
    expect(box.run(['doctor', '--fix']).stdout).toContain(`A git ${name} is in progress`)
    expect(box.read(active('a'))).toBe(bytes)
    expect(box.git('ls-files', '--stage')).toBe(index)
    expect(existsSync(box.path(active('z')))).toBe(false)
    expect(checkpoints(box)).toBe(before)
    const resolved = textOf('a', { state: 'both of them' })
    put(box, active('a'), resolved)
    box.git('add', '--all')
    expect(box.run(['list']).stderr).toContain('in progress')
    expect(checkpoints(box)).toBe(before)
    box.git(...goOn)
    lookAround(box, 'a')
    expect(box.run(['show', 'a']).stdout).toBe(resolved)
    expect(checkpoints(box)).toBe(before + 1)
    expect(status(box)).toBe('')
  },
)

test('an aborted merge leaves no trace', () => {
  const box = conflicting()
  const before = checkpoints(box)
  stopped(box, 'merge', 'side')
  box.run(['list'])
  box.git('merge', '--abort')
  lookAround(box, 'a', 'b')
  expect(checkpoints(box)).toBe(before)
  expect(box.run(['show', 'a']).stdout).toContain('main')
})

test('a rebase that stops for an edit, without a conflict, is left alone too', () => {
  const box = conflicting()
  const before = checkpoints(box)
  box.git('-c', 'sequence.editor=sed -i s/^pick/edit/', 'rebase', '-i', 'HEAD~1')
  put(box, active('a'), textOf('a', { state: 'half done' }))
  expect(box.run(['list']).stderr).toContain('A git rebase is in progress')
  expect(checkpoints(box)).toBe(before)
  box.git('checkout', '--', '.')
  box.git('rebase', '--continue')
  lookAround(box, 'a')
  expect(checkpoints(box)).toBe(before)
})

test('conflict markers that a stash left are named with their line, and the document refuses to be written', () => {
  const box = workBox({ a: textOf('a'), b: textOf('b') })
  edit(box, active('a'), 'as it began', 'stashed')
  box.git('stash')
  edit(box, active('a'), 'as it began', 'committed')
  commit(box, 'other')
  box.json(['list'])
  const before = checkpoints(box)
  stopped(box, 'stash', 'pop')
  const bytes = box.read(active('a'))
  const line = bytes.split('\n').findIndex((text) => text.startsWith('<<<<<<<')) + 1
  for (const words of [['list'], ['show', 'a'], ['tree'], ['focus'], ['delta', 'b', '--what', 'x']])
    expect(box.run(words).stderr, words.join(' ')).toContain(
      `checkpoints/active/a.md:${line}: it has conflict markers`,
    )
  for (const words of [
    ['delta', 'a', '--what', 'x'],
    ['focus', 'a'],
    ['archive', 'a', '--outcome', 'x'],
    ['restore', 'a', '--at', '1'],
    ['compress', 'a'],
  ])
    expect(reasonFor(box, ...words), words.join(' ')).toBe('document_conflicted')
  expect(box.run(['show', 'a']).stdout).toContain('committed')
  expect(box.read(active('a'))).toBe(bytes)
  expect(checkpoints(box)).toBe(before + 1)
  put(box, active('a'), textOf('a', { state: 'resolved' }))
  box.git('add', '--all')
  expect(box.run(['show', 'a'])).toMatchObject({ code: 0, stderr: '' })
  expect(checkpoints(box)).toBe(before + 2)
})

test('a merge brings two current documents: it is told, and focus stays one [000.15] [000.16]', () => {
  const box = workBox({ a: textOf('a', { status: 'current' }) })
  box.git('checkout', '--quiet', '-b', 'side')
  edit(box, active('a'), 'status: current', 'status: active')
  put(box, active('b'), textOf('b', { status: 'current', more: 'last_delta: 2026-05-01T00:00:00Z\n' }))
  commit(box, 'side')
  branch(box, 'main')
  expect(focused(box)).toBe('a')
  box.git('checkout', '--quiet', 'side', '--', active('b'))
  commit(box, 'take b')
  expect(box.run(['list']).stderr).toContain('Several documents are marked current: a, b')
  expect(focused(box)).toBe('a')
  expect(box.run(['doctor', '--fix']).stdout).toContain('focused b')
  expect(focused(box)).toBe('b')
})

test('two worktrees with one stream: neither writes over the other, and both histories are there', {
  timeout: 60_000,
}, () => {
  const box = workBox({ a: textOf('a') })
  box.git('worktree', 'add', '--quiet', '-b', 'side', join(box.root, 'second'))
  const second = elsewhere(box, 'second')
  expect(standings(second)).toEqual({ a: 'open' })
  expect(checkpoints(box)).toBe(1)
  edit(second, active('a'), 'as it began', 'in the second')
  second.json(['list'])
  expect(box.read(active('a'))).toBe(textOf('a'))
  for (const turn of [1, 2, 3]) {
    box.json(['delta', 'a', '--what', `First, ${turn}`])
    second.json(['delta', 'a', '--what', `Second, ${turn}`])
  }
  expect(box.read(active('a')).match(/(First|Second), \d/g)).toEqual(['First, 1', 'First, 2', 'First, 3'])
  expect(second.read(active('a')).match(/(First|Second), \d/g)).toEqual([
    'Second, 1',
    'Second, 2',
    'Second, 3',
  ])
  expect(second.read(active('a'))).toContain('in the second')
  expect([positionOf(box, 'a'), positionOf(second, 'a')]).toEqual([7, 8])
  expect(history(box, 'a').map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  expect(history(second, 'a').filter(({ here }) => here)).toMatchObject([{ sequence: 8 }])
  expect(rows(box, "SELECT id FROM streams WHERE kind = 'work'")).toHaveLength(1)
})

test('focus is of one worktree: the other keeps its own [000.10]', () => {
  const box = workBox({ a: textOf('a'), b: textOf('b') })
  box.git('worktree', 'add', '--quiet', '-b', 'side', join(box.root, 'second'))
  const second = elsewhere(box, 'second')
  box.json(['focus', 'a'])
  second.json(['focus', 'b'])
  expect([focused(box), focused(second)]).toEqual(['a', 'b'])
  expect(box.read(active('b'))).toBe(textOf('b'))
})

test('a document that is archived in one worktree is open in the other until git brings it', () => {
  const box = workBox({ a: textOf('a') })
  box.git('worktree', 'add', '--quiet', '-b', 'side', join(box.root, 'second'))
  const second = elsewhere(box, 'second')
  box.json(['archive', 'a', '--outcome', 'Live'])
  expect(standings(second)).toEqual({ a: 'open' })
  expect(second.read(active('a'))).toBe(textOf('a'))
  commit(box, 'archive')
  second.git('merge', '--quiet', 'main')
  expect(standings(second, '--all')).toEqual({ a: 'archived' })
  expect(history(box, 'a')).toHaveLength(2)
})

test('a branch on which a document is archived: round trips keep both states [000.13]', () => {
  const box = workBox({ a: textOf('a', { status: 'current' }) })
  box.git('checkout', '--quiet', '-b', 'done')
  box.json(['archive', 'a', '--outcome', 'Live', '--learning', 'Rotate tokens'])
  commit(box, 'archive')
  const before = checkpoints(box)
  for (let trip = 0; trip < 3; trip += 1) {
    branch(box, 'main')
    expect(standings(box, '--all')).toEqual({ a: 'focused' })
    expect(status(box)).toBe('')
    branch(box, 'done')
    expect(standings(box, '--all')).toEqual({ a: 'archived' })
    expect(focused(box)).toBeNull()
    expect(status(box)).toBe('')
  }
  expect(checkpoints(box)).toBe(before)
})

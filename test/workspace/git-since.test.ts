import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { commitsSince } from '../../src/workspace/git-commits.ts'
import { locateWorkspace } from '../../src/workspace/locate.ts'
import { sandbox } from '../support/sandbox.ts'
import { commit, forked, put, type Repository, repository, tellTale } from './repository.ts'

const UNKNOWN = { count: null, subjects: [], problem: null }
const NONE = { count: 0, subjects: [], problem: null }

/** A repository with as many commits, called 1, 2, 3 and so on, and their names. */
function grown(count: number): { box: Repository; hashes: string[] } {
  const box = repository()
  return { box, hashes: Array.from({ length: count }, (_, n) => dated(box, n + 1)) }
}

/** Each a second after the one before, so that the newest is the newest. */
function dated(box: Repository, n: number): string {
  box.env.GIT_COMMITTER_DATE = `${1_700_000_000 + n} +0000`
  return commit(box, {}, `${n}`)
}

const since = ({ place }: Repository, hash: string | null = null) => commitsSince(place, hash)

describe('the commits since a commit', () => {
  test('are counted, and the five newest are told by their subjects', async () => {
    const { box, hashes } = grown(8)
    const [first = ''] = hashes
    expect(await since(box, first)).toEqual({
      count: 7,
      subjects: ['8', '7', '6', '5', '4'],
      problem: null,
    })
    expect(await since(box, hashes[6])).toEqual({ count: 1, subjects: ['8'], problem: null })
    expect(await since(box, hashes[7])).toEqual(NONE)
  })

  test('are the same detached, on a branch with slashes and in another worktree', async () => {
    const { box, hashes } = grown(3)
    const [first = ''] = hashes
    const two = { count: 2, subjects: ['3', '2'], problem: null }
    box.git('checkout', '--quiet', '-b', 'a/b/c')
    expect(await since(box, first)).toEqual(two)
    box.git('checkout', '--quiet', '--detach')
    expect(await since(box, first)).toEqual(two)
    box.git('worktree', 'add', '--quiet', '--detach', '../linked', 'HEAD~1')
    const other = await commitsSince(locateWorkspace(join(box.root, 'linked')), first)
    expect(other).toEqual({ count: 1, subjects: ['2'], problem: null })
  })

  test('are none where HEAD went back, and one where it was amended', async () => {
    const { box, hashes } = grown(3)
    const [first = '', , third = ''] = hashes
    box.git('commit', '--quiet', '--amend', '--allow-empty', '-m', 'better')
    expect(await since(box, third)).toEqual({ count: 1, subjects: ['better'], problem: null })
    box.git('reset', '--quiet', '--hard', first)
    expect(await since(box, third)).toEqual(NONE)
  })

  test('of another branch are those that it does not have, a merge among them', async () => {
    const box = repository()
    const { side, trunk } = forked(box)
    expect(await since(box, side)).toMatchObject({ count: 1, subjects: ['work'] })
    box.git('merge', '--quiet', '--strategy=ours', '-m', 'joined', 'side')
    expect(await since(box, trunk)).toMatchObject({ count: 2, problem: null })
    expect((await since(box, trunk)).subjects).toContain('joined')
  })

  test('are unknown for no commit, one that is gone, and one of an unrelated history', async () => {
    const { box, hashes } = grown(2)
    const names = [null, '', 'HEAD', '--all', 'f'.repeat(40), 'f'.repeat(64), (hashes[0] ?? '').slice(0, 12)]
    for (const name of names) expect(await since(box, name), `${name}`).toEqual(UNKNOWN)
    const tree = box.git('rev-parse', 'HEAD^{tree}').trim()
    expect(await since(box, tree)).toEqual(UNKNOWN)
    box.git('checkout', '--quiet', '--orphan', 'fresh')
    expect(await since(box, hashes[1])).toEqual(UNKNOWN)
    dated(box, 3)
    dated(box, 4)
    expect(await since(box, hashes[1])).toEqual(UNKNOWN)
    box.git('merge', '--quiet', '--allow-unrelated-histories', '-m', 'joined', 'trunk')
    expect(await since(box, hashes[1])).toMatchObject({ count: 3, problem: null })
  })

  test('are unknown where an amended commit was swept away', async () => {
    const { box, hashes } = grown(2)
    box.git('commit', '--quiet', '--amend', '--allow-empty', '-m', 'better')
    box.git('reflog', 'expire', '--expire=now', '--all')
    box.git('gc', '--quiet', '--prune=now')
    expect(await since(box, hashes[1])).toEqual(UNKNOWN)
    expect(await since(box, hashes[0])).toMatchObject({ count: 1 })
  })

  test('are counted in a shallow clone as far as it goes', async () => {
    const { box, hashes } = grown(4)
    box.git('clone', '--quiet', '--depth=2', `file://${box.repo}`, '../shallow')
    const place = locateWorkspace(join(box.root, 'shallow'))
    expect(await commitsSince(place, hashes[2] ?? '')).toEqual({ count: 1, subjects: ['4'], problem: null })
    expect(await commitsSince(place, hashes[0] ?? '')).toEqual(UNKNOWN)
  })

  test('are told by any subject, also none, whatever the settings and files are called', async () => {
    const { box, hashes } = grown(1)
    const subjects = ['über "all"; $(x)', '-n 3', '漢字 \u001b[31m']
    put(box, 'HEAD', 'a file of that name\n')
    for (const [n, subject] of subjects.entries()) {
      box.env.GIT_COMMITTER_DATE = `${1_700_000_100 + n} +0000`
      commit(box, {}, `${subject}\n\nbody\n`)
    }
    box.env.GIT_COMMITTER_DATE = '1700000200 +0000'
    box.git('commit', '--quiet', '--allow-empty', '--allow-empty-message', '-m', '')
    box.git('config', 'i18n.logOutputEncoding', 'ISO-8859-1')
    box.git('config', 'log.decorate', 'full')
    box.git('notes', 'add', '-m', 'a note')
    expect(await since(box, hashes[0])).toEqual({
      count: 4,
      subjects: ['', ...subjects.toReversed()],
      problem: null,
    })
  })

  test('are told without a program that would check their signatures', async () => {
    const { box, hashes } = grown(1)
    const { program, trace } = tellTale(box, 'verify')
    box.git('config', 'gpg.program', program)
    box.git('config', 'log.showSignature', 'true')
    const [headers = ''] = box.git('cat-file', 'commit', 'HEAD').split('\n\n')
    const signature = 'gpgsig -----BEGIN PGP SIGNATURE-----\n x\n -----END PGP SIGNATURE-----'
    const lines = headers.replace(/^author/m, `parent ${hashes[0]}\nauthor`)
    writeFileSync(join(box.root, 'signed'), `${lines}\n${signature}\n\nsigned\n`)
    box.git('reset', '--quiet', box.git('hash-object', '-w', '-t', 'commit', '../signed').trim())
    expect(await since(box, hashes[0])).toEqual({ count: 1, subjects: ['signed'], problem: null })
    expect(existsSync(trace)).toBe(false)
    box.git('log', '-1')
    expect(existsSync(trace)).toBe(true)
  })

  test('come in their order though the clock went back', async () => {
    const { box, hashes } = grown(1)
    for (const n of [40, 30, 20]) dated(box, n)
    expect(await since(box, hashes[0])).toEqual({ count: 3, subjects: ['20', '30', '40'], problem: null })
  })

  test('cost two commands, and none where there is nothing to ask', async () => {
    const { box, hashes } = grown(2)
    const calls = join(box.root, 'calls')
    const real = box.git('--exec-path').trim()
    const fake = join(box.root, 'git')
    writeFileSync(calls, '')
    writeFileSync(fake, `#!/bin/sh\necho call >> '${calls}'\nexec '${real}/git' "$@"\n`)
    chmodSync(fake, 0o755)
    vi.stubEnv('PATH', `${box.root}:${process.env.PATH}`)
    expect(await since(box, null)).toEqual(UNKNOWN)
    expect(await since(box, 'main')).toEqual(UNKNOWN)
    expect(readFileSync(calls, 'utf8')).toBe('')
    expect(await since(box, hashes[0])).toMatchObject({ count: 1 })
    expect(readFileSync(calls, 'utf8')).toBe('call\ncall\n')
  })

  test('come with the problem where git does not answer', async () => {
    const { box, hashes } = grown(1)
    const plain = locateWorkspace(sandbox({ git: false }).repo)
    expect(await commitsSince(plain, 'f'.repeat(40))).toEqual({
      ...UNKNOWN,
      problem: 'not a git repository',
    })
    vi.stubEnv('PATH', join(box.root, 'nothing'))
    expect(await since(box, hashes[0])).toEqual({ ...UNKNOWN, problem: 'git is not installed' })
  })
})

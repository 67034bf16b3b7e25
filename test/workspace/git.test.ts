import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { runGit } from '../../src/workspace/git.ts'
import { listChangedSince } from '../../src/workspace/git-changes.ts'
import { authorOf } from '../../src/workspace/git-history.ts'
import { isTracked, moveInIndex } from '../../src/workspace/git-index.ts'
import { locateWorkspace } from '../../src/workspace/locate.ts'
import { sandbox } from '../support/sandbox.ts'
import { commit, put, type Repository, repository, tellTale } from './repository.ts'

/** Puts a program called `runGit` before the real one. */
function fakeGit(box: Repository, script: string): void {
  const folder = join(box.root, 'bin')
  mkdirSync(folder)
  writeFileSync(join(folder, 'git'), `#!/bin/sh\n${script}\n`)
  chmodSync(join(folder, 'git'), 0o755)
  vi.stubEnv('PATH', `${folder}${delimiter}${process.env.PATH}`)
}

/** A commit with a signature that some program would have to check. */
function signedCommit(box: Repository): string {
  const signer = join(box.root, 'signer')
  const lines = ['-----BEGIN PGP SIGNATURE-----', 'x', '-----END PGP SIGNATURE-----']
  const script = [
    `echo '[GNUPG:] SIG_CREATED ' >&2`,
    'cat > /dev/null',
    ...lines.map((line) => `echo '${line}'`),
  ]
  writeFileSync(signer, `#!/bin/sh\n${script.join('\n')}\n`)
  chmodSync(signer, 0o755)
  put(box, 'signed', '1\n')
  box.git('add', 'signed')
  box.git('-c', `gpg.program=${signer}`, 'commit', '--quiet', '--gpg-sign=x', '-m', 'signed')
  return box.git('rev-parse', 'HEAD').trim()
}

const isAlive = (pid: number) => {
  const state = /^\d+ \(.*\) (\w)/.exec(
    spawnSync('cat', [`/proc/${pid}/stat`], { encoding: 'utf8' }).stdout,
  )?.[1]
  return state !== undefined && state !== 'Z' && state !== 'X'
}

describe('a git command', () => {
  test('answers with its output, or with its complaint and code', async () => {
    const box = repository()
    const hash = commit(box, { a: '1\n' })
    expect(await runGit(box.place, ['rev-parse', 'HEAD'])).toEqual({ ok: true, out: `${hash}\n` })
    expect(await runGit(box.place, ['rev-parse', '--verify', 'nowhere'])).toEqual({
      ok: false,
      problem: 'Needed a single revision',
      code: 128,
    })
    const input = Buffer.from('hello\n')
    const hashed = await runGit(box.place, ['hash-object', '--stdin'], { input })
    expect(hashed).toEqual({ ok: true, out: 'ce013625030ba8dba906f756967f9e9ca394464a\n' })
  })

  test('does not run where there is no repository', async () => {
    const { repo } = sandbox({ git: false })
    expect(await runGit(locateWorkspace(repo), ['--version'])).toMatchObject({
      problem: 'this is not a git repository',
    })
  })

  test('does not take up a repository around a broken one', async () => {
    const box = repository()
    commit(box, { a: '1\n' })
    mkdirSync(box.path('inner', '.git'), { recursive: true })
    copyFileSync(box.path('.git', 'HEAD'), box.path('inner', '.git', 'HEAD'))
    const inner = locateWorkspace(box.path('inner'))
    expect(inner.root).toBe(box.path('inner'))
    expect(await runGit(inner, ['rev-parse', '--git-dir'])).toMatchObject({ ok: false, code: 128 })
  })

  test('says that git is missing', async () => {
    const box = repository()
    vi.stubEnv('PATH', join(box.root, 'nothing'))
    expect(await runGit(box.place, ['--version'])).toEqual({
      ok: false,
      problem: 'git is not installed',
      code: null,
    })
    expect(await listChangedSince(box.place, null, 0)).toEqual({
      changes: [],
      problem: 'git is not installed',
    })
    expect(await authorOf(box.place, 'a')).toBe(null)
    expect(await isTracked(box.place, 'a')).toBe(true)
    expect(await moveInIndex(box.place, 'a', 'b')).toEqual({ problem: 'git is not installed' })
  })

  test('is not started with what no program can be given', async () => {
    const { place } = repository()
    expect(await runGit(place, ['ls-files', '--', 'a\0b'])).toMatchObject({ ok: false, code: null })
  })

  test('that hangs is killed, with all that it started, though it will not listen', async () => {
    const box = repository()
    const pids = join(box.root, 'pids')
    fakeGit(
      box,
      `trap '' TERM\nsleep 600 &\necho $$ $! > '${pids}.new'; mv '${pids}.new' '${pids}'\nwait; wait; sleep 600`,
    )
    const answer = await runGit(box.place, ['status'], { timeoutMs: 1_500 })
    expect(answer).toEqual({ ok: false, problem: 'git took longer than 1500 ms', code: null })
    const started = readFileSync(pids, 'utf8').trim().split(' ').map(Number)
    expect(started).toHaveLength(2)
    await vi.waitFor(() => expect(started.filter(isAlive)).toEqual([]), { timeout: 60_000 })
  })

  test('that is too slow may take its lock away before it ends', async () => {
    const box = repository()
    const lock = join(box.root, 'lock')
    fakeGit(box, `: > '${lock}'\ntrap "rm -f '${lock}'; exit 143" TERM\nsleep 600 & wait`)
    expect(await runGit(box.place, ['status'], { timeoutMs: 1_500 })).toMatchObject({ ok: false, code: null })
    expect(existsSync(lock)).toBe(false)
  })

  test('that never stops answering is cut off', async () => {
    const box = repository()
    fakeGit(box, 'exec yes')
    expect(await runGit(box.place, ['status'])).toEqual({
      ok: false,
      problem: 'git answered with more than 16777216 bytes',
      code: null,
    })
  })

  test('that does not read its input says why itself', async () => {
    const box = repository()
    const input = Buffer.alloc(4 * 1024 * 1024)
    expect(await runGit(box.place, ['no-such-command'], { input })).toMatchObject({ ok: false, code: 1 })
  })

  test('ignores what the environment says of other repositories and settings', async () => {
    const other = repository()
    commit(other, { theirs: '1\n' })
    const box = repository()
    const { program, trace } = tellTale(box, 'monitor')
    commit(box, { mine: '1\n' })
    vi.stubEnv('GIT_DIR', other.path('.git'))
    vi.stubEnv('GIT_WORK_TREE', other.repo)
    vi.stubEnv('GIT_INDEX_FILE', other.path('.git', 'index'))
    vi.stubEnv('GIT_CONFIG_COUNT', '1')
    vi.stubEnv('GIT_CONFIG_KEY_0', 'core.fsmonitor')
    vi.stubEnv('GIT_CONFIG_VALUE_0', program)
    vi.stubEnv('GIT_TRACE', '1')
    expect(await runGit(box.place, ['ls-files'])).toEqual({ ok: true, out: 'mine\n' })
    expect([await isTracked(box.place, 'mine'), await isTracked(box.place, 'theirs')]).toEqual([true, false])
    expect(existsSync(trace)).toBe(false)
  })

  test('runs no hook, no monitor, no external diff and no text conversion', async () => {
    const box = repository()
    const first = commit(box, { a: '1\n', b: '1\n', '.gitattributes': '* diff=evil\n' })
    const signed = signedCommit(box)
    put(box, 'a', '2\n')
    const { program, trace } = tellTale(box, 'program')
    for (const key of [
      'core.fsmonitor',
      'diff.external',
      'diff.evil.command',
      'diff.evil.textconv',
      'gpg.program',
    ])
      box.git('config', key, program)
    box.git('config', 'log.showSignature', 'true')
    for (const hook of ['post-index-change', 'post-checkout', 'reference-transaction'])
      copyFileSync(program, box.path('.git', 'hooks', hook))
    const { changes, problem } = await listChangedSince(box.place, first, 0)
    expect([problem, changes.map(({ path }) => path)]).toEqual([null, ['a', 'signed']])
    expect(await authorOf(box.place, 'signed')).toMatchObject({ commit: signed })
    expect(await isTracked(box.place, 'b')).toBe(true)
    expect(await moveInIndex(box.place, 'b', 'c')).toBe('moved')
    expect(existsSync(trace)).toBe(false)
    box.git('update-index', '--force-remove', 'c')
    expect(existsSync(trace)).toBe(true)
  })

  test('fetches nothing that a partial clone lacks', async () => {
    const box = repository()
    commit(box, { a: '1\n' })
    commit(box, { a: '2\n' })
    box.git('config', 'uploadpack.allowFilter', 'true')
    box.git('clone', '--quiet', '--filter=blob:none', `file://${box.repo}`, '../partial')
    const partial = locateWorkspace(join(box.root, 'partial'))
    const old = box.git('rev-parse', 'HEAD~1:a').trim()
    expect(await runGit(partial, ['cat-file', 'blob', old])).toMatchObject({ ok: false })
    expect(box.git('-C', partial.root, 'cat-file', 'blob', old)).toBe('1\n')
  })

  test('leaves the index as it is, and works beside a lock', async () => {
    const box = repository()
    const first = commit(box, { a: '1\n', bin: Buffer.from([0, 1, 2]) })
    // The same content in a new file: its time stamps are not those of the index.
    for (const name of ['a', 'bin']) {
      const bytes = readFileSync(box.path(name))
      rmSync(box.path(name))
      put(box, name, bytes)
    }
    const index = readFileSync(box.path('.git', 'index'))
    put(box, '.git/index.lock', '')
    expect(await listChangedSince(box.place, first, 0)).toEqual({ changes: [], problem: null })
    expect(await authorOf(box.place, 'bin')).toMatchObject({ commit: first })
    rmSync(box.path('.git', 'index.lock'))
    expect(await listChangedSince(box.place, first, 0)).toEqual({ changes: [], problem: null })
    expect(readFileSync(box.path('.git', 'index')).equals(index)).toBe(true)
  })
})

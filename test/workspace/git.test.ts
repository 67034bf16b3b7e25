import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { runGit } from '../../src/workspace/git.ts'
import { listChangedSince, STATUS } from '../../src/workspace/git-changes.ts'
import { isTracked, moveInIndex } from '../../src/workspace/git-index.ts'
import { locateWorkspace } from '../../src/workspace/locate.ts'
import { sandbox } from '../support/sandbox.ts'
import { authorOf, commit, put, type Repository, repository, tellTale } from './repository.ts'

/** Puts a program called `runGit` before the real one. */
function fakeGit(box: Repository, script: string): void {
  const folder = join(box.root, 'bin')
  mkdirSync(folder)
  writeFileSync(join(folder, 'git'), `#!/bin/sh\n${script}\n`)
  chmodSync(join(folder, 'git'), 0o755)
  vi.stubEnv('PATH', `${folder}${delimiter}${process.env.PATH}`)
}

/** The user's own git settings. Never by `git config --global`: in a sandbox that is /dev/null, and git would replace it. */
function ofUser({ root }: Repository, settings: string): void {
  mkdirSync(join(root, 'user'), { recursive: true })
  writeFileSync(join(root, 'user', '.gitconfig'), settings)
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
      problem: 'not a git repository',
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
      problem: 'git printed more than 16777216 bytes',
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
    mkdirSync(box.path('.git', 'hooks'))
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

  describe('runs no program of the repository’s own settings', () => {
    /** A repository whose every file has the filter `evil`, and a file that differs from the index. */
    function filtered(): { box: Repository; program: string; trace: string } {
      const box = repository()
      commit(box, { a: '1\n', '.gitattributes': '* filter=evil diff=evil\n' })
      put(box, 'a', '2\n')
      return { box, ...tellTale(box, 'program') }
    }
    const KEYS = ['clean', 'smudge', 'process'].map((way) => `filter.evil.${way}`)

    /** All commands of ours that meet working files. */
    async function askAll(box: Repository): Promise<unknown[]> {
      const { changes, problem } = await listChangedSince(box.place, null, 0)
      const hashed = await runGit(box.place, ['hash-object', 'a'])
      const checked = await runGit(box.place, ['cat-file', '--filters', 'HEAD:a'])
      return [problem, changes.map(({ path }) => path), hashed.ok, checked]
    }
    const ANSWERS = [null, ['a'], true, { ok: true, out: '1\n' }]

    test.each([...KEYS, 'diff.evil.command', 'core.fsmonitor', 'core.pager'])('%s', async (key) => {
      const { box, program, trace } = filtered()
      box.git('config', key, program)
      box.git('config', 'filter.evil.required', 'true')
      expect(await askAll(box)).toEqual(ANSWERS)
      expect(existsSync(trace)).toBe(false)
    })

    test.each([
      ['a file that they take in, by a path of its own', '[include]\n\tpath = more'],
      ['a file that they take in where the folder is this one', '[includeIf "gitdir:**"]\n\tpath = more'],
      [
        'a file that they take in where the branch is this one',
        '[includeIf "onbranch:trunk"]\n\tpath = more',
      ],
    ])('%s', async (_, include) => {
      const { box, program, trace } = filtered()
      put(box, '.git/more', `[filter "evil"]\n\tclean = ${program}\n\tsmudge = ${program}\n`)
      appendFileSync(box.path('.git', 'config'), `${include}\n`)
      expect(box.git('config', 'filter.evil.clean').trim()).toBe(program)
      expect(await askAll(box)).toEqual(ANSWERS)
      expect(existsSync(trace)).toBe(false)
    })

    test('the settings of one worktree', async () => {
      const { box, program, trace } = filtered()
      box.git('config', 'extensions.worktreeConfig', 'true')
      for (const key of KEYS) box.git('config', '--worktree', key, program)
      expect(await askAll(box)).toEqual(ANSWERS)
      expect(existsSync(trace)).toBe(false)
    })

    test('and none whose name cannot be given to git: then git does not run', async () => {
      for (const name of ['e=vil', 'é']) {
        const { box, program, trace } = filtered()
        put(box, '.gitattributes', `* filter=${name}\n`)
        box.git('config', `filter.${name}.clean`, program)
        expect(await runGit(box.place, ['hash-object', 'a'])).toEqual({
          ok: false,
          problem: 'its git settings run a program that cannot be disabled',
          code: null,
        })
        expect(existsSync(trace)).toBe(false)
      }
    })

    test('but the user’s own, also where the repository names another', async () => {
      const { box, program, trace } = filtered()
      const theirs = tellTale(box, 'theirs')
      ofUser(box, `[filter "evil"]\n\tclean = ${program}\n`)
      box.git('config', 'filter.evil.clean', theirs.program)
      expect(await runGit(box.place, ['hash-object', 'a'])).toMatchObject({ ok: true })
      expect([existsSync(trace), existsSync(theirs.trace)]).toEqual([true, false])
    })
  })

  describe('uses the folders that we looked at', () => {
    /** A repository with one file of that name. */
    function commitIn(name: string): string {
      const other = repository()
      commit(other, { [name]: '1\n' })
      return other.repo
    }

    test('and no repository that the workspace itself is laid out as, where git rejects its folder', async () => {
      const box = repository()
      commit(box, { a: '1\n', '.gitattributes': '* filter=evil\n' })
      const { program, trace } = tellTale(box, 'program')
      box.git('config', 'filter.evil.clean', program)
      box.git('config', 'core.worktree', box.repo)
      for (const name of readdirSync(box.path('.git')))
        if (name !== 'HEAD') renameSync(box.path('.git', name), box.path(name))
      copyFileSync(box.path('.git', 'HEAD'), box.path('HEAD'))
      put(box, 'a', '2\n')
      expect(box.git('rev-parse', '--absolute-git-dir').trim()).toBe(box.repo)
      const broken = locateWorkspace(box.repo)
      expect(broken.git?.folder).toBe(box.path('.git'))
      for (const args of [STATUS, ['ls-files'], ['rev-parse', 'HEAD']])
        expect(await runGit(broken, args)).toMatchObject({ ok: false, code: 128 })
      await runGit(broken, ['hash-object', 'a'])
      expect(existsSync(trace)).toBe(false)
    })

    test.each(['named', 'named\n', 'named \n', ' named', 'named\r\n\n', './named/../named \r\n'])(
      'which are those that git finds, where a file says %j',
      async (text) => {
        const box = repository()
        for (const name of ['named', 'named ', ' named']) {
          box.git('init', '--quiet', '--bare', '--initial-branch=trunk', name)
          box.git('--git-dir', name, 'fetch', '--quiet', commitIn(name), 'trunk:trunk')
        }
        const names = ['ls-tree', '--name-only', 'trunk']
        writeFileSync(box.path('.git', 'commondir'), text.replace('./', '../').replace(/^(?=\w| )/, '../'))
        expect(await runGit(locateWorkspace(box.repo), names)).toEqual({ ok: true, out: box.git(...names) })
        rmSync(box.path('.git'), { recursive: true })
        writeFileSync(box.path('.git'), `gitdir: ${text}`)
        const found = locateWorkspace(box.repo)
        expect(await runGit(found, names)).toEqual({ ok: true, out: box.git(...names) })
        expect(found.git?.folder).toBe(box.git('rev-parse', '--absolute-git-dir').replace(/\n$/, ''))
      },
    )

    test.runIf(process.geteuid?.() === 0)(
      'unless they are another user’s, and nothing allows it',
      async () => {
        const box = repository()
        commit(box, { a: '1\n' })
        chownSync(box.path('.git'), 4_711, 4_711)
        expect(await runGit(box.place, ['ls-files'])).toMatchObject({
          ok: false,
          problem: expect.stringContaining('dubious ownership'),
        })
        ofUser(box, `[safe]\n\tdirectory = ${box.repo}\n`)
        expect(await runGit(box.place, ['ls-files'])).toEqual({ ok: true, out: 'a\n' })
      },
    )

    test('and the program that is installed, not one in the workspace', async () => {
      const box = repository()
      commit(box, { a: '1\n' })
      const { program, trace } = tellTale(box, 'program')
      copyFileSync(program, box.path('git'))
      chmodSync(box.path('git'), 0o755)
      vi.stubEnv('PATH', `.${delimiter}${process.env.PATH}`)
      expect(await runGit(box.place, ['ls-files'])).toEqual({ ok: true, out: 'a\n' })
      expect(existsSync(trace)).toBe(false)
    })
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

import {
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { locateWorkspace } from '../../src/workspace/locate.ts'
import { mainWorktree } from '../../src/workspace/main-worktree.ts'
import { sandbox } from '../support/sandbox.ts'
import { commit, type Repository, repository } from './repository.ts'

const BARE = { problem: 'the repository is bare and has no main worktree' }
const NOT_FOUND = { problem: 'the main worktree was not found' }

/** A repository with one commit. */
function committed(): Repository {
  const box = repository()
  commit(box, { a: '1\n', 'src/b': '1\n' })
  return box
}

function linked(box: Repository, name = 'linked', ...options: string[]): string {
  const path = join(box.root, name)
  box.git('worktree', 'add', '--quiet', ...(options.length > 0 ? options : ['-b', name]), path)
  return path
}

const main = (path: string) => mainWorktree(locateWorkspace(path))

describe('the main worktree', () => {
  test('is the place itself where it is no linked worktree', () => {
    const box = committed()
    expect(main(box.path('src'))).toEqual({ root: box.repo })
    const plain = sandbox({ git: false }).repo
    expect(main(plain)).toEqual({ root: plain })
    const elsewhere = join(box.root, 'elsewhere')
    box.git('init', '--quiet', `--separate-git-dir=${join(box.root, 'git-data')}`, elsewhere)
    expect(main(elsewhere)).toEqual({ root: elsewhere })
    box.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', box.repo, 'module')
    expect(main(box.path('module'))).toEqual({ root: box.path('module') })
  })

  test('is found from linked ones, on branches with slashes, detached, in paths with spaces', () => {
    const box = committed()
    const spaced = join(box.root, 'my repo')
    renameSync(box.repo, spaced)
    mkdirSync(box.repo)
    const git = (...args: string[]) => box.git('-C', spaced, ...args)
    git('worktree', 'add', '--quiet', '-b', 'feature/one/two', join(box.root, 'a tree', 'two'))
    git('worktree', 'add', '--quiet', '--detach', join(spaced, 'inside'))
    vi.stubEnv('PATH', '')
    for (const path of ['a tree/two', 'a tree/two/src', 'my repo/inside'])
      expect(main(join(box.root, path))).toEqual({ root: spaced })
  })

  test('is the same behind symbolic links', () => {
    const box = committed()
    const path = linked(box)
    const door = join(box.root, 'door')
    symlinkSync(box.root, door)
    expect(main(join(door, 'linked'))).toEqual({ root: box.repo })
    writeFileSync(join(path, '.git'), readFileSync(join(path, '.git'), 'utf8').replace(box.root, door))
    expect(locateWorkspace(path).git?.common).toBe(join(door, 'repo', '.git'))
    expect(main(path)).toEqual({ root: box.repo })
    renameSync(box.path('.git'), join(box.root, 'data'))
    symlinkSync(join(box.root, 'data'), box.path('.git'))
    expect(main(path)).toEqual({ root: box.repo })
  })

  test('is found again after a move, once git knows of it, and not where it is gone', () => {
    const box = committed()
    const path = linked(box)
    const before = locateWorkspace(path)
    const moved = join(box.root, 'moved')
    renameSync(box.repo, moved)
    expect(mainWorktree(before)).toEqual(NOT_FOUND)
    expect(main(path)).toEqual({ root: path })
    mkdirSync(box.repo)
    box.git('-C', moved, 'worktree', 'repair', path)
    expect(main(path)).toEqual({ root: moved })
    renameSync(path, join(box.root, 'further'))
    expect(main(join(box.root, 'further'))).toEqual({ root: moved })
    const after = locateWorkspace(join(box.root, 'further'))
    rmSync(moved, { recursive: true })
    expect(mainWorktree(after)).toEqual(NOT_FOUND)
  })

  test.each(['store.git', 'project/.bare', 'project/.git'])(
    'is not there in a bare repository: %s',
    (name) => {
      const box = committed()
      const bare = join(box.root, name)
      box.git('clone', '--quiet', '--bare', '.', bare)
      if (name === 'project/.bare') writeFileSync(join(box.root, 'project', '.git'), 'gitdir: ./.bare\n')
      const path = join(box.root, 'project', 'tree')
      box.git('-C', bare, 'worktree', 'add', '--quiet', '-b', 'tree', path)
      expect(locateWorkspace(path).git?.common).toBe(realpathSync(bare))
      expect(main(path)).toEqual(BARE)
    },
  )

  test('may be bare by the settings of one worktree, and need not be by the look of another setting', () => {
    const box = committed()
    const path = linked(box)
    box.git('config', 'alias.bare', 'true')
    box.git('config', 'core.bare', 'false')
    expect(main(path)).toEqual({ root: box.repo })
    box.git('config', 'extensions.worktreeConfig', 'true')
    box.git('config', '--worktree', 'core.bare', 'yes')
    expect(main(path)).toEqual(BARE)
    box.git('config', '--file', '.git/config.worktree', 'core.bare', 'off')
    box.git('config', '--file', '.git/config', 'core.bare', 'true')
    expect(main(path)).toEqual({ root: box.repo })
    writeFileSync(box.path('.git', 'config.worktree'), '[core] bare\n')
    expect(main(path)).toEqual(BARE)
  })

  test('is not guessed where the git folder lies apart, but for one that lies in it', () => {
    const box = committed()
    box.git('init', '--quiet', `--separate-git-dir=${join(box.root, 'git-data')}`)
    const path = linked(box)
    expect(main(path)).toEqual(NOT_FOUND)
    box.git('init', '--quiet', `--separate-git-dir=${box.path('.git-data')}`)
    box.git('worktree', 'repair', path)
    expect(locateWorkspace(path).git?.common).toBe(box.path('.git-data'))
    expect(main(path)).toEqual({ root: box.repo })
  })

  test('is not a repository, nor a linked worktree, that happens to lie around the git folder', () => {
    const box = committed()
    box.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', box.repo, 'module')
    const ofModule = join(box.root, 'of-module')
    box.git('-C', 'module', 'worktree', 'add', '--quiet', '--detach', ofModule)
    expect(locateWorkspace(ofModule).git?.common).toBe(box.path('.git', 'modules', 'module'))
    expect(main(ofModule)).toEqual(NOT_FOUND)
    const path = linked(box)
    box.git('init', '--quiet', `--separate-git-dir=${join(path, 'data')}`)
    box.git('worktree', 'repair', path)
    expect(locateWorkspace(path).git?.common).toBe(join(path, 'data'))
    expect(main(path)).toEqual(NOT_FOUND)
  })

  test('is not another repository that a file .git lays claim to', () => {
    const box = committed()
    linked(box)
    const foreign = join(box.root, 'foreign')
    mkdirSync(join(foreign, 'data'), { recursive: true })
    writeFileSync(join(foreign, '.git'), 'gitdir: data\n')
    writeFileSync(join(foreign, 'data', 'HEAD'), 'ref: refs/heads/trunk\n')
    writeFileSync(join(foreign, 'data', 'commondir'), `${box.path('.git')}\n`)
    expect(locateWorkspace(foreign).git?.common).toBe(box.path('.git'))
    expect(main(foreign)).toEqual(NOT_FOUND)
  })
})

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runsPrograms } from '../../src/workspace/git-config.ts'
import { locateWorkspace } from '../../src/workspace/locate.ts'
import { sandbox } from '../support/sandbox.ts'
import { commit, repository } from './repository.ts'

const ORDINARY = `[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = false
\tlogallrefupdates = true
\tautocrlf = input
\tignorecase = true
[remote "origin"]
\turl = https://example.org/external/command.git
\tfetch = +refs/heads/*:refs/remotes/origin/*
[branch "pager"]
\tremote = origin
\tmerge = refs/heads/pager
[branch "filter"]
\tremote = origin
[submodule "lib"]
\turl = ../lib
\tactive = true
[user]
\tname = Ann
\temail = ann@example.org
\tsigningkey = 1234
[commit]
\tgpgsign = true
[gpg]
\tformat = ssh
[diff]
\talgorithm = histogram
[merge]
\tconflictStyle = zdiff3
[pull]
\trebase = true
`

const SETTINGS = [
  '[filter "lfs"]\n\tclean = git-lfs clean -- %f',
  '[FILTER "x"]\nprocess=y',
  '[filter.x]\nsmudge=y',
  '[include]\n\tpath = ../evil',
  '[includeIf "gitdir:/"]\n\tpath = /evil',
  '[core] fsmonitor = /evil',
  '[core]fsMonitor',
  '[core]\n\thooksPath = evil',
  '[core]\n\tsshCommand = evil',
  '[core]\n\tgitProxy = evil',
  '[core]\n\tpager = evil',
  '[core]\n\teditor = evil',
  '[core]\n\taskPass = evil',
  '[diff "x"]\n\tcommand = evil',
  '[diff "x"]\n\ttextconv = evil',
  '[diff]\n\texternal = evil',
  '[merge "x"]\n\tdriver = evil',
  '[credential]\n\thelper = evil',
  '[credential "https://example.org"]\n\thelper = evil',
  '[gpg]\n\tprogram = evil',
  '[gpg "ssh"]\n\tprogram = evil',
  '[alias]\n\tstatus = evil',
  '[pager]\n\tlog = evil',
  '[submodule "x"]\n\tupdate = !evil',
  '[submodule "x"]\n\tupdate = "!evil"',
  '[remote "x"]\n\turl = ext::evil',
  '[remote "x"]\n\tuploadpack = evil',
  '[remote "origin"]\n\tpromisor = true',
  '[remote "origin"]\n\tpartialclonefilter = blob:none',
  '[extensions]\n\tpartialClone = origin',
  '[user] [filter "x"] clean = evil',
]

describe('settings that run programs', () => {
  test('are not the ordinary ones', () => {
    const box = repository()
    commit(box, { a: '1\n' })
    expect(runsPrograms(box.place)).toBe(false)
    writeFileSync(box.path('.git', 'config'), ORDINARY)
    expect(runsPrograms(box.place)).toBe(false)
  })

  test.each(SETTINGS)('are found: %j', (settings) => {
    const box = repository()
    writeFileSync(box.path('.git', 'config'), `${ORDINARY}${settings}\n`)
    expect(runsPrograms(box.place)).toBe(true)
  })

  test('are found in any case, between any others, with any line endings', () => {
    const box = repository()
    const any = fc.constantFrom(...SETTINGS)
    const blocks = ORDINARY.split(/^(?=\[)/m)
    fc.assert(
      fc.property(
        any,
        fc.nat(blocks.length),
        fc.boolean(),
        fc.boolean(),
        (settings, at, isLoud, isWindows) => {
          const text = blocks.toSpliced(at, 0, `${isLoud ? settings.toUpperCase() : settings}\n`).join('')
          writeFileSync(box.path('.git', 'config'), isWindows ? text.replaceAll('\n', '\r\n') : text)
          return runsPrograms(box.place)
        },
      ),
    )
  })

  test('are found in a linked worktree’s own file, and in the repository’s', () => {
    const box = repository()
    commit(box, { a: '1\n' })
    box.git('worktree', 'add', '--quiet', '--detach', '../linked')
    const linked = locateWorkspace(join(box.root, 'linked'))
    box.git('config', 'extensions.worktreeConfig', 'true')
    expect(runsPrograms(linked)).toBe(false)
    box.git('-C', linked.root, 'config', '--worktree', 'core.fsmonitor', '/evil')
    expect([runsPrograms(linked), runsPrograms(box.place)]).toEqual([true, false])
    box.git('-C', linked.root, 'config', '--worktree', '--unset', 'core.fsmonitor')
    box.git('config', 'diff.external', '/evil')
    expect([runsPrograms(linked), runsPrograms(box.place)]).toEqual([true, true])
  })

  test('are assumed where the file cannot be read, and not where it is missing', () => {
    const box = repository()
    const config = box.path('.git', 'config')
    rmSync(config)
    expect(runsPrograms(box.place)).toBe(false)
    mkdirSync(config)
    expect(runsPrograms(box.place)).toBe(true)
    rmSync(config, { recursive: true })
    writeFileSync(config, '#'.repeat(1024 * 1024 + 1))
    expect(runsPrograms(box.place)).toBe(true)
    expect(runsPrograms(locateWorkspace(sandbox({ git: false }).repo))).toBe(false)
  })
})

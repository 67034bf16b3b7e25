import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Sandbox } from '../support/sandbox.ts'
import { sandbox } from '../support/sandbox.ts'
import { commit, edit, put, textOf, workBox } from './document-lab.ts'
import { savePiped, section, type Told, told } from './resume-lab.ts'

const INDEX = '.claude/state-index.json'
const NO_DRIFT = { branch: null, commitsSince: 0, filesChanged: 0, filesGone: 0, planStep: null }

/** What the brief says about a file or a sentence: its mark and its note. */
const markOf = ({ page }: Told, start: string) => {
  const line = page.sections.flatMap(({ lines }) => lines).find(({ text }) => text.startsWith(start))
  return [line?.mark, line?.note]
}

/** A saved piece of work about these files, all of them committed. */
function savedWith(files: Record<string, string>, more: object = {}): Sandbox {
  const box = workBox()
  for (const [path, text] of Object.entries(files)) put(box, path, text)
  commit(box, 'files')
  savePiped(box, { now: 'Working', files: Object.keys(files), ...more })
  return box
}

describe('files', () => {
  test('each is looked at again: unchanged, touched, changed, gone, a link [003.28]', () => {
    const names = ['same', 'touched', 'changed', 'deleted', 'link', 'folder']
    const box = savedWith(Object.fromEntries(names.map((name) => [`src/${name}.ts`, `${name}\n`])))
    const later = Date.now() / 1_000 + 5_000
    utimesSync(box.path('src/touched.ts'), later, later)
    put(box, 'src/changed.ts', 'chamged\n')
    for (const name of ['deleted', 'link', 'folder']) rmSync(box.path(`src/${name}.ts`))
    symlinkSync('/etc/hostname', box.path('src/link.ts'))
    mkdirSync(box.path('src/folder.ts'))
    const brief = told(box)
    expect(section(brief.text, 'Files')).toEqual([
      '- src/same.ts, modified [fresh]',
      '- src/touched.ts, modified [fresh]',
      '- src/changed.ts, modified [stale: changed since]',
      '- src/deleted.ts, modified [stale: missing]',
      '- src/link.ts, modified [unverifiable: not readable]',
      '- src/folder.ts, modified [stale: changed since]',
    ])
    expect(brief.drift).toEqual({ ...NO_DRIFT, filesChanged: 2, filesGone: 1 })
    expect(brief.page.drift).toBe('2 files changed, 1 file missing, 3 stale, 1 unverifiable')
    expect(brief.page.questions).toEqual([
      'The checkpoint shows "Working" was in progress - is this still the current focus?',
    ])
  })

  test('what lies outside of the workspace is not looked at', () => {
    const box = workBox()
    writeFileSync(join(box.root, 'outside.txt'), 'secret')
    symlinkSync(box.root, box.path('out'))
    const paths = [join(box.root, 'outside.txt'), '../outside.txt', 'out/outside.txt', 'a/../../outside.txt']
    savePiped(box, { now: 'x', files: paths })
    for (const path of paths) expect(markOf(told(box), path)).toEqual(['unverifiable', 'not readable'])
    expect(told(box).drift).toEqual(NO_DRIFT)
  })

  test('a file that was deleted on purpose is fresh while it is gone, and stale when it is back', () => {
    const box = savedWith({ 'old.ts': '1' })
    rmSync(box.path('old.ts'))
    box.json(['save', 'Removed it'])
    expect(markOf(told(box), 'old.ts')).toEqual(['fresh', ''])
    put(box, 'old.ts', '1')
    expect(markOf(told(box), 'old.ts')).toEqual(['stale', 'exists again'])
  })

  test('uncommitted files are gathered by a save, and checked without anybody naming them', () => {
    const box = workBox()
    put(box, 'readme.txt', 'two\n')
    put(box, 'new file.txt', 'new\n')
    box.json(['save', 'x'])
    expect(section(told(box).text, 'Files')).toEqual([
      '- new file.txt, created [fresh]',
      '- readme.txt, modified [fresh]',
    ])
    put(box, 'new file.txt', 'newer\n')
    expect(markOf(told(box), 'new file.txt')).toEqual(['stale', 'changed since'])
    box.json(['save', 'y'])
    expect(markOf(told(box), 'new file.txt')).toEqual(['fresh', ''])
  })

  test('of a document that is taken in, a file written later is stale, an older one fresh', () => {
    const box = workBox({ auth: textOf('auth', { status: 'current' }) })
    put(box, 'src/a.ts', '1')
    const before = Date.now() / 1_000 - 5_000
    utimesSync(box.path('src/a.ts'), before, before)
    edit(box, 'checkpoints/active/auth.md', 'as it began', 'edited')
    expect(markOf(told(box), 'src/a.ts')).toEqual(['fresh', ''])
    const later = Date.now() / 1_000 + 5_000
    utimesSync(box.path('src/a.ts'), later, later)
    expect(markOf(told(box), 'src/a.ts')).toEqual(['stale', 'changed since'])
  })
})

describe('sentences', () => {
  test('one that names a file in code marks is stale when that file is gone', () => {
    const box = savedWith(
      { 'src/a.ts': '1', 'src/b.ts': '2' },
      {
        files: ['src/b.ts'],
        next: ['Read `src/a.ts:12`', 'Fix src/a.ts', 'See `https://x.y/z.html` and `npm test`'],
        questions: ['Is `./src/a.ts` used?'],
        state: 'One line.\nThe other is about `src/a.ts`.',
      },
    )
    expect(told(box).page.drift).toBe('none')
    rmSync(box.path('src/a.ts'))
    const brief = told(box)
    const gone = ['stale', 'src/a.ts is missing']
    expect(markOf(brief, 'Read `src/a.ts:12`')).toEqual(gone)
    expect(markOf(brief, 'Is `./src/a.ts`')).toEqual(gone)
    expect(markOf(brief, 'The other')).toEqual(gone)
    for (const start of ['Fix src', 'See `https', 'One line', 'src/b.ts'])
      expect(markOf(brief, start)[0] ?? 'fresh').toBe('fresh')
    expect(brief.drift.filesGone).toBe(1)
  })
})

describe('git', () => {
  test('another branch', () => {
    const box = workBox()
    box.json(['save', 'x', '--stream', 'auth'])
    box.git('switch', '--quiet', '-c', 'other')
    const { drift, page } = told(box, ['auth'])
    expect(drift).toEqual({ ...NO_DRIFT, branch: { was: 'main', now: 'other' } })
    expect(page.drift).toBe('the branch was main, now other')
    expect(page.questions).toHaveLength(1)
  })

  test('commits since are counted; going back is no commit', () => {
    const box = workBox()
    put(box, 'readme.txt', 'two\n')
    commit(box, 'two')
    box.json(['save', 'x'])
    for (const text of ['three', 'four']) {
      put(box, 'other.txt', text)
      commit(box, text)
    }
    expect(told(box).drift).toEqual({ ...NO_DRIFT, commitsSince: 2 })
    expect(told(box).page.drift).toBe('2 commits since')
    box.git('reset', '--quiet', '--hard', 'HEAD~3')
    expect(told(box).drift.commitsSince).toBe(0)
  })

  test('a commit that is gone for good is unknown, and nothing breaks', () => {
    const box = workBox()
    box.json(['save', 'x'])
    box.git('commit', '--quiet', '--amend', '-m', 'rewritten')
    box.git('reflog', 'expire', '--expire=now', '--all')
    box.git('gc', '--quiet', '--prune=now')
    const { drift, page, notices } = told(box)
    expect(drift).toEqual({ ...NO_DRIFT, commitsSince: null })
    expect(page.drift).toBe('none found, commits unknown')
    expect(notices).toEqual([])
    expect(box.run([]).code).toBe(0)
  })

  test('without git nothing is said of commits but that they are unknown', () => {
    const box = sandbox({ git: false })
    box.json(['save', 'x'])
    expect(told(box).drift).toEqual({ ...NO_DRIFT, commitsSince: null })
  })

  test('in a workspace that is not trusted no git command runs, and files are checked all the same', () => {
    const box = savedWith({ 'src/a.ts': '1', 'src/b.ts': '2' })
    put(box, 'src/a.ts', 'changed')
    commit(box, 'more')
    const bin = join(box.root, 'bin')
    const mark = join(box.root, 'git-ran')
    mkdirSync(bin)
    writeFileSync(join(bin, 'git'), `#!/bin/sh\necho "$@" >> "${mark}"\nexit 1\n`)
    chmodSync(join(bin, 'git'), 0o755)
    const env = { PATH: `${bin}:${process.env.PATH}` }
    // The mark can be made: in a trusted workspace git is asked.
    expect(told(box, [], { env }).notices.join()).toContain('Could not list')
    expect(existsSync(mark)).toBe(true)
    rmSync(mark)
    box.json(['untrust'], { env })
    rmSync(mark, { force: true })
    const brief = told(box, [], { env })
    box.json(['status'], { env })
    expect(existsSync(mark)).toBe(false)
    expect(markOf(brief, 'src/a.ts')).toEqual(['stale', 'changed since'])
    expect(markOf(brief, 'src/b.ts')).toEqual(['fresh', ''])
    expect(brief.drift).toEqual({ ...NO_DRIFT, commitsSince: null, filesChanged: 1 })
  })
})

describe('the plan', () => {
  const index = (box: Sandbox, fields: object) => put(box, INDEX, JSON.stringify(fields))
  const AT_TWO = { active_plan: 'move', active_plan_stage: 2, active_tdd_phase: 'red' }

  function planned(): Sandbox {
    const box = workBox()
    index(box, AT_TWO)
    box.json(['save', 'x'])
    return box
  }

  test('stands where it stood', () => {
    const brief = told(planned())
    expect(section(brief.text, 'State')).toEqual(['- plan move; stage 2; TDD phase red [fresh]'])
    expect(brief.drift.planStep).toBe(null)
  })

  test.each([
    ['another stage', { ...AT_TWO, active_plan_stage: 3 }, 'move, 3, red'],
    ['a stage by its name', { ...AT_TWO, active_plan_stage: 'verify' }, 'move, verify, red'],
    ['another phase', { ...AT_TWO, active_tdd_phase: 'green' }, 'move, 2, green'],
  ])('moved to %s', (_name, fields, now) => {
    const box = planned()
    index(box, fields)
    const brief = told(box)
    expect(section(brief.text, 'State')).toEqual([`- plan move; stage 2; TDD phase red [stale: now ${now}]`])
    expect(brief.drift.planStep).toBe(now)
    expect(brief.page.drift).toContain(`the plan is at ${now}`)
    expect(brief.page.questions).toHaveLength(1)
  })

  test.each([
    ['gone', (box: Sandbox) => rmSync(box.path(INDEX))],
    ['malformed', (box: Sandbox) => put(box, INDEX, '{"active_plan": ')],
  ])('an index that is %s leaves it unverifiable', (_name, change) => {
    const box = planned()
    change(box)
    const brief = told(box, ['move'])
    expect(section(brief.text, 'State')).toEqual([
      '- plan move; stage 2; TDD phase red [unverifiable: plan status unknown]',
    ])
    expect(brief.drift.planStep).toBe(null)
    expect(brief.page.drift).toBe('1 unverifiable')
  })
})

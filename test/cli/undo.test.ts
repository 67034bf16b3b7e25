import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { undo } from '../../src/verbs/documents/undo.ts'
import '../support/property-seed.ts'
import { sandbox } from '../support/sandbox.ts'
import { active, bodyOf, commit, elsewhere, history, reasonFor, textOf, workBox } from './document-lab.ts'
import { LEDGER, notesIn, save, told } from './save-lab.ts'
import { richBox, sight } from './undo-lab.ts'

/** Every act that can be undone, as a command. */
const ACTS: Record<string, string[]> = {
  'a save to the document in focus': [
    'save',
    'Tokens rotate',
    '--decision',
    'Rotate tokens',
    '--next',
    'Ship',
  ],
  'a save to work without a document': ['save', 'Three', '--stream', 'plain', '--decision', 'No tabs at all'],
  'a save that begins work': [
    'save',
    'Login anew',
    '--stream',
    'fresh',
    '--decision',
    'Passkeys over tokens',
  ],
  'a delta': ['delta', 'auth', '--what', 'Login works', '--artifact', 'a.ts:created:x'],
  'a change of focus': ['focus', 'side'],
  'no focus': ['focus', '--clear'],
  'an archive with learnings': [
    'archive',
    'auth',
    '--outcome',
    'Login shipped',
    '--learning',
    'Tokens are small',
  ],
  'an archive without learnings': ['archive', 'side', '--outcome', 'Shipped'],
  'a handoff': ['handoff', 'Finish the login', '--next', 'Ask for tokens'],
  'an import': ['import', 'old/handoff.md'],
  'a restore of a document': ['restore', 'done'],
  'a restore of work without a document': ['restore', 'plain', '--at', '1'],
  'a new document': ['new', 'fresh'],
  'a new document in focus': ['new', 'fresh', '--current'],
  'a document for saved work': ['new', 'plain', '--current'],
  'a fork': ['fork', 'auth', 'auth-two', '--current'],
  'a shorter document': ['compress', 'auth', '--budget', '100'],
  'a rename of work without a document': ['rename', 'plain', 'cache'],
  'a rename of a document': ['rename', 'auth', 'login'],
  'a rename that changes only the case': ['rename', 'side', 'Side'],
  'a ledger entry': ['ledger', 'write', 'Tokens rotate', '--next', 'Ship'],
  'a confirmation': ['confirm', 'Spaces', '--stream', 'plain'],
  'a rejection': ['reject', 'Spaces', '--why', 'Tabs are fine', '--stream', 'plain'],
  'a removal': ['remove', 'Spaces over', '--field', 'decision', '--stream', 'plain'],
  'other words': ['reword', 'Spaces', '--to', 'Two spaces', '--stream', 'plain'],
}

describe('undo and redo', () => {
  test.each(Object.entries(ACTS))(
    'give back all that can be seen: %s',
    (_, words) => {
      const box = richBox()
      const before = sight(box)
      box.json(words)
      const after = sight(box)
      expect(after).not.toEqual(before)
      expect(box.json(['undo'])).toMatchObject({ kind: 'undone', written: 'published' })
      expect(sight(box)).toEqual(before)
      expect(box.json(['undo', '--redo'])).toMatchObject({ kind: 'redone', written: 'published' })
      expect(sight(box)).toEqual(after)
      box.json(['undo'])
      expect(sight(box)).toEqual(before)
    },
    60_000,
  )

  test('a random sequence of acts is undone to where it began, and redone to where it ended', {
    timeout: 240_000,
  }, () => {
    const words = Object.values(ACTS)
    fc.assert(
      fc.property(fc.array(fc.nat(words.length - 1), { minLength: 2, maxLength: 7 }), (chosen) => {
        const box = richBox()
        const before = sight(box)
        const known = (box.json(['undo', '--list']).acts as unknown[]).length
        // Some are refused after others: those change nothing.
        for (const at of chosen) box.run(words[at] ?? [])
        const count = (box.json(['undo', '--list']).acts as unknown[]).length - known
        const after = sight(box)
        for (let step = 0; step < count; step += 1) box.json(['undo'])
        expect(sight(box)).toEqual(before)
        for (let step = 0; step < count; step += 1) box.json(['undo', '--redo'])
        expect(sight(box)).toEqual(after)
      }),
      { numRuns: Number(process.env.FC_RUNS ?? 4) },
    )
  })

  test('help and docs name exactly these verbs', () => {
    const verbs = [
      ...new Set(
        Object.values(ACTS).map(([verb = '', word]) => (word === 'write' ? `${verb} ${word}` : verb)),
      ),
    ]
    const named = (text: string) =>
      (/It can undo: ([^.]+)\./.exec(text)?.[1] ?? '').replaceAll('`', '').split(/, | and /)
    expect(named(undo.detail ?? '').sort()).toEqual(verbs.sort())
    expect(named(readFileSync('docs/undo.md', 'utf8')).sort()).toEqual(verbs.sort())
  })

  test('a rename goes back also where other work had the name meanwhile, and that one comes back by a redo', () => {
    const box = richBox()
    box.json(['rename', 'plain', 'cache'])
    expect(box.run(['undo', '--dry-run']).stdout).toBe(
      'Would undo: rename plain to cache\n  cache would be called plain again\n',
    )
    save(box, ['Other', '--stream', 'plain'])
    const after = sight(box)
    box.json(['undo'])
    expect(box.run(['undo']).stdout).toContain(
      'Undid: rename plain to cache\n  cache is called plain again\n',
    )
    expect(told(box, ['plain']).work.now).toBe('Two')
    box.json(['undo', '--redo'])
    box.json(['undo', '--redo'])
    expect(sight(box)).toEqual(after)
    expect(told(box, ['plain']).work.now).toBe('Other')
    expect(told(box, ['cache']).work.now).toBe('Two')
  })

  test('an undo after an undo goes further back, and a new act ends what could be redone', () => {
    const box = workBox()
    for (const words of ['One', 'Two', 'Three']) save(box, [words])
    box.json(['undo'])
    box.json(['undo'])
    expect(told(box).work.now).toBe('One')
    save(box, ['Other'])
    expect(reasonFor(box, 'undo', '--redo')).toBe('nothing_to_redo')
    box.json(['undo'])
    expect(told(box).work.now).toBe('One')
    box.json(['undo'])
    expect(told(box).kind).toBe('nothing')
    expect(box.run(['undo'])).toMatchObject({ code: 3 })
    expect(reasonFor(box, 'undo')).toBe('nothing_to_undo')
  })

  test('nothing that was saved goes: an undo appends, and its history can be shown and brought back', () => {
    const box = workBox()
    save(box, ['One', '--decision', 'Tabs over spaces'])
    const { checkpoint } = save(box, ['Two'])
    box.json(['undo'])
    box.json(['undo'])
    expect(box.json(['list', '--all']).documents).toEqual([])
    expect(history(box, 'main').map(({ why }) => why)).toEqual([
      ...['manual: saved: One', 'manual: saved: Two', 'manual: undo of save #2', 'manual: undo of save #1'],
    ])
    expect(bodyOf(box, checkpoint)).toMatchObject({ work: { now: 'Two' } })
    expect(box.json(['restore', 'main'])).toMatchObject({ id: 'main', path: null, sequence: 5 })
    expect(told(box).work).toMatchObject({ now: 'Two', decisions: [{ text: 'Tabs over spaces' }] })
  })

  test('work whose beginning was undone begins anew with nothing of it, and its numbers go on', () => {
    const box = workBox()
    save(box, ['One', '--decision', 'Tabs over spaces'])
    box.json(['undo'])
    expect(save(box, ['Again'])).toMatchObject({
      stream: 'main',
      began: true,
      sequence: 3,
      decisions: { total: 0 },
    })
    expect(told(box).work).toMatchObject({ now: 'Again', decisions: [] })
    expect(box.json(['new', 'fresh'])).toMatchObject({ sequence: 1 })
    box.json(['undo'])
    expect(box.json(['new', 'fresh'])).toMatchObject({ sequence: 3 })
  })

  test('what would be undone is told, and nothing changes; the list has the newest first', () => {
    const box = workBox()
    save(box, ['One'])
    box.json(['new', 'auth', '--current'])
    const before = sight(box)
    expect(box.json(['undo', '--dry-run'])).toMatchObject({
      dryRun: true,
      work: [{ id: 'auth', as: null }],
      focus: null,
    })
    expect(sight(box)).toEqual(before)
    expect(box.run(['undo', '--dry-run']).stdout.split('\n')).toEqual([
      'Would undo: new auth #1',
      '  auth would be removed (history kept: savepoint show auth --history)',
      `  would remove ${active('auth')}`,
      '  nothing would be in focus',
      '',
    ])
    box.json(['undo'])
    expect(box.run(['undo', '--redo', '--dry-run']).stdout).toContain(`  would restore ${active('auth')}\n`)
    expect(box.run(['undo', '--dry-run']).stdout).toContain('  main would be removed')
    save(box, ['Two'])
    expect(box.run(['undo', '--dry-run']).stdout).toContain('  main would be back at #1')
    box.json(['undo'])
    box.json(['new', 'auth', '--current'])
    box.json(['undo'])
    expect(box.json(['undo', '--list']).acts).toMatchObject([
      { label: 'new auth #3', isUndone: true, by: 'user' },
      { label: 'save main #1 "One"', isUndone: false, by: 'user' },
    ])
    expect(reasonFor(box, 'undo', '--list', '--redo')).toBe('usage_invalid')
  })
})

describe('other places', () => {
  test('a handoff from another worktree leaves the main one when it is undone', () => {
    const box = workBox()
    box.git('worktree', 'add', '--quiet', '../other')
    const other = elsewhere(box, 'other')
    const { path } = other.json(['handoff', 'Finish the login'])
    const text = readFileSync(String(path), 'utf8')
    expect(String(path).startsWith(join(box.repo, '.agents'))).toBe(true)
    other.json(['undo'])
    expect(existsSync(String(path))).toBe(false)
    other.json(['undo', '--redo'])
    expect(readFileSync(String(path), 'utf8')).toBe(text)
  })

  test('git follows a tracked document back out of the archive', () => {
    const box = workBox({ auth: textOf('auth') })
    box.json(['archive', 'auth', '--outcome', 'Shipped'])
    commit(box, 'archived')
    box.json(['undo'])
    expect(box.git('ls-files', 'checkpoints').trim()).toBe(active('auth'))
  })

  test('acts of one workspace are not undone in another, and nothing can be undone where nothing was done', () => {
    const box = workBox()
    save(box, ['One'])
    box.git('worktree', 'add', '--quiet', '../other')
    expect(reasonFor(elsewhere(box, 'other'), 'undo')).toBe('nothing_to_undo')
    expect(reasonFor(sandbox(), 'undo')).toBe('nothing_to_undo')
  })
})

describe('restore of work without a document', () => {
  test('makes no document; ledger, note, index and search say what stands', () => {
    const box = richBox()
    const before = notesIn(box).length
    expect(box.json(['restore', 'plain', '--at', '1'])).toMatchObject({
      path: null,
      sequence: 3,
      restored: 1,
    })
    expect(existsSync(box.path(active('plain')))).toBe(false)
    expect(told(box, ['plain']).work).toMatchObject({
      now: 'One',
      decisions: [{ text: 'Tabs over spaces', supersededBy: null }],
    })
    expect(box.read(LEDGER)).toContain('One')
    expect(box.read(LEDGER)).not.toContain('Spaces over tabs')
    expect(notesIn(box)).toHaveLength(before + 1)
    const { hits } = box.json(['search', 'tabs', '--kind', 'decision'])
    expect(hits).toMatchObject([{ where: 'plain', sequence: 1, superseded: null }])
    expect(history(box, 'plain')).toHaveLength(3)
    expect(box.json(['restore', 'plain'])).toMatchObject({ already: true })
  })
})

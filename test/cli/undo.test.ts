import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import '../support/property-seed.ts'
import { type Sandbox, sandbox } from '../support/sandbox.ts'
import {
  active,
  bodyOf,
  commit,
  edit,
  elsewhere,
  history,
  reasonFor,
  refusal,
  textOf,
  workBox,
} from './document-lab.ts'
import { INDEX, LEDGER, LEDGER_ON, notesIn, put, save, told } from './save-lab.ts'
import { callRow, heard, idOf, resultRow, transcript, within } from './session-lab.ts'
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
    expect(box.run(['undo', '--dry-run']).stdout).toContain('Would undo: new auth #1')
    box.json(['undo'])
    expect(box.json(['undo', '--list']).acts).toMatchObject([
      { label: 'new auth #1', isUndone: true, by: 'user' },
      { label: 'save main #1 "One"', isUndone: false, by: 'user' },
    ])
    expect(reasonFor(box, 'undo', '--list', '--redo')).toBe('usage_invalid')
  })
})

describe('what changed since', () => {
  test('a save in another worktree stops an undo, which says what to do', () => {
    const box = workBox()
    save(box, ['One', '--stream', 'plain'])
    box.git('worktree', 'add', '--quiet', '../other')
    save(box, ['Two', '--stream', 'plain'], { cwd: elsewhere(box, 'other').repo })
    expect(refusal(box, 'undo')).toMatchObject({ reason: 'undo_overtaken' })
    expect(box.run(['undo']).stderr).toContain('savepoint restore plain --at')
    expect(told(box, ['plain']).work.now).toBe('Two')
  })

  test('a document that was edited by hand since is kept, and stops the undo of what was before', () => {
    const box = workBox({ auth: textOf('auth') })
    box.json(['delta', 'auth', '--what', 'Login works'])
    const edited = edit(box, active('auth'), 'as it began', 'as I say')
    expect(reasonFor(box, 'undo')).toBe('undo_overtaken')
    expect(box.read(active('auth'))).toBe(edited)
  })

  test('a document that lost the focus and was edited since keeps its edit when that is undone', () => {
    const box = workBox({ auth: textOf('auth', { status: 'current' }) })
    box.json(['new', 'side', '--current'])
    edit(box, active('auth'), 'as it began', 'as I say')
    box.json(['undo'])
    expect(box.read(active('auth'))).toContain('status: current')
    expect(box.read(active('auth'))).toContain('as I say')
    expect(box.json(['focus']).id).toBe('auth')
  })

  test('a note, a ledger and a learning that somebody changed since stay, and that is said', () => {
    const box = richBox()
    save(box, ['Tokens rotate'])
    const note = notesIn(box).at(-1) ?? ''
    edit(box, note, 'Tokens rotate', 'Tokens do not')
    edit(box, LEDGER, 'Tokens rotate', 'Tokens rest')
    const done = box.json(['undo'])
    expect(done.notices).toContainEqual(expect.stringContaining(`${note} was changed since`))
    expect(done.files).toContainEqual({ path: LEDGER, state: 'left' })
    expect(box.read(note)).toContain('Tokens do not')
    expect(box.read(LEDGER)).toContain('Tokens rest')
    box.json(['archive', 'auth', '--outcome', 'Shipped', '--learning', 'Tokens are small'])
    edit(box, 'checkpoints/LEARNINGS.md', 'Write less', 'Write more')
    expect(box.json(['undo']).notices).toContainEqual(expect.stringContaining('the entry of auth stays'))
    expect(box.read('checkpoints/LEARNINGS.md')).toContain('Write more')
  })

  test('a document that its user removed does not come back by an undo', () => {
    const box = workBox({ auth: textOf('auth') })
    box.json(['delta', 'auth', '--what', 'Login works'])
    rmSync(box.path(active('auth')))
    box.json(['undo'])
    expect(existsSync(box.path(active('auth')))).toBe(false)
    box.json(['restore', 'auth'])
    expect(box.read(active('auth'))).toBe(textOf('auth'))
    box.json(['undo'])
    expect(existsSync(box.path(active('auth')))).toBe(false)
  })

  test('an edit of the ledger that an undone save took in is taken in by the next save', () => {
    const box = workBox()
    put(box, '.agents.yml', LEDGER_ON)
    save(box, ['One'])
    writeFileSync(box.path(LEDGER), box.read(LEDGER).replace('One', 'One, by hand'))
    save(box, ['--next', 'Ship'])
    expect(told(box).work.now).toBe('One, by hand')
    box.json(['undo'])
    expect(box.read(LEDGER)).toContain('One, by hand')
    save(box, ['--next', 'Test'])
    expect(told(box).work).toMatchObject({ now: 'One, by hand', next: [{ text: 'Test' }] })
  })

  test('another value in the index of another tool is left', () => {
    const box = richBox()
    save(box, ['Three', '--stream', 'plain'])
    const { last_checkpoint: set } = box.readJson(INDEX)
    edit(box, INDEX, set, '2030-01-01T00:00:00Z')
    expect(box.json(['undo']).files).toContainEqual({ path: INDEX, state: 'left' })
    expect(box.readJson(INDEX).last_checkpoint).toBe('2030-01-01T00:00:00Z')
  })
})

describe('whose acts', () => {
  const ID = idOf('a1')
  const spoken = (box: Sandbox) => {
    heard(box, ID, 'SessionStart', { source: 'startup' })
    return { env: within(ID) }
  }

  test('an agent undoes what it did in its session, never what the user did', () => {
    const box = workBox()
    const agent = spoken(box)
    save(box, ['By the user'])
    expect(box.run(['undo', '--json'], agent).stdout).toContain('undo_not_yours')
    expect(told(box).work.now).toBe('By the user')
    save(box, ['By the agent'], agent)
    expect(box.run(['undo', '--json'], { env: within(idOf('b2')) }).stdout).toContain('undo_not_yours')
    expect(box.json(['undo'], agent)).toMatchObject({ act: { by: 'agent' } })
    expect(told(box).work.now).toBe('By the user')
    box.json(['undo', '--redo'])
    expect(told(box).work.now).toBe('By the agent')
    box.json(['undo'])
  })

  test('what a session saved by itself is no act, and does not stop the undo of a save', () => {
    const box = workBox()
    const agent = spoken(box)
    save(box, ['One'])
    save(box, ['By the agent'], agent)
    const path = transcript(
      box,
      callRow(1, 10, { name: 'Write', input: { file_path: box.path('x.ts'), content: '' } }),
      resultRow(1),
    )
    heard(box, ID, 'PreCompact', { trigger: 'manual', transcript_path: path })
    const points = history(box, 'main')
    expect(points.at(-1)?.why).toMatch(/^compaction/)
    expect(box.json(['undo'])).toMatchObject({ act: { label: 'save main #2 "By the agent"' } })
    expect(told(box).work.now).toBe('One')
  })
})

describe('a session whose work was undone', () => {
  test('goes on in a stream of its own, and does not bring the work back', () => {
    const box = workBox()
    const id = idOf('a1')
    heard(box, id, 'SessionStart', { source: 'startup' })
    save(box, ['By the agent', '--stream', 'pay'], { env: within(id) })
    box.json(['undo'])
    const call = callRow(1, 10, { name: 'Write', input: { file_path: box.path('x.ts'), content: '' } })
    const path = transcript(box, call, resultRow(1))
    heard(box, id, 'PreCompact', { trigger: 'manual', transcript_path: path })
    const { documents } = box.json(['list', '--all'])
    expect(documents).toMatchObject([{ id: 'session-a1000000aaaa' }])
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

import { existsSync, readdirSync, rmSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type Sandbox, sandbox } from '../support/sandbox.ts'
import { seedFile } from '../support/seed-file.ts'
import { commit, put, textOf, workBox } from './document-lab.ts'
import { HOUR, onTerminal, savePiped, turned, widest } from './resume-lab.ts'
import { notesIn, save } from './save-lab.ts'
import { ago, idOf, MINUTE, recorded, silent } from './session-lab.ts'
import { slashCommand } from './slash-lab.ts'

const INDEX = '.claude/state-index.json'

interface Status {
  focus: string | null
  saved: Record<string, unknown> | null
  offered: string | null
  candidates: string[]
  uncommitted: number | null
  due: Array<{ what: string; why: string; text: string; command: string }>
  todo: string[]
}
// `as`: what the verb answers with is compared by the tests.
const statusOf = (box: Sandbox, env: NodeJS.ProcessEnv = {}) =>
  box.json(['status'], { env }) as unknown as Status

const dues = (box: Sandbox, env: NodeJS.ProcessEnv = {}) =>
  statusOf(box, env).due.map(({ what, why }) => `${what}: ${why}`)

/** A note of another tool, of the day's minute that is given. */
function noteText(minute: number, decisions: string[] = []): string {
  const timestamp = new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString()
  return JSON.stringify({
    timestamp,
    summary: `minute ${minute}`,
    decisions,
    next_action: 'on',
    blockers: [],
  })
}

/** The words of a command that was shown, with a name for what its user fills in. */
const wordsOf = (command: string, id: string) =>
  [...command.replace('<id>', id).matchAll(/"([^"]*)"|(\S+)/g)]
    .map(([, quoted, plain]) => quoted ?? plain ?? '')
    .slice(1)

/** Does everything that status says is to be done, in its order. */
function obey(box: Sandbox, id = 'next-thing'): void {
  for (const command of statusOf(box).todo) {
    const done = box.run(wordsOf(command, id))
    expect([command, done.code]).toEqual([command, 0])
  }
}

describe('the page', () => {
  test('no words at all ask for it; nothing saved, nothing made', () => {
    const box = sandbox()
    const before = readdirSync(box.root, { recursive: true })
    const { code, stdout, stderr } = box.run([])
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^Saved {3}nothing yet$/m)
    expect(stdout).toMatch(/^Do now {2}savepoint save "…"$/m)
    expect(box.run(['status']).stdout).toBe(stdout)
    expect(readdirSync(box.root, { recursive: true })).toEqual(before)
    expect(existsSync(box.home)).toBe(false)
  })

  test('one screen: focus, branch, work, document, age, now, next, blockers, open, drift, files', () => {
    const box = workBox()
    put(box, 'src/a.ts', '1')
    box.json(['new', 'auth', '--current'])
    savePiped(box, {
      now: 'Writing the refresh\nin two lines',
      next: ['Test it', 'Ship it'],
      blockers: ['Staging is down', 'No key', 'No time'],
      questions: ['One?', 'Two?'],
      constraints: [{ text: 'Sure', confirmed: false }],
    })
    put(box, 'src/a.ts', '2')
    const { code, stdout } = box.run([], { env: turned(box, 1.5 * HOUR) })
    expect(code).toBe(0)
    expect(stdout).toBe(`\
Work      auth #2, saved 1 hour ago (in focus)
Document  checkpoints/active/auth.md
Now       Writing the refresh
Next      Test it
Blocked   Staging is down
Blocked   No key
Open      2 questions, 1 unconfirmed
Drift     1 file changed
Branch    main
Files     1 uncommitted
Do now    savepoint resume
`)
    expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(24)
  })

  test('/dashboard shows the full active state in one screen, also of 40 columns [001.30]', async () => {
    const box = workBox()
    put(box, INDEX, seedFile('001', 'state-index.json'))
    const { views } = save(box, ['Signing the tokens of the gateway, which has only a public key'], {
      env: turned(box, -2 * HOUR),
    })
    savePiped(box, {
      ...{ next: ['Write the refresh test of the gateway'], questions: ['How long?'] },
      blockers: ['The staging of the gateway is down', 'No key'],
    })
    box.start('nightly')
    await silent(box, { id: idOf('cccc') })
    await recorded(box, {
      id: idOf('aaaa'),
      context: { tokens: 150_000, window: 200_000, model: 'm', at: ago(MINUTE) },
    })
    const [note = '', ...others] = notesIn(box, '.claude/plans/auth/checkpoints').toReversed()
    expect(others).toEqual([views[0]?.path])
    expect(slashCommand('/dashboard')).toEqual(['status'])
    const { stdout } = box.run(slashCommand('/dashboard'))
    expect(stdout).toMatch(/^Plan {6}auth, stage 4, TDD red$/m)
    expect(stdout).toMatch(/^Work {6}auth #2, saved .* \(of the active plan\)$/m)
    expect(stdout).toMatch(/^Now {7}Signing the tokens of the gateway, which has only a public key$/m)
    expect(stdout).toContain(`\
Note      less than a minute ago, ${note}
Files     1 uncommitted
Sessions  1 open, 1 stale
Window    150k of 200k (75 %), medium
Runs      nightly in_progress, 0/3 steps, less than a minute ago
`)
    expect(statusOf(box)).toMatchObject({
      plan: { name: 'auth', stage: 4, tddPhase: 'red' },
      sessions: { open: 1, stale: 1 },
      window: { used: 150_000, window: 200_000, usedPercent: 75, pressure: 'medium' },
      runs: [{ runId: 'nightly', status: 'in_progress', stepsDone: 0, steps: 3 }],
      note: { path: note, at: box.readJson(note).timestamp },
    })
    const narrow = onTerminal(box, 40, ['status']).stdout
    // A path is not broken: it is to be copied.
    expect(widest(narrow.replace(note, ''))).toBeLessThanOrEqual(40)
    expect(narrow.trimEnd().split('\n').length).toBeLessThanOrEqual(24)
    expect(narrow).toContain(note)
  })

  test('a note that was removed, a run that is over and a plan that nobody follows are not told', () => {
    const box = workBox()
    const [first, second] = ['One', 'Two'].map((text) => save(box, [text, '--note']).views[0]?.path ?? '')
    rmSync(box.path(second ?? ''))
    box.start('nightly')
    box.json(['run', 'finish', 'nightly', '--incomplete'])
    expect(statusOf(box)).toMatchObject({
      ...{ plan: null, window: null, runs: [], sessions: { open: 0, stale: 0 } },
      note: { path: first },
    })
  })

  test('as JSON it has all of it, and bare --json is the same', () => {
    const box = workBox()
    box.json(['save', 'Working', '--next', 'Test', '--goal', 'G'])
    const answer = JSON.parse(box.run(['--json']).stdout)
    expect(answer).toMatchObject({
      ...{ ok: true, trusted: true, focus: null, branch: 'main', candidates: [], uncommitted: 0, due: [] },
      ...{ offered: null, unreviewed: [] },
      saved: {
        stream: 'main',
        why: 'main',
        sequence: 1,
        summary: 'Working',
        next: 'Test',
        goal: 'G',
        document: null,
      },
      todo: ['savepoint resume'],
    })
    expect(answer.saved.ageMs).toBeGreaterThanOrEqual(0)
    expect(Object.keys(statusOf(box))).toEqual(Object.keys(answer))
  })

  test('several pieces of work are named, and what to do is to choose', () => {
    const box = workBox()
    for (const name of ['auth', 'billing']) box.json(['save', 'x', '--stream', name])
    // On another branch neither is the one; and what is saved is not called unsaved.
    box.git('switch', '--quiet', '-c', 'other')
    const { saved, candidates, todo, due } = statusOf(box)
    expect([saved, candidates.sort(), todo]).toEqual([null, ['auth', 'billing'], ['savepoint resume <id>']])
    expect(due).toEqual([])
    expect(box.run([]).stdout).toMatch(/^Work +Which\? /m)
    obey(box, 'auth')
  })

  test('old work of another branch is offered, and not called unsaved', () => {
    const box = workBox()
    box.git('switch', '--quiet', '-c', 'feature/login')
    box.json(['save', 'x', '--stream', 'login'])
    box.git('switch', '--quiet', 'main')
    const env = turned(box, 73 * HOUR)
    expect(statusOf(box, env)).toMatchObject({
      ...{ saved: null, offered: 'login', candidates: [], due: [] },
      todo: ['savepoint resume login'],
    })
    expect(box.run([], { env }).stdout).toMatch(/^Work +login \(older, from another branch\)$/m)
  })

  test('work that nobody has reviewed is told as such, with a way that can be gone', () => {
    const box = sandbox()
    put(box, 'old/note.json', noteText(1))
    box.json(['import', 'old'])
    expect(statusOf(box)).toMatchObject({
      ...{ saved: null, offered: null, candidates: ['main-foreign'], unreviewed: ['main-foreign'], due: [] },
      todo: ['savepoint trust', 'savepoint trust --review main-foreign'],
    })
    const way = 'savepoint trust, then savepoint trust --review main-foreign'
    const told = `main-foreign came with the repository: ${way}`
    expect(box.run([]).stdout).toContain(`Work    ${told}\n`)
    for (const args of [[], ['main-foreign']]) expect(box.run(['resume', ...args]).stdout).toBe(`${told}\n`)
    obey(box)
    expect(statusOf(box)).toMatchObject({ saved: { stream: 'main-foreign', why: 'only' }, candidates: [] })
  })

  test('a question that is not confirmed counts', () => {
    const box = workBox()
    box.json(['save', 'x', '--question', 'Is it?', '--unconfirmed'])
    expect(statusOf(box).saved).toMatchObject({ questions: 1, unconfirmed: 1 })
  })

  test('in a pipe a line has an end, too', () => {
    const box = workBox()
    const long = 'word '.repeat(1_000)
    put(box, INDEX, JSON.stringify({ active_plan: 'p', active_plan_stage: 1 }))
    savePiped(box, { now: long, next: [long], blockers: [long] })
    put(box, INDEX, JSON.stringify({ active_plan: 'p', active_plan_stage: long }))
    const { stdout } = box.run([])
    expect(stdout).toMatch(/^Drift .*the plan is at p, word/m)
    expect(stdout).toMatch(/^Due .*The plan moved from/m)
    expect(widest(stdout)).toBeLessThanOrEqual(450)
  })

  test('it fits a terminal of 40 columns, with every command whole', () => {
    const box = workBox({ auth: textOf('auth', { status: 'current' }) })
    box.json([
      'save',
      'word '.repeat(20),
      '--next',
      'another '.repeat(20),
      '--decision',
      'A over B because C',
    ])
    box.git('switch', '--quiet', '-c', 'feature/login')
    const { todo } = statusOf(box)
    expect(todo).toHaveLength(3)
    for (const words of [[], ['status']]) {
      const { code, stdout } = onTerminal(box, 40, words)
      expect(code).toBe(0)
      expect(widest(stdout)).toBeLessThanOrEqual(40)
      for (const command of todo) expect(stdout.replace(/\s+/g, ' ')).toContain(command)
    }
  })

  test('nothing that was saved can drive the terminal', () => {
    const box = workBox()
    savePiped(box, { now: '\u001b[2Jgone \u202Etxt', next: ['\u0007bell'], blockers: ['\u009b31m'] })
    expect(box.run([]).stdout).not.toMatch(/[^\P{Cc}\n]|\u202E/u)
  })

  test('it says where trust is missing', () => {
    const box = workBox()
    box.json(['save', 'x'])
    expect(box.run([]).stdout).not.toContain('Trust')
    box.json(['untrust'])
    expect(box.run([]).stdout).toMatch(/^Trust +Not trusted: /m)
    expect(statusOf(box).uncommitted).toBe(null)
  })
})

describe('what is due', () => {
  test('nothing, right after a save', () => {
    const box = workBox()
    box.json(['save', 'x'])
    expect(statusOf(box)).toMatchObject({ due: [], todo: ['savepoint resume'] })
  })

  test('the first save', () => {
    const box = workBox()
    expect(dues(box)).toEqual(['save: first'])
    obey(box)
    expect(dues(box)).toEqual([])
  })

  const staged = (box: Sandbox, stage: unknown) =>
    put(box, INDEX, JSON.stringify({ active_plan_stage: stage }))

  test('a save where the plan went on to another stage', () => {
    const box = workBox()
    staged(box, 1)
    commit(box, 'index')
    box.json(['save', 'x'])
    staged(box, 'verify')
    expect(statusOf(box).due).toEqual([
      {
        ...{ what: 'save', why: 'phase', command: 'savepoint save "…"' },
        text: 'The plan moved from stage 1 to verify.',
      },
    ])
    obey(box)
    expect(dues(box)).toEqual([])
  })

  test('a delta where the work has a document', () => {
    const box = workBox()
    staged(box, 1)
    commit(box, 'index')
    box.json(['new', 'auth', '--current'])
    box.json(['save', 'x'])
    expect(dues(box)).toEqual([])
    staged(box, 2)
    const { due, todo } = statusOf(box)
    expect(due).toMatchObject([{ what: 'delta', why: 'phase' }])
    expect(todo).toEqual(['savepoint delta --what "…" --trigger phase', 'savepoint resume'])
    obey(box)
    expect(box.read('checkpoints/active/auth.md')).toContain('## Delta: ')
  })

  test('a delta for decisions that came by saves since the last one', () => {
    const box = workBox()
    box.json(['new', 'auth', '--current'])
    box.json(['save', 'x', '--decision', 'A over B because C'])
    box.json(['save', 'y', '--decision', 'D over E because F'])
    expect(statusOf(box).due).toEqual([
      {
        ...{ what: 'delta', why: 'decision', command: 'savepoint delta --what "…" --trigger decision' },
        text: '2 decisions not yet in the document.',
      },
    ])
    obey(box)
    expect(dues(box)).toEqual([])
    const bare = workBox()
    bare.json(['save', 'x', '--decision', 'A over B because C'])
    expect(dues(bare)).toEqual([])
  })

  test('a decision stays due, however many saves come after it', () => {
    const box = workBox()
    const notes = Array.from({ length: 60 }, (_, at) => noteText(at, at === 1 ? ['A over B'] : []))
    for (const [at, text] of notes.entries()) put(box, `old/${at}.json`, text)
    box.json(['import', 'old'])
    box.json(['new', 'main', '--current'])
    expect(statusOf(box)).toMatchObject({
      saved: { sequence: 61 },
      due: [{ what: 'delta', why: 'decision', text: '1 decision not yet in the document.' }],
    })
  })

  test('a new checkpoint where the branch is another one; a save where there is no document', () => {
    const box = workBox()
    box.json(['new', 'auth', '--current'])
    box.json(['save', 'x'])
    box.git('switch', '--quiet', '-c', 'other')
    expect(statusOf(box).due).toEqual([
      {
        ...{ what: 'new', why: 'shift', command: 'savepoint new <id> --current' },
        text: 'The last save was on branch main; this is other.',
      },
    ])
    obey(box)
    expect([statusOf(box).focus, dues(box)]).toEqual(['next-thing', []])
    const bare = workBox()
    bare.json(['save', 'x'])
    bare.git('switch', '--quiet', '-c', 'other')
    expect(dues(bare)).toEqual(['save: shift'])
    obey(bare)
    expect(dues(bare)).toEqual([])
  })

  test('the same after more than twenty commits', () => {
    const box = workBox()
    box.json(['save', 'x'])
    const grow = (count: number) => {
      for (let at = 0; at < count; at += 1) box.git('commit', '--quiet', '--allow-empty', '-m', 'more')
    }
    grow(20)
    expect(dues(box)).toEqual([])
    grow(1)
    expect(statusOf(box).due).toMatchObject([
      { what: 'save', why: 'shift', text: '21 commits since the last save.' },
    ])
    obey(box)
    expect(dues(box)).toEqual([])
  })

  test('a save where the last one is long ago and something changed', () => {
    const box = workBox()
    put(box, 'src/a.ts', '1')
    box.json(['save', 'x'])
    const late = turned(box, 3 * HOUR)
    expect(dues(box, late)).toEqual([])
    put(box, 'src/a.ts', '2')
    expect(dues(box)).toEqual([])
    expect(statusOf(box, late).due).toEqual([
      {
        ...{ what: 'save', why: 'long', command: 'savepoint save "…"' },
        text: 'The last save is 3 hours old: 1 file changed since.',
      },
    ])
    commit(box, 'it')
    expect(statusOf(box, late).due[0]?.text).toContain('1 file changed and 1 new commit since.')
  })

  test('each kind once, the most important reason first', () => {
    const box = workBox()
    staged(box, 1)
    commit(box, 'index')
    box.json(['new', 'auth', '--current'])
    box.json(['save', 'x', '--decision', 'A over B because C'])
    staged(box, 2)
    box.git('switch', '--quiet', '-c', 'other')
    expect(dues(box)).toEqual(['delta: phase', 'new: shift'])
  })
})

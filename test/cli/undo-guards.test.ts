import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Sandbox } from '../support/sandbox.ts'
import { active, edit, elsewhere, history, reasonFor, refusal, textOf, workBox } from './document-lab.ts'
import { INDEX, LEDGER, LEDGER_ON, notesIn, put, save, told } from './save-lab.ts'
import { callRow, heard, idOf, resultRow, transcript, within } from './session-lab.ts'
import { exported, firstMachine, otherMachine } from './transfer-lab.ts'
import { richBox } from './undo-lab.ts'

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

  test('a document that was only laid out anew since is not written over either', () => {
    const box = workBox({ auth: textOf('auth') })
    box.json(['delta', 'auth', '--what', 'Login works'])
    const laidOut = box.read(active('auth')).replaceAll('\n', '\r\n')
    writeFileSync(box.path(active('auth')), laidOut)
    expect(reasonFor(box, 'undo')).toBe('undo_overtaken')
    expect(box.read(active('auth'))).toBe(laidOut)
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
    expect(done.notices).toContainEqual(expect.stringContaining(`${note} has changed since`))
    expect(done.files).toContainEqual({ path: LEDGER, state: 'left' })
    expect(box.read(note)).toContain('Tokens do not')
    expect(box.read(LEDGER)).toContain('Tokens rest')
    box.json(['archive', 'auth', '--outcome', 'Shipped', '--learning', 'Tokens are small'])
    edit(box, 'checkpoints/LEARNINGS.md', 'Write less', 'Write more')
    expect(box.json(['undo']).notices).toContainEqual(expect.stringContaining('the entry for auth was kept'))
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

  test('a renamed document that its user removed has its former name by an undo, and comes back under it', () => {
    const box = workBox({ auth: textOf('auth') })
    box.json(['rename', 'auth', 'login'])
    rmSync(box.path(active('login')))
    box.json(['undo'])
    expect(box.json(['list', '--all']).documents).toMatchObject([{ id: 'auth' }])
    expect(box.json(['restore', 'auth'])).toMatchObject({ path: active('auth') })
    expect(box.read(active('auth'))).toBe(textOf('auth'))
    expect(existsSync(box.path(active('login')))).toBe(false)
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

  test('work that an import from another machine moved on is not taken back', () => {
    const box = firstMachine()
    save(box, ['One', '--stream', 'plain'])
    const other = otherMachine(box)
    other.json(['import', exported(box), '--adopt', 'repo'])
    save(other, ['Two', '--stream', 'plain'])
    box.json(['import', exported(other, 'back.savepoint.gz')])
    expect(told(box, ['plain']).work.now).toBe('Two')
    expect(refusal(box, 'undo')).toMatchObject({ reason: 'undo_overtaken' })
    expect(told(box, ['plain']).work.now).toBe('Two')
  })

  test('a rename is not undone where the work has another name since, or other work has its former one', () => {
    const box = workBox()
    save(box, ['One', '--stream', 'plain'])
    box.json(['rename', 'plain', 'cache'])
    box.git('worktree', 'add', '--quiet', '../other')
    const other = elsewhere(box, 'other')
    save(other, ['Other', '--stream', 'plain'])
    expect(refusal(box, 'undo')).toMatchObject({ reason: 'stream_exists' })
    other.json(['rename', 'cache', 'store'])
    expect(refusal(box, 'undo')).toMatchObject({ reason: 'undo_overtaken' })
    expect(told(box, ['store']).work.now).toBe('One')
  })

  test('a save to work that was renamed elsewhere since is undone under its present name', () => {
    const box = workBox()
    for (const words of ['One', 'Two']) save(box, [words, '--stream', 'plain'])
    box.git('worktree', 'add', '--quiet', '../other')
    elsewhere(box, 'other').json(['rename', 'plain', 'cache'])
    expect(box.json(['undo']).work).toMatchObject([{ id: 'cache', as: 1 }])
    expect(told(box, ['cache']).work.now).toBe('One')
  })
})

describe('what is no act', () => {
  test('is passed over: trust, a run, an import of an export, a repair of the focus', () => {
    const current = { status: 'current' }
    const box = firstMachine({ auth: textOf('auth', current), side: textOf('side', current) })
    save(box, ['One', '--stream', 'plain'])
    const other = otherMachine(box)
    other.json(['import', exported(box), '--adopt', 'repo'])
    save(other, ['Two', '--stream', 'elsewhere'])
    box.json(['import', exported(other, 'back.savepoint.gz')])
    box.json(['trust'])
    box.start('r1')
    box.json(['run', 'step', 'r1', 's1', 'in_progress'])
    expect(box.run(['doctor', '--fix']).stdout).toContain('focused ')
    const acts = box.json(['undo', '--list']).acts
    expect(acts).toMatchObject([{ label: 'save plain #1 "One"' }])
    box.json(['undo'])
    expect(told(box, ['elsewhere']).work.now).toBe('Two')
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

import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  appendRecord,
  listJournals,
  readHint,
  readRecords,
  removeSessionFiles,
  sessionFile,
  writeHint,
} from '../../src/engine/sessions/session-files.ts'
import { freshFolder } from '../store/make.ts'
import { idOf, keyOf, Lab } from './lab.ts'

const A = idOf('a')
const KEY = keyOf(A)

describe('the journal of a session', () => {
  test('gives back what was written, from where the last reading ended', () => {
    const folder = join(freshFolder(), 'sessions')
    expect(readRecords(folder, KEY, 0)).toEqual({ records: [], next: 0 })
    appendRecord(folder, KEY, { a: 'é\n"' })
    const first = readRecords(folder, KEY, 0)
    expect(first.records).toEqual([{ a: 'é\n"' }])
    appendRecord(folder, KEY, { b: 2 })
    expect(readRecords(folder, KEY, first.next).records).toEqual([{ b: 2 }])
    const end = readRecords(folder, KEY, 0)
    expect(end.records).toHaveLength(2)
    expect(readRecords(folder, KEY, end.next)).toEqual({ records: [], next: end.next })
    expect(listJournals(folder)).toEqual([KEY])
  })

  test('a record that is torn waits, and takes no other along when it never ends', () => {
    const folder = freshFolder()
    const path = sessionFile(folder, KEY, 'journal')
    appendRecord(folder, KEY, { a: 1 })
    appendFileSync(path, '\n{"b":')
    const torn = readRecords(folder, KEY, 0)
    expect(torn.records).toEqual([{ a: 1 }])
    appendRecord(folder, KEY, { c: 3 })
    expect(readRecords(folder, KEY, torn.next).records).toEqual([{ c: 3 }])
    expect(readRecords(folder, KEY, 0).records).toEqual([{ a: 1 }, { c: 3 }])
  })

  test('a link in its place is not followed', () => {
    const folder = freshFolder()
    const target = join(folder, 'target')
    writeFileSync(target, 'theirs')
    mkdirSync(join(folder, 'claude'))
    symlinkSync(target, sessionFile(folder, KEY, 'journal'))
    expect(() => appendRecord(folder, KEY, { a: 1 })).toThrow()
    expect(readFileSync(target, 'utf8')).toBe('theirs')
  })

  test('goes with all files of the session, and with none of another', () => {
    const folder = freshFolder()
    const other = keyOf(`${A}0`)
    const hint = {
      ...{
        nudged: [],
        compactions: 0,
        owed: false,
        handedOff: false,
        savedAt: null,
        stretch: null,
        stream: null,
        focus: [],
      },
    }
    for (const key of [KEY, other]) {
      appendRecord(folder, key, {})
      writeHint(folder, key, hint)
    }
    writeFileSync(`${sessionFile(folder, KEY, 'hint')}.99.tmp`, 'half')
    removeSessionFiles(folder, KEY)
    expect(listJournals(folder)).toEqual([other])
    expect(readHint(folder, KEY)).toBeNull()
    expect(readHint(folder, other)).toEqual(hint)
    expect(existsSync(`${sessionFile(folder, KEY, 'hint')}.99.tmp`)).toBe(false)
  })

  test('a hint that is damaged is none', () => {
    const folder = freshFolder()
    appendRecord(folder, KEY, {})
    for (const text of ['', '{', 'null', '7', '"x"', '\0\0']) {
      writeFileSync(sessionFile(folder, KEY, 'hint'), text)
      expect(readHint(folder, KEY)).toBeUndefined()
    }
  })
})

describe('what a journal holds', () => {
  const kindsOf = async (lab: Lab, id = A) => (await lab.row(id)).events.map(({ kind }) => kind)

  test('comes into the row once, however often it is taken in', async () => {
    const lab = new Lab()
    lab.hear(A, 'SessionStart', { source: 'startup' })
    lab.hear(A, 'UserPromptSubmit', { prompt: 'Go' })
    lab.end(A)
    for (const _ of [1, 2, 3]) await lab.follow()
    expect(await kindsOf(lab)).toEqual(['start', 'prompt', 'end'])
    expect(await lab.row(A)).toMatchObject({ phase: 'recent', endReason: 'prompt_input_exit' })
    lab.hear(A, 'UserPromptSubmit', { prompt: 'More' })
    await lab.follow()
    expect(await kindsOf(lab)).toEqual(['start', 'prompt', 'end', 'prompt'])
  })

  test('comes in once when several take it in at the same moment', async () => {
    const lab = new Lab()
    const ids = ['a', 'b', 'c'].map(idOf)
    for (const id of ids)
      for (let index = 0; index < 20; index += 1) lab.hear(id, 'UserPromptSubmit', { prompt: `${index}` })
    await Promise.all(Array.from({ length: 8 }, () => lab.follow()))
    for (const id of ids) expect(await kindsOf(lab, id)).toHaveLength(20)
  })

  test('and nobody understands is passed over: the rest counts', async () => {
    const lab = new Lab()
    const path = sessionFile(join(lab.box.home, 'sessions'), KEY, 'journal')
    lab.hear(A, 'SessionStart', { source: 'startup' })
    const event = { kind: 'moon', session: A, agent: 'claude', at: lab.now, cwd: lab.box.repo }
    const strange = [
      7,
      null,
      [],
      'x',
      {},
      { event: null },
      { event: {} },
      { event: { kind: 'batch' } },
      { timing: null },
    ]
    for (const value of strange) appendFileSync(path, `${JSON.stringify(value)}\n`)
    appendFileSync(path, `not json\n${JSON.stringify({ event, ms: null, head: null })}\n`)
    lab.hear(A, 'UserPromptSubmit', { prompt: 'Go' })
    await lab.follow()
    expect(await kindsOf(lab)).toEqual(['start', 'moon', 'prompt'])
  })

  test.each([
    'batch',
    'stop',
    'prompt',
    'start',
    'failure',
    'compacted',
    'helper-started',
    'task-created',
    'end',
  ])('a %s of another version, with none of its words, stops nothing', async (kind) => {
    const lab = new Lab()
    const path = sessionFile(join(lab.box.home, 'sessions'), KEY, 'journal')
    lab.hear(A, 'SessionStart', { source: 'startup' })
    const event = { kind, session: A, agent: 'claude', at: lab.now, cwd: lab.box.repo }
    appendFileSync(path, `${JSON.stringify({ event })}\n`)
    lab.hear(A, 'UserPromptSubmit', { prompt: 'Go' })
    await lab.follow()
    expect((await lab.row(A)).lastPrompt?.text).toBe('Go')
  })

  test('of a session whose folder is gone is kept for a workspace that is known, else left alone', async () => {
    const lab = new Lab()
    const gone = join(lab.box.root, 'gone')
    lab.hear(A, 'SessionStart', { source: 'startup', cwd: join(lab.box.repo, 'sub') })
    lab.hear(idOf('b'), 'SessionStart', { source: 'startup', cwd: gone })
    lab.hear(idOf('c'), 'SessionStart', { source: 'startup' })
    await lab.follow()
    await lab.follow()
    expect(await kindsOf(lab, A)).toEqual(['start'])
    expect(await kindsOf(lab, idOf('c'))).toEqual(['start'])
    await expect(lab.row(idOf('b'))).rejects.toThrow()
    expect((await lab.row(A)).workspace).toBe((await lab.row(idOf('c'))).workspace)
  })

  test('belongs to the session that its file is named after, whatever a record says', async () => {
    const lab = new Lab()
    const b = idOf('b')
    lab.hear(b, 'SessionStart', { source: 'startup' })
    await lab.follow()
    const before = await lab.row(b)
    const event = {
      kind: 'end',
      reason: 'logout',
      session: b,
      agent: 'claude',
      at: lab.now,
      cwd: lab.box.repo,
    }
    const path = sessionFile(join(lab.box.home, 'sessions'), KEY, 'journal')
    mkdirSync(dirname(path), { recursive: true })
    for (const session of [b, idOf('c')])
      appendFileSync(path, `${JSON.stringify({ event: { ...event, session }, ms: null, head: null })}\n`)
    await lab.follow()
    expect(await lab.row(b)).toEqual(before)
    await expect(lab.row(idOf('c'))).rejects.toThrow()
  })

  test('is what remains when the store is lost: it begins anew from there', async () => {
    const lab = new Lab()
    await lab.start(A)
    lab.hear(A, 'UserPromptSubmit', { prompt: 'Go' })
    await lab.follow()
    const known = await lab.row(A)
    for (const ending of ['', '-wal', '-shm'])
      rmSync(join(lab.box.home, `savepoint.db${ending}`), { force: true })
    await lab.follow()
    expect(await kindsOf(lab)).toEqual(known.events.map(({ kind }) => kind))
  })
})

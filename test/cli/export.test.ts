import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readingSchema } from '../../src/engine/transfer/reading-schema.ts'
import { type Sandbox, sandbox } from '../support/sandbox.ts'
import { inStore } from '../support/stored-documents.ts'
import { active, commit, edit, history, listed, refusal, rows, textOf } from './document-lab.ts'
import { callRow, heard, idOf, resultRow, transcript } from './session-lab.ts'
import {
  exported,
  fileIn,
  firstMachine,
  linesOf,
  otherMachine,
  sealedLines,
  writeLines,
} from './transfer-lab.ts'

const SESSION = idOf('ab12')

/** Work of every kind: documents with versions, an archive, bare work, a run with a removed snapshot, a session. */
function fullMachine(): Sandbox {
  const box = firstMachine({ auth: textOf('auth'), old: textOf('old') })
  edit(box, active('auth'), 'as it began', 'tokens are refreshed')
  box.json(['list'])
  box.json(['archive', 'old', '--outcome', 'done', '--learning', 'Test the clock first'])
  box.json(['save', 'Login works', '--stream', 'auth', '--decision', 'Refresh tokens because sessions die'])
  box.json(['save', 'Bare work', '--stream', 'bare', '--next', 'Give it a document'])
  commit(box, 'documents')
  box.start('r1')
  for (const step of ['s1', 's2'])
    for (const state of ['in_progress', 'done']) box.json(['run', 'step', 'r1', step, state])
  // This one is a note on the head.
  box.json(['run', 'save', 'r1', '--note', 'once more'])
  box.json(['run', 'pin', 'r1', String(runRows(box)[1]?.id)])
  box.json(['run', 'prune', '--max-per-run', '2'])
  const path = transcript(
    box,
    userRow(1, 'Please fix the login'),
    callRow(2, 100, { name: 'Edit', input: { file_path: 'src/a.ts' } }),
    resultRow(2),
    callRow(3, 200),
  )
  heard(box, SESSION, 'SessionStart', { source: 'startup', transcript_path: path })
  heard(box, SESSION, 'SessionEnd', { reason: 'prompt_input_exit', transcript_path: path })
  box.json(['sessions'])
  return box
}

const userRow = (number: number, content: string) =>
  `${JSON.stringify({
    ...{ type: 'user', uuid: `row-${number}`, isSidechain: false, message: { role: 'user', content } },
    timestamp: new Date(Date.UTC(2026, 0, 1, 0, number)).toISOString(),
  })}\n`

const runRows = (box: Sandbox) =>
  rows(
    box,
    `SELECT c.id, c.seq, c.removed_at IS NOT NULL AS gone FROM checkpoints c JOIN streams s ON s.id = c.stream
    WHERE s.name = 'r1' ORDER BY c.seq`,
  )

/** All that a machine says of its work, without what is true on one machine only. */
function toldBy(box: Sandbox) {
  const documents = listed(box, '--all')
  // `as`: the shapes are what the verbs answer with.
  const hits = (words: string) =>
    (box.json(['search', words, '--limit', '50']).hits as Array<{ id: string; snippet: string }>)
      .map(({ id, snippet }) => `${id}: ${snippet}`)
      .sort()
  const sessions = box.json(['sessions', '--all']).sessions as Array<Record<string, unknown>>
  return {
    documents: documents.map(({ standing: _focus, ...row }) => JSON.stringify(row, withoutClock)),
    histories: Object.fromEntries(documents.map(({ id }) => [id, history(box, id)])),
    texts: documents.map(({ id }) => box.json(['show', id]).text),
    found: ['tokens', 'clock', 'login', 'bare'].map(hits),
    sessions: sessions.map(({ id, phase, endReason, branch, stream, tokens, files }) => ({
      ...{ id, phase, endReason, branch, stream, tokens, files },
    })),
    talk: withoutPlace(box.json(['sessions', 'show', SESSION])),
    run: box.json(['run', 'show', 'r1', '--history']).history,
    runs: runRows(box),
  }
}

const withoutClock = (key: string, value: unknown) => (key === 'silentMs' ? undefined : value)

const withoutPlace = ({ worktree: _here, transcript: _there, ...session }: Record<string, unknown>) => {
  const told = JSON.stringify(session)
  return JSON.parse(told.replace(/"(?:\w*[mM]s|age|workspace|worktree)":(?:\d+|"[^"]*")/g, '"ms":0'))
}

/** On another machine, in a fresh clone that takes the work over and is trusted. */
function arrived(box: Sandbox, file: string, name = 'other'): Sandbox {
  const other = otherMachine(box, name)
  other.json(['import', file, '--adopt', 'repo'])
  other.json(['trust'])
  return other
}

describe('an export', () => {
  test('says on another machine all that it said on the first', () => {
    const box = fullMachine()
    const before = toldBy(box)
    expect(before.sessions).toHaveLength(1)
    expect(before.runs.filter(({ gone }) => gone === 1).length).toBeGreaterThan(0)
    const file = exported(box)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const other = arrived(box, file)
    const after = toldBy(other)
    for (const part of Object.keys(before) as Array<keyof typeof before>)
      expect(after[part], part).toEqual(before[part])
    expect(other.json(['doctor'])).toMatchObject({ healthy: true })
    // What a restart of the run reads is there, too.
    expect(other.json(['run', 'resume', 'r1'])).toMatchObject({ ok: true })
    const pins = (of: Sandbox) => rows(of, 'SELECT checkpoint FROM pins')
    expect(pins(other)).toEqual(pins(box))
  })

  test('imported twice adds nothing, and brings what came since', () => {
    const box = fullMachine()
    // A run in progress would get a snapshot with each save.
    box.json(['run', 'pause', 'r1'])
    const other = arrived(box, exported(box))
    const again = other.json(['import', fileIn(box)]).taken
    expect(again).toMatchObject({
      ...{
        work: { new: 0, extended: 0, known: 3 },
        runs: { known: 1 },
        checkpoints: { new: 0 },
        versions: { new: 0 },
      },
      ...{ sessions: { new: 0, updated: 0 }, split: [], unplaced: 0 },
    })
    box.json(['save', 'Went on', '--stream', 'bare'])
    box.json(['save', 'Begun since', '--stream', 'fresh'])
    const file = exported(box)
    expect(other.json(['import', file, '--dry-run']).taken).toMatchObject({ checkpoints: { new: 2 } })
    expect(listed(other, '--all').map(({ id }) => id)).not.toContain('fresh')
    expect(other.json(['import', file]).taken).toMatchObject({
      ...{ work: { new: 1, extended: 1 }, runs: { new: 0, extended: 0 }, checkpoints: { new: 2 } },
    })
    expect(history(other, 'bare')).toEqual(history(box, 'bare'))
    // And the way back, with what the other one added.
    other.json(['save', 'Further there', '--stream', 'bare'])
    exported(other, 'back.gz')
    expect(box.json(['import', fileIn(box, 'back.gz')]).taken).toMatchObject({ checkpoints: { new: 1 } })
    expect(history(box, 'bare').map(({ checkpoint }) => checkpoint)).toEqual(
      history(other, 'bare').map(({ checkpoint }) => checkpoint),
    )
  })

  test('work that went on on both machines is kept as two, and said', () => {
    const box = firstMachine()
    box.json(['save', 'Common', '--stream', 'auth'])
    const other = arrived(box, exported(box))
    box.json(['save', 'Here', '--stream', 'auth'])
    other.json(['save', 'There', '--stream', 'auth'])
    const done = other.run(['import', exported(box)])
    expect(done.stdout).toContain('auth also changed here; imported as auth-2')
    const nows = (of: Sandbox, id: string) =>
      history(of, id).map(({ sequence }) => of.json(['show', id, '--at', String(sequence)]).checkpoint)
    expect(history(other, 'auth')).toHaveLength(2)
    expect(nows(other, 'auth-2')).toHaveLength(1)
    expect(other.json(['resume', 'auth']).work).toMatchObject({ now: 'There' })
    expect(other.json(['resume', 'auth-2']).work).toMatchObject({ now: 'Here' })
    // Both go on: what comes later finds its own line.
    box.json(['save', 'Here again', '--stream', 'auth'])
    expect(other.json(['import', exported(box)]).taken).toMatchObject({ checkpoints: { new: 1 }, split: [] })
    expect(other.json(['resume', 'auth-2'])).toMatchObject({ sequence: 2, work: { now: 'Here again' } })
    expect(other.json(['doctor'])).toMatchObject({ healthy: true })
    exported(other, 'back.gz')
    expect(box.json(['import', fileIn(box, 'back.gz')]).taken).toMatchObject({
      ...{ checkpoints: { new: 1 }, split: [{ stream: 'auth', now: 'auth-2' }] },
    })
    expect(box.json(['resume', 'auth-2']).work).toMatchObject({ now: 'There' })
  })

  test('has neither trust, focus nor the paths of workspaces', () => {
    const box = fullMachine()
    box.json(['focus', 'auth'])
    const file = exported(box)
    const other = otherMachine(box)
    other.json(['import', file, '--adopt', 'repo'])
    expect(other.json(['status'])).toMatchObject({ trusted: false, focus: null })
    expect(rows(other, 'SELECT * FROM trust')).toEqual([])
    const paths = rows(other, 'SELECT path FROM workspaces').map(({ path }) => path)
    expect(paths.filter((path) => path !== other.repo)).toEqual([''])
  })

  test('of one repository leaves the others out; --all has them', () => {
    const box = firstMachine()
    box.json(['save', 'Of the shop'])
    const second = sandbox()
    second.json(['save', 'Of another'], { env: { SAVEPOINT_HOME: box.home } })
    expect(box.json(['export', fileIn(box, 'one.gz')])).toMatchObject({ repositories: 1, work: 1 })
    expect(box.json(['export', fileIn(box, 'all.gz'), '--all'])).toMatchObject({
      repositories: 2,
      work: 2,
    })
    const other = otherMachine(box)
    const done = other.run(['import', fileIn(box, 'all.gz')])
    expect(done.stdout).toContain('Imported work: 2 new of ')
  })

  test('is counted as people see it: work, runs and sessions, without the streams of sessions', () => {
    const box = fullMachine()
    box.json(['save', 'Heard', '--stream', 'session-0123456789ab'])
    expect(box.run(['export', fileIn(box)]).stdout).toContain(
      'Exported 3 pieces of work, 1 run, 1 session to ',
    )
    const other = otherMachine(box)
    const imported = () => other.run(['import', exported(box)]).stdout
    expect(imported()).toContain('Imported work: 3 new; 1 run; 1 session of repo.')
    expect(imported()).toContain('Imported nothing new of repo.')
    box.json(['save', 'Went on', '--stream', 'bare'])
    box.json(['save', 'Begun since', '--stream', 'fresh'])
    expect(imported()).toContain('Imported work: 1 new, 1 extended of repo.')
    const adopted = other.run(['import', '--adopt', 'repo']).stdout
    expect(adopted).toContain(': 4 pieces of work, 1 run.')
  })

  test('that is missing, or is a backup, is called so', () => {
    const box = firstMachine()
    box.json(['save', 'One'])
    const [none, copy] = [fileIn(box, 'none.gz'), fileIn(box, 'copy.db')]
    box.json(['backup', copy])
    for (const words of [[none], ['none.gz'], ['--skip-damaged', none], ['--adopt', 'repo', none]])
      expect(refusal(box, 'import', ...words)).toMatchObject({ reason: 'file_unknown' })
    expect(refusal(box, 'import', copy)).toMatchObject({
      message: expect.stringContaining(`savepoint backup --restore ${copy}`),
    })
    expect(refusal(box, 'backup', '--restore', none)).toMatchObject({ reason: 'file_unknown' })
    expect(refusal(box, 'backup', '--restore', box.root)).toMatchObject({
      message: expect.stringContaining('it is not a file'),
    })
    // Below a folder that is missing, and below a file.
    for (const file of [`${box.root}/nowhere/x`, `${copy}/x`])
      for (const verb of ['export', 'backup']) {
        const { reason, message } = refusal(box, verb, file)
        expect({ reason, message }).toMatchObject({ reason: 'folder_unreadable' })
        expect(message).not.toMatch(/E[A-Z]+: |, open/)
      }
  })

  test('never replaces a file without --force, and leaves nothing behind', () => {
    const box = firstMachine()
    box.json(['save', 'One'])
    const file = fileIn(box)
    writeFileSync(file, 'mine')
    expect(refusal(box, 'export', file)).toMatchObject({ reason: 'file_exists' })
    expect(readFileSync(file, 'utf8')).toBe('mine')
    expect(box.json(['export', file, '--force'])).toMatchObject({ ok: true, path: file })
    expect(refusal(box, 'export', `${box.root}/nowhere/x.gz`)).toMatchObject({ reason: 'folder_unreadable' })
    if (process.getuid?.() === 0) return
    chmodSync(box.root, 0o500)
    expect(refusal(box, 'export', fileIn(box, 'new.gz'))).toMatchObject({
      reason: 'checkpoint_atomic_write_failed',
    })
    chmodSync(box.root, 0o700)
  })

  test('goes to the standard output as the file would, and its words to the other one', () => {
    const box = firstMachine()
    box.json(['save', 'One'])
    const lines = linesOf(exported(box))
    const shell = `'${process.execPath}' dist/cli.cjs export - > '${fileIn(box, 'out.gz')}'`
    const { spawnSync } = process.getBuiltinModule('node:child_process')
    const cli = shell.replace('dist/cli.cjs', `'${new URL('../../dist/cli.cjs', import.meta.url).pathname}'`)
    const done = spawnSync('sh', ['-c', cli], { cwd: box.repo, env: box.env, encoding: 'utf8' })
    expect(done.stderr).toContain('Exported 1 piece of work, 0 sessions')
    const piped = linesOf(fileIn(box, 'out.gz'))
    expect(piped.slice(1)).toEqual(lines.slice(1))
  })

  test('is nothing that a command of an agent may bring in', () => {
    const box = firstMachine()
    box.json(['save', 'One'])
    const file = exported(box)
    const other = otherMachine(box)
    for (const words of [
      ['import', file],
      ['import', '--adopt', 'repo'],
      ['backup', '--restore', file],
    ]) {
      const done = other.run([...words, '--json'], { env: { CLAUDECODE: '1' } })
      expect(JSON.parse(done.stdout), words.join(' ')).toMatchObject({ reason: 'import_by_agent' })
    }
    expect(rows(other, 'SELECT * FROM streams')).toEqual([])
  })

  test('keeps the mark of what nobody has reviewed', async () => {
    const box = firstMachine()
    box.json(['save', 'One', '--stream', 'auth'])
    await inStore(
      box,
      async ({ store }) => {
        const [stream] = await store.log.listStreams(null, 'work')
        if (!stream) throw new Error('there is a stream')
        const stored = await store.log.readCheckpoint(stream.headId)
        if (stored?.state !== 'whole') throw new Error('it is whole')
        const checkpoint = {
          ...stored.checkpoint,
          id: 'cp_20260101T000000000Z_2-abcdef12',
          parent: stream.headId,
        }
        await store.log.append({ appends: [{ checkpoint, after: stream.headId, foreign: true }] })
      },
      'write',
    )
    const other = arrived(box, exported(box))
    expect(history(other, 'auth').map(({ foreign }) => foreign)).toEqual([false, true])
  })
})

describe('a damaged export', () => {
  function damaged(change: (lines: string[]) => string[]) {
    const box = firstMachine()
    for (const now of ['One', 'Two', 'Three']) box.json(['save', now, '--stream', 'auth'])
    const lines = linesOf(exported(box))
    return { other: otherMachine(box), file: writeLines(box, change(lines)), box }
  }
  const flip = (line = '') => line.replace('"One"', '"0ne"')
  const nothing = (other: Sandbox) => expect(rows(other, 'SELECT * FROM checkpoints')).toEqual([])

  test('with a changed record is refused by its line and its id, and nothing is taken', () => {
    const { other, file } = damaged((lines) => lines.map(flip))
    const { reason, message, hint } = refusal(other, 'import', file)
    expect(reason).toBe('export_invalid')
    expect(message).toMatch(/line 4 \(checkpoint cp_\S+\): it does not match its checksum/)
    expect(hint).toContain('--skip-damaged')
    nothing(other)
    const taken = other.json(['import', file, '--skip-damaged']).taken
    expect(taken).toMatchObject({ checkpoints: { new: 2 }, problems: { count: 1 } })
    expect(other.json(['doctor'])).toMatchObject({ healthy: true })
  })

  test.each([
    ['cut off after a line', (lines: string[]) => lines.slice(0, -2), 'cut off'],
    ['with a line missing', (lines: string[]) => lines.toSpliced(3, 1), 'lines are missing'],
    [
      'with two lines swapped',
      (lines: string[]) => [...lines.slice(0, 3), lines[4], lines[3], ...lines.slice(5)] as string[],
      'wrong order',
    ],
    ['with a line twice', (lines: string[]) => lines.toSpliced(4, 0, lines[3] ?? ''), 'wrong order'],
    ['with something after its end', (lines: string[]) => [...lines, '{}'], 'after the end'],
    [
      'with half a line',
      (lines: string[]) => [...lines.slice(0, 3), lines[3]?.slice(0, 50) ?? ''],
      'not JSON',
    ],
  ])('%s is refused', (_what, change, problem) => {
    const { other, file } = damaged(change)
    expect(refusal(other, 'import', file)).toMatchObject({
      reason: 'export_invalid',
      message: expect.stringContaining(problem),
    })
    nothing(other)
  })

  test('with any bit flipped is refused or is the same', () => {
    const box = firstMachine()
    box.json(['save', 'One', '--stream', 'auth'])
    const file = exported(box)
    const bytes = readFileSync(file)
    const other = otherMachine(box)
    // The name, the time and the system in the header of gzip mean nothing.
    for (let at = 10; at < bytes.length; at += Math.ceil(bytes.length / 24)) {
      const changed = Buffer.from(bytes)
      changed.writeUInt8((changed[at] ?? 0) ^ (1 << (at % 8)), at)
      writeFileSync(fileIn(box, 'flip.gz'), changed)
      const done = other.run(['import', fileIn(box, 'flip.gz'), '--skip-damaged', '--dry-run', '--json'])
      expect(JSON.parse(done.stdout).reason, `${at}: ${done.stdout}`).not.toBe('internal_error')
      const strict = other.run(['import', fileIn(box, 'flip.gz'), '--json'])
      expect(strict.code, `${at}: ${strict.stdout}`).not.toBe(0)
      nothing(other)
    }
  })

  test('of a newer version is left to a newer program', () => {
    const { other, file } = damaged(([header = '', ...rest]) => [
      header.replace('"version":1', '"version":2'),
      ...rest,
    ])
    expect(refusal(other, 'import', file)).toMatchObject({ reason: 'export_newer' })
  })

  test('with names, numbers and depths that no store has is refused, whatever its checksums say', () => {
    const box = firstMachine()
    box.json(['save', 'One', '--stream', 'auth'])
    const lines = linesOf(exported(box))
    const other = otherMachine(box)
    const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`
    const forged = (line: number, change: (text: string) => string) => {
      const record = change(JSON.stringify(JSON.parse(lines[line] ?? '').record))
      const changed = lines.toSpliced(line, 1, `{"record":${record}}`)
      return writeLines(box, record.includes('__proto__') ? changed : sealedLines(changed))
    }
    for (const [line, from, to] of [
      [2, '"name":"auth"', '"name":"../auth"'],
      [2, '"of":"work"', '"of":"other"'],
      [3, '"sequence":1', '"sequence":-1'],
      [3, '"sequence":1', '"sequence":1e300'],
      [3, '"progress":"in_progress"', '"progress":7'],
      [3, '"decisions":[]', '"decisions":{"length":1}'],
      [3, '"decisions":[]', `"decisions":[],"more":${deep.slice(0, 40)}${deep.slice(-40)}`],
      [3, '"decisions":[]', '"decisions":[],"__proto__":{"text":1}'],
      [1, '"roots":[', '"roots":["--upload-pack=x",'],
    ] as const) {
      const file = forged(line, (text) => {
        expect(text).toContain(from)
        return text.replace(from, to)
      })
      const done = other.run(['import', file, '--json'])
      if (to.includes('"more"')) expect(done.code).toBe(0)
      else expect(JSON.parse(done.stdout), to).toMatchObject({ reason: 'export_invalid' })
    }
    const bottomless = writeLines(box, lines.toSpliced(3, 1, `{"sum":"x","record":${deep}}`))
    expect(refusal(other, 'import', bottomless)).toMatchObject({
      message: expect.stringContaining('levels deep'),
    })
    expect(Object.prototype).not.toHaveProperty('text')
  })

  test('is redacted when it is taken in', () => {
    const box = firstMachine()
    box.json(['save', 'One', '--stream', 'auth'])
    const secret = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`
    const lines = linesOf(exported(box)).map((line) => {
      const { record } = JSON.parse(line)
      if (record?.kind !== 'checkpoint') return line
      record.checkpoint.work.now = `use ${secret}`
      return JSON.stringify({ record })
    })
    const other = otherMachine(box)
    other.json(['import', writeLines(box, sealedLines(lines)), '--adopt', 'repo'])
    expect(other.json(['resume', 'auth']).work).toMatchObject({
      now: expect.stringContaining('[redacted:github-token'),
    })
    expect(readFileSync(`${other.home}/savepoint.db`).includes(secret)).toBe(false)
  })
})

test('a digest that a session has is one by the schema', async () => {
  const box = fullMachine()
  const reading = await inStore(box, ({ store }) => store.log.readReading({ agent: 'claude', id: SESSION }))
  expect(readingSchema.safeParse(JSON.parse(reading ?? 'null')).error).toBeUndefined()
  const changed = JSON.parse(reading ?? 'null')
  changed.digest.requests = [{ text: 7 }]
  expect(readingSchema.safeParse(changed).success).toBe(false)
})

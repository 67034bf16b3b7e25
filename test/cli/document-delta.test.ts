import { appendFileSync, rmSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type Sandbox, sandbox } from '../support/sandbox.ts'
import { active, bodyOf, commit, edit, history, put, refusal, rows, textOf, workBox } from './document-lab.ts'

const STAMP = '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ'

/** The command line with something on its stdin. */
function piped(box: Sandbox, args: string[], input: string) {
  const done = box.run([...args, '--json'], { input })
  return { code: done.code, answer: JSON.parse(done.stdout) }
}

/** The rows of the last artifact table. */
const lastArtifacts = (box: Sandbox, id: string) =>
  [...box.read(active(id)).matchAll(/^\| (`.*`|-) \| (\w+|-) \| (.*) \|$/gm)].map((row) =>
    row.slice(1).join(' '),
  )

/** The text that a delta added, given the text before. */
function added(before: string, after: string): string {
  const old = before.replace(/^last_delta: .*\n/m, '')
  const now = after.replace(/^last_delta: .*\n/m, '')
  expect(now.startsWith(old)).toBe(true)
  return now.slice(old.length)
}

test('a delta is a section at the end of its document; only it and last_delta are new [000.66] [000.67] [000.72]', () => {
  const text = textOf('auth', { status: 'active', more: '# ours\nowner: ann\n' })
  const box = workBox({ auth: text })
  const files = rows(box, 'SELECT path FROM views').length
  const answer = box.json([
    ...['delta', 'auth', '--what', 'Login works: at last', '--transition', 'Phase 1:open:done'],
    ...['--artifact', 'src/login.ts:created:The form | all of it', '--artifact', 'C:\\x.ts:deleted'],
  ])
  expect(answer).toMatchObject({
    ...{ ok: true, id: 'auth', path: active('auth'), sequence: 2, trigger: 'manual' },
    ...{ artifacts: 2, transitions: 1, fromGit: false, files: 'published' },
  })
  const after = box.read(active('auth'))
  expect(added(text, after)).toBe(
    `
---

## Delta: ${answer.at}

### What Changed

Login works: at last

### Artifacts

| File | Action | Description |
|------|--------|-------------|
| \`src/login.ts\` | created | The form \\| all of it |
| \`C:\\x.ts\` | deleted |  |

### Status Transitions

| Item | Before | After |
|------|--------|-------|
| Phase 1 | open | done |
`,
  )
  expect(answer.at).toMatch(new RegExp(`^${STAMP}$`))
  expect(after).toContain(`\nlast_delta: ${answer.at}\n`)
  expect(rows(box, 'SELECT path FROM views')).toHaveLength(files)
  expect(box.run(['validate', '--strict']).stdout).not.toContain('Delta')
})

test('a delta to a file with CRLF and no last line break leaves every byte of it alone', () => {
  const text = textOf('auth').trimEnd().replaceAll('\n', '\r\n')
  const box = workBox({ auth: text })
  box.json(['delta', 'auth', '--what', 'one\ntwo', '--artifact', 'a:created'])
  const after = box.read(active('auth'))
  expect(after.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
  expect(after.replace(/last_delta: .*\r\n/, '').startsWith(text)).toBe(true)
})

test('the history in git of the one file shows how the work grew [000.73]', () => {
  const box = workBox({ auth: textOf('auth') })
  for (const what of ['First', 'Second']) {
    box.json(['delta', 'auth', '--what', what, '--artifact', 'a:modified'])
    commit(box, what)
  }
  const log = box.git('log', '--format=%s', '--', active('auth')).trim().split('\n')
  expect(log).toEqual(['Second', 'First', 'begin'])
  const diff = box.git('diff', 'HEAD~1', '--', active('auth'))
  expect(diff).not.toMatch(/^-(?!--|last_delta)/m)
  expect(box.git('ls-files', 'checkpoints').trim()).toBe(active('auth'))
})

test('without --artifact the files are those that git says changed since the last delta [000.71]', () => {
  const box = workBox({ auth: textOf('auth') })
  put(box, 'src/new file.ts', 'x\n')
  appendFileSync(box.path('readme.txt'), 'two\n')
  expect(box.json(['delta', 'auth', '--what', 'one'])).toMatchObject({ artifacts: 2, fromGit: true })
  expect(lastArtifacts(box, 'auth').slice(-2)).toEqual([
    '`readme.txt` modified +1 -0',
    '`src/new file.ts` created new file',
  ])
  put(box, 'src/b.ts', 'b\n')
  commit(box)
  rmSync(box.path('readme.txt'))
  const done = box.run(['delta', 'auth', '--what', 'two'])
  expect(done.stdout).toMatch(/^Added a delta to auth #3: \d files changed\n/)
  const second = lastArtifacts(box, 'auth').slice(3)
  expect(second).toContain('`src/b.ts` created new file')
  expect(second.some((row) => row.startsWith('`readme.txt` deleted'))).toBe(true)
  expect(second.some((row) => row.includes('checkpoints/') || row.includes('new file.ts'))).toBe(false)
  appendFileSync(box.path('src/b.ts'), 'more\n')
  commit(box)
  box.json(['delta', 'auth', '--what', 'three'])
  expect(lastArtifacts(box, 'auth').at(-1)).toBe('`src/b.ts` modified +1 -0')
})

test('where git says that nothing changed the table says so; with [] on stdin git is not asked, and none is named', () => {
  const box = workBox({ auth: textOf('auth') })
  expect(box.json(['delta', 'auth', '--what', 'thinking'])).toMatchObject({ artifacts: 0, fromGit: true })
  expect(lastArtifacts(box, 'auth').at(-1)).toBe('- - No files changed')
  put(box, 'b.txt', 'b')
  const { answer } = piped(box, ['delta', 'auth', '--stdin'], '{"what": "x", "artifacts": []}')
  expect(answer).toMatchObject({ artifacts: 0, fromGit: false })
  expect(lastArtifacts(box, 'auth').at(-1)).toBe('- - No files named')
})

test('more files than a reader wants are counted in the last row, and the answer has how many there are', () => {
  const box = workBox({ auth: textOf('auth') })
  for (let number = 10; number < 55; number += 1) put(box, `src/f${number}.ts`, 'x\n')
  expect(box.json(['delta', 'auth', '--what', 'many'])).toMatchObject({ artifacts: 45, fromGit: true })
  expect(lastArtifacts(box, 'auth').slice(-2)).toEqual([
    '`src/f49.ts` created new file',
    '- - 5 further files',
  ])
  for (let number = 10; number < 50; number += 1) put(box, `lib/f${number}.ts`, 'x\n')
  commit(box)
  const said = box.run(['delta', 'auth', '--what', 'as many as fit'])
  expect(said.stdout).toContain('files changed\n')
})

test('where git is not asked, or cannot say, no delta says that nothing changed', () => {
  const box = workBox({ auth: textOf('auth') })
  box.json(['untrust'])
  put(box, 'b.txt', 'b')
  const done = box.json(['delta', 'auth', '--what', 'x'])
  expect(done).toMatchObject({ artifacts: 0, fromGit: false })
  expect(done.notices).toContainEqual(expect.stringContaining('Changed files are not listed'))
  expect(lastArtifacts(box, 'auth').at(-1)).toBe('- - No files named')
  box.json(['trust'])
  const blind = box.run(['delta', 'auth', '--what', 'y'], { env: { PATH: box.root } })
  expect(blind.stderr).toContain('Could not list changed files')
  expect(blind.stdout).toContain('#3: no files\n')
  expect(lastArtifacts(box, 'auth').at(-1)).toBe('- - No files named')
})

test('a delta comes from stdin as JSON, and flags go before it or join it', () => {
  const box = workBox({ auth: textOf('auth') })
  const input = {
    what: 'From JSON',
    trigger: 'decision',
    artifacts: [{ path: 'a:b.ts', action: 'modified', description: 'c' }],
    transitions: [{ item: 'Time: 10:30', before: 'open', after: 'done' }],
  }
  expect(piped(box, ['delta', 'auth', '--stdin'], JSON.stringify(input)).answer).toMatchObject({
    ...{ trigger: 'decision', artifacts: 1, transitions: 1 },
  })
  expect(box.read(active('auth'))).toContain('| Time: 10:30 | open | done |')
  const flags = ['--what', 'Flag', '--trigger', 'risk', '--artifact', 'z:created', '--transition', 'i:a:b']
  expect(piped(box, ['delta', 'auth', '--stdin', ...flags], JSON.stringify(input)).answer).toMatchObject({
    ...{ trigger: 'risk', artifacts: 2, transitions: 2 },
  })
  expect(history(box, 'auth').at(-1)?.why).toBe('risk: delta: Flag')
})

test.each([
  '{',
  '[]',
  '"x"',
  '{"what": 1}',
  '{"what": "x", "wat": 1}',
  '{"what": "x", "trigger": "banana"}',
  '{"what": "x", "artifacts": {}}',
  '{"what": "x", "artifacts": [{"path": "a", "action": "eaten"}]}',
  '{"artifacts": []}',
  '',
])('stdin %j is refused, and nothing is written', (input) => {
  const box = workBox({ auth: textOf('auth') })
  const { code, answer } = piped(box, ['delta', 'auth', '--stdin'], input)
  expect(code).toBe(2)
  expect(answer).toMatchObject({ ok: false, reason: 'usage_invalid' })
  expect(box.read(active('auth'))).toBe(textOf('auth'))
})

test('what a flag cannot be is said with what it takes', () => {
  const box = workBox({ auth: textOf('auth') })
  for (const [flag, value, says] of [
    ['--artifact', 'src/a.ts', 'path:action:description'],
    ['--artifact', ':created:x', 'path:action:description'],
    ['--transition', 'a:b', 'item:before:after'],
    ['--transition', 'a:b:c:d', 'or --stdin with JSON'],
    ['--trigger', 'banana', 'phase, decision, shift, session-end, pressure, risk, manual'],
  ] as const)
    expect(refusal(box, 'delta', 'auth', '--what', 'x', flag, value)).toMatchObject({
      reason: 'usage_invalid',
      message: expect.stringContaining(says),
    })
})

const BREAKS = ['phase', 'decision', 'shift', 'session-end', 'pressure', 'risk', 'manual']

/** Takes a delta for a reason, and gives back the reason that the store keeps and the line of the history. */
function taken(trigger: string) {
  const box = workBox({ auth: textOf('auth') })
  const answer = box.json(['delta', 'auth', '--what', 'So far', '--trigger', trigger])
  const [row] = bodyOf(box, String(answer.checkpoint)).triggers as Array<{ kind: string; note: string }>
  expect(row).toMatchObject({ kind: trigger, note: 'delta' })
  expect(box.run(['show', 'auth', '--history']).stdout).toMatch(
    new RegExp(`^\\*  2 .* ${trigger}: delta: So far$`, 'm'),
  )
  return box
}

test('the end of a phase is a reason for a checkpoint, and is kept with it [000.60]', () => {
  taken('phase')
})

test('a weighty choice of the user is a reason for a checkpoint, and is kept with it [000.61]', () => {
  taken('decision')
})

test('a change of direction is a reason for a checkpoint, and is kept with it [000.62]', () => {
  taken('shift')
})

test('the end of a session is a reason for a checkpoint, which has the work up to there [000.63]', () => {
  const box = taken('session-end')
  expect(box.run(['show', 'auth', '--at', '2']).stdout).toBe(box.read(active('auth')))
})

test('a context window that fills up is a reason for a checkpoint, which has the work up to there [000.64]', () => {
  const box = taken('pressure')
  expect(box.run(['show', 'auth', '--at', '2']).stdout).toContain('So far')
})

test('every natural break has its own reason, the help names them, and each is the last delta for git [000.71]', () => {
  const box = workBox({ auth: textOf('auth') })
  const help = box.run(['delta', '--help']).stdout.replace(/\s+/g, ' ')
  expect(help).toContain(BREAKS.join(', '))
  expect(help).toContain('at a natural break')
  for (const trigger of BREAKS) {
    writeFileSync(box.path(`${trigger}.txt`), trigger)
    box.json(['delta', 'auth', '--what', 'x', '--trigger', trigger])
    commit(box, trigger)
  }
  const files = BREAKS.map((trigger) => `\`${trigger}.txt\` created new file`)
  expect(lastArtifacts(box, 'auth').filter((row) => row.endsWith('new file'))).toEqual(files)
  expect(
    history(box, 'auth')
      .map(({ why }) => why)
      .slice(1),
  ).toEqual(BREAKS.map((trigger) => `${trigger}: delta: x`))
})

test('without an id a delta goes to the document in focus, and without one there it is refused', () => {
  const box = workBox({ auth: textOf('auth') })
  const done = box.run(['delta', '--what', 'x'])
  expect(done.code).toBe(3)
  expect(done.stderr).toContain('(nothing_in_focus)')
  box.json(['focus', 'auth'])
  expect(box.json(['delta', '--what', 'x'])).toMatchObject({ id: 'auth', sequence: 2 })
})

test('a secret in a delta reaches neither the file nor the store', () => {
  const box = workBox({ auth: textOf('auth') })
  const token = `ghp_${'a1B2'.repeat(9)}`
  const words = [
    '--what',
    `Used ${token}`,
    '--artifact',
    `a:created:${token}`,
    '--transition',
    `i:${token}:b`,
  ]
  const { checkpoint } = box.json(['delta', 'auth', ...words])
  expect(box.read(active('auth'))).toContain('Used [redacted:')
  expect(box.read(active('auth'))).not.toContain(token)
  expect(JSON.stringify(bodyOf(box, String(checkpoint)))).not.toContain(token)
  expect(box.run(['show', 'auth', '--history']).stdout).not.toContain(token)
})

test('words that look like structure stay words, and an open fence is named instead of swallowing the delta', () => {
  const box = workBox({ auth: textOf('auth') })
  box.json(['delta', 'auth', '--what', 'one\n## Completion\n---\n```\ntwo', '--artifact', 'a|b:created:x\ny'])
  expect(box.run(['validate', active('auth')]).stdout).not.toContain('Completion')
  expect(box.json(['list']).documents).toMatchObject([{ standing: 'open' }])
  edit(box, active('auth'), '- node 20', '```sh\nnode 20')
  const before = box.read(active('auth'))
  const done = box.run(['delta', 'auth', '--what', 'x'])
  expect(done.code).toBe(4)
  expect(done.stderr).toContain(`${active('auth')}:`)
  expect(box.read(active('auth'))).toBe(before)
})

test('outside of git a delta is added all the same, and does not say what git says', () => {
  const box = sandbox({ git: false })
  box.json(['new', 'auth', '--current'])
  const done = box.run(['delta', '--what', 'x'])
  expect(done).toMatchObject({ code: 0, stderr: '' })
  expect(done.stdout).toBe(`Added a delta to auth #2: no files\n  File: ${active('auth')}\n`)
  expect(box.read(active('auth'))).toContain('| - | - | No files named |')
})

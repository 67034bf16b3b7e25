import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hasCompiler, readLog, watch } from '../faults/shim.ts'
import { type Sandbox, sandbox } from '../support/sandbox.ts'
import { active, edit, elsewhere, put, reasonFor, refusal, rows, textOf, workBox } from './document-lab.ts'

const LONG = { timeout: 180_000 }

/** The documents on the disk that say they are current. */
const currents = (box: Sandbox) =>
  readdirSync(box.path('checkpoints/active')).filter((name) =>
    /^status: current$/m.test(box.read('checkpoints/active', name)),
  )

const focusRows = (box: Sandbox) => rows(box, "SELECT stream FROM standings WHERE standing = 'focused'")

const statusOf = (box: Sandbox, id: string) => /^status: (.*)$/m.exec(box.read(active(id)))?.[1]

test('new begins a document with every section to fill, and says where it is', () => {
  const box = sandbox()
  const done = box.run(['new', 'auth', '--anchor', 'phase --- two: "the form"'])
  expect(done).toMatchObject({ code: 0 })
  expect(done.stdout).toBe(
    'Created checkpoints/active/auth.md\n  Fill in its sections, then: savepoint validate checkpoints/active/auth.md\n',
  )
  const text = box.read(active('auth'))
  expect(text).toMatch(/^---\ncheckpoint: auth\ncreated: \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\nanchor: /)
  for (const name of [
    'Problem',
    'Session Intent',
    'Decisions',
    'Current State',
    'Next Actions',
    'User Rules',
  ])
    expect(text).toMatch(new RegExp(`^###? ${name}$`, 'm'))
  expect(text).not.toContain('## Completion')
  expect(box.run(['validate']).code).toBe(4)
})

test('new answers in JSON with its path, its parent and its first checkpoint', () => {
  const box = sandbox()
  box.json(['new', 'auth'])
  expect(box.json(['new', 'tokens', '--parent', 'AUTH', '--current'])).toMatchObject({
    ok: true,
    id: 'tokens',
    path: 'checkpoints/active/tokens.md',
    parent: 'auth',
    checkpoint: expect.stringMatching(/^cp_/),
    sequence: 1,
    focused: true,
    files: 'published',
  })
  expect(box.read(active('tokens'))).toMatch(/^parent: auth$/m)
})

test('a name that is taken is refused, in whatever case, by new and by fork [000.08]', () => {
  const box = sandbox()
  box.json(['new', 'auth'])
  const before = box.read(active('auth'))
  for (const words of [
    ['new', 'auth'],
    ['new', 'AUTH'],
    ['fork', 'auth', 'Auth'],
  ])
    expect(refusal(box, ...words)).toMatchObject({ ok: false, reason: 'stream_exists' })
  box.json(['archive', 'auth', '--outcome', 'done'])
  expect(reasonFor(box, 'new', 'auth')).toBe('stream_exists')
  box.json(['restore', 'auth'])
  expect(box.read(active('auth'))).toBe(before)
  expect(readdirSync(box.path('checkpoints/active'))).toEqual(['auth.md'])
})

test('a file that somebody else put there is not written over', () => {
  const box = sandbox()
  put(box, active('other'), textOf('other'))
  expect(reasonFor(box, 'new', 'other')).toBe('document_taken')
  expect(box.read(active('other'))).toBe(textOf('other'))
})

test.each(['a b', '../evil', 'CON', '.hidden', 'a/b', '', '-x', 'x'.repeat(129)])(
  'the name %j is refused',
  (name) => {
    const box = sandbox()
    const done = box.run(['new', '--json', '--', name])
    expect(done.code).toBe(2)
    expect(JSON.parse(done.stdout)).toMatchObject({ reason: 'id_invalid' })
    expect(existsSync(box.path('checkpoints'))).toBe(false)
  },
)

test('fork names the one that it came from, has all it says, and leaves it alone [000.21] [000.22]', () => {
  const box = workBox({ auth: textOf('auth') })
  box.json(['delta', 'auth', '--what', 'Tokens rotate', '--artifact', 'src/rotate.ts:created:rotation'])
  const parent = box.read(active('auth'))
  expect(box.json(['fork', 'auth', 'passkeys', '--anchor', 'phase 2'])).toMatchObject({
    id: 'passkeys',
    parent: 'auth',
    focused: false,
  })
  box.json(['fork', 'auth', 'sessions'])
  expect(box.read(active('auth'))).toBe(parent)
  const text = box.read(active('passkeys'))
  expect(text).toMatch(/^checkpoint: passkeys$/m)
  expect(text).toMatch(/^parent: auth$/m)
  expect(text).toMatch(/^anchor: phase 2$/m)
  expect(text).not.toMatch(/^last_delta:|^## Delta:/m)
  for (const said of ['Tokens expire too early.', 'Use refresh tokens', '→ Tokens rotate', '`src/rotate.ts`'])
    expect(text).toContain(said)
  expect(box.json(['tree']).documents).toMatchObject([
    { id: 'auth', depth: 0 },
    { id: 'passkeys', depth: 1, parent: 'auth' },
    { id: 'sessions', depth: 1, parent: 'auth' },
  ])
})

test('exactly one document is current, on the disk and in the store, whatever made it so [000.10] [000.14] [000.17]', () => {
  const box = sandbox()
  box.json(['new', 'one', '--current'])
  expect(currents(box)).toEqual(['one.md'])
  box.json(['new', 'two', '--current'])
  expect([statusOf(box, 'one'), statusOf(box, 'two')]).toEqual(['active', 'current'])
  box.json(['fork', 'one', 'three', '--current'])
  expect(currents(box)).toEqual(['three.md'])
  expect(box.json(['focus', 'ONE'])).toMatchObject({ id: 'one', beforeId: 'three', path: active('one') })
  expect(currents(box)).toEqual(['one.md'])
  expect(focusRows(box)).toHaveLength(1)
  expect(box.json(['focus'])).toMatchObject({ id: 'one' })
  expect(box.json(['focus', '--clear'])).toMatchObject({ id: null, beforeId: 'one' })
  expect(currents(box)).toEqual([])
  expect(box.run(['focus']).stdout).toBe('Nothing in focus\n')
})

test('focus changes the status and not another byte, and adds no checkpoint', () => {
  const text = textOf('auth', { status: 'active', more: '# a comment\nowner: ann   \n' }).replaceAll(
    '\n',
    '\r\n',
  )
  const box = workBox({ auth: text, plain: textOf('plain') })
  box.json(['focus', 'auth'])
  expect(box.read(active('auth'))).toBe(text.replace('status: active', 'status: current'))
  box.json(['focus', 'plain'])
  expect(box.read(active('auth'))).toBe(text)
  expect(box.json(['show', 'auth', '--history']).history).toHaveLength(1)
})

test.skipIf(!hasCompiler)(
  'the one before loses `current` before another document gets it, whatever their names [000.17]',
  () => {
    const box = sandbox()
    box.json(['new', 'a'])
    box.json(['new', 'z', '--current'])
    for (const [from, to] of [
      ['z', 'a'],
      ['a', 'z'],
    ]) {
      const log = join(box.root, `log-${to}`)
      expect(box.run(['focus', to ?? ''], { env: watch(box, log) }).code).toBe(0)
      const written = readLog(log).calls.filter(
        ({ call, path }) => call === 'open' && path.includes('/active/'),
      )
      expect(written.map(({ path }) => /\/\.(\w)\.md/.exec(path)?.[1])).toEqual([from, to])
    }
  },
)

test('several documents that say current are named by every verb that meets them, and focus settles it [000.16]', () => {
  const box = workBox({ a: textOf('a', { status: 'current' }), b: textOf('b', { status: 'current' }) })
  for (const verb of ['list', 'tree'])
    expect(box.run([verb]).stderr).toContain('Several documents are marked current: a, b')
  expect(box.json(['list']).notices).toHaveLength(1)
  expect(box.run(['focus', 'b'])).toMatchObject({ code: 0, stderr: '' })
  expect(currents(box)).toEqual(['b.md'])
  expect(box.run(['list']).stderr).toBe('')
})

test('what there is to tell is told also where the verb is refused', () => {
  const box = workBox({ a: textOf('a', { status: 'current' }), b: textOf('b', { status: 'current' }) })
  const several = 'Several documents are marked current: a, b. Choose one: savepoint focus <id>'
  expect(box.run(['show', 'nope'])).toMatchObject({
    code: 3,
    stderr: expect.stringContaining(`savepoint: ${several}\n`),
  })
  expect(refusal(box, 'show', 'nope')).toMatchObject({ reason: 'stream_unknown', notices: [several] })
  put(box, active('c'), textOf('c'))
  const blind = box.run(['delta', 'nope', '--what', 'x', '--json'], { env: { PATH: box.root } })
  expect(blind.stderr).toContain('savepoint: Could not ask git who wrote the documents')
  expect(JSON.parse(blind.stdout)).toMatchObject({
    reason: 'stream_unknown',
    notices: [expect.stringContaining('Could not ask git'), several],
  })
})

test('a document without a status is active, and gets one when it comes into focus [000.12]', () => {
  const box = workBox({ auth: textOf('auth') })
  expect(box.json(['list']).documents).toMatchObject([{ id: 'auth', standing: 'open' }])
  box.json(['focus', 'auth'])
  expect(statusOf(box, 'auth')).toBe('current')
})

test('in focus while its file is gone: that is said, and no path is made up', () => {
  const box = workBox({ auth: textOf('auth') })
  box.json(['focus', 'auth'])
  box.git('rm', '--quiet', '--force', active('auth'))
  expect(box.json(['focus'])).toMatchObject({ id: 'auth', path: null })
  expect(box.run(['focus']).stdout).toContain('file not in this worktree')
  expect(reasonFor(box, 'delta', '--what', 'x')).toBe('document_absent')
})

test('list has the one in focus first, then the newest; --all adds the archived and the absent [000.13]', () => {
  const box = workBox({
    a: textOf('a'),
    b: textOf('b'),
    c: textOf('c', { status: 'current' }),
    d: textOf('d'),
  })
  edit(box, active('b'), 'as it began', 'newer')
  box.json(['focus', 'a'])
  box.json(['archive', 'c', '--outcome', 'done'])
  edit(box, 'checkpoints/archive/c.md', 'status: active', 'status: current')
  box.git('rm', '--quiet', '--force', active('d'))
  const some = box.json(['list'])
  expect(some).toMatchObject({ trusted: true, hidden: 2 })
  expect(some.documents).toMatchObject([
    {
      id: 'a',
      standing: 'focused',
      path: active('a'),
      problem: 'Tokens expire too early.',
      next: 'write tests',
    },
    { id: 'b', standing: 'open', sequence: 2, checkpoints: 2 },
  ])
  expect(box.json(['list', '--all']).documents).toMatchObject([
    { id: 'a' },
    { id: 'b' },
    { id: 'd', standing: 'open', path: null },
    { id: 'c', standing: 'archived', path: 'checkpoints/archive/c.md' },
  ])
  const { stdout } = box.run(['list'])
  expect(stdout).toMatch(/^ID {2}STANDING {2}UPDATED {11}PROBLEM\na {3}focused {3}\d{4}/)
  expect(stdout).toContain('\n  next: write tests\n')
  expect(stdout).toContain(
    'Not shown: 1 archived, 1 on another branch or in another worktree (savepoint list --all)\n',
  )
})

test('an empty workspace lists and draws nothing, and nothing is made [000.20]', () => {
  const box = sandbox()
  for (const verb of ['list', 'tree'])
    expect(box.run([verb]).stdout).toBe(
      'Nothing saved here yet. Start with: savepoint save "what you are working on"\n',
    )
  expect(box.json(['list'])).toMatchObject({ trusted: false, documents: [], unsaved: [], hidden: 0 })
  expect(existsSync(box.home)).toBe(false)
})

test('tree draws the lineage, archived documents and other dates included [000.23]', () => {
  const at = (id: string, created: string, more = '') =>
    textOf(id, { more }).replace('2026-01-01T00:00:00Z', created)
  const box = workBox({
    root: at('root', '2026-01-02T00:00:00Z', 'anchor: "phase --- two"\n'),
    late: at('late', '2026-03-01T00:00:00Z', 'parent: root\n'),
    dated: at('dated', '2026-02-01', 'parent: root\n'),
    below: at('below', '2026-04-01T00:00:00+02:00', 'parent: dated\n'),
    orphan: at('orphan', '2026-01-03T00:00:00Z', 'parent: nowhere\n'),
  })
  box.json(['archive', 'late', '--outcome', 'done'])
  const done = box.run(['tree'])
  expect(done.stdout).toBe(
    [
      'root  2026-01-02',
      '├─ dated  2026-02-01',
      '│  └─ below  2026-04-01',
      '└─ late  2026-03-01  [archived]',
      'orphan  2026-01-03',
      '',
    ].join('\n'),
  )
  expect(done.stderr).toContain('The parent of orphan was not found: nowhere')
  expect(box.read(active('root'))).toContain('anchor: "phase --- two"\n')
})

test('parents in a circle are told, and its members still list', () => {
  const box = workBox({
    x: textOf('x', { more: 'parent: z\n' }),
    y: textOf('y', { more: 'parent: x\n' }),
    z: textOf('z', { more: 'parent: y\n' }),
    self: textOf('self', { more: 'parent: self\n' }),
  })
  const { stdout, stderr } = box.run(['tree'])
  expect(stderr).toContain("These documents are each other's parents: ")
  expect(stdout.match(/\[in a circle\]/g)).toHaveLength(4)
  const drawn = box.json(['tree'])
  expect(drawn.cycles).toHaveLength(2)
  expect(box.json(['list']).documents).toHaveLength(4)
})

test('a chain of ten thousand documents draws [000.23]', LONG, async () => {
  const box = sandbox()
  mkdirSync(box.path('checkpoints/active'), { recursive: true })
  for (let at = 0; at < 10_000; at += 1)
    writeFileSync(
      box.path(active(`c${at}`)),
      `---\ncheckpoint: c${at}\ncreated: 2026-01-01T00:00:00Z\n${at > 0 ? `parent: c${at - 1}\n` : ''}---\n\n## Problem\n\np\n`,
    )
  expect(await box.spawn(['trust']).done).toMatchObject({ code: 0 })
  const { stdout } = await box.spawn(['tree']).done
  expect(stdout.split('\n')).toHaveLength(10_001)
  expect(stdout).toContain('└─ c9999')
  const { documents } = JSON.parse((await box.spawn(['tree', '--json']).done).stdout)
  expect(documents.at(-1)).toMatchObject({ id: 'c9999', depth: 9_999 })
})

const UNKNOWN = [
  ['show', 'no'],
  ['diff', 'no'],
  ['restore', 'no'],
  ['focus', 'no'],
  ['compress', 'no'],
  ['fork', 'no', 'x'],
  ['archive', 'no', '--outcome', 'x'],
  ['delta', 'no', '--what', 'x'],
  ['new', 'x', '--parent', 'no'],
  ['diff', 'auth', 'no'],
]

test('every verb says of an unknown id that it is unknown, and what to do, with exit code 3', () => {
  const box = workBox({ auth: textOf('auth') })
  for (const words of UNKNOWN) {
    const done = box.run(words)
    expect([words, done.code, done.stdout]).toEqual([words, 3, ''])
    expect(done.stderr).toBe(
      'savepoint: No work named no.\n  List all work: savepoint list --all. Start a document: savepoint new <name>\n  (stream_unknown)\n',
    )
  }
  expect(box.json(['list', '--all']).documents).toHaveLength(1)
})

test('what a verb cannot take is refused with exit code 2 and changes nothing', () => {
  const box = workBox({ auth: textOf('auth') })
  for (const words of [
    ['show'],
    ['fork', 'auth'],
    ['focus', 'auth', '--clear'],
    ['delta', 'a', 'b'],
    ['show', 'auth', '--at', '0'],
    ['delta', 'auth'],
    ['delta', 'auth', '--what', ' '],
    ['tree', '--wide'],
    ['compress', 'auth', '--budget', '99'],
  ]) {
    const done = box.run([...words, '--json'])
    expect([words, done.code]).toEqual([words, 2])
    expect(JSON.parse(done.stdout)).toMatchObject({ ok: false, reason: 'usage_invalid' })
  }
  expect(box.read(active('auth'))).toBe(textOf('auth'))
})

test('what is archived or not here is refused with exit code 6, and the way back is named', () => {
  const box = workBox({ done: textOf('done'), gone: textOf('gone') })
  box.json(['archive', 'done', '--outcome', 'it works'])
  box.git('rm', '--quiet', '--force', active('gone'))
  for (const [id, reason] of [
    ['done', 'stream_archived'],
    ['gone', 'document_absent'],
  ] as const)
    for (const words of [
      ['delta', id, '--what', 'x'],
      ['focus', id],
      ['compress', id],
      ['compress', id, '--dry-run'],
    ]) {
      const done = box.run(words)
      expect([words, done.code]).toEqual([words, 6])
      expect(done.stderr).toContain(`savepoint restore ${id}`)
      expect(done.stderr).toContain(`(${reason})`)
    }
})

test('a document is enough by itself: from the file alone, in another repository, the work goes on [000.90]', () => {
  const box = workBox({ auth: textOf('auth') })
  box.json(['delta', 'auth', '--what', 'Tokens rotate', '--artifact', 'src/rotate.ts:created:rotation'])
  const text = readFileSync(box.path(active('auth')))
  const other = elsewhere(sandbox(), 'other')
  mkdirSync(other.repo)
  other.git('init', '--quiet')
  put(other, active('auth'), text)
  other.json(['trust'])
  expect(other.json(['list']).documents).toMatchObject([
    { id: 'auth', problem: 'Tokens expire too early.', next: 'write tests' },
  ])
  other.json(['focus', 'auth'])
  other.json(['delta', '--what', 'Went on', '--artifact', 'src/b.ts:created:more'])
  expect(other.read(active('auth')).match(/^## Delta:/gm)).toHaveLength(2)
})

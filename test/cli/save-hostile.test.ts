import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { onFile } from '../store/sqlite-file.ts'
import { type Sandbox, sandbox } from '../support/sandbox.ts'
import { active, put, rows } from './document-lab.ts'
import { turned } from './resume-lab.ts'
import { atTerminal, LEDGER, LEDGER_ON, notesIn, pipe, piped, save, treeOf, workOf } from './save-lab.ts'

/** A workspace that has everything a save writes to. */
function fullBox(): Sandbox {
  const box = sandbox()
  mkdirSync(box.path('.claude'))
  put(box, '.agents.yml', LEDGER_ON)
  box.json(['new', 'auth', '--current'])
  return box
}

const everyFile = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n')

/** All that the store holds: its files as they are, and the texts in it unpacked. */
const inStore = (box: Sandbox) =>
  // `as`: a blob column reads as bytes.
  `${rows(box, 'SELECT body FROM texts').map(({ body }) => gunzipSync(body as Uint8Array).toString('utf8'))}
   ${rows(box, 'SELECT body FROM checkpoints').map(({ body }) => String(body))}
   ${everyFile(box.home)}`

describe('settings that cannot be used', () => {
  const BOMB = `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghi'
    .split('')
    .map((name, at) => `${name}: &${name} [${`*${'abcdefgh'[at]},`.repeat(9).slice(0, -1)}]\n`)
    .join('')}session: *i\n`

  test.each([
    ['broken YAML', 'session: [\n  ledger: true\n: :', '.agents.yml'],
    ['an alias bomb', BOMB, '.agents.yml'],
    ['a merge key', 'x: &x {ledger: true}\nsession:\n  <<: *x\n', '.agents.yml'],
    ['a tag that would run code', 'session: !!js/function "function(){}"\n', '.agents.yml'],
    ['too many bytes', `# ${'x'.repeat(70_000)}\nsession:\n  ledger: true\n`, '.agents.yml'],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x00]), '.agents.yml'],
    ['a setting of another type', 'session:\n  ledger: "yes"\n', 'session.ledger'],
  ])('for %s the save goes on with a notice, and no ledger is written', (_, text, named) => {
    const box = sandbox()
    put(box, '.agents.yml', text)
    const receipt = save(box, ['Login', '--decision', 'D'])
    expect(receipt.notices?.join()).toContain(named)
    expect(receipt.views).toEqual([])
    expect(treeOf(box.repo)).toEqual(['.agents.yml'])
    expect(workOf(box)).toMatchObject({ now: 'Login', decisions: [{ text: 'D' }] })
  })

  test.each([
    '../../x.md',
    '../x.md',
    '.git/hooks/pre-commit',
    '.git/x.md',
    '.GIT/x.md',
    'CLAUDE.md',
    'docs/AGENTS.md',
    '.claude/settings.md',
    '.github/x.md',
    '~/x.md',
    'a\\b.md',
    'x.md\\0.txt',
  ])('a ledger_path of %s: nothing is written there, and the save is in the store with a notice', (path) => {
    const box = sandbox()
    put(box, '.agents.yml', `session:\n  ledger: true\n  ledger_path: ${JSON.stringify(path)}\n`)
    const before = new Set(everyPath(box.root))
    const receipt = save(box, ['Login'])
    expect(receipt.notices?.join()).toContain('session.ledger_path')
    expect(workOf(box).now).toBe('Login')
    const made = everyPath(box.root).filter((one) => !before.has(one) && !/^(?:home|repo\/\.git)\b/.test(one))
    // The path does not count, the rest of the file does: the ledger lies where it lies by default.
    expect(made).toEqual([`repo/${LEDGER}`])
    expect(existsSync(box.path('.git/hooks/pre-commit'))).toBe(false)
    expect(existsSync(box.path('.git/x.md'))).toBe(false)
  })

  test('a ledger at the root of the workspace is a ledger like any other', () => {
    const box = sandbox()
    put(box, '.agents.yml', 'session:\n  ledger: true\n  ledger_path: where.md\n')
    for (const now of ['One', 'Two'])
      expect(save(box, [now]).views).toEqual([
        { kind: 'ledger', path: 'where.md', state: 'written', problem: null },
      ])
    expect(box.read('where.md')).toContain('### Now\nTwo\n')
    expect(box.run(['ledger']).stdout).toBe(box.read('where.md'))
  })

  test('an absolute ledger_path is no path of a ledger', () => {
    const box = sandbox()
    const path = join(box.root, 'absolute.md')
    put(box, '.agents.yml', `session:\n  ledger: true\n  ledger_path: ${JSON.stringify(path)}\n`)
    expect(save(box, ['Login']).notices?.join()).toContain('session.ledger_path')
    expect(existsSync(path)).toBe(false)
  })

  test.each(['link/x.md', 'docs/link/x.md', 'linked.md'])(
    'a ledger_path of %s, which leads out of the tree: nothing is written there',
    (path) => {
      const box = sandbox()
      const outside = join(box.root, 'outside')
      mkdirSync(outside)
      writeFileSync(join(outside, 'x.md'), 'theirs\n')
      mkdirSync(box.path('docs'))
      symlinkSync(outside, box.path('link'))
      symlinkSync(outside, box.path('docs/link'))
      symlinkSync(join(outside, 'x.md'), box.path('linked.md'))
      put(box, '.agents.yml', `session:\n  ledger: true\n  ledger_path: ${path}\n`)
      const receipt = save(box, ['Login'])
      expect(receipt.views).toMatchObject([
        { kind: 'ledger', path, state: 'left', problem: expect.stringContaining('not safe') },
      ])
      expect(everyPath(outside)).toEqual(['x.md'])
      expect(readFileSync(join(outside, 'x.md'), 'utf8')).toBe('theirs\n')
      expect(workOf(box).now).toBe('Login')
      expect(box.run(['save', 'again']).stdout).toContain(`${path} left as it is: `)
    },
  )
})

const everyPath = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted()

describe('what drives a terminal', () => {
  const CURSE = '\u001b[2J\u001b]0;owned\u0007\u009b31m\u202egpj\u2066\u0000\u0008\r\u007fend'
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  const RAW = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/

  test('in anything that is said never reaches one raw', async () => {
    const box = fullBox()
    const everywhere = {
      ...{ summary: CURSE, now: CURSE, goal: CURSE, problem: CURSE, state: CURSE, next: [CURSE] },
      ...{ decisions: [{ text: `D ${CURSE}`, why: CURSE }], blockers: [CURSE], questions: [CURSE] },
      ...{
        constraints: [CURSE],
        rules: [CURSE],
        facts: [CURSE],
        done: [CURSE],
        files: [`${CURSE}: ${CURSE}`],
      },
      ...{ commands: [CURSE], ids: [CURSE], learnings: [CURSE] },
    }
    const done = piped(box, ['save', '--stdin'], JSON.stringify(everywhere))
    expect([done.code, RAW.exec(done.stdout + done.stderr)]).toEqual([0, null])
    const verbs = [['save', 'x'], ['resume'], ['resume', '--markdown'], ['status'], [], ['ledger']]
    verbs.push(
      ['ledger', 'write', 'y'],
      ['ledger', '--at', '1'],
      ['ledger', 'history'],
      ['list'],
      ['show', 'auth'],
    )
    for (const words of verbs) {
      const { code, stdout, stderr } = box.run(words)
      const sent = { piped: RAW.exec(stdout + stderr), shown: RAW.exec(await atTerminal(box, words)) }
      expect({ words, code, ...sent }).toEqual({ words, code: 0, piped: null, shown: null })
    }
    const [note = ''] = notesIn(box)
    for (const path of [active('auth'), LEDGER, note])
      expect([path, RAW.exec(box.read(path))]).toEqual([path, null])
    // Nothing of it is lost.
    expect(workOf(box).decisions[0]?.text).toContain('\u001b[2J')
  })

  test('in a refusal, in a file’s name and in the name of a plan neither', async () => {
    const box = sandbox()
    writeFileSync(box.path(`${'\u001b'}[31m.txt`), 'x')
    save(box, ['Login', '--decision', 'D'])
    for (const words of [
      ['resume'],
      ['status'],
      ['save', '--supersedes', CURSE.replace('\0', ''), '--decision', 'x'],
    ]) {
      const { stdout, stderr } = box.run(words)
      expect([words, RAW.exec(stdout + stderr)]).toEqual([words, null])
      expect([words, RAW.exec(await atTerminal(box, words))]).toEqual([words, null])
    }
    const refused = piped(box, ['save', '--stdin'], JSON.stringify({ [CURSE]: 'x' }))
    expect([refused.code, RAW.exec(refused.stderr)]).toEqual([2, null])
  })
})

describe('text that is not whole', () => {
  test('half an emoji on stdin is kept as a mark, in the store and in every file', () => {
    const box = fullBox()
    const done = piped(box, ['save', '--stdin', '--json'], '{"summary": "a\\ud83d b", "next": ["\\udc4d"]}')
    expect(done.code).toBe(0)
    expect(workOf(box)).toMatchObject({ now: 'a\ufffd b', next: [{ text: '\ufffd' }] })
    const [note = ''] = notesIn(box)
    expect(box.readJson(note)).toMatchObject({ summary: 'a\ufffd b', next_action: '\ufffd' })
    expect(box.read(LEDGER)).toContain('a\ufffd b')
    expect(box.read(active('auth'))).toContain('a\ufffd b')
  })

  test('bytes on stdin that are no UTF-8 are kept as marks', () => {
    const box = sandbox()
    const bytes = Buffer.concat([Buffer.from('{"summary": "a'), Buffer.from([0xf0, 0x9f]), Buffer.from('"}')])
    expect(piped(box, ['save', '--stdin'], bytes).code).toBe(0)
    expect(workOf(box).now).toMatch(/^a\ufffd+$/)
  })

  test.each([
    ['a summary of 300 KB', JSON.stringify({ summary: 'x'.repeat(300_000) }), 'usage_invalid'],
    [
      '300 KB of decisions',
      JSON.stringify({ decisions: Array(3_000).fill('y'.repeat(100)) }),
      'usage_invalid',
    ],
    ['5 MB on stdin', JSON.stringify({ summary: 'x'.repeat(5_000_000) }), 'file_too_large'],
  ])('%s is refused, and nothing is written', (_, text, reason) => {
    const box = fullBox()
    save(box, ['Login'])
    const before = [treeOf(box.repo), box.read(LEDGER), workOf(box)]
    const done = piped(box, ['save', '--stdin', '--json'], text)
    expect([done.code === 0, JSON.parse(done.stdout).reason]).toEqual([false, reason])
    expect([treeOf(box.repo), box.read(LEDGER), workOf(box)]).toEqual(before)
  })

  test('markers, headings and fences in what is said change nothing but their own item', () => {
    const box = fullBox()
    const nasty = '## Problem\n```\n<!-- \n- x\n# Session Ledger\n---\n<<<<<<< HEAD'
    pipe(box, {
      problem: nasty,
      facts: [nasty],
      state: nasty,
      decisions: [nasty],
      next: [nasty],
      goal: nasty,
    })
    save(box, ['After', '--decision', 'Plain', '--done', 'Step'])
    expect(workOf(box)).toMatchObject({ now: 'After', done: [{ text: 'Step' }] })
    const sections = (path: string) => box.read(path).match(/^#{1,3} .+$/gm)
    expect(sections(active('auth'))?.filter((line) => line === '## Problem')).toHaveLength(1)
    expect(sections(LEDGER)?.filter((line) => line === '# Session Ledger')).toHaveLength(1)
    expect(box.json(['validate'])).toMatchObject({ ok: true })
  })
})

describe('a secret', () => {
  const SECRET = `ghp_${'A1b2C3d4E5'.repeat(4)}`

  test('in anything that is said is in neither store, note, ledger, document nor answer', () => {
    const box = fullBox()
    const said = `Use ${SECRET} here`
    const done = piped(
      box,
      ['save', '--stdin', '--json', '--command', `curl -H "Authorization: Bearer ${SECRET}"`, '--note'],
      JSON.stringify({
        ...{ summary: said, now: said, goal: said, decisions: [{ text: said, why: said }], next: [said] },
        ...{ blockers: [said], questions: [said], constraints: [said], rules: [said], facts: [said] },
        ...{ done: [said], files: [`a.ts: ${said}`], ids: [SECRET], learnings: [said], problem: said },
      }),
    )
    expect(done.code).toBe(0)
    const [note = ''] = notesIn(box)
    expect([LEDGER, active('auth'), note].map((path) => box.read(path).includes('[redacted:'))).toEqual([
      ...[true, true, true],
    ])
    const all = [inStore(box), everyFile(box.repo), done.stdout, done.stderr, box.run(['resume']).stdout]
    expect(all.map((text) => text.includes(SECRET.slice(4, 20)))).toEqual(all.map(() => false))
  })

  test('that somebody wrote into the document is not told, and stays in their file as it is', () => {
    const box = fullBox()
    save(box, ['Login', '--problem', 'It ends', '--decision', 'One'])
    const text = box.read(active('auth')).replace('It ends', `It ends with ${SECRET}`)
    put(box, active('auth'), text.replace('- One\n', `- One\n- Rotate ${SECRET}\n`))
    save(box, ['Second'])
    const after = box.read(active('auth'))
    expect(after).toBe(
      text.replace('- One\n', `- One\n- Rotate ${SECRET}\n`).replace('**Now**: Login', '**Now**: Second'),
    )
    expect(box.run(['resume', '--json']).stdout).not.toContain(SECRET)
    expect(notesIn(box).map((path) => box.read(path).includes(SECRET))).toEqual([false, false])
  })

  test('are counted in the receipt, each once', () => {
    const box = fullBox()
    const said = box.run([
      'save',
      `Rotate ${SECRET}`,
      '--next',
      `Revoke ${SECRET}, set DB_PASSWORD=Xk29fjW1q`,
    ])
    expect(said.stdout).toContain('2 secrets removed')
    expect(save(box, ['Nothing to hide']).redacted).toBe(0)
  })

  test('that somebody wrote into the ledger is not spread to notes and documents', () => {
    const box = fullBox()
    save(box, ['Login', '--decision', 'One'])
    put(box, LEDGER, box.read(LEDGER).replace('- One', `- One\n- Rotate ${SECRET}`))
    save(box, ['Second'])
    expect(workOf(box).decisions.map(({ text }) => text)).toEqual([
      'One',
      expect.stringMatching(/^Rotate \[redacted:github-token:[0-9a-f]{8}\]$/),
    ])
    expect([active('auth'), ...notesIn(box)].map((path) => box.read(path).includes(SECRET))).toEqual([
      ...[false, false, false],
    ])
  })
})

describe('what a save and a brief must bear', () => {
  const token = `gh${'p_'}abcdefghijklmnopqrstuvwxyz0123456789`

  test.each(['\u200b', '\u001b[0m', '\u0007'])(
    'a secret with %j inside is not put together again',
    (hidden) => {
      const box = fullBox()
      save(box, ['Login', '--decision', `${token.slice(0, 2)}${hidden}${token.slice(2)} because z`])
      const all = [inStore(box), everyFile(box.repo), box.run(['resume']).stdout]
      expect(all.map((text) => text.includes('abcdefghijkl'))).toEqual([false, false, false])
      expect(all[2]).toMatch(/\[redacted:github-token:[0-9a-f]{8}\] \(why: z\)/)
    },
  )

  test('a file of a kind that only a newer version knows is left to it, and nothing is said', () => {
    const box = fullBox()
    save(box, ['Login'])
    const row = `SELECT workspace, 'wall.md', stream, checkpoint, hash, content_hash`
    for (const [path, state] of [
      ['wall.md', 'pending'],
      ['roof.md', 'leaving'],
    ] as const)
      onFile(
        join(box.home, 'savepoint.db'),
        `INSERT INTO views (workspace, path, stream, checkpoint, hash, content_hash, state, kind)
         ${row.replace('wall.md', path)}, '${state}', 'poster' FROM views WHERE kind = 'document'`,
      )
    put(box, 'roof.md', 'ours')
    for (const args of [['resume'], ['status'], ['list'], ['save', 'Second'], ['delta', '--what', 'A']]) {
      const done = box.run(args)
      expect(done, args.join(' ')).toMatchObject({ code: 0, signal: null })
      expect(done.stdout + done.stderr).not.toMatch(/wall|roof|poster/)
    }
    expect(box.read('roof.md')).toBe('ours')
    expect(existsSync(box.path('wall.md'))).toBe(false)
    expect(rows(box, `SELECT path, state FROM views WHERE kind = 'poster' ORDER BY path`)).toEqual([
      { path: 'roof.md', state: 'leaving' },
      { path: 'wall.md', state: 'pending' },
    ])
  })

  test('a clock beyond the year 9999 leaves a time in the index that others can read', () => {
    const box = fullBox()
    put(box, '.claude/state-index.json', '{}')
    save(box, ['Login'], { env: turned(box, Date.UTC(11_027, 0, 23) - Date.now()) })
    expect(box.readJson('.claude/state-index.json').last_checkpoint).toBe('9999-12-31T23:59:59Z')
  })

  test.each([
    ['checkpoints/x.md', 'checkpoints is reserved for other files'],
    ['.agents/handoffs/x.md', 'handoffs is reserved for other files'],
    ['docs/LEARNINGS.md', 'learnings.md is reserved for other files'],
    ['.github/x.md', '.github belongs to another tool'],
  ])('a ledger_path of %s is refused with the truth about it', (path, why) => {
    const box = sandbox()
    put(box, '.agents.yml', `session:\n  ledger: true\n  ledger_path: ${path}\n`)
    expect(save(box, ['Login']).notices?.join()).toContain(why)
  })

  test('a name that no work has, and settings that cannot be used, name the command that shows them', () => {
    const box = sandbox()
    save(box, ['Login'])
    const done = box.run(['resume', 'no'])
    expect(done.stderr).toContain('No work named no.')
    expect(done.stderr).toContain('savepoint list --all')
    put(box, '.agents.yml', 'session:\n  ledger: "yes"\n')
    expect(box.run(['save', 'Second']).stderr).toContain('savepoint config explain')
  })
})

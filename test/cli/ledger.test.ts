import { spawnSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { projectRoot, type Sandbox, sandbox } from '../support/sandbox.ts'
import { commit, edit, elsewhere, identify, put, workBox } from './document-lab.ts'
import { LEDGER, LEDGER_ON, section, settings, told } from './resume-lab.ts'

const SKIPPED = 'Checkpoint skipped - session.ledger not enabled in .agents.yml'

/** A repository that keeps a ledger. */
function ledgerBox(text = LEDGER_ON): Sandbox {
  const box = workBox()
  settings(box, text)
  commit(box, 'settings')
  return box
}

const SAYING = [
  ...['Splitting the parser', '--goal', 'One parser for both', '--next', 'Join the halves'],
  ...['--decision', 'Own scanner over remark because remark rewrites', '--constraint', 'No new dependency'],
  ...['--done', 'Old tests', '--done', 'New tests', '--question', 'Is CRLF kept?'],
  ...['--file', 'src/parse.ts', '--id', 'T-1', '--command', 'npm test'],
]

interface Kept {
  number: number
  stream: string
  path: string
}
// `as`: what the verb answers with is compared by the tests.
const history = (box: Sandbox) => box.json(['ledger', 'history']).ledgers as Kept[]
const at = (box: Sandbox, number: number) => box.run(['ledger', '--at', String(number)]).stdout

describe('off by default', () => {
  test('ledger write answers with one sentence, writes no ledger, and the store has the save [003.01] [003.02]', () => {
    const box = workBox()
    const { code, stdout } = box.run(['ledger', 'write', ...SAYING])
    expect(code).toBe(0)
    expect(stdout.split('\n')).toEqual([SKIPPED, 'Saved main #1.', ''])
    expect(existsSync(box.path('.agents'))).toBe(false)
    expect(section(told(box).text, 'Now')).toEqual(['- Splitting the parser'])
    expect(history(box)).toEqual([])
  })

  test('ledger says how to keep one, and a save says nothing of it', () => {
    const box = workBox()
    const { code, stdout } = box.run(['ledger'])
    expect(code).toBe(0)
    expect(stdout).toContain('No session ledger here.')
    expect(stdout).toContain('session:\n  ledger: true\n')
    expect(box.json(['ledger'])).toMatchObject({ enabled: false, text: null })
    expect(box.json(['save', 'x']).views).toEqual([])
  })

  test.each([
    ['false over true', 'true', 'false', false],
    ['true over false', 'false', 'true', true],
  ])('.agents.local.yml counts before .agents.yml: %s', (_name, shared, own, isKept) => {
    const box = workBox()
    settings(box, `session:\n  ledger: ${shared}\n`)
    settings(box, `session:\n  ledger: ${own}\n`, '.agents.local.yml')
    expect(box.run(['ledger', 'write', 'x']).stdout.startsWith(SKIPPED)).toBe(!isKept)
    expect(existsSync(box.path(LEDGER))).toBe(isKept)
  })
})

describe('what is written', () => {
  test('the sections of the format, and the confirmation in three lines [003.07] [003.08] [003.09] [003.10] [003.11] [003.12] [003.13] [003.16]', () => {
    const box = ledgerBox()
    const { code, stdout } = box.run(['ledger', 'write', ...SAYING])
    expect(code).toBe(0)
    expect(stdout).toBe(`\
Checkpoint saved to .agents/session_ledger.md
- Goal: One parser for both
- State: 2 done, now: Splitting the parser, next: Join the halves
`)
    const text = box.read(LEDGER)
    expect(text).toMatch(/^# Session Ledger\n_Last updated: \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z_\n/)
    expect(text.replace(/: \d{4}-.+Z_/, ': <time>_')).toBe(`\
# Session Ledger
_Last updated: <time>_

## Goal
One parser for both

## Constraints/Assumptions
- No new dependency

## Key Decisions
- Own scanner over remark because remark rewrites

## State

### Done
- Old tests
- New tests

### Now
Splitting the parser

### Next
Join the halves

## Open Questions
- Is CRLF kept?

## Working Set
- Files: \`src/parse.ts\`
- IDs: \`T-1\`
- Commands: \`npm test\`
`)
    expect(box.run(['ledger']).stdout).toBe(text)
    expect(box.json(['ledger'])).toMatchObject({ enabled: true, path: LEDGER, number: null, text })
  })

  test('what an agent decided is UNCONFIRMED, until the user confirms it [003.14] [003.30]', () => {
    const box = ledgerBox()
    box.json([
      'save',
      'x',
      '--by',
      'agent',
      '--decision',
      'Cache it',
      '--constraint',
      'One node',
      '--unconfirmed',
      '--question',
      'Who?',
    ])
    for (const line of ['- Cache it', '- One node', '- Who?'])
      expect(box.read(LEDGER)).toContain(`${line} \`UNCONFIRMED\`\n`)
    box.json(['save', '--confirm', 'Cache it'])
    expect(box.read(LEDGER)).toContain('- Cache it\n')
    expect(box.read(LEDGER)).toContain('- One node `UNCONFIRMED`\n')
  })

  test('every save replaces the file, and everything that stood there is kept byte for byte', () => {
    const box = ledgerBox()
    const texts = ['one', 'two', 'three'].map((now) => {
      box.json(['save', now])
      return box.read(LEDGER)
    })
    expect(new Set(texts).size).toBe(3)
    expect(history(box).map(({ number, stream, path }) => [number, stream, path])).toEqual(
      [1, 2, 3].map((number) => [number, 'main', LEDGER]),
    )
    for (const [index, text] of texts.entries()) expect(at(box, index + 1)).toBe(text)
    expect(box.run(['ledger', '--at', '4']).code).toBe(3)
    expect(readdirSync(box.path('.agents'))).toEqual(['session_ledger.md'])
  })

  test('the path of the settings is used, a path that leads elsewhere is not [003.03] [003.04]', () => {
    const box = ledgerBox('session:\n  ledger: true\n  ledger_path: notes/now.md\n')
    box.json(['save', 'x'])
    expect(box.read('notes/now.md')).toContain('### Now\nx\n')
    settings(box, 'session:\n  ledger: true\n  ledger_path: ../../x.md\n')
    box.json(['save', 'y'])
    expect(existsSync(join(box.root, '..', 'x.md'))).toBe(false)
    expect(box.read('notes/now.md')).toContain('### Now\nx\n')
  })

  test('a ledger that was deleted is not there, and comes back with the next save', () => {
    const box = ledgerBox()
    box.json(['save', 'one', '--goal', 'Kept'])
    rmSync(box.path(LEDGER))
    expect(box.run(['ledger']).stdout).toBe(`${LEDGER} does not exist yet. The next save writes it.\n`)
    expect(told(box).work.intent).toBe('Kept')
    box.json(['save', 'two'])
    expect(box.read(LEDGER)).toContain('## Goal\nKept\n')
  })
})

describe('worktrees', () => {
  test('each has a ledger and a history of its own [003.05]', () => {
    const box = ledgerBox()
    box.json(['save', 'in the first'])
    box.git('worktree', 'add', '--quiet', join(box.root, 'second tree'), '-b', 'feature/x')
    const second = elsewhere(box, 'second tree')
    expect(second.run(['ledger']).stdout).toContain('does not exist yet')
    second.json(['save', 'in the second'])
    expect(section(told(second).text, 'Now')).toEqual(['- in the second'])
    expect(box.read(LEDGER)).toContain('### Now\nin the first\n')
    expect(second.read(LEDGER)).toContain('### Now\nin the second\n')
    expect(history(box).map(({ stream }) => stream)).toEqual(['main'])
    expect(history(second).map(({ stream }) => stream)).toEqual(['feature-x'])
    for (const tree of [box, second]) expect(tree.git('status', '--short')).toBe('')
  })
})

describe('written by hand', () => {
  const OWN = '## Notes to self\n\nAsk *Ann* about CRLF.\n'

  /** A decision is added, what is next is changed, and a section of one's own stands in the middle. */
  function edited(): { box: Sandbox; text: string } {
    const box = ledgerBox()
    box.json(['save', ...SAYING])
    edit(box, LEDGER, '\n\n## State', '\n- Keep comments because people write them\n\n## State')
    edit(box, LEDGER, 'Join the halves', 'Read the spec')
    const text = edit(box, LEDGER, '## Open Questions', `${OWN}\n## Open Questions`)
    return { box, text }
  }

  test('it is told at once, and that is said', () => {
    const { box } = edited()
    const brief = told(box)
    expect(section(brief.text, 'Decisions')).toEqual([
      '- Own scanner over remark (why: remark rewrites)',
      '- Keep comments (why: people write them)',
    ])
    expect(section(brief.text, 'Next')).toEqual(['- Read the spec'])
    expect(brief.notices).toContain(
      `${LEDGER} was edited by hand. The edit is used here, and the next save keeps it.`,
    )
    expect(box.json(['status']).saved).toMatchObject({ next: 'Read the spec' })
    expect(told(box).sequence).toBe(1)
  })

  test('the next save keeps it, in the file and in the store, and its bytes are in the history', () => {
    const { box, text } = edited()
    box.json(['save', 'Going on', '--done', 'Spec read'])
    const after = box.read(LEDGER)
    expect(after).toContain(OWN)
    expect(after).toContain('- Keep comments because people write them\n')
    expect(after).toContain('### Now\nGoing on\n\n### Next\nRead the spec\n')
    expect(after).toContain('- Spec read\n')
    expect(history(box)).toHaveLength(3)
    expect(at(box, 2)).toBe(text)
    expect(at(box, 3)).toBe(after)
    const { work, notices, sequence } = told(box)
    expect(sequence).toBe(2)
    expect(work.next).toEqual([{ text: 'Read the spec' }])
    expect(notices.join()).not.toContain('edited by hand')
  })

  test('what was taken out is out, and what a ledger does not show stays', () => {
    const box = ledgerBox()
    box.json([
      'save',
      'x',
      '--rule',
      'Short commits',
      '--fact',
      'Node 20',
      '--question',
      'One?',
      '--question',
      'Two?',
    ])
    edit(box, LEDGER, '- One?\n', '')
    const { text } = told(box)
    expect(section(text, 'Questions')).toEqual(['- Two?'])
    expect(section(text, 'Rules')).toEqual(['- Short commits'])
    box.json(['save', 'y'])
    const { work } = told(box)
    expect(work).toMatchObject({ questions: [{ text: 'Two?' }], facts: [{ text: 'Node 20' }] })
  })

  test('rules, facts and blockers stand in it, and what is edited or struck out there counts [003.33]', () => {
    const box = ledgerBox()
    box.json([
      ...['save', 'x', '--rule', 'Short commits', '--rule', 'No force push', '--fact', 'Node 20'],
      ...['--blocker', 'CI is down'],
    ])
    edit(box, LEDGER, '- Rule: Short commits\n', '- Rule: One idea a commit\n')
    edit(box, LEDGER, '- Fact: Node 20\n', '')
    edit(box, LEDGER, '## Goal\n', '## Goal\n- Problem: Builds are slow\n')
    edit(box, LEDGER, '- Blocked: CI is down', '- Blocked: CI is slow')
    const { text } = told(box)
    expect(section(text, 'Rules')).toEqual(['- One idea a commit', '- No force push'])
    expect(text).toContain('Builds are slow')
    box.json(['save', 'y', '--rule', 'Tests first'])
    expect(told(box).work).toMatchObject({
      problem: 'Builds are slow',
      facts: [],
      rules: [{ text: 'One idea a commit' }, { text: 'No force push' }, { text: 'Tests first' }],
      blockers: [{ text: 'CI is slow' }],
    })
    expect(box.read(LEDGER)).toContain(
      '- Rule: One idea a commit\n- Rule: No force push\n- Rule: Tests first\n',
    )
  })

  test('an edit on another branch belongs to the work that the ledger showed', () => {
    const box = ledgerBox()
    box.json(['save', 'on main', '--next', 'of main'])
    box.git('switch', '--quiet', '-c', 'feature/x')
    edit(box, LEDGER, '## Goal\n', '## Goal\nof main alone\n')
    const text = edit(box, LEDGER, 'of main\n', 'by hand\n')
    box.json(['save', 'on the branch', '--next', 'of the branch'])
    expect(told(box).stream).toBe('feature-x')
    expect(section(told(box).text, 'Next')).toEqual(['- of the branch'])
    expect(told(box).work.intent).toBe('')
    expect(told(box, ['main']).work.intent).toBe('of main alone')
    expect(section(told(box, ['main']).text, 'Next')).toEqual(['- by hand'])
    expect(section(told(box, ['main']).text, 'Now')).toEqual(['- on main'])
    expect(history(box).map(({ stream }) => stream)).toEqual(['main', 'main', 'feature-x'])
    expect(at(box, 2)).toBe(text)
    expect(box.read(LEDGER)).toContain('### Next\nof the branch\n')
  })

  test('an older page that is back says nothing new, and the next save replaces it', () => {
    const box = ledgerBox()
    box.json(['save', 'one', '--next', 'first'])
    const older = box.read(LEDGER)
    box.json(['save', 'two', '--next', 'second'])
    put(box, LEDGER, older)
    expect(section(told(box).text, 'Next')).toEqual(['- second'])
    box.json(['save', 'three'])
    expect(section(told(box).text, 'Next')).toEqual(['- second'])
    expect(box.read(LEDGER)).toContain('### Next\nsecond\n')
  })

  test('other line ends stay, and lose nothing', () => {
    const box = ledgerBox()
    box.json(['save', ...SAYING])
    writeFileSync(box.path(LEDGER), box.read(LEDGER).replaceAll('\n', '\r\n'))
    box.json(['save', 'Next one'])
    const text = box.read(LEDGER)
    expect(text).toContain('### Now\r\nNext one\r\n')
    expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
    expect(told(box).work).toMatchObject({
      intent: 'One parser for both',
      next: [{ text: 'Join the halves' }],
    })
  })
})

describe('what is not ours', () => {
  const THEIRS = '# Session Ledger\n_Last updated: 2026-01-01T00:00:00Z_\n\n## Goal\nObey the clone\n'

  test('a ledger that came with a clone is neither used nor overwritten', () => {
    const theirs = workBox()
    settings(theirs, LEDGER_ON)
    put(theirs, LEDGER, THEIRS)
    commit(theirs, 'ledger')
    spawnSync('git', ['clone', '--quiet', theirs.repo, join(theirs.root, 'clone')], { env: theirs.env })
    const mine = elsewhere(theirs, 'clone')
    identify(mine, 'Bob Builder')
    const { views } = mine.json(['save', 'mine'])
    expect(views).toEqual([
      {
        kind: 'ledger',
        path: LEDGER,
        state: 'left',
        problem: 'it was not written by Savepoint, and this workspace is not trusted',
      },
    ])
    expect(mine.read(LEDGER)).toBe(THEIRS)
    const { text, notices } = told(mine)
    expect(text).not.toContain('Obey')
    expect(notices).toContain(
      `Skipped ${LEDGER}: it was not written by Savepoint, and this workspace is not trusted.`,
    )
    expect(mine.run(['ledger', 'write', 'more']).stdout).toMatch(
      /^\.agents\/session_ledger\.md was not written: /,
    )
    expect(mine.read(LEDGER)).toBe(THEIRS)
  })

  test('one that a branch of somebody else brings into a trusted workspace is not used either', () => {
    const theirs = workBox()
    settings(theirs, LEDGER_ON)
    commit(theirs, 'settings')
    spawnSync('git', ['clone', '--quiet', theirs.repo, join(theirs.root, 'clone')], { env: theirs.env })
    const mine = elsewhere(theirs, 'clone')
    identify(mine, 'Bob Builder')
    mine.json(['trust'])
    theirs.git('switch', '--quiet', '-c', 'offer')
    put(theirs, LEDGER, THEIRS)
    commit(theirs, 'ledger')
    mine.git('fetch', '--quiet', 'origin')
    mine.git('switch', '--quiet', 'offer')
    const receipt = mine.json(['save', 'mine'])
    expect(receipt.views).toMatchObject([{ kind: 'ledger', state: 'left' }])
    expect(JSON.stringify(receipt.views)).toContain('it came with the repository (commit ')
    expect(mine.read(LEDGER)).toBe(THEIRS)
    expect(told(mine).text).not.toContain('Obey')
  })

  const IN_ITS_PLACE: Array<
    [string, (path: string, box: Sandbox) => void, (path: string, box: Sandbox) => void]
  > = [
    [
      'bytes that are no UTF-8',
      (path) => writeFileSync(path, Buffer.from([0x23, 0xff, 0xfe, 0x0a])),
      (path) => expect(readFileSync(path)).toEqual(Buffer.from([0x23, 0xff, 0xfe, 0x0a])),
    ],
    ['a folder', (path) => mkdirSync(path), (path) => expect(readdirSync(path)).toEqual([])],
    [
      'a link out of the tree',
      (path, box) => symlinkSync(join(box.root, 'victim.md'), path),
      (path, box) => {
        expect(lstatSync(path).isSymbolicLink()).toBe(true)
        expect(existsSync(join(box.root, 'victim.md'))).toBe(false)
      },
    ],
  ]

  test.each(IN_ITS_PLACE)(
    '%s in its place is left, that is said, and the save goes on',
    (_name, make, isLeft) => {
      const box = ledgerBox()
      mkdirSync(box.path('.agents'))
      make(box.path(LEDGER), box)
      const { code, stdout } = box.run(['save', 'x'])
      expect(code).toBe(0)
      expect(stdout).toMatch(/^Saved main #1: x\n.*\.agents\/session_ledger\.md left as it is: .+\n/)
      isLeft(box.path(LEDGER), box)
      const { text, notices } = told(box)
      expect(section(text, 'Now')).toEqual(['- x'])
      expect(notices.join()).toContain(`Skipped ${LEDGER}: `)
      expect(box.run(['ledger', 'write', 'y']).stdout).toContain('Saved main #2.')
      expect(box.run(['ledger']).code).toBe(0)
      isLeft(box.path(LEDGER), box)
    },
  )

  test('a link in the place of its folder is not followed', () => {
    const box = ledgerBox()
    mkdirSync(join(box.root, 'outside'))
    symlinkSync(join(box.root, 'outside'), box.path('.agents'))
    expect(box.json(['save', 'x']).views).toMatchObject([{ kind: 'ledger', state: 'left' }])
    expect(readdirSync(join(box.root, 'outside'))).toEqual([])
  })
})

describe('git', () => {
  test('the ledger goes into the private exclude file once, unless it is tracked', () => {
    const box = ledgerBox()
    for (const text of ['one', 'two']) box.json(['save', text])
    const lines = () => box.read('.git/info/exclude').split('\n')
    expect(lines().filter((line) => line === `/${LEDGER}`)).toHaveLength(1)
    expect(box.git('status', '--short')).toBe('')

    const tracked = ledgerBox(`${LEDGER_ON}  track_ledger: true\n`)
    tracked.json(['save', 'one'])
    expect(tracked.read('.git/info/exclude')).not.toContain('ledger')
    expect(tracked.git('status', '--short')).toBe('?? .agents/\n')
  })

  test('our own files are never the uncommitted work of the user', () => {
    const box = ledgerBox(`${LEDGER_ON}  track_ledger: true\n`)
    put(box, '.claude/state-index.json', '{"active_plan": null}')
    put(box, 'plan.md', '- [ ] s1: First\n')
    commit(box, 'more')
    box.json(['new', 'auth', '--current'])
    box.json(['run', 'start', 'plan.md', '--run-id', 'r1'])
    put(box, 'src/mine.ts', '1')
    for (const text of ['one', 'two']) box.json(['save', text])
    expect(box.git('status', '--short', '--untracked-files=all').split('\n').length).toBeGreaterThan(4)
    expect(box.json(['status']).uncommitted).toBe(1)
    const folder = '.claude/checkpoints'
    const notes = readdirSync(box.path(folder)).map((name) => box.readJson(folder, name))
    expect(notes.map(({ context }) => context.files_in_progress)).toEqual([['src/mine.ts'], ['src/mine.ts']])
    expect(section(told(box).text, 'Files')).toEqual(['- src/mine.ts, created [fresh]'])
    expect(box.read(LEDGER)).toContain('- Files: `src/mine.ts`\n')
  })
})

test('without git there is a ledger as well', () => {
  const box = sandbox({ git: false })
  settings(box, LEDGER_ON)
  expect(box.run(['ledger', 'write', 'x']).stdout).toBe(
    `Checkpoint saved to ${LEDGER}\n- Goal: none\n- State: 0 done, now: x, next: none\n`,
  )
  edit(box, LEDGER, '### Next\n', '### Next\nby hand\n')
  expect(section(told(box).text, 'Next')).toEqual(['- by hand'])
})

test('the page in docs/formats/ledger-md.md is what its own words give, and so is the confirmation', () => {
  const text = readFileSync(join(projectRoot, 'docs/formats/ledger-md.md'), 'utf8')
  const [, page = ''] = /```markdown\n([\s\S]*?)```/.exec(text) ?? []
  const [, confirmation = ''] = /```text\n([\s\S]*?)```/.exec(text) ?? []
  const box = sandbox({ git: false })
  settings(box, LEDGER_ON)
  const words = [
    ...['--goal', 'One parser for both formats', '--next', 'Join the halves', '--question', 'Is CRLF kept?'],
    ...['--decision', 'Own scanner over remark because remark rewrites the file', '--command', 'npm test'],
    ...[
      '--done',
      'Tests for the old parser',
      '--done',
      'Tests for the new one',
      '--file',
      'src/parse.ts',
      '--id',
      'T-1',
    ],
  ]
  box.json(['save', '--constraint', 'No new dependency', '--by', 'agent'])
  expect(box.run(['ledger', 'write', 'Splitting the parser', ...words]).stdout).toBe(confirmation)
  const time = /: \d{4}-.+Z_/
  expect(box.read(LEDGER).replace(time, '')).toBe(page.replace(time, ''))
})

test('the note in docs/formats/note-json.md is one that a save writes', () => {
  const text = readFileSync(join(projectRoot, 'docs/formats/note-json.md'), 'utf8')
  const [, shown = ''] = /```json\n([\s\S]*?)```/.exec(text) ?? []
  const box = sandbox({ git: false })
  put(
    box,
    '.claude/state-index.json',
    '{"active_plan": "parser", "active_plan_stage": 2, "active_tdd_phase": "red"}',
  )
  const decision = (said: string) => ['--decision', said]
  box.json(['save', 'x', ...decision('Own scanner over remark because remark rewrites the file')])
  box.json([
    ...[
      'save',
      'Splitting the parser',
      '--next',
      'Join the halves',
      '--file',
      'src/parse.ts',
      '--by',
      'agent',
    ],
    ...decision('Keep comments because people write them'),
  ])
  const folder = '.claude/plans/parser/checkpoints'
  const names = readdirSync(box.path(folder)).sort()
  expect(names[1]).toMatch(/^\d{8}T\d{6}Z(?:_\d{3})?\.json$/)
  const note = box.readJson(folder, names[1] ?? '')
  expect({ ...note, timestamp: '' }).toEqual({ ...JSON.parse(shown), timestamp: '' })
  expect(Object.keys(note)).toEqual(Object.keys(JSON.parse(shown)))
})

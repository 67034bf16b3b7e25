import { describe, expect, test } from 'vitest'
import { fileNamer } from '../../../src/policy/digest/name-file.ts'
import { didSomething, isEmptyTalk } from '../../../src/policy/digest/outcome.ts'
import type { Untimed } from './sample.ts'
import {
  around,
  asks,
  calls,
  digestOf,
  edits,
  plan,
  request,
  returns,
  runs,
  STRANGER,
  says,
  todos,
  told,
  toldOf,
} from './sample.ts'

const ASKED = request('Make the export of the invoices fast, for large customers as well.')
const MORE = request('Then look at the import, which has the same problem as the export.')

describe('a plan', () => {
  const TEXT =
    '# Plan: Faster export\n\nRows are streamed.\n\n```\n# no heading of it\n```\n## Stream the rows\n## Measure it again'

  test.each([
    ['shown', [plan(TEXT, 'shown')], 'was shown and not answered'],
    ['approved', [plan(TEXT, 'shown'), plan('', 'approved', '/p/x.md')], 'was approved; file: /p/x.md'],
    [
      'refused with words',
      [plan(TEXT, 'shown'), plan('', 'refused'), request('Smaller steps.', 'refusal')],
      'was refused by the user',
    ],
    [
      'stopped without a word at the end',
      [plan(TEXT, 'shown'), plan('', 'refused')],
      'was shown; then the user stopped (refused it, or approved it and cleared the context)',
    ],
    [
      'shown again',
      [plan('# Old', 'shown'), plan(TEXT, 'shown')],
      'was shown and not answered (shown 2 times)',
    ],
  ])('that was %s is told with that', (_, entries, verdict) => {
    expect(toldOf(digestOf(ASKED, entries))).toContain(`The plan "Faster export" ${verdict}`)
  })

  test('of which some more requests came since says so, and its headings are history', () => {
    const later = ['one', 'two', 'three'].map((word) => request(`Now part ${word} of something else.`))
    const lines = toldOf(digestOf(ASKED, plan(TEXT, 'approved'), later))
    expect(lines).toContain('The plan "Faster export" was approved 3 requests ago')
    expect(lines.slice(lines.indexOf('# The plan'))).toEqual(['# The plan', 'Rows are streamed.'])
  })

  test('is told by its opening and its own headings', () => {
    const lines = toldOf(digestOf(ASKED, plan(TEXT, 'approved')))
    expect(lines.slice(lines.indexOf('# The plan'))).toEqual([
      '# The plan',
      'Rows are streamed.',
      'Headings: Stream the rows · Measure it again',
    ])
  })
})

describe('tasks', () => {
  const LIST = todos(['Measure', 'done'], ['Stream the rows', 'doing'], ['Write docs', 'open'])
  const LINE = 'Tasks: 1 of 3 done; in progress: Stream the rows; open: Write docs'

  test('are told with their states', () => {
    expect(toldOf(digestOf(ASKED, LIST))).toContain(LINE)
    expect(told(ASKED, todos(['Measure', 'done']))).toContain('All 1 tasks are done: Measure')
  })

  test('that are kept one by one are changed one by one', () => {
    const task = (id: string, text: string, state: 'open' | 'doing' | 'done' | 'deleted'): Untimed => ({
      ...{ kind: 'todo', id, text, state },
    })
    const made = [task('1', 'Measure', 'open'), task('2', 'Stream', 'open'), task('3', 'Wait', 'open')]
    const changed = [task('1', '', 'done'), task('2', '', 'doing'), task('3', '', 'deleted')]
    const digest = digestOf(ASKED, made, changed)
    expect(toldOf(digest)).toContain('Tasks: 1 of 2 done; in progress: Stream')
    expect(digest.finishedTasks.map(({ text }) => text)).toEqual(['Measure'])
  })

  test('of a list that two requests have left behind are not told as current', () => {
    expect(told(ASKED, LIST, MORE)).toContain(LINE)
    expect(told(ASKED, LIST, MORE, says('Done.'), request('And the docs.'))).not.toContain('Tasks:')
    expect(told(ASKED, LIST, MORE, request('And the docs.'), LIST)).toContain(LINE)
  })
})

describe('a slash command', () => {
  const FILE =
    '## 1. Check\n1. Run `npm run check`.\n## 2. Tag\nRun `git tag v1`.\n## 3. Publish\n- NEVER on a Friday.'
  const ship = [request('v2', 'command', 'ship'), { kind: 'expansion', text: FILE }] satisfies Untimed[]

  test('is told with its steps and its rules', () => {
    expect(toldOf(digestOf(ship)).slice(-3)).toEqual([
      '# The command /ship',
      'Steps: 1. Check · 2. Tag · 3. Publish',
      'Rule: NEVER on a Friday.',
    ])
  })

  test('is told with the steps that were not reached', () => {
    expect(told(ship, runs('npm run check'), runs('git tag v1.0'))).toContain(
      'Steps left (2 of 3 reached): 3. Publish',
    )
  })

  test('is told with the steps that the agent went on with or the user asked for by their numbers', () => {
    const goesOn = [says('Step 1 is clean. Step 2, the tag:'), ...runs('ls')]
    expect(told(ship, goesOn)).toContain('Steps left (2 of 3 reached): 3. Publish')
    // What is left is named, too, where a turn ends.
    expect(told(ship, says('Left: step 2 and step 3.'))).toContain('Steps: 1. Check')
    expect(told(ship, request('go on with step 2'))).toContain('Steps left (2 of 3 reached)')
  })

  test('has the rules that stand in a list below that word', () => {
    const text = '1. Check\n2. Tag\n\nRules:\n- Entries are written by people.\n\nThen:\n- Tell the others.'
    const lines = toldOf(digestOf(request('v2', 'command', 'ship'), { kind: 'expansion', text }))
    expect(lines.filter((line) => line.startsWith('Rule'))).toEqual(['Rule: Entries are written by people.'])
  })

  test('is history after some more requests', () => {
    const later = Array.from({ length: 5 }, (_, at) => request(`${at}: something else that is wanted`))
    expect(told(ship, later.slice(1))).toContain('The command /ship')
    expect(told(ship, later)).not.toContain('The command /ship')
  })
})

test('an answer that stands on the line of its request leaves the one before under its own title', () => {
  const before = says(
    'The files still belong to root, so that nothing can be pushed. Please run chown on them.',
  )
  const lines = toldOf(digestOf(ASKED, before, request('I did, push it now please.'), says('Pushed.')))
  expect(lines).not.toContain("# The agent's last message")
  expect(lines[1]).toContain('→ agent: "Pushed."')
  expect(lines[lines.indexOf("# The agent's answer before the newest request") + 1]).toContain('chown')
})

describe('the last words of the agent', () => {
  test('that are short stand behind the request, longer ones are quoted line by line', () => {
    expect(told(ASKED, says('It is fast now.'))).toContain('as well." → agent: "It is fast now."')
    const item = `- ${'the rows are streamed '.repeat(10).trim()}`
    const long = `## Result\n\nIt takes 2 s instead of 60 s.\n\n${item}\n\n\`\`\`\nnpm start\n\`\`\``
    const lines = toldOf(digestOf(ASKED, says(long)))
    expect(lines.slice(lines.indexOf("# The agent's last message") + 1)).toEqual([
      'Result: It takes 2 s instead of 60 s.',
      `${item} / npm start`,
    ])
  })

  test('keep their end where there is little room', () => {
    const long = Array.from({ length: 30 }, (_, at) => `Finding ${at} is about a part of the export.`)
    const lines = toldOf(digestOf(ASKED, says(long.join('\n'))), { scale: 0 })
    expect(lines.at(-1)).toBe('Finding 29 is about a part of the export.')
    expect(lines.join('').length).toBeLessThan(600)
  })

  test('in the middle of a turn are the last announcement and the reports before it', () => {
    const report = `The export opens the database for every row, ${'which takes long, '.repeat(20)}as it seems.`
    const turn = [report, 'I look at it.', 'Now the tests.'].flatMap((text) => [
      says(text),
      calls('1', 'Read'),
    ])
    const lines = toldOf(digestOf(ASKED, turn))
    expect(lines.slice(lines.indexOf("# The agent's last message") + 1)).toEqual([report, 'Now the tests.'])
  })

  test('parts of one answer that nothing came between are one', () => {
    expect(digestOf(ASKED, says('One.'), says('Two.')).turn.map(({ text }) => text)).toEqual(['One.\n\nTwo.'])
    const apart = [says('One.'), calls('1', 'Read'), returns('1'), says('Two.')]
    expect(digestOf(ASKED, apart).turn.map(({ text }) => text)).toEqual(['One.', 'Two.'])
  })

  test('an open question is told with all of its options', () => {
    expect(toldOf(digestOf(ASKED, asks('Which one?', 'Stream', 'Batch', 'Both')))).toContain(
      'Open question to the user: Which one? Options: Stream · Batch · Both',
    )
    const options = ['1. Stream the rows', '2. Send them in batches', '3. Do both of it']
    const prose = `${'I measured it again. '.repeat(12)}\n\n${options.join('\n')}\n\nWhich one is it?`
    for (const one of [...options, 'Which one is it?']) expect(told(ASKED, says(prose))).toContain(one)
  })
})

describe('files', () => {
  test('are told by folder, the newest first, with what git says of them', () => {
    const made = ['src/c.ts', 'src/d.ts'].flatMap((path) => edits(path, 'Write', 'File created successfully'))
    const changed = ['test/a.ts', 'test/b.ts', '../x.ts', 'old.ts'].flatMap((path) => edits(path))
    const uncommitted = new Set(['src/c.ts', 'src/d.ts'])
    const where = around({ uncommitted, isGone: (path) => path === 'old.ts' })
    const lines = toldOf(digestOf(ASKED, edits('a.md'), made, changed), { where })
    expect(lines.slice(lines.indexOf('# Files, commits and checks') + 1)).toEqual([
      'old.ts (missing)',
      'test/{b.ts, a.ts}',
      'src/{d.ts, c.ts} (new, uncommitted)',
      'a.md',
      'Outside the workspace: /home/ann/app/../x.ts',
    ])
  })

  test('a file that was made here stays new when it is changed', () => {
    const digest = digestOf(edits('a.ts', 'Write', 'File created successfully'), edits('b.ts'), edits('a.ts'))
    expect(digest.files.map(({ action }) => action)).toEqual(['modified', 'created'])
  })

  test.each([
    ['/app', '/app/src/a.ts', 'src/a.ts'],
    ['/app/', '/app/./a.ts', 'a.ts'],
    ['/app', 'src/a.ts', 'src/a.ts'],
    ['/app', '/application/a.ts', null],
    ['/app', '/app/../etc/passwd', null],
    ['/app', '/app', null],
    ['C:\\app', 'C:\\app\\src\\a.ts', 'src/a.ts'],
    ['/app', '/app/a\\b.ts', 'a\\b.ts'],
  ])('below %s the file %s is named %s', (root, path, name) => {
    expect(fileNamer(root)(path)).toBe(name)
  })
})

describe("the client's own summary", () => {
  const SUMMARY: Untimed = {
    kind: 'summary',
    text: [
      '1. Primary Request and Intent:\n   A fast export, with rows that are streamed to the client.',
      '4. Errors and fixes:\n   - The pool was empty.',
      '6. All user messages:\n   - "Stream the rows, and leave the old export alone."',
      '7. Pending Tasks:\n   - Measure it with a million rows.',
      '8. Current Work:\n   The cursor was being wired in.',
    ].join('\n'),
  }
  const TITLE = "# The client's summary of the conversation before"

  test('is quoted in parts where the talk before it is in another transcript', () => {
    expect(told(SUMMARY)).toContain(
      [
        TITLE,
        'The request: "A fast export, with rows that are streamed to the client."',
        'The user had said: "- "Stream the rows, and leave the old export alone.""',
        'In progress then: "The cursor was being wired in."',
        'Pending then: "- Measure it with a million rows."',
      ].join('\n'),
    )
    expect(told(SUMMARY)).not.toContain('pool')
  })

  test('is not told where the talk itself is: that knows better what is pending', () => {
    expect(told(ASKED, SUMMARY)).not.toContain(TITLE)
  })

  test.each<[string, Untimed]>([
    ['the agent', says('It is measured, and fast.')],
    ['the user', request('Leave the measuring, please.')],
  ])('calls nothing pending once %s has spoken again', (_, entry) => {
    expect(told(SUMMARY, entry)).not.toMatch(/Pending then|In progress then/)
    expect(told(SUMMARY, entry)).toContain('The request')
  })

  test('says nothing where a part is empty', () => {
    expect(told({ kind: 'summary', text: '7. Pending Tasks:\n   - None.' })).not.toContain(TITLE)
  })
})

test('a workspace that nobody trusts gets what the user typed, and nothing that anybody else wrote', () => {
  const digest = digestOf(
    ASKED,
    says('MARK agent\n\nMARK shall I?'),
    request('yes'),
    { kind: 'summary', text: '1. Primary Request and Intent:\nMARK summary\n7. Pending Tasks:\nMARK' },
    plan('# Plan: MARK\n\nMARK', 'approved', '/MARK'),
    todos(['MARK task', 'doing']),
    runs('npm test', 'FAIL MARK', true),
    runs('git commit -m "MARK"', '[main 1c77b2c] MARK'),
    asks('MARK?', 'MARK option'),
    request('MARK option', 'answer', 'MARK?'),
    calls('r', 'Bash', { command: 'MARK' }),
    returns('r', '', { refused: true }),
    request('Not that one, please.', 'refusal', 'r'),
    request('', 'command', 'ship'),
    { kind: 'expansion', text: '## 1. MARK\n\n## 2. MARK\n\nNEVER MARK' },
    calls('h', 'Task', { helper: 'MARK', description: 'MARK', prompt: 'MARK', background: true }),
    returns('h', 'MARK'),
    edits('src/MARK.ts'),
    says('MARK'),
    { kind: 'link', url: 'https://x.test/MARK' },
    asks('MARK?', 'MARK'),
    { kind: 'halt', error: 'MARK', words: 'MARK' },
  )
  expect(told(ASKED, says('MARK'))).toContain('MARK')
  for (const scale of [0, 0.5, 1])
    expect(toldOf(digest, { scale, where: STRANGER }).join('\n')).not.toContain('MARK')
  expect(toldOf(digest, { where: STRANGER })).toEqual([
    '# Where it stands',
    `Newest: user: "${'text' in ASKED ? ASKED.text : ''}" · then user: "Not that one, please." · then user: /ship`,
    'Stopped by the provider.',
    '# Files, commits and checks',
    '1 file was changed',
  ])
})

describe('which session did something', () => {
  const reads = (count: number) =>
    Array(count)
      .fill([calls('1', 'Read'), returns('1')])
      .flat()
  test.each<[string, Untimed[], boolean, boolean]>([
    ['a greeting', [request('hi'), says('Hello!')], false, true],
    ['one question', [request('What is a monad, in simple words?'), says('A burrito.')], false, false],
    ['one question that took some looks', [ASKED, ...reads(6), says('A burrito.')], false, false],
    ['one that was edited in', [ASKED, ...edits('a.ts'), says('Done.')], true, false],
    ['one that was killed in its first edit', [ASKED, calls('1', 'Write', { path: 'a.ts' })], true, false],
    ['one that waits for an answer', [ASKED, says('Which customers?')], true, false],
    ['one that answered itself', [ASKED, says('Why is it slow?\n\nRows.\n\nNo index.')], false, false],
    ['one with two requests', [ASKED, says('Done.'), MORE, says('Done.')], true, false],
  ])('%s', (_, entries, did, nothing) => {
    expect([didSomething(digestOf(entries)), isEmptyTalk(digestOf(entries))]).toEqual([did, nothing])
  })
})

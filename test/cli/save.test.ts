import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Claim } from '../../src/core/work.ts'
import { type Sandbox, sandbox } from '../support/sandbox.ts'
import { active, bodyOf, checkpoints, commit, refusal, stopped, workBox } from './document-lab.ts'
import { pipe, piped, put, save, told, workOf } from './save-lab.ts'

const textsOf = (items: ReadonlyArray<{ text: string }>) => items.map(({ text }) => text)
const claim = (text: string, more: Partial<Claim> = {}): Claim => ({
  ...{ text, origin: 'user', confirmed: true },
  ...more,
})

const EVERY_FLAG = [
  ...['The form is there', '--now', 'Wiring the form', '--goal', 'Login that lasts', '--problem', 'It ends'],
  ...['--decision', 'JWT over cookies because the app has no session', '--next', 'Write the test'],
  ...[
    '--next',
    'Ship it',
    '--blocker',
    'Review',
    '--question',
    'Which expiry?',
    '--constraint',
    'No service',
  ],
  ...[
    '--rule',
    'No force push',
    '--fact',
    'Node 20',
    '--done',
    'Read the code',
    '--file',
    'src/a.ts: the form',
  ],
  ...['--command', 'npm test', '--id', 'T-1', '--learning', 'Clocks differ', '--plan', 'login'],
]

/** What the work says after `EVERY_FLAG` and nothing else. */
const everything = (at: string) => ({
  problem: 'It ends',
  intent: 'Login that lasts',
  decisions: [{ ...claim('JWT over cookies'), why: 'the app has no session', supersededBy: null }],
  constraints: [claim('No service')],
  rules: [claim('No force push')],
  facts: [claim('Node 20')],
  done: [{ text: 'Read the code', at }],
  state: 'The form is there',
  now: 'Wiring the form',
  next: [{ text: 'Write the test' }, { text: 'Ship it' }],
  blockers: [{ text: 'Review' }],
  questions: [claim('Which expiry?')],
  artifacts: [{ path: 'src/a.ts', action: '', description: 'the form' }],
  references: [
    { kind: 'command', text: 'npm test' },
    { kind: 'id', text: 'T-1' },
    { kind: 'learning', text: 'Clocks differ' },
  ],
  position: {
    ...{ plan: null, step: null, fault: null, stage: '', tddPhase: '', anchor: '' },
    planName: 'login',
  },
  overheard: [],
})

describe('what is said', () => {
  test('by a flag lands in its field, and a save that says one thing keeps all others [001.01]', () => {
    const box = sandbox()
    const first = save(box, EVERY_FLAG)
    expect(first).toMatchObject({
      ...{ stream: 'login', why: 'plan', began: true, origin: null, sequence: 1, summary: 'Wiring the form' },
      ...{ decisions: { new: 1, total: 1, unconfirmed: 0 }, done: 1, next: 'Write the test', views: [] },
    })
    expect(workOf(box)).toEqual(everything(first.at))
    save(box, ['--stream', 'login', '--done', 'Wired'])
    const second = workOf(box)
    expect(second).toEqual({
      ...everything(first.at),
      done: [
        { text: 'Read the code', at: first.at },
        { text: 'Wired', at: expect.any(String) },
      ],
    })
  })

  test('by a flag is in its section of the document', () => {
    const box = sandbox()
    box.json(['new', 'auth', '--current'])
    expect(save(box, EVERY_FLAG).views).toEqual([
      { kind: 'document', path: active('auth'), state: 'written', problem: null },
    ])
    const text = box.read(active('auth'))
    const section = (title: string) =>
      text
        .slice(text.indexOf(`# ${title}\n`) + title.length + 3)
        .split(/\n#+ /, 1)[0]
        ?.replace(/<!--.*?-->/gs, '')
        .replace(/\| *(?:Type|File|-).*\n/g, '')
        .trim()
    expect(
      Object.fromEntries(
        ['Problem', 'Session Intent', 'Decisions', 'Technical Context', 'Breadcrumbs', 'Play-By-Play']
          .concat(['Artifact Trail', 'Current State', 'Next Actions', 'User Rules'])
          .map((title) => [title, section(title)]),
      ),
    ).toEqual({
      Problem: 'It ends',
      'Session Intent': 'Login that lasts',
      Decisions: '- JWT over cookies because the app has no session',
      'Technical Context': '- Node 20\n- Constraint: No service',
      Breadcrumbs:
        '| external | npm test | command |\n| external | T-1 | id |\n| external | Clocks differ | learning |',
      'Play-By-Play': '- Read the code',
      'Artifact Trail': '| `src/a.ts` | modified | the form |',
      'Current State': 'The form is there\n\n**Now**: Wiring the form',
      'Next Actions': '- Write the test\n- Ship it\n- Blocked: Review\n- Question: Which expiry?',
      'User Rules': '- No force push',
    })
  })

  test('carries forward by the table: now, next and blockers are replaced, lists grow, texts change', () => {
    const box = sandbox()
    const first = save(box, EVERY_FLAG)
    const more = [
      '--stream',
      'login',
      'Refresh',
      '--state',
      'Login works',
      '--next',
      'Deploy',
      '--blocker',
      '',
    ]
    save(box, [...more, '--goal', 'Login for a week', '--decision', 'ES256', '--rule', 'Small commits'])
    const work = workOf(box)
    expect(work).toMatchObject({ now: 'Refresh', state: 'Login works', intent: 'Login for a week' })
    expect([textsOf(work.next), textsOf(work.blockers)]).toEqual([['Deploy'], []])
    expect(textsOf(work.decisions)).toEqual(['JWT over cookies', 'ES256'])
    expect(textsOf(work.rules)).toEqual(['No force push', 'Small commits'])
    expect(work.facts).toEqual(everything(first.at).facts)
  })

  test('names why now, and the store keeps it', () => {
    const box = sandbox()
    const { checkpoint } = save(box, ['Half way', '--trigger', 'compaction'])
    expect(bodyOf(box, checkpoint)).toMatchObject({ triggers: [{ kind: 'compaction', note: 'saved' }] })
    expect(refusal(box, 'save', 'x', '--trigger', 'boredom').reason).toBe('usage_invalid')
  })

  test('is confirmed by the banner: places, summary, decisions new and in all, next [001.18]', () => {
    const box = sandbox()
    box.json(['new', 'auth', '--current'])
    save(box, ['First', '--decision', 'One'])
    const { stdout } = box.run([
      'save',
      'Second',
      '--decision',
      'Two',
      '--next',
      'Third',
      '--note',
      '--by',
      'agent',
    ])
    const rule = '━'.repeat(53)
    expect(stdout.replace(/\d{8}T\d{6}Z/, '<name>')).toBe(
      [
        ...[rule, '  CHECKPOINT SAVED', rule, ''],
        `  Location: ${active('auth')}`,
        '            .claude/checkpoints/<name>.json',
        '            auth #3',
        '  Summary:  Second',
        '  Decisions: 1 recorded (2 total, 1 unconfirmed)',
        '  Next:     Third',
        ...['', rule, ''],
      ].join('\n'),
    )
  })
})

describe('JSON on stdin', () => {
  test('has every field, and what flags say counts over it [003.23]', () => {
    const box = sandbox()
    const { at } = pipe(box, {
      ...{
        summary: 'The form is there',
        now: 'Wiring the form',
        goal: 'Login that lasts',
        problem: 'It ends',
      },
      decisions: [{ text: 'JWT over cookies', why: 'the app has no session' }],
      ...{ next: ['Write the test', 'Ship it'], blockers: ['Review'], questions: ['Which expiry?'] },
      ...{ constraints: ['No service'], rules: 'No force push', facts: [{ text: 'Node 20' }] },
      ...{ done: [{ text: 'Read the code' }], files: [{ path: 'src/a.ts', description: 'the form' }] },
      ...{ commands: ['npm test'], ids: ['T-1'], learnings: ['Clocks differ'], plan: 'login' },
    })
    expect(workOf(box)).toEqual(everything(at))
    const again = { summary: 'From stdin', next: ['a'], decisions: ['One'], stage: 3, tdd_phase: 'red' }
    pipe(box, again, ['From a flag', '--stream', 'login', '--decision', 'Two'])
    const work = workOf(box)
    expect([work.now, textsOf(work.next)]).toEqual(['From a flag', ['a']])
    expect(textsOf(work.decisions)).toEqual(['JWT over cookies', 'One', 'Two'])
    expect(work.position).toMatchObject({ stage: '3', tddPhase: 'red' })
  })

  test('takes the names of other tools, and what replaces, answers and confirms', () => {
    const box = sandbox()
    pipe(box, {
      ...{ summary: 'One', intent: 'Goal', next_action: 'Later', artifacts: ['b.ts'], unconfirmed: true },
      ...{ decisions: ['Old way'], questions: ['When?', 'Who?'], constraints: ['Node 20'] },
    })
    const first = workOf(box)
    expect([first.intent, textsOf(first.next), first.artifacts[0]?.path]).toEqual(['Goal', ['Later'], 'b.ts'])
    expect([...first.decisions, ...first.constraints].map(({ confirmed }) => confirmed)).toEqual([
      false,
      false,
    ])
    pipe(box, { decisions: ['New way'], supersedes: ['old'], resolve: ['when'], confirm: 'node' })
    const work = workOf(box)
    expect(work.decisions.map(({ text, supersededBy }) => [text, supersededBy])).toEqual([
      ['Old way', 'New way'],
      ['New way', null],
    ])
    expect([textsOf(work.questions), work.constraints[0]?.confirmed]).toEqual([['Who?'], true])
  })

  test.each([
    ['a key that nobody knows', '{"summary": "x", "decision": ["y"]}', 'unknown key "decision"'],
    ['the key __proto__', '{"summary": "x", "__proto__": {"now": "y"}}', 'unknown key "__proto__"'],
    ['half of an object', '{"summary": "x"', 'stdin is not JSON'],
    ['nothing', '', 'stdin is not JSON'],
    ['a list', '["x"]', 'one JSON object'],
    ['null', 'null', 'one JSON object'],
    ['a number for a text', '{"summary": 3}', '"summary" on stdin must be a non-empty text'],
    ['a number in a list', '{"next": ["a", 3]}', '"next" on stdin must be a non-empty text'],
    ['null for a list', '{"decisions": null}', '"decisions" on stdin must be a text or a list'],
    [
      'a decision without a text',
      '{"decisions": [{"why": "x"}]}',
      '"decisions.text" on stdin must be a non-empty text',
    ],
    [
      'a why that is no text',
      '{"decisions": [{"text": "x", "why": 1}]}',
      '"decisions.why" on stdin must be a non-empty text',
    ],
    [
      'a word for true',
      '{"facts": [{"text": "x", "confirmed": "yes"}]}',
      '"facts.confirmed" on stdin must be true',
    ],
    ['a number for a flag', '{"summary": "x", "unconfirmed": 1}', '"unconfirmed" on stdin must be true'],
    [
      'a file without a path',
      '{"files": [{"description": "x"}]}',
      '"files.path" on stdin must be a non-empty text',
    ],
    ['a plan that leaves the tree', '{"summary": "x", "plan": "../../x"}', 'Invalid plan'],
    ['an empty object', '{}', 'nothing to save'],
  ])('with %s is refused, and nothing is written', (_, text, problem) => {
    const box = sandbox()
    const done = piped(box, ['save', '--stdin', '--json'], text)
    const answer = JSON.parse(done.stdout)
    expect(done.code).toBe(2)
    expect(['usage_invalid', 'id_invalid']).toContain(answer.reason)
    expect(answer.message).toContain(problem)
    expect(box.json(['resume'])).toMatchObject({ kind: 'nothing' })
  })
})

describe('nobody at a terminal', () => {
  test('is not waited for: a save of nothing is refused at once, though stdin stays open [001.05]', async () => {
    const box = sandbox()
    const { child, done } = box.spawn(['save', '--json'])
    onTestFinished(() => void child.kill())
    const { code, stdout } = await done
    expect([code, JSON.parse(stdout).reason]).toEqual([2, 'usage_invalid'])
    expect(JSON.parse(stdout).message).toContain('savepoint save "…"')
  })

  test('and stdin that stays open does not keep a save with a summary', async () => {
    const box = sandbox()
    const { child, done } = box.spawn(['save', 'Something'])
    onTestFinished(() => void child.kill())
    expect((await done).code).toBe(0)
    expect(workOf(box).now).toBe('Something')
  })
})

describe('claims', () => {
  test.each([
    ['--by agent', ['--by', 'agent'], {}],
    ['an agent that runs the command', [], { CLAUDECODE: '1' }],
  ])('of %s: choices are UNCONFIRMED until the user confirms them, what was seen is not', (_, flags, env) => {
    const box = sandbox()
    const choices = ['--decision', 'JWT over cookies', '--constraint', 'Node 20', '--rule', 'No push']
    const receipt = save(box, ['Login', ...choices, '--fact', 'It has 3 forms', ...flags], { env })
    expect(receipt.decisions).toEqual({ new: 1, total: 1, unconfirmed: 1 })
    const { decisions, constraints, rules, facts } = workOf(box)
    for (const one of [...decisions, ...constraints, ...rules])
      expect(one).toMatchObject({ origin: 'agent', confirmed: false })
    expect(facts).toEqual([{ text: 'It has 3 forms', origin: 'agent', confirmed: true }])
    expect(told(box).text).toContain('UNCONFIRMED: JWT over cookies')
    save(box, ['--confirm', 'jwt'])
    expect(workOf(box).decisions[0]).toMatchObject({ origin: 'user', confirmed: true })
    expect(workOf(box).rules[0]).toMatchObject({ confirmed: false })
  })

  test('are doubtful with --unconfirmed, whoever speaks [003.31]', () => {
    const box = sandbox()
    save(box, ['--fact', 'Perhaps', '--unconfirmed'])
    expect(workOf(box).facts[0]).toMatchObject({ origin: 'user', confirmed: false })
  })

  test('of an agent are its own, whatever it says of them: it confirms nothing', () => {
    const box = sandbox()
    const env = { CLAUDECODE: '1' }
    const theirs = { env, input: JSON.stringify({ decisions: [{ text: 'By stdin', confirmed: true }] }) }
    const done = box.run(['save', 'Login', '--decision', 'By flag', '--by', 'user', '--stdin'], theirs)
    expect([done.code, done.stderr]).toEqual([0, expect.stringContaining('cannot speak for the user')])
    const confirming = box.run(['save', '--confirm', 'by flag', '--state', 'Half done'], { env })
    expect([confirming.code, confirming.stderr]).toEqual([
      0,
      expect.stringContaining('Not confirmed: "By flag". Only the user can'),
    ])
    expect(workOf(box).state).toBe('Half done')
    expect(workOf(box).decisions).toMatchObject([
      { text: 'By stdin', origin: 'agent', confirmed: false },
      { text: 'By flag', origin: 'agent', confirmed: false },
    ])
    save(box, ['--confirm', 'by flag'])
    expect(workOf(box).decisions[1]).toMatchObject({ origin: 'user', confirmed: true })
  })

  test('that are confirmed are so in the document, too, and in its next version', () => {
    const box = sandbox()
    box.json(['new', 'auth', '--current'])
    save(box, ['Login', '--decision', 'JWT over cookies', '--by', 'agent'])
    expect(box.read(active('auth'))).toContain('- JWT over cookies `UNCONFIRMED`\n')
    save(box, ['--confirm', 'jwt over'])
    expect(box.read(active('auth'))).toContain('- JWT over cookies\n')
    expect(workOf(box).decisions).toEqual([{ ...claim('JWT over cookies'), why: '', supersededBy: null }])
  })

  test('are found by a part of their text; one that fits none or several is refused with what is known', () => {
    const box = sandbox()
    const two = ['--decision', 'JWT over cookies', '--decision', 'JWT in a header']
    save(box, ['Login', ...two, '--question', 'Which expiry?', '--question', 'Which key?'])
    const before = { work: workOf(box), count: checkpoints(box) }
    const messageOf = (...args: string[]) => {
      const { reason, message } = refusal(box, 'save', ...args)
      return `${reason}: ${message}`
    }
    const passkeys = ['--decision', 'Passkeys']
    const several = messageOf(...passkeys, '--supersedes', 'jwt')
    expect(several).toContain('usage_invalid: several match "jwt"')
    expect(several).toContain('"JWT over cookies", "JWT in a header"')
    expect(messageOf(...passkeys, '--supersedes', 'oauth')).toContain(
      'no decision matches "oauth"; known: "JWT over cookies", "JWT in a header"',
    )
    expect(messageOf('--resolve', 'which')).toContain('"Which expiry?", "Which key?"')
    expect(messageOf('--confirm', 'jwt')).toContain('no claim matches "jwt"')
    expect(messageOf('--supersedes', 'cookies')).toContain('exactly one --decision')
    expect({ work: workOf(box), count: checkpoints(box) }).toEqual(before)
    save(box, [...passkeys, '--supersedes', 'COOKIES', '--resolve', 'expiry'])
    const { decisions, questions } = workOf(box)
    expect(decisions.map(({ supersededBy }) => supersededBy)).toEqual(['Passkeys', null, null])
    expect(textsOf(questions)).toEqual(['Which key?'])
  })

  test.each([
    [['--summary', ' '], 'the summary is empty'],
    [['x', '--summary', 'y'], 'the summary was given twice'],
    [['x', '--decision', ''], '--decision is empty'],
    [['--unconfirmed'], 'nothing to save'],
    [['x', '--stream', '../x'], 'Invalid name'],
    [['x', '--plan', 'a/b'], 'Invalid plan'],
    [['x', '--by', 'nobody'], 'nobody'],
  ])('%j is refused, and nothing is written', (args, problem) => {
    const box = sandbox()
    const done = box.run(['save', ...args, '--json'])
    expect([done.code, JSON.parse(done.stdout).message]).toEqual([2, expect.stringContaining(problem)])
    expect(existsSync(join(box.home, 'savepoint.db')) ? checkpoints(box) : 0).toBe(0)
  })
})

describe('which stream', () => {
  const on = (box: Sandbox, branch: string) => box.git('checkout', '--quiet', '-B', branch)

  test('named, focused, the plan of the index, the branch, main: in that order', () => {
    const box = workBox()
    const target = (...args: string[]) => {
      const { stream, why } = save(box, ['x', ...args])
      return `${stream}: ${why}`
    }
    expect(target()).toBe('main: main')
    on(box, 'feature/Login_(form)')
    expect(target()).toBe('feature-Login_-form: branch')
    put(box, '.claude/state-index.json', '{"active_plan": "big-plan"}')
    expect(target()).toBe('big-plan: plan')
    expect(target('--plan', 'other')).toBe('other: plan')
    box.json(['new', 'auth', '--current'])
    expect(target()).toBe('auth: focused')
    expect(target('--plan', 'other')).toBe('auth: focused')
    expect(target('--stream', 'AUTH')).toBe('auth: named')
    expect(target('--stream', 'fresh')).toBe('fresh: named')
  })

  test('branches that share a slug have a stream each', () => {
    const box = workBox()
    const streams = ['a/b', 'a-b', 'a/b'].map((branch) => {
      box.git('checkout', '--quiet', '-B', branch)
      return save(box, [branch]).stream
    })
    expect(streams).toEqual(['a-b', 'a-b-2', 'a-b'])
    expect(workOf(box).now).toBe('a/b')
  })

  test('a new branch begins with what the one before decided, and not with what it was doing', () => {
    const box = workBox()
    save(
      box,
      EVERY_FLAG.filter((word) => word !== '--plan' && word !== 'login'),
    )
    save(box, ['--decision', 'Passkeys', '--supersedes', 'JWT'])
    on(box, 'feature/x')
    const receipt = save(box, ['On the branch', '--next', 'Begin'])
    expect(receipt).toMatchObject({ stream: 'feature-x', began: true, origin: 'main', sequence: 1 })
    expect(receipt.decisions).toEqual({ new: 0, total: 1, unconfirmed: 0 })
    const work = workOf(box)
    expect(textsOf(work.decisions)).toEqual(['Passkeys'])
    expect([work.rules, work.facts, work.constraints].map(textsOf)).toEqual([
      ['No force push'],
      ['Node 20'],
      ['No service'],
    ])
    expect(work.references).toEqual([{ kind: 'learning', text: 'Clocks differ' }])
    expect(work).toMatchObject({ problem: '', intent: '', state: '', done: [], blockers: [], questions: [] })
    expect([work.now, work.next, work.artifacts]).toEqual(['On the branch', [{ text: 'Begin' }], []])
    expect(save(box, ['x', '--stream', 'own']).origin).toBeNull()
    expect(workOf(box, ['own']).decisions).toEqual([])
  })

  test('a detached HEAD is main, and so is a directory without git', () => {
    const box = workBox()
    put(box, 'readme.txt', 'two\n')
    commit(box)
    box.git('checkout', '--quiet', '--detach', 'HEAD~1')
    expect(save(box, ['Detached'])).toMatchObject({ stream: 'main', why: 'unbranched' })
    expect(told(box)).toMatchObject({ stream: 'main', why: 'unbranched' })
    const bare = sandbox({ git: false })
    expect(save(bare, ['No git', '--decision', 'D'])).toMatchObject({ stream: 'main', why: 'unbranched' })
    save(bare, ['Still none'])
    expect(workOf(bare)).toMatchObject({ now: 'Still none', decisions: [{ text: 'D' }] })
  })

  test('uncommitted files and what git says are gathered; our own files do not count', () => {
    const box = workBox()
    put(box, 'readme.txt', 'two\n')
    put(box, 'src/new.ts', 'x')
    save(box, ['Login', '--note'])
    save(box, ['Login'])
    const { artifacts } = workOf(box)
    expect(artifacts.map(({ path }) => path).toSorted()).toEqual(['readme.txt', 'src/new.ts'])
    expect(artifacts.every(({ seen }) => seen !== undefined)).toBe(true)
  })

  test('the clock goes back an hour between two saves: resume gives the later one', () => {
    const box = sandbox()
    put(box, '../back.cjs', 'const now = Date.now; Date.now = () => now() - 3_600_000\n')
    save(box, ['The first', '--next', 'The second'])
    const env = { NODE_OPTIONS: `--require ${JSON.stringify(join(box.root, 'back.cjs'))}` }
    const second = save(box, ['The second', '--next', 'A third'], { env })
    const { at } = save(box, ['--done', 'x', '--stream', 'other'])
    expect(Date.parse(at) - Date.parse(second.at)).toBeGreaterThan(3_500_000)
    for (const options of [{}, { env }]) {
      const resumed = told(box, ['main'], options)
      expect([resumed.sequence, resumed.work.now, resumed.work.next]).toEqual([
        2,
        'The second',
        [{ text: 'A third' }],
      ])
    }
    expect(save(box, ['--state', 'Three']).sequence).toBe(3)
    expect(workOf(box, ['main'])).toMatchObject({ now: 'The second', state: 'Three' })
  })
})

describe('the document', () => {
  const withDocument = () => {
    const box = workBox()
    box.json(['new', 'auth', '--current'])
    return box
  }
  const append = (box: Sandbox, text: string) =>
    put(box, active('auth'), `${box.read(active('auth'))}${text}`)

  test('has state, now and next replaced, lists extended, and every other byte as it was', () => {
    const box = withDocument()
    save(box, EVERY_FLAG)
    append(box, '\n## My own part\n\n* odd   spacing \t\n<!-- kept -->\n')
    const before = box.read(active('auth'))
    save(box, [
      'Refresh',
      '--state',
      'Login works',
      '--next',
      'Deploy',
      '--decision',
      'ES256',
      '--done',
      'Form',
    ])
    expect(box.read(active('auth'))).toBe(
      before
        .replace('The form is there\n\n**Now**: Wiring the form', 'Login works\n\n**Now**: Refresh')
        .replace('- Write the test\n- Ship it\n', '- Deploy\n')
        .replace('no session\n', 'no session\n- ES256\n')
        .replace('- Read the code\n', '- Read the code\n- Form\n'),
    )
  })

  test('that was removed, or is not on this branch, stays away, and resume gives the save', () => {
    const box = withDocument()
    commit(box)
    save(box, ['Before'])
    commit(box)
    box.git('rm', '--quiet', active('auth'))
    const receipt = save(box, ['After', '--decision', 'D'])
    expect([receipt.stream, receipt.views]).toEqual(['auth', []])
    expect(existsSync(box.path(active('auth')))).toBe(false)
    expect(workOf(box, ['auth'])).toMatchObject({ now: 'After', decisions: [{ text: 'D' }] })
    box.git('checkout', '--quiet', '-f', 'HEAD')
    box.git('checkout', '--quiet', '-B', 'other', 'HEAD~2')
    expect(existsSync(box.path(active('auth')))).toBe(false)
    save(box, ['On the other', '--stream', 'auth', '--next', 'N'])
    expect(existsSync(box.path(active('auth')))).toBe(false)
    expect(workOf(box, ['auth'])).toMatchObject({ now: 'On the other', decisions: [{ text: 'D' }] })
    box.git('checkout', '--quiet', 'main')
    const next = save(box, ['Back', '--stream', 'auth'])
    expect(next.views).toMatchObject([{ kind: 'document', state: 'written' }])
    expect(box.read(active('auth'))).toContain('**Now**: Back')
    expect(workOf(box, ['auth'])).toMatchObject({ now: 'Back', decisions: [{ text: 'D' }] })
  })

  test('that is edited by hand between two saves: both are there', () => {
    const box = withDocument()
    save(box, ['First', '--decision', 'One'])
    const text = box.read(active('auth'))
    put(box, active('auth'), text.replace('- One\n', '- One\n- By hand because I say so\n'))
    save(box, ['Second', '--decision', 'Two', '--blocker', 'B'])
    const work = workOf(box)
    expect(work).toMatchObject({ now: 'Second', blockers: [{ text: 'B' }] })
    expect(textsOf(work.decisions)).toEqual(['One', 'By hand', 'Two'])
    expect(work.decisions[1]?.why).toBe('I say so')
    expect(box.read(active('auth'))).toContain('- One\n- By hand because I say so\n- Two\n')
  })

  test('that is broken is left alone, and the save is in the store', () => {
    const box = withDocument()
    save(box, ['First'])
    const broken = box.read(active('auth')).replace('checkpoint: auth', 'checkpoint: [')
    put(box, active('auth'), broken)
    const receipt = save(box, ['Second'])
    expect(receipt.views).toMatchObject([{ kind: 'document', state: 'pending' }])
    expect(box.read(active('auth'))).toBe(broken)
    expect(workOf(box, ['auth']).now).toBe('Second')
  })

  test('with a conflict, in a merge that stopped: the save is kept, and written when that is over', () => {
    const box = withDocument()
    save(box, ['Base', '--decision', 'D'])
    commit(box)
    box.git('checkout', '--quiet', '-B', 'side')
    save(box, ['Side', '--stream', 'auth'])
    commit(box)
    box.git('checkout', '--quiet', 'main')
    save(box, ['Main', '--stream', 'auth'])
    commit(box)
    stopped(box, 'merge', 'side')
    const conflicted = box.read(active('auth'))
    expect(conflicted).toContain('<<<<<<<')
    const receipt = save(box, ['While merging', '--stream', 'auth', '--done', 'Kept'])
    expect(receipt.views).toMatchObject([{ kind: 'document', path: active('auth'), state: 'pending' }])
    expect(receipt.notices?.join()).toContain('A git merge is in progress')
    expect(box.read(active('auth'))).toBe(conflicted)
    expect(box.run(['save', 'Still', '--stream', 'auth']).stdout).toContain(
      `${active('auth')} not written yet`,
    )
    expect(workOf(box, ['auth'])).toMatchObject({ now: 'Still', done: [{ text: 'Kept' }] })
    box.git('checkout', '--ours', active('auth'))
    commit(box, 'merged')
    box.json(['list'])
    expect(box.read(active('auth'))).toContain('**Now**: Still')
    expect(box.read(active('auth'))).toContain('- Kept\n')
    expect(workOf(box, ['auth'])).toMatchObject({ now: 'Still', done: [{ text: 'Kept' }] })
  })

  test('with conflict markers and no merge under way is left alone until they are gone', () => {
    const box = withDocument()
    save(box, ['First', '--decision', 'D'])
    const text = box.read(active('auth'))
    const conflicted = text.replace('- D\n', '<<<<<<< HEAD\n- D\n=======\n- E\n>>>>>>> side\n')
    put(box, active('auth'), conflicted)
    const receipt = save(box, ['Second', '--done', 'Kept'])
    expect(receipt.views).toMatchObject([{ kind: 'document', state: 'pending' }])
    expect(receipt.notices?.join()).toContain(active('auth'))
    expect(box.read(active('auth'))).toBe(conflicted)
    expect(workOf(box, ['auth'])).toMatchObject({ now: 'Second', done: [{ text: 'Kept' }] })
    put(box, active('auth'), text.replace('- D\n', '- D\n- E\n'))
    box.json(['list'])
    const written = box.read(active('auth'))
    expect(written).toContain('**Now**: Second')
    expect(written).toContain('- D\n- E\n')
    expect(textsOf(workOf(box, ['auth']).decisions)).toEqual(['D', 'E'])
  })

  test('in a rebase that stopped is left alone until it ends', () => {
    const box = withDocument()
    save(box, ['Base'])
    commit(box)
    box.git('checkout', '--quiet', '-B', 'side')
    put(box, 'readme.txt', 'side\n')
    commit(box)
    box.git('checkout', '--quiet', 'main')
    put(box, 'readme.txt', 'main\n')
    commit(box)
    stopped(box, 'rebase', 'side')
    const before = box.read(active('auth'))
    const receipt = save(box, ['In the rebase', '--stream', 'auth'])
    expect(receipt.views).toMatchObject([{ kind: 'document', state: 'pending' }])
    expect(receipt.notices?.join()).toContain('A git rebase is in progress')
    expect(box.read(active('auth'))).toBe(before)
    box.git('rebase', '--abort')
    box.json(['resume', 'auth'])
    expect(box.read(active('auth'))).toContain('**Now**: In the rebase')
  })
})

test('a file of the workspace that is named by its whole path is known by its path from the root', () => {
  const box = sandbox()
  put(box, 'a.ts', 'x\n')
  box.json(['save', 'x', '--file', `${box.path('a.ts')}: the first`, '--file', '/etc/hosts'])
  const { work } = box.json(['resume']) as {
    work: { artifacts: Array<{ path: string; description: string }> }
  }
  const paths = work.artifacts.map(({ path, description }) => [path, description])
  expect(paths).toContainEqual(['a.ts', 'the first'])
  expect(paths).toContainEqual(['/etc/hosts', ''])
  expect(paths.filter(([path]) => path?.endsWith('a.ts'))).toHaveLength(1)
})

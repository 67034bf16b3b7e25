import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { assistant, done, linesOf, text, usageOf, user } from '../agents/transcript-rows.ts'
import { contents } from '../store/ailing.ts'
import { projectRoot, type Sandbox, sandbox } from '../support/sandbox.ts'
import { seedFile } from '../support/seed-file.ts'
import { put } from './document-lab.ts'
import { heard, idOf, words } from './hook-lab.ts'

const LEDGER = '.agents/session_ledger.md'
const A = idOf('a')

/** A workspace as a user of the format has it: the settings of its page, and hooks. */
function workspace(): Sandbox {
  const box = sandbox()
  put(box, '.agents.yml', seedFile('003', 'agents.yml'))
  box.run(['trust'])
  return box
}

/** A session whose window is as full as its newest call says. */
class Session {
  readonly path: string
  private rows = 0

  constructor(readonly box: Sandbox) {
    this.path = join(box.root, 'transcript.jsonl')
    writeFileSync(this.path, '')
    this.hears('SessionStart', { source: 'startup' })
  }

  hears(name: string, more: object = {}): string | null {
    const answer = heard(this.box, A, name, { transcript_path: this.path, ...more })
    return answer.stdout === '' ? null : words(answer)
  }

  /** Asks for something; what comes back is told with the next tools. */
  asks(prompt: string, percent: number): string | null {
    const usage = usageOf(percent * 2_000, 1)
    this.rows += 2
    const message = { model: 'claude-sonnet-4-5', content: [text('Working on it.')], usage }
    appendFileSync(this.path, linesOf([user(this.rows - 1, prompt), assistant(this.rows, message)]))
    this.hears('UserPromptSubmit', { prompt })
    return this.hears('PostToolBatch', { tool_calls: [] })
  }
}

const now = (box: Sandbox) => /### Now\n(.*)\n/.exec(box.read(LEDGER))?.[1]
const goal = (box: Sandbox) => /## Goal\n(.*)\n/.exec(box.read(LEDGER))?.[1]

describe('the window of a session', () => {
  test('at 70 % the ledger is written, at 85 % again, with the advice to clear; nothing before [003.17] [003.18]', () => {
    const session = new Session(workspace())
    expect(session.asks('Move the login to tokens', 69)).toBeNull()
    expect(() => session.box.read(LEDGER)).toThrow('ENOENT')
    expect(session.asks('Keep the cookie for a week', 71)).toContain('the context window is 71 % full')
    expect([goal(session.box), now(session.box)]).toEqual([
      'Move the login to tokens',
      'Keep the cookie for a week',
    ])
    const advice = session.asks('Never touch the billing', 86)
    expect(advice).toMatch(/the context window is 86 % full.*savepoint save.*`\/clear`/)
    expect(now(session.box)).toBe('Never touch the billing')
  })

  test('after the second compaction the ledger is written, and the advice is to clear and not to compact [003.32]', () => {
    const session = new Session(workspace())
    const told: Array<string | null> = []
    for (const prompt of ['Move the login to tokens', 'Keep the cookie for a week']) {
      session.asks(prompt, 20)
      session.hears('PreCompact', { trigger: 'auto' })
      session.hears('PostCompact', {
        compact_summary: 'Move the login to tokens. Keep the cookie for a week.',
      })
      told.push(session.hears('PostToolBatch', { tool_calls: [] }))
    }
    expect(told[0] ?? '').not.toContain('compacted')
    expect(told[1]).toMatch(
      /compacted 2 times, and each compaction loses detail\..*`\/clear`: the next session is briefed/,
    )
    expect(now(session.box)).toBe('Keep the cookie for a week')
  })
})

test('each session of several days leaves its checkpoint in the ledger, for the next one [003.19]', () => {
  const box = workspace()
  const monday = new Session(box)
  monday.asks('Move the login to tokens', 20)
  monday.hears('SessionEnd', { reason: 'prompt_input_exit' })
  expect(words(heard(box, idOf('b'), 'SessionStart', { source: 'startup' }))).toContain('Move the login')
  expect(goal(box)).toBe('Move the login to tokens')
})

test('what an agent inferred, decided alone or heard of an outside service is UNCONFIRMED in the ledger [003.14] [003.29] [003.30] [003.31]', () => {
  const box = workspace()
  const agent = { env: { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: A } }
  box.json(['save', 'Login', '--rule', 'Likes tabs', '--decision', 'JWT over cookies'], agent)
  box.json(['save', '--fact', 'The mail API is up', '--file', 'src/a.ts', '--unconfirmed'], agent)
  for (const item of ['- Rule: Likes tabs', '- JWT over cookies', '- Fact: The mail API is up'])
    expect(box.read(LEDGER)).toContain(`${item} \`UNCONFIRMED\`\n`)
  box.json(['save', '--confirm', 'JWT'])
  expect(box.read(LEDGER)).toContain('- JWT over cookies\n')
  const told = words(heard(box, idOf('b'), 'SessionStart', { source: 'clear' }))
  expect(told).toContain('I see assumption "Likes tabs" marked UNCONFIRMED - can you confirm this?')
})

const SAID = {
  ...{ goal: 'Tokens for the app, done when it signs in', problem: 'The app has no cookie' },
  ...{ state: 'Half of the endpoints answer', now: 'Refresh of an expired token' },
  ...{ decision: 'Tokens over cookies because the app has no session', constraint: 'API version 2 stays' },
  ...{ rule: 'Ask before pushing', fact: 'Tokens live 15 minutes', done: 'Login form posts' },
  ...{ next: 'Delete the cookie code', blocker: 'Staging is down', question: 'Who rotates the keys?' },
  ...{ file: 'src/token.ts', id: 'PAY-812', command: 'npm test -- auth' },
}

test('the ledger alone gives all of the work back after a clear, where the store is lost [003.33] [003.34] [003.36]', () => {
  const box = workspace()
  box.json(['save', ...Object.entries(SAID).flatMap(([field, said]) => [`--${field}`, said])])
  rmSync(box.home, { recursive: true })
  box.run(['trust'])
  const told = words(heard(box, A, 'SessionStart', { source: 'clear' }))
  expect(told).toContain('The ledger shows "Refresh of an expired token" was in progress')
  for (const said of Object.values(SAID))
    for (const part of said.split(' because ')) expect(told).toContain(part)
})

test('whatever is unconfirmed, three questions are asked, and the first is about the focus [003.26] [003.37]', () => {
  const box = workspace()
  const doubts = Array.from({ length: 6 }, (_, at) => `- Assumption ${at} \`UNCONFIRMED\`\n`).join('')
  put(
    box,
    LEDGER,
    seedFile('003', 'found_ledger.md').replace('## Key Decisions', `${doubts}\n## Key Decisions`),
  )
  const told = words(heard(box, A, 'SessionStart', { source: 'clear' }))
  expect(told.match(/^- .*\?$/gm)?.slice(0, 3)).toEqual([
    '- The ledger shows "Splitting the lexer" was in progress - is this still the current focus?',
    expect.stringMatching(/^- I see assumption ".+" marked UNCONFIRMED - can you confirm this\?$/),
    expect.stringMatching(/^- I see assumption ".+" marked UNCONFIRMED - can you confirm this\?$/),
  ])
  expect(told.match(/can you confirm this/g)).toHaveLength(2)
})

test('of a ledger that is larger than a brief it is said what was cut and where all of it is; the question stays [003.26]', () => {
  const box = workspace()
  const many = Array.from({ length: 150 }, (_, at) => `- Module ${at} is apart because of its owner\n`).join(
    '',
  )
  put(box, LEDGER, seedFile('003', 'found_ledger.md').replace('- Hand-written parser\n', many))
  const told = words(heard(box, A, 'SessionStart', { source: 'clear' }))
  expect(told).toContain(
    '\nAsk the user before continuing from Now:\n- The ledger shows "Splitting the lexer"',
  )
  expect(told).toMatch(/\nCut to fit: Decisions \d+.* All: cat \.agents\/session_ledger\.md\n/)
})

describe('the skill', () => {
  const skill = (name: string) =>
    readFileSync(join(projectRoot, 'plugins/claude/savepoint/skills', name, 'SKILL.md'), 'utf8')
  const page = skill('session-checkpoint')

  test('session-checkpoint says when, when not, and what to mark UNCONFIRMED [003.20] [003.21] [003.22] [003.28] [003.38]', () => {
    expect(page).toContain('name: session-checkpoint\n')
    for (const when of [
      ...['After each milestone', 'before a risky step', 'before and after a large refactor'],
      ...['before the session ends', 'when the window is 70 % full', 'At 85 % at once'],
    ])
      expect(page).toContain(when)
    expect(page).toContain(
      'Not for a quick task (under 30 minutes), a simple or single-file fix, a session that uses /handoff',
    )
    expect(page).toContain(
      'marked unconfirmed: what you inferred, what nobody approved, files, APIs or services that may have changed outside',
    )
    expect(skill('handoff')).toContain('name: handoff\n')
  })

  test('asks for the questions of the format after a clear [003.37]', () => {
    expect(page).toContain('"The ledger shows … was in progress - is this still the current focus?"')
    expect(page).toContain('"I see assumption … marked UNCONFIRMED - can you confirm this?"')
  })
})

test('the tasks of a session are read, told to the next one, and their files are left alone [003.39]', () => {
  const box = workspace()
  const tasks = join(box.env.HOME ?? '', '.claude/tasks')
  mkdirSync(join(tasks, A), { recursive: true })
  writeFileSync(join(tasks, A, '1.json'), '{"id": "1", "subject": "Write the refresh test"}')
  const before = contents(tasks)
  const path = join(box.root, 'transcript.jsonl')
  const todos = [
    { content: 'Write the form', status: 'completed', activeForm: 'Writing' },
    { content: 'Write the refresh test', status: 'in_progress', activeForm: 'Writing' },
  ]
  writeFileSync(path, linesOf([user(1, 'Move the login'), ...done(2, 'TodoWrite', { todos })]))
  heard(box, A, 'SessionStart', { source: 'startup', transcript_path: path })
  heard(box, A, 'SessionEnd', { reason: 'clear', transcript_path: path })
  expect(words(heard(box, idOf('b'), 'SessionStart', { source: 'clear' }))).toContain(
    'Write the refresh test',
  )
  expect(contents(tasks)).toEqual(before)
})

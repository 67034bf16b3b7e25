import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sessionStream } from '../../src/policy/resolve.ts'
import { assistant, call, linesOf, result, text, user } from '../agents/transcript-rows.ts'
import { type Sandbox, sandbox } from '../support/sandbox.ts'
import { active, checkpoints, edit, elsewhere, history, refusal, workBox } from './document-lab.ts'
import { HOUR, turned } from './resume-lab.ts'
import { LEDGER, LEDGER_ON, put, save, told, workOf } from './save-lab.ts'
import { idOf, within } from './session-lab.ts'

const textsOf = (list: ReadonlyArray<{ text: string }>) => list.map(({ text: said }) => said)
const say = (box: Sandbox, ...words: string[]) => box.run(words).stdout
const AGENT = { CLAUDECODE: '1' }

const SAID = [
  ...['Login', '--decision', 'Cookies over tokens because simple', '--decision', 'Zod for forms'],
  ...['--rule', 'Use tabs', '--rule', 'Deploy on Fridays', '--fact', 'Node 20', '--constraint', 'No service'],
  ...['--next', 'Write the test', '--next', 'Ship it', '--question', 'Which expiry?', '--blocker', 'Review'],
]

/** A workspace with a document that is in focus and says all of the above. */
function documentBox(): Sandbox {
  const box = workBox()
  box.json(['new', 'auth'])
  box.json(['focus', 'auth'])
  save(box, SAID)
  return box
}

const DOCUMENT = active('auth')

describe('a correction', () => {
  test('is told in a line, and leaves the brief', () => {
    const box = sandbox()
    save(box, SAID)
    expect(say(box, 'reject', 'cookies', '--why', 'they break on phones')).toBe(
      'Rejected decision: Cookies over tokens, because they break on phones (main #2)\n',
    )
    expect(say(box, 'remove', 'fridays')).toBe('Removed rule: Deploy on Fridays (main #3)\n')
    expect(say(box, 'reword', 'tabs', '--to', 'Use tabs in Go')).toBe(
      'Reworded rule: Use tabs → Use tabs in Go (main #4)\n',
    )
    expect(say(box, 'remove', 'service', '--field', 'constraint')).toContain('Removed constraint: No service')
    expect(say(box, 'remove', 'write')).toContain('Removed next step: Write the test')
    expect(say(box, 'remove', 'review')).toContain('Removed blocker: Review')
    const { text: brief, work } = told(box)
    expect(brief).toContain('- Rejected: Cookies over tokens, because they break on phones')
    expect(brief).not.toMatch(/Fridays|No service|Write the test|Review/)
    expect([textsOf(work.rules), textsOf(work.next)]).toEqual([['Use tabs in Go'], ['Ship it']])
    expect(checkpoints(box)).toBe(7)
  })

  test('of what is not there, or not clear, is refused with what is there, and changes nothing', () => {
    const box = sandbox()
    save(box, SAID)
    expect(refusal(box, 'remove', 'vim')).toMatchObject({
      reason: 'usage_invalid',
      message: expect.stringContaining(
        'no item matches "vim"; known: "Cookies over tokens", "Zod for forms"',
      ),
    })
    expect(refusal(box, 'remove', 'se')).toMatchObject({
      message: expect.stringContaining('Give more of the text'),
    })
    expect(refusal(box, 'reword', 'tabs', '--to', ' ')).toMatchObject({ message: '--to is empty' })
    expect(refusal(box, 'reject', 'tabs')).toMatchObject({ message: '--why is missing' })
    expect(checkpoints(box)).toBe(1)
  })

  test('answers what a brief asks, both ways', () => {
    const box = sandbox()
    save(box, ['Login', '--decision', 'Redis', '--decision', 'Postgres', '--by', 'agent'])
    expect(told(box).text).toContain('I see assumption "Postgres" marked UNCONFIRMED - can you confirm this?')
    box.json(['confirm', 'postgres'])
    box.json(['reject', 'redis', '--why', 'cost'])
    const { text: brief } = told(box)
    expect(brief).not.toContain('UNCONFIRMED')
    expect(brief).toContain('- Rejected: Redis, because cost\n- Postgres')
  })

  test('by an agent is heard for what is its own; the user’s word it must ask for', () => {
    const box = sandbox()
    save(box, ['Login', '--rule', 'Never push to main'])
    save(box, ['--decision', 'Redis'], { env: AGENT })
    const refused = box.run(['remove', 'never push', '--json'], { env: AGENT })
    expect(JSON.parse(refused.stdout)).toMatchObject({ reason: 'users_word' })
    expect(refused.code).toBe(6)
    expect(box.run(['confirm', 'redis'], { env: AGENT }).code).toBe(6)
    expect(box.run(['reject', 'redis', '--why', 'cost'], { env: AGENT }).code).toBe(0)
    const again = save(box, ['--decision', 'redis.', '--rule', 'Redis'], { env: AGENT })
    expect(again.notices).toContain('Not recorded: "Redis" was rejected, because "cost".')
    const { decisions, rules } = workOf(box)
    expect(decisions).toMatchObject([{ text: 'Redis', supersededBy: 'Redis', rejected: 'cost' }])
    expect(textsOf(rules)).toEqual(['Never push to main'])
  })
})

describe('the document', () => {
  test('says what was corrected where it stood, and every other byte stays', () => {
    const box = documentBox()
    edit(box, DOCUMENT, '- Use tabs', '<!-- mine -->\n- Use tabs')
    edit(box, DOCUMENT, '## User Rules', '## My own\n\nA  section.\n\n## User Rules')
    const before = box.read(DOCUMENT)
    box.json(['reject', 'cookies', '--why', 'they "break"\non ~~phones~~'])
    box.json(['remove', 'fridays'])
    box.json(['remove', 'node 20'])
    box.json(['reword', 'tabs', '--to', 'Use tabs in Go'])
    box.json(['reject', 'No service', '--why', 'we have one'])
    box.json(['remove', 'write the test'])
    const after = before
      .replace(
        'Cookies over tokens because simple',
        '~~Cookies over tokens because simple~~ rejected: "they "break" on \\~\\~phones\\~\\~"',
      )
      .replace('- Zod for forms', '- Zod for forms\n- ~~No service~~ rejected: "we have one"')
      .replace('- Deploy on Fridays\n', '')
      .replace('- Node 20\n', '')
      .replace('- Constraint: No service\n\n', '')
      .replace('Use tabs', 'Use tabs in Go')
      .replace('- Write the test\n', '')
    expect(box.read(DOCUMENT)).toBe(after)
    expect(told(box).text).toContain(
      '- Rejected: Cookies over tokens, because they "break" on ~~phones~~\n- Zod for forms\n- Rejected: No service, because we have one',
    )
  })

  test('takes what was rejected to another machine, and an agent there does not bring it back', () => {
    const box = documentBox()
    box.json(['reject', 'cookies', '--why', 'they break on phones'])
    const other = elsewhere(box, 'other')
    mkdirSync(other.repo)
    const away = Object.assign(other, { env: { ...box.env, SAVEPOINT_HOME: join(box.root, 'home-2') } })
    away.git('init', '--quiet')
    put(away, DOCUMENT, box.read(DOCUMENT))
    away.json(['trust'])
    save(away, ['--stream', 'auth', '--decision', 'Cookies over tokens'], { env: AGENT })
    const [cookies] = workOf(away, ['auth']).decisions
    expect(cookies).toMatchObject({ text: 'Cookies over tokens', rejected: 'they break on phones' })
    expect(away.read(DOCUMENT)).toContain(
      '~~Cookies over tokens because simple~~ rejected: "they break on phones"',
    )
  })

  test('that the user edits confirms by a mark that goes, and takes out what is struck or deleted', () => {
    const box = documentBox()
    save(box, ['--rule', 'Small commits', '--decision', 'Redis'], { env: AGENT })
    expect(box.read(DOCUMENT)).toContain('- Small commits `UNCONFIRMED`')
    edit(box, DOCUMENT, 'Small commits `UNCONFIRMED`', 'Small commits')
    edit(box, DOCUMENT, '- Use tabs', '- ~~Use tabs~~')
    edit(box, DOCUMENT, '- Deploy on Fridays\n', '')
    edit(box, DOCUMENT, '- Node 20', '- ~~Node 20~~')
    edit(box, DOCUMENT, '- Constraint: No service', '- Constraint: ~~No service~~')
    edit(box, DOCUMENT, '- Write the test', '- ~~Write the test~~')
    edit(box, DOCUMENT, 'Zod for forms', '~~Zod for forms~~ (rejected because of its size)')
    save(box, ['Go on'])
    const { rules, facts, constraints, next, decisions } = workOf(box)
    expect(rules).toMatchObject([{ text: 'Small commits', confirmed: true }])
    expect([facts, constraints, textsOf(next)]).toEqual([[], [], ['Ship it']])
    expect(decisions[1]).toMatchObject({ text: 'Zod for forms', rejected: 'of its size' })
    expect(box.read(DOCUMENT)).toContain('- ~~Use tabs~~\n')
  })

  test('that still has a removed line, because it was away, loses it when it is written again', () => {
    const box = documentBox()
    const whole = box.read(DOCUMENT)
    box.git('add', '--all')
    box.git('commit', '--quiet', '-m', 'document')
    box.git('rm', '--quiet', DOCUMENT)
    box.json(['remove', 'fridays', '--stream', 'auth'])
    put(box, DOCUMENT, whole)
    save(box, ['Go on', '--stream', 'auth'])
    expect(box.read(DOCUMENT)).toBe(whole.replace('- Deploy on Fridays\n', '').replace('Login', 'Go on'))
    edit(box, DOCUMENT, '- Use tabs', '- Use tabs\n- Deploy on Fridays')
    save(box, ['And on', '--stream', 'auth'])
    expect(textsOf(workOf(box, ['auth']).rules)).toEqual(['Use tabs', 'Deploy on Fridays'])
    expect(box.read(DOCUMENT)).toContain('- Deploy on Fridays')
  })
})

test('the ledger loses what was removed, and tells what was rejected, struck out, with the reason', () => {
  const box = sandbox()
  put(box, '.agents.yml', LEDGER_ON)
  save(box, SAID)
  box.json(['remove', 'service'])
  box.json(['reject', 'cookies', '--why', 'phones'])
  expect(box.read(LEDGER)).not.toContain('No service')
  expect(box.read(LEDGER)).toContain('\n- ~~Cookies over tokens because simple~~ rejected: phones\n')
  edit(box, LEDGER, '- Zod for forms', '- Zod for forms\n- Tests first')
  save(box, ['Go on'])
  expect(workOf(box).decisions).toMatchObject([
    { text: 'Cookies over tokens', rejected: 'phones' },
    { text: 'Zod for forms', supersededBy: null },
    { text: 'Tests first', supersededBy: null },
  ])
})

test('what was taken back does not come back with a session that went on from the work before', () => {
  const box = workBox()
  const id = idOf('aaaa')
  const transcript = join(box.root, `${id}.jsonl`)
  const event = (name: string, more: object = {}) => {
    const payload = { session_id: id, hook_event_name: name, cwd: box.repo, transcript_path: transcript }
    return box.hook(['claude'], { input: JSON.stringify({ ...payload, ...more }) })
  }
  const turn = (number: number, asked: string) => {
    const at = { timestamp: new Date().toISOString() }
    const file = { file_path: box.path(`src/${number}.ts`), content: 'x' }
    const rows = [
      user(number, asked, at),
      assistant(number + 1, { content: [call(`w${number}`, 'Write', file)] }, at),
      user(number + 2, [result(`w${number}`, 'ok')], at),
      assistant(number + 3, { content: [text('Done.')] }, at),
    ]
    appendFileSync(transcript, linesOf(rows))
    event('UserPromptSubmit', { prompt: asked })
    event('Stop')
  }
  const rules = ['--rule', 'Use tabs', '--rule', 'Deploy on Fridays', '--rule', 'Small commits']
  save(box, ['Forms', ...rules, '--decision', 'Cookies'], { env: turned(box, -HOUR) })
  expect(event('SessionStart', { source: 'startup' }).stdout).toContain('Deploy on Fridays')
  turn(1, 'Please move the login to tokens.')
  const own = sessionStream(id)
  expect(textsOf(workOf(box, [own]).rules)).toHaveLength(3)
  box.json(['remove', 'fridays'])
  box.json(['reword', 'tabs', '--to', 'Use tabs in Go'])
  box.json(['reject', 'cookies', '--why', 'phones'])
  const corrected = ['Use tabs in Go', 'Small commits']
  expect(textsOf(workOf(box).rules)).toEqual(corrected)
  // The session knows nothing of it, and goes on.
  turn(5, 'Now the refresh, please.')
  const work = workOf(box, [own])
  expect([textsOf(work.rules).toSorted(), work.decisions[0]?.rejected]).toEqual([
    corrected.toSorted(),
    'phones',
  ])
  const mine = { env: within(id) }
  expect(box.run(['remove', 'small commits'], mine).code).toBe(6)
  turn(9, 'Remove "Small commits".')
  expect(box.run(['remove', 'small commits'], mine).code).toBe(0)
  save(box, ['Go on'])
  expect(textsOf(workOf(box, ['main']).rules)).toEqual(['Use tabs in Go'])
})

test('an agent does not set work back behind the words of its user, nor gives it a name that lists leave out', () => {
  const box = workBox()
  const agent = { env: { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: idOf('a') } }
  for (const text of ['one', 'two']) box.json(['save', text, '--decision', `Decision ${text}`])
  const done = box.run(['restore', 'main', '--at', '1'], agent)
  expect(done).toMatchObject({ code: 6 })
  expect(done.stderr).toContain('Only the user can restore "main".')
  expect(box.run(['rename', 'main', 'session-abcdefghijk1'])).toMatchObject({ code: 2 })
  expect(box.json(['restore', 'main', '--at', '1'])).toMatchObject({ restored: 1 })
})

describe('the history of corrections', () => {
  test('names what was done and to which item, and so does the list of what can be undone', () => {
    const box = sandbox()
    save(box, [...SAID, '--unconfirmed'])
    box.json(['confirm', 'zod'])
    box.json(['reject', 'cookies', '--why', 'phones'])
    box.json(['remove', 'fridays'])
    box.json(['reword', 'tabs', '--to', 'Use tabs in Go'])
    expect(history(box, 'main').map(({ why }) => why)).toEqual([
      ...['manual: saved: Login', 'manual: confirm: Zod for forms', 'manual: reject: Cookies over tokens'],
      ...['manual: remove: Deploy on Fridays', 'manual: reword: Use tabs → Use tabs in Go'],
    ])
    expect(box.json(['undo', '--list']).acts).toMatchObject([
      { label: 'reword main #5 "Use tabs → Use tabs in Go"' },
      { label: 'remove main #4 "Deploy on Fridays"' },
      { label: 'reject main #3 "Cookies over tokens"' },
      { label: 'confirm main #2 "Zod for forms"' },
      { label: 'save main #1 "Login"' },
    ])
  })

  test('other words that are the same ones are refused', () => {
    const box = sandbox()
    save(box, SAID)
    for (const [item, to] of [
      ['Use tabs', 'Use tabs'],
      ['Cookies', 'Cookies over tokens because simple'],
      ['Ship it', ' Ship  it '],
    ] as const)
      expect(refusal(box, 'reword', item, '--to', to)).toMatchObject({
        reason: 'usage_invalid',
        message: expect.stringContaining('already has this text'),
      })
    expect(checkpoints(box)).toBe(1)
    expect(box.run(['reword', 'Use tabs', '--to', 'use Tabs']).code).toBe(0)
  })
})

import { describe, expect, test } from 'vitest'
import { emptyWork, type WorkState } from '../../../src/core/work.ts'
import { droppedLines } from '../../../src/policy/brief/brief-quoted.ts'
import {
  deriveWork,
  listCallsInFlight,
  listCommandOutcomes,
  mergeSessionWork,
} from '../../../src/policy/digest/work.ts'
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
  says,
  timeOf,
  todos,
} from './sample.ts'

const GOAL = 'Make the export of the invoices fast, for large customers as well.'
const NOW = 'Then look at the import, which has the same problem.'
const TRUSTED = around()
const heardIn = (...entries: Array<Untimed | Untimed[]>) => deriveWork(digestOf(...entries), TRUSTED)
const texts = (items: ReadonlyArray<{ text: string }>) => items.map(({ text }) => text)
const answer = (text: string, question = 'Which database?') => request(text, 'answer', question)
const decision = (text: string, supersededBy: string | null = null) => ({
  ...{ text, why: '', origin: 'user' as const, confirmed: true, supersededBy },
})

describe('the work that a digest tells', () => {
  const SESSION = [
    request('hi'),
    request(GOAL),
    todos(['Measure', 'done'], ['Stream', 'doing'], ['Docs', 'open']),
    ...edits('src/a.ts', 'Write', 'File created successfully'),
    ...edits('../elsewhere.ts'),
    ...runs('npm test', 'FAIL test/a.test.ts', true),
    ...runs('git commit -m "Stream rows"', '[main 1c77b2c] Stream rows'),
    request(NOW),
    asks('Which customers?', 'All', 'The large ones'),
  ]

  test('is in the words that were said, and only acts are claims', () => {
    const { heard, decisions, done, artifacts } = heardIn(SESSION)
    expect(heard).toEqual({
      intent: GOAL,
      now: NOW,
      next: [{ text: 'Stream' }, { text: 'Docs' }],
      questions: [{ text: 'Which customers? - All - The large ones', origin: 'agent', confirmed: false }],
      blockers: [{ text: 'Failing: npm test (exit 1): "FAIL test/a.test.ts"' }],
    })
    expect(decisions).toEqual([])
    expect(texts(done)).toEqual(['Measure', 'Committed: Stream rows'])
    expect(artifacts).toEqual([{ path: 'src/a.ts', action: 'created', description: '' }])
  })

  test('without trust holds what the user typed and the files, and nothing else', () => {
    const digest = digestOf(SESSION, answer('SQLite'), plan('# Plan: X', 'approved'))
    const { heard, decisions, done, artifacts } = deriveWork(digest, { ...TRUSTED, trusted: false })
    expect(heard).toEqual({ intent: GOAL, now: NOW, next: [], questions: [], blockers: [] })
    expect([decisions, done, artifacts.length]).toEqual([[], [], 1])
    expect(listCommandOutcomes(digest, false)).toMatchObject([
      { name: 'npm test', result: 'FAIL', summary: '' },
    ])
  })

  test('an answered question and an approved plan are decisions; a sentence is none', () => {
    const said = [request('We use Postgres from now on.'), says('I decided to use Redis.')]
    const asked = answer('Why do you ask?', 'And why?')
    const { decisions } = heardIn(said, answer('SQLite'), asked, plan('# Plan: X', 'approved'))
    expect(decisions).toEqual([decision('Which database? → SQLite'), decision('Plan approved: X')])
    expect(heardIn(plan('# Plan: X', 'shown')).decisions).toEqual([])
  })

  test('a list that the talk has left behind is not what comes next', () => {
    const list = todos(['Docs', 'open'])
    expect(heardIn(request(GOAL), list, request(NOW)).heard.next).toEqual([{ text: 'Docs' }])
    expect(heardIn(request(GOAL), list, request(NOW), request('x')).heard.next).toEqual([])
  })

  test('a slash command is a goal by its name', () => {
    expect(heardIn(request('v2 to staging', 'command', 'ship')).heard.intent).toBe('/ship v2 to staging')
  })

  test('what runs in the background is in flight, a call that waits for its result is not', () => {
    const started = [calls('b', 'Bash', { command: 'npm run dev', background: true }), returns('b', 'ok')]
    expect(listCallsInFlight(digestOf(started, calls('r', 'Read', { path: 'a.ts' })))).toEqual([
      { id: 'b', kind: 'background', what: 'npm run dev', since: timeOf(0) },
    ])
  })
})

describe('merging it with what was known', () => {
  const saved: WorkState = {
    ...emptyWork(),
    ...{ problem: 'Slow', intent: 'A saved goal', now: 'A saved step', next: [{ text: 'A saved task' }] },
    rules: [{ text: 'Never push to main', origin: 'user', confirmed: true }],
    decisions: [decision('Rows are streamed')],
    artifacts: [{ path: 'src/a.ts', action: 'created', description: 'the export' }],
  }
  const changed = ['src/a.ts', 'src/b.ts'].flatMap((path) => edits(path))
  const heard = heardIn(request(GOAL), todos(['Docs', 'open']), changed, request(NOW))
  const [EARLIER, LATER] = ['2026-01-01T00:00:00.000Z', '2026-01-03T00:00:00.000Z']

  test('what nobody saved is taken from the talk, and marked', () => {
    const work = mergeSessionWork(emptyWork(), heard, null)
    expect(work).toMatchObject({ intent: GOAL, now: NOW, next: [{ text: 'Docs' }] })
    expect(work.overheard).toEqual(['intent', 'now', 'next'])
  })

  test('what was saved after the talk stays', () => {
    const { intent, now, next } = saved
    expect(mergeSessionWork(saved, heard, LATER)).toMatchObject({ intent, now, next, overheard: [] })
  })

  test('also where the talk went on after it was saved', () => {
    const work = mergeSessionWork(saved, heard, EARLIER)
    const { problem, intent, rules, decisions, now, next } = saved
    expect(work).toMatchObject({ problem, intent, rules, decisions, now, next, overheard: [] })
  })

  test('a decision that somebody replaced by hand stays replaced', () => {
    const answered = heardIn(asks('Which key?', 'RS256'), request('RS256', 'answer', 'Which key?'))
    const [decision] = mergeSessionWork(emptyWork(), answered, null).decisions
    if (!decision) throw new Error('no decision')
    const replaced = { ...emptyWork(), decisions: [{ ...decision, supersededBy: 'HS256' }] }
    expect(mergeSessionWork(replaced, answered, null).decisions[0]?.supersededBy).toBe('HS256')
  })

  test('what was overheard is replaced by what is said later, also by nothing', () => {
    const before = mergeSessionWork(emptyWork(), heard, null)
    const later = heardIn(request('Something else, in another session.'), todos(['Docs', 'done']))
    const intent = 'Something else, in another session.'
    const after = { intent, now: '', next: [], overheard: ['intent'] }
    expect(mergeSessionWork(before, later, null)).toMatchObject(after)
  })

  test('a known file keeps what was said about it, and the newest stand last', () => {
    expect(mergeSessionWork(saved, heard, LATER).artifacts).toEqual([
      { path: 'src/a.ts', action: 'created', description: 'the export' },
      { path: 'src/b.ts', action: 'modified', description: '' },
    ])
  })

  test('a question that is answered anew supersedes its answer, also one that was kept already', () => {
    const first = mergeSessionWork(saved, heardIn(answer('Postgres')), null)
    const decided = [
      decision('Rows are streamed'),
      decision('Which database? → Postgres', 'Which database? → SQLite'),
      decision('Which database? → SQLite'),
    ]
    const both = heardIn(answer('Postgres'), answer('SQLite'))
    expect(mergeSessionWork(first, both, null).decisions).toEqual(decided)
    expect(mergeSessionWork(saved, both, null).decisions).toEqual(decided)
  })

  test.each([null, EARLIER, LATER])('doing it twice changes nothing (saved at %s)', (savedAt) => {
    const answers = [answer('Postgres'), answer('SQLite')]
    const both = heardIn(request(GOAL), answers, runs('git commit -m A'), request(NOW))
    for (const told of [heard, both]) {
      const once = mergeSessionWork(saved, told, savedAt)
      expect(mergeSessionWork(once, told, savedAt)).toEqual(once)
    }
  })
})

describe('what the summary of a compaction does not hold', () => {
  const REQUEST = 'Wrap the migrations in transactions and document every rollback of the databases.'
  const dropped = (summary: string, text = REQUEST, work: WorkState | null = null) =>
    droppedLines(digestOf(request(text)), work, { summary, trusted: true, until: timeOf(9) })

  test('a request is given back, unless the summary holds it in other forms of its words', () => {
    expect(dropped('The user asked for faster tests.')).toEqual([`user: "${REQUEST}"`])
    const held = 'Each migration runs in a transaction; the documentation names every rollback and database'
    expect(dropped(held)).toEqual([])
  })

  test('Chinese words are found, too', () => {
    const chinese = '请把会话存到 Postgres 里，每次登录都要轮换刷新令牌，不要使用 Redis。'
    expect(dropped('用户想要更快的测试。', chinese)).toEqual([`user: "${chinese}"`])
    expect(dropped(`用户的要求：${chinese}`, chinese)).toEqual([])
  })

  test('the newest stands on top, an answer has its question, and what came since is in the window', () => {
    const digest = digestOf(request(REQUEST), answer('SQLite, since nobody has to install it'), request(NOW))
    const lines = (trusted: boolean) =>
      droppedLines(digest, null, { summary: 'nothing', trusted, until: timeOf(1) })
    const answered = 'agent: "Which database?" user: "SQLite, since nobody has to install it"'
    expect(lines(true)).toEqual([answered, `user: "${REQUEST}"`])
    expect(lines(false)).toEqual([`user: "${REQUEST}"`])
  })

  test('a saved claim that stands is given back with its reason', () => {
    const work: WorkState = {
      ...emptyWork(),
      decisions: [{ ...decision('Use RS256'), why: 'the gateway' }, decision('Use HS256', 'Use RS256')],
      rules: [{ text: 'Never push to main', origin: 'user', confirmed: true }],
      constraints: [{ text: 'Node 20 must work', origin: 'agent', confirmed: false }],
    }
    expect(dropped(`${REQUEST} Never push to main, it says`, REQUEST, work)).toEqual([
      'Decided: Use RS256 (why: the gateway)',
      'Constraint: UNCONFIRMED: Node 20 must work',
    ])
  })

  test('without a digest and without work nothing is', () => {
    expect(droppedLines(null, null, { summary: '', trusted: true, until: timeOf(0) })).toEqual([])
  })
})

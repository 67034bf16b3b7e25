import { describe, expect, test } from 'vitest'
import { type Checkpoint, noChange } from '../../src/core/checkpoint.ts'
import { decisionIn } from '../../src/core/searchable.ts'
import { type Decision, emptyWork, type WorkState } from '../../src/core/work.ts'
import { searchableOf, searchableSession } from '../../src/policy/searchable.ts'
import { sampleCheckpoint, samplePosition } from './sample.ts'
import { sampleOutcome, sampleSession } from './session-sample.ts'

const work = (more: Partial<WorkState>, rest: Partial<Checkpoint> = {}) =>
  sampleCheckpoint({ work: { ...emptyWork(), ...more }, ...rest })
const claim = (text: string) => ({ text, origin: 'user' as const, confirmed: true })
const decided = (text: string, more: Partial<Decision> = {}): Decision => ({
  ...{ ...claim(text), why: '', supersededBy: null },
  ...more,
})
const kinds = (records: ReturnType<typeof searchableOf>) => records.map(({ kind }) => kind)
const textOf = (records: ReturnType<typeof searchableOf>, kind: string) =>
  records.find((one) => one.kind === kind)?.text

describe('a checkpoint of work', () => {
  test('says everything once where it is the first', () => {
    const records = searchableOf(
      work(
        {
          ...{ problem: 'Tokens expire', intent: 'Login that lasts', state: 'Half done', now: 'Refreshing' },
          ...{ next: [{ text: 'Write the test' }], blockers: [{ text: 'No key' }] },
          ...{ questions: [claim('Which clock?')], rules: [claim('No mocks')] },
          ...{ constraints: [claim('Node 20')], facts: [claim('It runs in a worker')] },
          done: [{ text: 'Read the code', at: null }],
          artifacts: [{ path: 'src/a.ts', action: 'created', description: 'the login' }],
          references: [{ kind: 'command', text: 'npm run seed' }],
        },
        { change: { ...noChange(), summary: 'Half way' } },
      ),
      null,
      'work',
    )
    expect(records).toHaveLength(1)
    expect(records[0]).toMatchObject({ kind: 'checkpoint', id: sampleCheckpoint().id })
    for (const words of [
      ...['Tokens expire', 'Login that lasts', 'Half done', 'Refreshing', 'Write the test', 'No key'],
      ...['Which clock?', 'No mocks', 'Node 20', 'worker', 'Read the code', 'src/a.ts: the login'],
      ...['npm run seed', 'Half way'],
    ])
      expect(records[0]?.text).toContain(words)
  })

  test('later says only the lines that its parent did not say', () => {
    const before = work({ problem: 'Tokens expire', state: 'one line\nsecond line', now: 'Reading' })
    const after = work({ problem: 'Tokens expire', state: 'one line\nthird line', now: 'Reading' })
    expect(searchableOf(after, before, 'work')).toEqual([
      { id: after.id, kind: 'checkpoint', text: 'third line' },
    ])
    expect(searchableOf(before, before, 'work')).toEqual([])
  })

  test('tells each new decision with its reason, under an id that only its words give', () => {
    const first = searchableOf(work({ decisions: [decided('Use JWT', { why: 'no session' })] }), null, 'work')
    const again = searchableOf(
      work({ decisions: [decided('use  jwt.', { why: 'No session' })] }, { id: 'other' }),
      null,
      'work',
    )
    expect(kinds(first)).toEqual(['decision'])
    expect(textOf(first, 'decision')).toBe('Use JWT because no session')
    expect(first[0]?.id).toMatch(/^decision-[0-9a-f]{12}-[0-9a-f]{12}$/)
    expect(again[0]?.id).toBe(first[0]?.id)
    expect(first[0]).not.toHaveProperty('superseded')
  })

  test('tells a decision with another reason as another one, of the same decision', () => {
    const [bare, json, cheap] = ['', 'json', 'cheap'].map(
      (why) => searchableOf(work({ decisions: [decided('Use Postgres', { why })] }), null, 'work')[0]?.id,
    )
    expect(new Set([bare, json, cheap]).size).toBe(3)
    expect([json, cheap].map((id = '') => decisionIn(id))).toEqual([bare, bare])
    expect(decisionIn(bare ?? '')).toBe(bare)
  })

  test('tells nothing again of two that differ only in their reason', () => {
    const both = work({
      decisions: [decided('Use JWT', { why: 'a', supersededBy: 'X' }), decided('Use JWT', { why: 'b' })],
    })
    expect(searchableOf(both, both, 'work')).toEqual([])
  })

  test('tells a decision again where it is superseded, where it stands again, and not in between', () => {
    const standing = work({ decisions: [decided('Use JWT')] })
    const superseded = work({ decisions: [decided('Use JWT', { supersededBy: 'Passkeys' })] })
    expect(searchableOf(superseded, standing, 'work')).toMatchObject([{ superseded: 'Passkeys' }])
    expect(searchableOf(superseded, superseded, 'work')).toEqual([])
    expect(searchableOf(standing, superseded, 'work')).toMatchObject([{ superseded: null }])
  })

  test('tells learnings, from its references and from its end, each once', () => {
    const before = work({ references: [{ kind: 'learning', text: 'Clocks drift' }] })
    const after = work(
      { references: [{ kind: 'learning', text: 'Clocks drift' }] },
      { completion: { outcome: 'Shipped', date: '2026-01-02', learnings: ['Tabs race', 'clocks drift'] } },
    )
    const records = searchableOf(after, before, 'work')
    expect(kinds(records)).toEqual(['learning', 'checkpoint'])
    expect(textOf(records, 'learning')).toBe('Tabs race')
    expect(textOf(records, 'checkpoint')).toBe('Shipped')
  })

  test('has no mark of a match in its text, and an end', () => {
    const [record] = searchableOf(work({ state: `a\u0001b\u0002c ${'x'.repeat(20_000)}` }), null, 'work')
    expect(record?.text).toMatch(/^a b c x+…$/)
    expect(record?.text.length).toBe(16_000)
  })
})

describe('a snapshot of a run', () => {
  const timer = { kind: 'timer', at: '', note: 'every 2 minutes' } as const
  const run = (more: Partial<Checkpoint>) =>
    sampleCheckpoint({ work: { ...emptyWork(), position: samplePosition({ step: 's2' }) }, ...more })

  test('tells its step, its fault, its outcomes and its notes', () => {
    const fault = { reasonCode: 'tests_failed', recoverable: true, message: 'Two are red' }
    const records = searchableOf(
      sampleCheckpoint({
        work: { ...emptyWork(), position: samplePosition({ step: 's2', fault }) },
        change: {
          ...noChange(),
          commands: [
            { kind: 'shell', name: 'npm test', result: 'FAIL', duration_ms: 5, summary: 'exit code 1' },
          ],
        },
      }),
      null,
      'run',
    )
    expect(kinds(records)).toEqual(['run'])
    for (const words of [
      'Second step',
      'tests_failed',
      'Two are red',
      'FAIL npm test exit code 1',
      'run started',
    ])
      expect(records[0]?.text).toContain(words)
  })

  test('of a timer alone is none; with another reason it is one', () => {
    expect(searchableOf(run({ triggers: [timer] }), null, 'run')).toEqual([])
    expect(searchableOf(run({ triggers: [timer, timer] }), null, 'run')).toEqual([])
    const both = run({ triggers: [timer, { kind: 'step', at: '', note: 's2 done' }] })
    expect(searchableOf(both, null, 'run')[0]?.text).toContain('s2 done')
  })

  test('a checkpoint that a timer took of a session is told for what is new in it', () => {
    const records = searchableOf(work({ now: 'Harvested' }, { triggers: [timer] }), null, 'work')
    expect(records[0]?.text).toBe('Harvested')
  })
})

describe('a session', () => {
  test('tells what it got done, what it worked on, its branch and what its user asked', () => {
    const [record] = searchableSession(
      sampleSession({
        ...{ accomplishments: ['Refresh works'], outcomes: [sampleOutcome()] },
        lastPrompt: { at: '', text: 'Now the logout' },
      }),
      ['Rotate the refresh tokens'],
    )
    expect(record).toMatchObject({ id: 'sess-abc', kind: 'session' })
    for (const words of [
      'Refresh works',
      'Authentication',
      'token refresh',
      'Now the logout',
      'Rotate the refresh tokens',
      'feature/auth',
    ])
      expect(record?.text).toContain(words)
  })

  test('that said and did nothing is none', () => {
    expect(searchableSession(sampleSession(), [])).toEqual([])
  })
})

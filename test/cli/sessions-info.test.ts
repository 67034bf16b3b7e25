import { appendFileSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { writeGauge } from '../../src/engine/sessions/session-files.ts'
import { sessionStream } from '../../src/policy/resolve.ts'
import { sandbox } from '../support/sandbox.ts'
import { workBox } from './document-lab.ts'
import { onTerminal, widest } from './resume-lab.ts'
import {
  ago,
  callRow,
  ended,
  idOf,
  MINUTE,
  recorded,
  rowOf,
  silent,
  transcript,
  within,
} from './session-lab.ts'

const outcome = (outcomeName: string, more: object = {}) => ({
  ...{ outcomeId: null, outcomeName, path: null, lastTask: '', workSummary: '' },
  ...more,
})

describe('info', () => {
  test('without any session it says how to get one, and makes nothing', () => {
    const box = sandbox()
    expect(box.run(['info']).stdout).toBe('Session  none active\nDo now   savepoint init\n')
    expect(existsSync(box.home)).toBe(false)
  })

  test('shows the session, what it did and works on, the last one, and those that fell silent [002.45] [002.50] [002.51] [002.52] [002.53]', async () => {
    const box = workBox()
    box.json(['save', 'Refresh', '--decision', 'Using RS256', '--next', 'Add tests', '--stream', 'auth'])
    await ended(box, { id: idOf('bbbb'), stream: 'auth', accomplishments: ['Refresh works'] })
    await silent(box, { id: idOf('cccc') })
    await recorded(box, {
      id: idOf('aaaa'),
      startedAt: '2026-01-01T09:00:00.000Z',
      outcomes: [outcome('Authentication', { lastTask: 'Token refresh' })],
      events: [{ at: ago(MINUTE), kind: 'start', note: '', ms: null, tokens: 0 }],
      statistics: {
        ...{ tasksCompleted: 3, tasksFailed: 1, gitCommits: 1, filesModified: ['a.ts', 'b.ts'] },
        tokensConsumed: { input: 1_000, output: 2_000, cacheRead: 1_200_000, cacheCreation: 400 },
      },
    })
    const { stdout } = box.run(['info'])
    expect(stdout.replace(/^(Duration +)\S+ \S+,/m, '$1long,')).toBe(`\
Session     ${idOf('aaaa')} (active)
Duration    long, since 2026-01-01 09:00 (startup)
Branch      main, 0 files uncommitted
Statistics  1 event, 2 files, 3 tasks completed, 1 failed, 1 commit, 1.2M tokens
Saves to    ${sessionStream(idOf('aaaa'))}
Works on    Authentication (Token refresh)
Last        bbbb0000 exited 30 minutes ago on main
  Done      Refresh works
  Decided   Using RS256
  Next      Add tests
Stale       cccc0000 silent for 3 hours on main: crashed or closed
Do now      savepoint reconcile
`)
    const json = box.json(['info'])
    const lasted = Date.now() - Date.parse('2026-01-01T09:00:00.000Z')
    // `as`: the shape is compared below.
    const { durationMs } = json.session as { durationMs: number }
    expect(Math.abs(durationMs - lasted)).toBeLessThan(5 * MINUTE)
    expect(json).toMatchObject({
      session: { sessionId: idOf('aaaa'), statistics: { events: 1 } },
      lastSession: {
        sessionId: idOf('bbbb'),
        accomplishments: ['Refresh works'],
        context: { keyDecisions: ['Using RS256'], nextSteps: ['Add tests'] },
      },
      staleSessionsDetected: [{ sessionId: idOf('cccc') }],
      todo: ['savepoint reconcile'],
    })
    expect(widest(onTerminal(box, 50, ['info']).stdout)).toBeLessThanOrEqual(50)
  })

  test('one that fell silent in another worktree is to be reconciled there', async () => {
    const box = workBox()
    box.git('worktree', 'add', '--quiet', '../other', '-b', 'side')
    const other = join(box.root, 'other')
    await silent(Object.assign(Object.create(box), { repo: other }), { id: idOf('cccc') })
    expect(box.json(['info'])).toMatchObject({
      staleSessionsDetected: [{ sessionId: idOf('cccc'), worktree: other }],
      todo: [],
    })
    expect(box.run(['info']).stdout).toContain(`Run savepoint reconcile in ${other}\n`)
    // There it is no current session either, though it is the newest.
    expect(box.json(['info'], { cwd: other })).toMatchObject({
      session: null,
      staleSessionsDetected: [{ worktree: null }],
      todo: ['savepoint reconcile'],
    })
  })

  test('a session that nothing is recorded of is not taken for another one', async () => {
    const box = workBox()
    await recorded(box, { id: idOf('aaaa') })
    expect(box.json(['info'], { env: within('unheard-of') })).toMatchObject({
      session: null,
      unrecorded: 'unheard-of',
      todo: ['savepoint init'],
    })
  })

  test('tells of the transcript as it is now, and saves nothing of the session that asks', async () => {
    const box = workBox()
    const path = transcript(box, callRow(1, 1_000))
    await recorded(box, { id: idOf('aaaa'), environment: { transcriptPath: path } })
    const env = within(idOf('aaaa'))
    const tokens = (...verb: string[]) => JSON.stringify(box.json(verb, { env }))
    expect(tokens('info')).toContain('"input":1000')
    appendFileSync(path, callRow(2, 5_000))
    expect(tokens('info')).toContain('"input":6000')
    expect(tokens('sessions', 'show')).toContain('"input":6000')
    expect(tokens('sessions')).toContain('"tokens":6020')
    expect(tokens('sessions', '--registry')).toContain('"tokensConsumed":6020')
    expect((await rowOf(box, idOf('aaaa')))?.session.transcriptRead).toBe(0)
  })
})

describe('budget', () => {
  test('shows use, headroom, burn rate, warnings and advice from the transcript', async () => {
    const box = workBox()
    const path = transcript(box, callRow(1, 150_000))
    await recorded(box, {
      id: idOf('aaaa'),
      startedAt: ago(100 * MINUTE),
      environment: { transcriptPath: path },
    })
    const found = box.json(['budget'], { env: within(idOf('aaaa')) })
    expect(found).toMatchObject({
      ...{ sessionId: idOf('aaaa'), used: 150_000, window: 200_000, usedPercent: 75, headroom: 50_000 },
      ...{ pressure: 'medium', consumed: 150_010, forecast: null, model: 'claude-sonnet-4-5' },
    })
    expect(found.burnPerMinute).toBeGreaterThan(1_400)
    expect(found.burnPerMinute).toBeLessThanOrEqual(1_500)
    expect((found.advice as Array<{ kind: string }>).map(({ kind }) => kind)).toEqual(['delegate', 'save'])
    const { stdout } = box.run(['budget', '--forecast', '10'])
    expect(stdout).toMatch(/^Used +150k of 200k tokens \(75 %\)$/m)
    expect(stdout).toMatch(/^Thresholds +70 % \(140k\): save, 85 % \(170k\): save and clear$/m)
    expect(stdout).toMatch(/^Position +75 %: between 70 % and 85 %, 20k tokens until 85 %$/m)
    expect(stdout).toMatch(/^Headroom +50k tokens$/m)
    expect(stdout).toMatch(/^Burn rate +1\.5k tokens a minute: full in 33m$/m)
    expect(stdout).toMatch(/^Forecast +in 10 minutes: 16\d(\.\d)?k of 200k tokens \(8\d(\.\d)? %\)$/m)
    expect(stdout).toMatch(/^Warning +The context window is 75 % full/m)
    // The client itself said how large its window is.
    mkdirSync(join(box.home, 'sessions', 'claude'), { recursive: true })
    writeGauge(
      join(box.home, 'sessions'),
      { agent: 'claude', id: idOf('aaaa') },
      { window: 1_000_000, usedPercent: 15, at: ago(MINUTE) },
    )
    expect(box.json(['budget'])).toMatchObject({ window: 1_000_000, usedPercent: 15 })
    expect(box.run(['budget', '--forecast', '1400']).stdout).toMatch(/^Forecast .* full; a compaction/m)
    expect(widest(onTerminal(box, 60, ['budget']).stdout)).toBeLessThanOrEqual(60)
  })

  test('what nobody knows is said to be unknown', async () => {
    const box = workBox()
    expect(JSON.parse(box.run(['budget', '--json']).stdout)).toMatchObject({ reason: 'session_none' })
    await recorded(box, { id: idOf('aaaa') })
    const { stdout } = box.run(['budget', '--forecast', '5'])
    expect(stdout).toMatch(/^Used +unknown$/m)
    expect(stdout).toMatch(/^Forecast +in 5 minutes: unknown/m)
  })
})

describe('outcome focus', () => {
  const focus = (box: ReturnType<typeof workBox>, ...args: string[]) =>
    box.json(['outcome', 'focus', ...args], { env: within(idOf('aaaa')) })
  const names = (box: ReturnType<typeof workBox>, ...args: string[]) =>
    (focus(box, ...args).focusedOutcomes as Array<{ outcomeName: string }>).map((one) => one.outcomeName)

  test('adds outcomes, the newest last; the same path, else the same name, is the same one [002.21]', async () => {
    const box = workBox()
    await recorded(box, { id: idOf('aaaa') })
    expect(focus(box, 'Authentication', '--id', '5', '--task', 'Token refresh')).toMatchObject({
      sessionId: idOf('aaaa'),
      known: false,
      focusedOutcomes: [outcome('Authentication', { outcomeId: 5, lastTask: 'Token refresh' })],
    })
    expect(names(box, 'Billing', '--path', 'o/billing.json')).toEqual(['Authentication', 'Billing'])
    // What is not said again stays.
    expect(focus(box, 'authentication', '--summary', 'Done', '--path', './o/auth.json')).toMatchObject({
      known: true,
      focusedOutcomes: [
        outcome('Billing', { path: 'o/billing.json' }),
        {
          ...{ outcomeId: 5, outcomeName: 'authentication', path: 'o/auth.json' },
          lastTask: 'Token refresh',
          workSummary: 'Done',
        },
      ],
    })
    expect(names(box, 'Invoices', '--path', 'o/billing.json')).toEqual(['authentication', 'Invoices'])
    expect(names(box, 'authentication', '--path', 'o/other.json')).toEqual([
      'authentication',
      'Invoices',
      'authentication',
    ])
    const row = await rowOf(box, idOf('aaaa'))
    expect(row?.session.outcomes.map(({ path }) => path)).toEqual([
      'o/auth.json',
      'o/billing.json',
      'o/other.json',
    ])
    expect(row?.session.events.at(-1)).toMatchObject({ kind: 'focus', note: 'authentication' })
    expect(box.json(['sessions', '--outcome', 'INVOICES'])).toMatchObject({
      sessions: [{ id: idOf('aaaa') }],
    })
    expect(names(box, '--clear')).toEqual([])
  })

  test('sets it for the session that is named, and leaves others alone', async () => {
    const box = workBox()
    await recorded(box, { id: idOf('aaaa') })
    await ended(box, { id: idOf('bbbb') })
    expect(box.run(['outcome', 'focus', 'Docs', '--session', 'bbbb']).stdout).toBe(
      'Session bbbb0000 works on Docs\n',
    )
    expect((await rowOf(box, idOf('aaaa')))?.session.outcomes).toEqual([])
    expect((await rowOf(box, idOf('bbbb')))?.session.outcomes).toEqual([outcome('Docs')])
  })

  test('keeps no secret, and refuses what says nothing', async () => {
    const box = workBox()
    await recorded(box, { id: idOf('aaaa') })
    const key = `sk-ant-${'a1'.repeat(20)}`
    focus(box, 'Keys', '--task', `rotate ${key}`)
    expect(JSON.stringify(await rowOf(box, idOf('aaaa')))).not.toContain(key)
    const code = (...args: string[]) => box.run(['outcome', 'focus', ...args]).code
    expect([code(), code(' '), code('x', '--clear'), code('x', '--task', '')]).toEqual([2, 2, 2, 2])
  })

  test('eight at once are all kept', async () => {
    const box = workBox()
    await recorded(box, { id: idOf('aaaa') })
    const all = Array.from({ length: 8 }, (_, number) => `outcome ${number}`)
    const done = await Promise.all(
      all.map((name) => box.spawn(['outcome', 'focus', name], { env: within(idOf('aaaa')) }).done),
    )
    expect(done.map(({ code }) => code)).toEqual(all.map(() => 0))
    const kept = (await rowOf(box, idOf('aaaa')))?.session.outcomes.map(({ outcomeName }) => outcomeName)
    expect(kept?.sort()).toEqual(all)
  })
})

import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sessionStream } from '../../src/policy/resolve.ts'
import { answered, assistant, done, linesOf, text, user } from '../agents/transcript-rows.ts'
import { sandbox } from '../support/sandbox.ts'
import { workBox } from './document-lab.ts'
import { onTerminal, widest } from './resume-lab.ts'
import { ago, callRow, ended, idOf, MINUTE, recorded, resultRow, transcript, within } from './session-lab.ts'

const EVENTS = Array.from({ length: 12 }, (_, number) => ({
  at: `2026-01-01T00:00:${String(number).padStart(2, '0')}.000Z`,
  kind: 'batch',
  note: `Tool${number}`,
  ms: number === 11 ? 4.2 : null,
  tokens: 0,
}))

describe('sessions show', () => {
  test('tells what was captured at start, during and at the end, and the chain [002.24]', async () => {
    const box = workBox()
    await ended(box, {
      id: idOf('aaaa'),
      source: 'clear',
      endReason: 'crash',
      parent: idOf('9999'),
      environment: { gitBranch: 'feature/auth', gitCommitHash: 'c0ffee', permissionMode: 'plan' },
      accomplishments: ['Refresh works'],
      inFlight: [{ id: 'x', kind: 'subagent', what: 'Explore', since: '2026-01-01T00:00:00.000Z' }],
      unfinished: [{ id: 'y', kind: 'background', what: 'npm test', since: '2026-01-01T00:00:00.000Z' }],
      events: EVENTS,
      compactions: 2,
      uncommittedFiles: 3,
      context: { tokens: 50_000, window: 200_000, model: 'claude-sonnet-4-5', at: ago(MINUTE) },
      statistics: {
        apiCalls: 4,
        tasksCompleted: 7,
        tasksFailed: 1,
        gitCommits: 2,
        subagentsLaunched: 1,
        filesModified: ['src/auth.ts'],
        toolUsageCounts: { Edit: 2, Bash: 5 },
        unknownLines: { 'new-kind': 3, 'not JSON': 1 },
      },
    })
    await recorded(box, { id: idOf('bbbb'), parent: idOf('aaaa'), source: 'clear' })
    const { stdout } = box.run(['sessions', 'show', 'aaaa'])
    for (const line of [
      /^Session +aaaa0000-\S+$/m,
      /^Phase +recent, last active 30 minutes ago, crashed$/m,
      /^Started .* \(clear\)$/m,
      /^Lasted +1h 35m$/m,
      /^Branch +feature\/auth$/m,
      /^Commit +c0ffee$/m,
      /^Mode +plan$/m,
      /^Continues +99990000$/m,
      /^Continued by +bbbb0000$/m,
      /^Saves to +session-aaaa0000\w* \(its own\)$/m,
      /^Done +Refresh works$/m,
      /^Running +background: npm test, since .*\n +subagent: Explore, since /m,
      /^Context +50k of 200k \(25 %\) at the last call/m,
      /^Compactions +2$/m,
      /^Tasks +7 completed, 1 failed$/m,
      /^Tools +Bash 5, Edit 2$/m,
      /^Files +1: src\/auth.ts$/m,
      /^Commits +2$/m,
      /^Helpers +1$/m,
      /^Unknown +4 lines of unknown kinds: new-kind 3, not JSON 1$/m,
      /^Uncommitted +3 files$/m,
      /^Event +2026-01-01 00:00:11 batch: Tool11 \(4 ms\)\n +2026-01-01 00:00:10 /m,
      /^ +2 older events: --json$/m,
    ])
      expect(stdout).toMatch(line)
    expect(stdout).not.toMatch(/Tool[01]$/m)
    const json = box.json(['sessions', 'show', 'aaaa'])
    expect(json).toMatchObject({
      children: [idOf('bbbb')],
      current: false,
      savesTo: sessionStream(idOf('aaaa')),
    })
    expect(json.session).toMatchObject({ events: EVENTS, parent: idOf('9999') })
    expect(widest(onTerminal(box, 60, ['sessions', 'show', 'bbbb']).stdout)).toBeLessThanOrEqual(60)
  })

  test("shows what its user asked, oldest first, and the agent's last words; the whole digest as JSON", async () => {
    const box = workBox()
    const path = join(box.root, 'transcript.jsonl')
    const asked = [{ question: 'Which algorithm?', header: 'Keys', options: [], multiSelect: false }]
    writeFileSync(
      path,
      linesOf([
        user(1, 'Please move the login to tokens.'),
        ...done(2, 'AskUserQuestion', { questions: asked }, answered(['Which algorithm?', 'RS256']), false, {
          toolUseResult: { questions: asked, answers: { 'Which algorithm?': 'RS256' } },
        }),
        user(4, 'Never touch the billing module.'),
        assistant(5, { content: [text('The login form works.')] }),
      ]),
    )
    await ended(box, { id: idOf('aaaa'), environment: { transcriptPath: path } })
    const { stdout } = box.run(['sessions', 'show', 'aaaa'])
    expect(stdout).toMatch(
      /^Asked +Please move the login to tokens\.\n +Which algorithm\? → RS256\n +Never touch the billing module\.\nLast words +The login form works\.$/m,
    )
    expect(box.json(['sessions', 'show', 'aaaa'])).toMatchObject({
      digest: {
        requests: [{ how: 'prompt' }, { how: 'answer', about: 'Which algorithm?' }, { how: 'prompt' }],
        counts: { requests: 3 },
        lastEvent: 'text',
      },
    })
    await ended(box, { id: idOf('bbbb') })
    expect(box.json(['sessions', 'show', 'bbbb'])).toMatchObject({ digest: null })
  })

  test('without an id it is the session of the agent, else the newest one, else the last: and says which', async () => {
    const box = workBox()
    await ended(box, { id: idOf('aaaa') })
    const last = box.run(['sessions', 'show'])
    expect(last.stdout).toContain(idOf('aaaa'))
    expect(last.stderr).toBe('savepoint: No session is active. Showing the last one: aaaa0000\n')
    await recorded(box, { id: idOf('bbbb') })
    expect(box.run(['sessions', 'show'])).toMatchObject({
      stdout: expect.stringMatching(/^Session +bbbb0000-\S+ \(current\)$/m),
      stderr: '',
    })
    await recorded(box, { id: idOf('cccc'), lastActivityAt: ago(5 * MINUTE) })
    const newest = box.run(['sessions', 'show'])
    expect(newest.stdout).toContain(idOf('bbbb'))
    expect(newest.stderr).toContain('2 sessions are active. Showing the newest, bbbb0000.')
    const within_ = box.run(['sessions', 'show'], { env: within(idOf('cccc')) })
    expect(within_.stdout).toMatch(/^Session +cccc0000-\S+ \(current\)$/m)
    expect(within_.stderr).toBe('')
  })

  test('an id that is unknown, or begins several, is refused', async () => {
    const box = workBox()
    expect(box.run(['sessions', 'show'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('savepoint init'),
    })
    await recorded(box, { id: 'abc-1' })
    await recorded(box, { id: 'abc-2' })
    await recorded(box, { id: 'abc' })
    const reason = (args: string[], env: NodeJS.ProcessEnv = {}) => {
      const { code, stdout } = box.run([...args, '--json'], { env })
      return [code, JSON.parse(stdout).reason]
    }
    expect(reason(['sessions', 'show', 'xyz'])).toEqual([3, 'session_unknown'])
    expect(reason(['sessions', 'show', 'ab'])).toEqual([2, 'session_ambiguous'])
    expect(box.json(['sessions', 'show', 'abc']).session).toMatchObject({ id: 'abc' })
    // Another session goes on here, but this one is not it.
    expect(reason(['sessions', 'show'], within('new'))).toEqual([3, 'session_unrecorded'])
  })
})

describe('sessions stats', () => {
  const FILE = [
    callRow(1, 1_000, { name: 'Write', input: { file_path: '/repo/a.ts', content: 'x' } }),
    resultRow(1),
    callRow(2, 3_000),
    '{"type":"brand-new"}\n',
    'no JSON\n',
  ]

  test('counts any file that is named, and makes nothing', () => {
    const box = sandbox()
    writeFileSync(box.path('t.jsonl'), FILE.join(''))
    const found = box.json(['sessions', 'stats', 't.jsonl'])
    expect(found).toMatchObject({
      transcript: box.path('t.jsonl'),
      sessionId: null,
      totalTokens: 4_020,
      statistics: {
        apiCalls: 2,
        filesModified: ['/repo/a.ts'],
        tasksCompleted: 1,
        toolUsageCounts: { Write: 1 },
      },
      context: { tokens: 3_000, window: 200_000 },
    })
    const { unknownLines } = found.statistics as { unknownLines: Record<string, number> }
    expect(Object.values(unknownLines).reduce((sum, times) => sum + times, 0)).toBe(2)
    const { stdout } = box.run(['sessions', 'stats', 't.jsonl'])
    expect(stdout).toMatch(/^Tokens +4,020 \(4k input, 20 output, 0 cache read, 0 cache written\)$/m)
    expect(stdout).toMatch(/^Unknown +2 lines of unknown kinds: /m)
  })

  test('without a file it is that of the current session, read to its end', async () => {
    const box = workBox()
    const path = transcript(box, ...FILE)
    await recorded(box, { id: idOf('aaaa'), environment: { transcriptPath: path } })
    expect(box.json(['sessions', 'stats'])).toMatchObject({ sessionId: idOf('aaaa'), totalTokens: 4_020 })
    appendFileSync(path, callRow(3, 5_000))
    expect(box.json(['sessions', 'stats'])).toMatchObject({ totalTokens: 9_030 })
  })

  test('a file that is not there, or is none, and a session without one are refused', async () => {
    const box = workBox()
    const reason = (args: string[]) => JSON.parse(box.run(['sessions', 'stats', ...args, '--json']).stdout)
    expect(reason(['missing.jsonl'])).toMatchObject({ reason: 'file_unreadable' })
    expect(reason(['.'])).toMatchObject({ reason: 'file_unreadable' })
    expect(reason([])).toMatchObject({ reason: 'session_none' })
    await recorded(box, { id: idOf('aaaa') })
    expect(reason([])).toMatchObject({ reason: 'transcript_none' })
  })
})

import { appendFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { assistant, done, linesOf, text, usageOf, user } from '../agents/transcript-rows.ts'
import type { Sandbox } from '../support/sandbox.ts'
import { history, put, workBox } from './document-lab.ts'
import { words } from './hook-lab.ts'
import { HOUR, turned } from './resume-lab.ts'
import { callRow, MINUTE, within } from './session-lab.ts'
import { slashCommand } from './slash-lab.ts'

/** The client's hook, so many milliseconds from now. */
function hear(box: Sandbox, id: string, event: string, more: object = {}, ms = 0) {
  const payload = { session_id: id, hook_event_name: event, cwd: box.repo, permission_mode: 'default' }
  const env = ms === 0 ? {} : turned(box, ms)
  const finished = box.hook(['claude'], { input: JSON.stringify({ ...payload, ...more }), env })
  expect([finished.code, finished.stderr]).toEqual([0, ''])
  return finished
}

const registryAt = (box: Sandbox, ms = 0) =>
  box.json(['sessions', '--registry'], ms === 0 ? {} : { env: turned(box, ms) })

const NOBODY = {
  ...{ activeSessions: [], recentHistory: [], lastWorked: null, staleSessionsDetected: [] },
  ...{ indexByOutcome: {}, indexByBranch: {} },
}

test('a session is active from its first hook to its last, recent for 72 hours, and deleted then [002.01] [002.02] [002.05] [002.06] [002.24] [002.90] [002.92] [002.93]', () => {
  const box = workBox()
  hear(box, 'sess-abc', 'SessionStart', { source: 'startup' }, -90 * MINUTE)
  hear(box, 'sess-abc', 'UserPromptSubmit', { prompt: 'Go on' }, -10 * MINUTE)
  expect(registryAt(box)).toMatchObject({
    ...{ activeSessions: [{ sessionId: 'sess-abc', isStale: false }], recentHistory: [] },
    staleSessionsDetected: [],
  })
  hear(box, 'sess-abc', 'SessionEnd', { reason: 'logout' })
  const recent = { activeSessions: [], recentHistory: [{ sessionId: 'sess-abc', durationMinutes: 90 }] }
  expect(registryAt(box)).toMatchObject(recent)
  expect(registryAt(box, 71.9 * HOUR)).toMatchObject(recent)
  expect(registryAt(box, 72.1 * HOUR)).toEqual(NOBODY)
})

test('one that was silent for more than an hour is flagged, told by /context:info, and history after the reconciliation [002.03] [002.04] [002.40] [002.41] [002.42] [002.43] [002.44] [002.45] [002.46]', () => {
  const box = workBox()
  hear(box, 'sess-old', 'SessionStart', { source: 'startup' }, -61 * MINUTE)
  hear(box, 'sess-new', 'SessionStart', { source: 'startup' }, -59 * MINUTE)
  expect(registryAt(box)).toMatchObject({
    activeSessions: [
      { sessionId: 'sess-new', isStale: false },
      { sessionId: 'sess-old', isStale: true },
    ],
    recentHistory: [],
    staleSessionsDetected: ['sess-old'],
  })
  const [, old] = registryAt(box).activeSessions as Array<{ lastActivityAt: string }>
  const silentMinutes = (Date.now() - Date.parse(old?.lastActivityAt ?? '')) / MINUTE
  expect(Math.floor(silentMinutes)).toBe(61)
  const { stdout } = box.run(slashCommand('/context:info'))
  expect(stdout).toMatch(/^Stale +sess-old silent for 1 hour on main: crashed or closed$/m)
  expect(stdout).toMatch(/^Do now +savepoint reconcile$/m)
  box.json(['reconcile'])
  expect(registryAt(box)).toMatchObject({
    activeSessions: [{ sessionId: 'sess-new' }],
    recentHistory: [{ sessionId: 'sess-old', sessionEndReason: 'crash', isStale: false }],
    staleSessionsDetected: [],
  })
})

test('events are logged as hooks are heard, and the newest 100 are kept [002.20]', () => {
  const box = workBox()
  hear(box, 'sess-abc', 'SessionStart', { source: 'startup' })
  const logged = () =>
    (registryAt(box).activeSessions as Array<{ events: Array<{ kind: string }> }>)[0]?.events ?? []
  expect(logged().map(({ kind }) => kind)).toEqual(['start'])
  for (let at = 0; at < 104; at += 1) hear(box, 'sess-abc', 'UserPromptSubmit', { prompt: `p${at}` })
  hear(box, 'sess-abc', 'Stop')
  const events = logged()
  expect(events).toHaveLength(100)
  expect([events[0]?.kind, events.at(-1)?.kind]).toEqual(['prompt', 'stop'])
})

const TRACK = 'outcomes/in-progress/005-auth/outcome_track.json'

/** A conversation with something of each statistic, in the client's own rows. */
function talk(box: Sandbox, id: string): string {
  const path = join(box.root, `${id}.jsonl`)
  for (const file of ['src/auth.ts', 'src/token.ts']) put(box, file, 'x\n')
  writeFileSync(
    path,
    linesOf([
      user(1, 'Refresh the tokens.'),
      assistant(2, { content: [text('So.')], usage: usageOf(1_000, 20, 300, 4) }),
      ...done(3, 'Write', { file_path: box.path('src/auth.ts') }),
      ...done(5, 'Edit', { file_path: box.path('src/token.ts') }),
      ...done(7, 'Edit', { file_path: box.path('src/failed.ts') }, 'no match', true),
      ...done(9, 'Bash', { command: 'npm test' }, 'Exit code 1', true),
      ...done(11, 'Bash', { command: 'git commit -m "Refresh"' }),
      ...done(13, 'Bash', { command: 'git commit -m "Again"' }, 'nothing to commit', true),
      ...done(15, 'Task', { description: 'Look', prompt: 'Look' }),
      assistant(17, { content: [text('Done.')], usage: usageOf(2_000, 10) }),
    ]),
  )
  return path
}

test('the end parses the transcript: each statistic from its source, and accomplishments where none is given [002.70] [002.71] [002.72] [002.73] [002.74] [002.75] [002.76] [002.77] [002.81]', () => {
  const box = workBox()
  const transcript_path = talk(box, 'sess-abc')
  hear(box, 'sess-abc', 'SessionStart', { source: 'startup', transcript_path })
  const env = within('sess-abc')
  box.json(['outcome', 'focus', 'Authentication', '--path', TRACK], { env })
  hear(box, 'sess-abc', 'SessionEnd', { reason: 'logout', transcript_path })
  expect(registryAt(box)).toMatchObject({
    recentHistory: [
      {
        statistics: {
          tokensConsumed: 1_324 + 2_010,
          filesModified: ['src/auth.ts', 'src/token.ts'],
          ...{ tasksCompleted: 4, tasksFailed: 3, gitCommits: 1, subagentsLaunched: 1 },
          toolUsageCounts: { Write: 1, Edit: 2, Bash: 3, Task: 1 },
        },
        accomplishments: [
          ...['Modified 2 files', 'Made 1 commit', 'Completed 4 tasks'],
          'Worked on 1 outcome: Authentication',
        ],
      },
    ],
  })
})

test('/context:checkpoint records accomplishments, decisions and next steps, and brings the statistics up to date; /context:info shows both sessions [002.21] [002.50] [002.51] [002.52] [002.53] [002.54] [002.55] [002.56] [002.57] [002.80]', () => {
  const box = workBox()
  const transcript_path = talk(box, 'sess-abc')
  hear(box, 'sess-abc', 'SessionStart', { source: 'startup', transcript_path })
  const env = within('sess-abc')
  const typed = slashCommand('/context:checkpoint', [
    'Refreshing',
    'The refresh works',
    'RS256 because of keys',
    'Add tests',
  ])
  box.json(typed, { env })
  expect(box.json(['sessions', 'show', 'sess-abc']).session).toMatchObject({
    ...{ accomplishments: ['The refresh works'], statistics: { tasksCompleted: 4, gitCommits: 1 } },
  })
  hear(box, 'sess-abc', 'SessionEnd', { reason: 'logout', transcript_path })
  hear(box, 'sess-def', 'SessionStart', { source: 'startup' }, -20 * MINUTE)
  const here = within('sess-def')
  box.json(['outcome', 'focus', 'Authentication', '--task', 'Token refresh'], { env: here })
  const { stdout } = box.run(slashCommand('/context:info'), { env: here })
  for (const line of [
    /^Session +sess-def \(active\)$/m,
    /^Duration +20m, since .*\(startup\)$/m,
    /^Statistics +2 events, 0 files, 0 tasks completed, 0 failed, 0 commits, 0 tokens$/m,
    /^Works on +Authentication \(Token refresh\)$/m,
    /^Last +sess-abc /m,
    /^ +Done +The refresh works$/m,
    /^ +Decided +RS256 .*$/m,
    /^ +Next +Add tests$/m,
  ])
    expect(stdout).toMatch(line)
})

test('who starts next is told the tasks, the key decisions and the next steps of the last session, and goes on from them [002.07] [002.33]', () => {
  const box = workBox()
  const transcript_path = talk(box, 'sess-abc')
  hear(box, 'sess-abc', 'SessionStart', { source: 'startup', transcript_path }, -2 * HOUR)
  const typed = slashCommand('/context:checkpoint', [
    'Refreshing',
    'The refresh works',
    'RS256 because of keys',
    'Add tests',
  ])
  box.json(typed, { env: { ...within('sess-abc'), ...turned(box, -2 * HOUR) } })
  // No end is heard, and its transcript does not grow: it broke off.
  const then = (Date.now() - 2 * HOUR) / 1_000
  utimesSync(transcript_path, then, then)
  const told = words(hear(box, 'sess-def', 'SessionStart', { source: 'startup' }))
  for (const line of [
    'Refresh the tokens.',
    'The refresh works',
    'RS256',
    '## Next\n- Add tests',
    'sess-abc',
  ])
    expect(told).toContain(line)
  expect(registryAt(box)).toMatchObject({
    recentHistory: [{ sessionId: 'sess-abc', sessionEndReason: 'crash' }],
    lastWorked: { sessionId: 'sess-abc', context: { nextSteps: ['Add tests'] } },
  })
})

test('a window that fills up and a compaction take a checkpoint by the hooks alone, before anything is lost, and so does the end [000.63] [000.64] [000.92]', () => {
  const box = workBox()
  const path = join(box.root, 'sess-abc.jsonl')
  const tell = (event: string, more: object = {}) =>
    hear(box, 'sess-abc', event, { transcript_path: path, ...more })
  writeFileSync(path, '')
  tell('SessionStart', { source: 'startup' })
  writeFileSync(path, linesOf([user(1, 'Refresh the tokens.')]) + callRow(2, 150_000))
  tell('PostToolBatch', { tool_calls: [] })
  const { session } = box.json(['sessions', 'show', 'sess-abc']) as { session: { stream: string | null } }
  const stream = session.stream ?? 'session-sessabc00000'
  const reasons = () => history(box, stream).map(({ why }) => why.replace(/:.*/, ''))
  expect(reasons()).toEqual(['pressure'])
  appendFileSync(path, linesOf([user(3, 'Never log a token.')]))
  tell('PreCompact', { trigger: 'auto' })
  expect(reasons()).toEqual(['pressure', 'compaction'])
  appendFileSync(path, linesOf([user(5, 'Then the docs.')]))
  tell('SessionEnd', { reason: 'logout' })
  box.json(['status'])
  expect(reasons()).toEqual(['pressure', 'compaction', 'session-end'])
})

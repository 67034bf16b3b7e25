import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type {
  BriefAnswer,
  DiffPage,
  LearningsPage,
  NowPage,
  RunPage,
  RunsPage,
  SearchPage,
  SessionPage,
  SessionsPage,
  StatusPage,
  WorkPage,
  WorksPage,
} from '../../src/apps/dashboard/api.ts'
import { onFile } from '../store/sqlite-file.ts'
import { sandbox } from '../support/sandbox.ts'
import { hookEvent, openDashboard, SESSION } from './dashboard-lab.ts'

/** A line of a transcript in which the window holds so many tokens. */
const answerLine = (minute: number, tokens: number, text = 'Done.') =>
  JSON.stringify({
    ...{ type: 'assistant', uuid: `00000000-0000-4000-8000-${String(minute).padStart(12, '0')}` },
    ...{ sessionId: SESSION, timestamp: `2026-01-01T00:${String(minute).padStart(2, '0')}:00.000Z` },
    message: {
      ...{ id: `msg_${minute}`, role: 'assistant', model: 'claude-sonnet-4-5' },
      usage: { input_tokens: tokens, output_tokens: 1 },
      content: [{ type: 'text', text }],
    },
  })

const promptLine = (text: string) =>
  JSON.stringify({
    ...{ type: 'user', uuid: '00000000-0000-4000-8000-999999999999', sessionId: SESSION },
    ...{ timestamp: '2026-01-01T00:00:00.000Z', message: { role: 'user', content: text } },
  })

describe('now', () => {
  test('teaches nothing and breaks nothing where nothing was ever saved', async () => {
    const dashboard = await openDashboard(sandbox())
    expect(await dashboard.get<NowPage>('/api/now')).toMatchObject({
      ...{ repositories: [], sessions: [], warnings: [], speaker: 'user' },
      totals: { repositories: 0, works: 0, sessions: 0, runs: 0, checkpoints: 0 },
    })
    expect(await dashboard.get<WorksPage>('/api/works')).toMatchObject({ works: [] })
    expect(await dashboard.get<SessionsPage>('/api/sessions')).toMatchObject({ sessions: [], total: 0 })
    expect(await dashboard.get<RunsPage>('/api/runs')).toMatchObject({ runs: [] })
    expect(await dashboard.get<BriefAnswer>('/api/brief')).toMatchObject({ kind: 'nothing', text: '' })
    expect(await dashboard.get<SearchPage>('/api/search?q=x')).toMatchObject({ hits: [] })
    expect(await dashboard.get<LearningsPage>('/api/learnings')).toMatchObject({ entries: [] })
  })

  test('shows where each work stands, the one in focus first', async () => {
    const box = sandbox()
    box.json([
      ...['save', 'Login works', '--now', 'Testing the login', '--next', 'Write tests', '--next', 'Ship'],
      ...['--blocker', 'CI is red', '--goal', 'A login', '--question', 'Which provider?'],
    ])
    box.json(['new', 'passkeys'])
    box.json(['focus', 'passkeys'])
    const dashboard = await openDashboard(box)
    const now = await dashboard.get<NowPage>('/api/now')
    const [repository] = now.repositories
    expect(repository).toMatchObject({ name: 'repo', moreWorks: 0, archived: 0, activeSessions: 0 })
    expect(repository?.works.map(({ name, standing }) => `${name} ${standing}`)).toEqual([
      ...['passkeys focused', 'main open'],
    ])
    expect(repository?.works[1]).toMatchObject({
      ...{ now: 'Testing the login', next: ['Write tests', 'Ship'], blockers: ['CI is red'] },
      ...{ goal: 'A login', openQuestions: 1, sequence: 1, isDamaged: false, branch: 'master' },
      workspace: repository?.workspaces[0]?.id,
    })
    expect(repository?.workspaces[0]).toMatchObject({ path: box.repo, branch: 'master', exists: true })
    expect(now.totals).toMatchObject({ works: 2, checkpoints: 2 })
  })

  test('shows a live session with how its window filled, and one that broke off with the way out', async () => {
    const box = sandbox()
    const transcript = join(box.root, `${SESSION}.jsonl`)
    writeFileSync(
      transcript,
      `${[promptLine('Mend the login form, please'), answerLine(1, 60_000), answerLine(2, 120_000), answerLine(3, 150_000)].join('\n')}\n`,
    )
    hookEvent(box, 'SessionStart', { source: 'startup', model: 'claude-sonnet-4-5' })
    hookEvent(box, 'UserPromptSubmit', { prompt: 'Mend the login form, please' })
    const dashboard = await openDashboard(box)
    const { sessions, repositories } = await dashboard.get<NowPage>('/api/now')
    expect(repositories[0]).toMatchObject({ activeSessions: 1, staleSessions: 0 })
    expect(sessions).toMatchObject([
      { key: `claude~${SESSION}`, phase: 'active', asked: 'Mend the login form, please', usedPercent: 75 },
    ])
    const [session] = sessions
    expect(session?.window).toMatchObject({ tokens: 150_000, window: 200_000, pressure: 'medium' })
    expect(session?.window.points.map(({ tokens }) => tokens)).toEqual([60_000, 120_000, 150_000])
  })

  test('a damaged checkpoint is stepped over, said, and repaired by a button', async () => {
    const box = sandbox()
    box.json(['save', 'One', '--now', 'Whole'])
    box.json(['save', 'Two', '--now', 'Damaged'])
    onFile(
      join(box.home, 'savepoint.db'),
      'DROP TRIGGER checkpoints_are_immutable',
      "UPDATE checkpoints SET body = replace(body, 'Damaged', 'Changed') WHERE seq = 2",
    )
    const dashboard = await openDashboard(box)
    const { repositories, warnings } = await dashboard.get<NowPage>('/api/now')
    expect(repositories[0]?.works).toMatchObject([{ name: 'main', now: 'Whole', isDamaged: true }])
    expect(warnings).toMatchObject([
      { level: 'error', what: expect.stringContaining('main'), action: { verb: 'doctor' } },
    ])
  })

  test('a session that broke off has a warning, and is reconciled from the page', async () => {
    const box = sandbox()
    const past = { env: { TURN_CLOCK_BY: String(-2 * 3_600_000) } }
    hookEvent(box, 'SessionStart', { source: 'startup' }, SESSION, past)
    hookEvent(box, 'UserPromptSubmit', { prompt: 'Mend the login form, please' }, SESSION, past)
    const dashboard = await openDashboard(box)
    const before = await dashboard.get<NowPage>('/api/now')
    expect(before.sessions).toMatchObject([{ phase: 'stale' }])
    const [warning] = before.warnings
    expect(warning).toMatchObject({ level: 'warning', action: { verb: 'reconcile' } })
    const done = await dashboard.call('reconcile', warning?.workspace ?? '', warning?.action?.input)
    expect(done).toMatchObject({ ok: true, words: expect.stringContaining('1 broken session') })
    const after = await dashboard.get<NowPage>('/api/now')
    expect([after.sessions, after.warnings]).toEqual([[], []])
  })

  test('a workspace whose folder is gone is shown, and nothing can be done in it', async () => {
    const box = sandbox()
    box.json(['save', 'One'])
    const dashboard = await openDashboard(box)
    const workspace = await dashboard.workspace()
    rmSync(box.repo, { recursive: true })
    const { repositories } = await dashboard.get<NowPage>('/api/now')
    expect(repositories[0]?.workspaces).toMatchObject([{ id: workspace, exists: false }])
    expect(await dashboard.call('save', workspace, { text: 'Two' })).toMatchObject({
      ...{ status: 404, reason: 'folder_unreadable' },
    })
    mkdirSync(box.repo)
  })
})

describe('work', () => {
  test('is a tree by its forks, with what is archived marked', async () => {
    const box = sandbox()
    box.json(['new', 'auth'])
    box.json(['fork', 'auth', 'auth-passkeys'])
    box.json(['archive', 'auth-passkeys', '--outcome', 'Done', '--learning', 'Sessions expire at noon'])
    const dashboard = await openDashboard(box)
    const { works } = await dashboard.get<WorksPage>('/api/works')
    const named = (name: string) => works.find((one) => one.name === name)
    expect(named('auth')).toMatchObject({ standing: 'open', parent: null, checkpoints: 1 })
    expect(named('auth-passkeys')).toMatchObject({ standing: 'archived', parent: named('auth')?.id })
    const workspace = await dashboard.workspace()
    const page = await dashboard.get<LearningsPage>(`/api/learnings?workspace=${workspace}&q=noon`)
    expect(page.entries).toMatchObject([{ id: 'auth-passkeys', learnings: ['Sessions expire at noon'] }])
    expect(page.foreign).toBe(false)
  })

  test('is told at any point of its history, and two points side by side', async () => {
    const box = sandbox()
    box.json(['save', 'First state', '--decision', 'Tokens over cookies', '--stream', 'auth'])
    box.json(['save', 'Second state', '--rule', 'No <script>alert(1)</script>', '--stream', 'auth'])
    const dashboard = await openDashboard(box)
    const { id } = await dashboard.workNamed('auth')
    const newest = await dashboard.get<WorkPage>(`/api/works/${id}`)
    expect(newest.point.sequence).toBe(2)
    expect(newest.text).toContain('Second state')
    expect(newest.sections.map(({ title }) => title)).toContain('Essential Information')
    expect(newest.items).toMatchObject([
      { field: 'decision', text: 'Tokens over cookies', origin: 'user', confirmed: true },
      { field: 'rule', text: 'No <script>alert(1)</script>' },
    ])
    expect(newest.history.map(({ sequence, why }) => `${sequence} ${why}`)).toEqual([
      ...['1 manual: saved: First state', '2 manual: saved: Second state'],
    ])
    const first = await dashboard.get<WorkPage>(`/api/works/${id}?at=1`)
    expect(first.text).toContain('First state')
    expect(first.items).toEqual([])
    const diff = await dashboard.get<DiffPage>(`/api/works/${id}/diff?from=1&to=2`)
    const changed = diff.rows.filter(({ kind }) => kind === 'changed')
    expect(changed).toContainEqual({
      kind: 'changed',
      left: { number: expect.any(Number), text: '**Now**: First state' },
      right: { number: expect.any(Number), text: '**Now**: Second state' },
    })
    // Every line of both is shown or counted.
    const lines = (side: 'left' | 'right') =>
      diff.rows.reduce((sum, row) => sum + (row.kind === 'gap' ? row.lines : row[side] === null ? 0 : 1), 0)
    expect([lines('left'), lines('right')]).toEqual([
      ...[first.text, newest.text].map((text) => text.replace(/\n$/, '').split('\n').length),
    ])
    expect(await dashboard.getRefusal(`/api/works/${id}?at=9`)).toMatchObject({
      ...{ status: 404, reason: 'checkpoint_unknown' },
    })
    expect(await dashboard.getRefusal(`/api/works/${id}?at=x`)).toMatchObject({ status: 400 })
    expect(await dashboard.getRefusal('/api/works/work_nobody')).toMatchObject({ status: 404 })
  })
})

describe('sessions', () => {
  test('are a timeline with filters, and one is told with its requests, its end and its saves', async () => {
    const box = sandbox()
    const answer = 'The form is mended.\n\nShall I ship it?'
    writeFileSync(
      join(box.root, `${SESSION}.jsonl`),
      `${[promptLine('Mend the login form, please'), answerLine(1, 60_000, answer)].join('\n')}\n`,
    )
    hookEvent(box, 'SessionStart', { source: 'startup' })
    hookEvent(box, 'SessionEnd', { reason: 'prompt_input_exit' })
    box.json(['reconcile'])
    const dashboard = await openDashboard(box)
    const timeline = await dashboard.get<SessionsPage>('/api/sessions?branch=master')
    expect(timeline).toMatchObject({ total: 1, next: null, branches: ['master'], agents: ['claude'] })
    expect(timeline.sessions[0]).toMatchObject({ endReason: 'prompt_input_exit', phase: 'recent' })
    expect(await dashboard.get<SessionsPage>('/api/sessions?branch=other')).toMatchObject({ total: 0 })
    const page = await dashboard.get<SessionPage>(`/api/sessions/claude~${SESSION}`)
    expect(page.requests).toMatchObject([{ text: 'Mend the login form, please', how: 'prompt' }])
    expect(page.lastAnswer?.text).toBe(answer)
    expect(page.window.points).toMatchObject([{ tokens: 60_000 }])
    expect(page.marks.map(({ kind }) => kind)).toEqual(['checkpoint', 'end'])
    expect(page.isUnread).toBe(false)
    for (const key of ['claude~nobody', 'claude', '~', 'a~b~c'])
      expect(await dashboard.getRefusal(`/api/sessions/${key}`)).toMatchObject({
        ...{ status: 404, reason: 'session_unknown' },
      })
  })
})

describe('a session that goes on', () => {
  test('is told as far as its transcript goes, though nobody has saved anything of it', async () => {
    const box = sandbox()
    const transcript = join(box.root, `${SESSION}.jsonl`)
    writeFileSync(transcript, `${promptLine('Mend the login form, please')}\n`)
    hookEvent(box, 'SessionStart', { source: 'startup' })
    const dashboard = await openDashboard(box)
    const read = () => dashboard.get<SessionPage>(`/api/sessions/claude~${SESSION}`)
    expect((await read()).requests).toMatchObject([{ text: 'Mend the login form, please' }])
    appendFileSync(transcript, `${answerLine(1, 60_000, 'The form is mended.')}\n`)
    expect(await read()).toMatchObject({
      ...{ lastAnswer: { text: 'The form is mended.' }, window: { tokens: 60_000 } },
    })
    const { totals } = await dashboard.get<NowPage>('/api/now')
    expect(totals.checkpoints).toBe(0)
  })
})

describe('runs', () => {
  test('show their steps with times, their snapshots and what their commands came to', async () => {
    const box = sandbox()
    box.start('release')
    box.json(['run', 'step', 'release', 's1', 'in_progress'])
    box.json(['run', 'exec', 'release', '--', 'true'])
    box.json(['run', 'step', 'release', 's1', 'done'])
    const dashboard = await openDashboard(box)
    const { runs } = await dashboard.get<RunsPage>('/api/runs')
    expect(runs).toMatchObject([{ name: 'release', stepsDone: 1, steps: 3, progress: 'in_progress' }])
    const page = await dashboard.get<RunPage>(`/api/runs/${runs[0]?.id}`)
    expect(page.steps.map(({ id, state }) => `${id} ${state}`)).toEqual([
      's1 done',
      's2 pending',
      's3 pending',
    ])
    expect(page.steps[0]?.durationMs).toBeGreaterThanOrEqual(0)
    expect(page.steps[1]).toMatchObject({ startedAt: null, endedAt: null, durationMs: null })
    expect(page.snapshots.length).toBe(runs[0]?.snapshots)
    expect(page.commands).toMatchObject([{ name: 'true', result: 'PASS' }])
    const workspace = await dashboard.workspace()
    expect(await dashboard.call('run verify', workspace)).toMatchObject({ ok: true, failure: null })
    expect(await dashboard.call('run prune', workspace, { dryRun: true })).toMatchObject({
      ...{ ok: true, result: { dryRun: true } },
    })
    const id = (await dashboard.get<RunsPage>('/api/runs')).runs[0]?.id
    expect(await dashboard.getRefusal(`/api/works/${id}`)).toMatchObject({ status: 404 })
  })
})

describe('the brief', () => {
  test('is what a resume tells, line by line, within the budget, and its items can be corrected', async () => {
    const box = sandbox()
    const words = (start: string) => `${start} ${'is what the long words say '.repeat(20).trim()}`
    for (const one of ['Alpha', 'Beta', 'Gamma'])
      box.json(['save', one, '--decision', words(one), '--by', 'agent'])
    const dashboard = await openDashboard(box)
    const workspace = await dashboard.workspace()
    const ask = (tokens: number) =>
      dashboard.get<BriefAnswer>(`/api/brief?workspace=${workspace}&tokens=${tokens}`)
    const whole = await ask(1_500)
    expect(whole).toMatchObject({ kind: 'brief', work: 'main', budget: 1_500, cuts: [] })
    expect(whole.text).toBe(box.run(['resume', '--markdown', '--budget', '1500']).stdout.trimEnd())
    const line = whole.lines.find(({ text, item }) => item !== null && text.includes('Beta is'))
    expect(line).toMatchObject({ state: 'told', item: { field: 'decision', confirmed: false } })
    expect(line?.source).toContain('#2 of main')
    const small = await ask(200)
    expect(small.tokens).toBeLessThanOrEqual(200)
    expect(small.lines.some(({ state }) => state === 'cut')).toBe(true)
    const input = { text: line?.item?.text, field: line?.item?.field, stream: whole.work }
    expect(await dashboard.call('confirm', workspace, input)).toMatchObject({ ok: true })
    const after = await ask(1_500)
    expect(after.lines.find(({ text }) => text.startsWith('Beta is'))?.item?.confirmed).toBe(true)
    expect(await dashboard.getRefusal(`/api/brief?workspace=${workspace}&tokens=5`)).toMatchObject({
      status: 400,
    })
    expect(await dashboard.getRefusal('/api/brief?workspace=ws_nobody')).toMatchObject({
      ...{ status: 404, reason: 'workspace_unknown' },
    })
  })
})

describe('search and status', () => {
  test('a hit says where the page shows it', async () => {
    const box = sandbox()
    box.json(['save', 'Login works', '--decision', 'Tokens over cookies', '--stream', 'auth'])
    const dashboard = await openDashboard(box)
    const { id } = await dashboard.workNamed('auth')
    const found = await dashboard.get<SearchPage>('/api/search?q=cookies')
    expect(found.hits).toMatchObject([
      {
        ...{ kind: 'decision', where: 'auth', repository: { name: 'repo' }, archived: false },
        target: { page: 'work', id, sequence: 1 },
      },
    ])
    expect(found.hits[0]?.snippet).toContain('**cookies**')
    expect(await dashboard.getRefusal('/api/search?q=x&kind=secret')).toMatchObject({ status: 400 })
  })

  test('what changed since the last save is told for one workspace', async () => {
    const box = sandbox()
    writeFileSync(box.path('a.txt'), 'one\n')
    box.git('add', '.')
    box.git('-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-qm', 'one')
    box.json(['save', 'One', '--file', 'a.txt'])
    writeFileSync(box.path('a.txt'), 'two\n')
    const dashboard = await openDashboard(box)
    const page = await dashboard.get<StatusPage>(`/api/status?workspace=${await dashboard.workspace()}`)
    expect(page).toMatchObject({ trusted: true, branch: 'master', uncommitted: 1 })
    expect(page.drift).toMatchObject({ stream: 'main', filesChanged: 1 })
    expect(await dashboard.getRefusal('/api/status')).toMatchObject({ status: 400 })
  })
})

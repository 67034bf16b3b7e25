import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { checkpointId } from '../../src/core/id.ts'
import { type Sandbox, sandbox } from '../support/sandbox.ts'
import { inStore } from '../support/stored-documents.ts'
import { commit, put, workBox } from './document-lab.ts'
import { onTerminal, widest } from './resume-lab.ts'
import {
  ago,
  callRow,
  ended,
  heard,
  idOf,
  MINUTE,
  recorded,
  silent,
  transcript,
  within,
} from './session-lab.ts'

interface Listed {
  sessions: Array<Record<string, unknown>>
  archived: number
  total: number
}
// `as`: what the verb answers with is compared by the tests.
const listOf = (box: Sandbox, args: string[] = [], env: NodeJS.ProcessEnv = {}) =>
  box.json(['sessions', ...args], { env }) as unknown as Listed
const idsOf = (box: Sandbox, args: string[] = []) =>
  listOf(box, args).sessions.map(({ id }) => String(id).slice(0, 4))

const AUTH = {
  outcomeId: 5,
  outcomeName: 'Authentication',
  path: 'outcomes/005-auth/outcome_track.json',
  lastTask: 'Implement token refresh',
  workSummary: 'Added JWT refresh logic',
}

/** One that goes on, one that was left, one that fell silent and one of long ago. */
async function several(): Promise<Sandbox> {
  const box = workBox()
  await recorded(box, {
    id: idOf('aaaa'),
    environment: { gitBranch: 'feature/auth' },
    outcomes: [AUTH],
    statistics: {
      tokensConsumed: { input: 1_000, output: 2_000, cacheRead: 1_200_000, cacheCreation: 400 },
      filesModified: ['src/auth.ts', 'src/token.ts'],
    },
  })
  await ended(box, { id: idOf('bbbb') })
  await silent(box, { id: idOf('cccc') })
  await recorded(box, {
    id: idOf('dddd'),
    phase: 'archived',
    startedAt: ago(6_000 * MINUTE),
    lastActivityAt: ago(5_000 * MINUTE),
    endedAt: ago(5_000 * MINUTE),
    endReason: 'logout',
  })
  return box
}

describe('sessions', () => {
  test('without any it says how to get one, and makes nothing', () => {
    const box = sandbox()
    expect(box.run(['sessions'])).toMatchObject({
      code: 0,
      stdout: 'No sessions recorded here yet. Set up your agent: savepoint init. Then start it.\n',
    })
    expect(box.json(['sessions'])).toEqual({
      ok: true,
      sessions: [],
      archived: 0,
      total: 0,
      unread: 0,
      setUp: false,
    })
    expect(existsSync(box.home)).toBe(false)
  })

  test('lists what goes on, fell silent and ended; --all also what is archived', async () => {
    const box = await several()
    expect(box.run(['sessions']).stdout).toBe(`\
   SESSION   PHASE   AGO     BRANCH        LASTED  TOKENS  FILES  ENDED        WORKS ON
*  aaaa0000  active  1m      feature/auth  2h 05m  1.2M    2                   Authentication
   bbbb0000  recent  30m     main          1h 35m  0       0      exited
   cccc0000  stale   3h 00m  main          1h 00m  0       0      no end seen
1 older: savepoint sessions --all
`)
    expect(idsOf(box, ['--all'])).toEqual(['aaaa', 'bbbb', 'cccc', 'dddd'])
    expect(listOf(box).sessions[0]).toMatchObject({
      id: idOf('aaaa'),
      current: true,
      phase: 'active',
      branch: 'feature/auth',
      worktree: box.repo,
      tokens: 1_203_400,
      files: 2,
      focus: ['Authentication'],
      endReason: null,
    })
  })

  test('--branch and --outcome choose by branch, and by path, name or id of an outcome [002.87]', async () => {
    const box = await several()
    expect(idsOf(box, ['--branch', 'main'])).toEqual(['bbbb', 'cccc'])
    for (const outcome of ['authentication', AUTH.path, '5'])
      expect([outcome, idsOf(box, ['--outcome', outcome])]).toEqual([outcome, ['aaaa']])
    expect(idsOf(box, ['--outcome', 'Authen'])).toEqual([])
    expect(box.run(['sessions', '--branch', 'none']).stdout).toBe('No session matches.\n')
  })

  test('in 40 columns each has lines of its own that fit, in 200 a row', async () => {
    const box = await several()
    const narrow = onTerminal(box, 40, ['sessions'])
    expect(narrow.stdout).toBe(`\
* aaaa0000  active, 1m ago
  branch    feature/auth
  lasted    2h 05m, 1.2M tokens, 2 files
  works on  Authentication
  bbbb0000  recent, 30m ago
  branch    main
  lasted    1h 35m, 0 tokens, 0 files
  ended     exited
  cccc0000  stale, 3h 00m ago
  branch    main
  lasted    1h 00m, 0 tokens, 0 files
  ended     no end seen
1 older: savepoint sessions --all
`)
    const wide = onTerminal(box, 200, ['sessions'])
    expect(wide.stdout).toBe(box.run(['sessions']).stdout)
    expect(widest(wide.stdout)).toBeLessThanOrEqual(200)
  })

  test('names the worktree where there are several, and takes in no other repository', async () => {
    const box = await several()
    box.git('worktree', 'add', '--quiet', '../other', '-b', 'side')
    const other = join(box.root, 'other')
    box.json(['trust'], { cwd: other })
    await recorded(Object.assign(Object.create(box), { repo: other }), {
      id: idOf('eeee'),
      environment: { gitBranch: 'side' },
    })
    const { stdout } = box.run(['sessions'])
    expect(stdout).toMatch(/^ +SESSION .* WORKTREE /)
    expect(stdout).toMatch(/^ +eeee0000 +active .* side +other /m)
    expect(stdout).toMatch(/^\* +aaaa0000 .* repo /m)
    expect(box.run(['sessions'], { cwd: other }).stdout).toMatch(/^\* +eeee0000 /m)
    expect(sandbox().json(['sessions'])).toMatchObject({ total: 0 })
  })

  test('two ids that begin alike are told whole', async () => {
    const box = workBox()
    await recorded(box, { id: 'aaaa0000-1' })
    await recorded(box, { id: 'aaaa0000-2', lastActivityAt: ago(2 * MINUTE) })
    expect(box.run(['sessions']).stdout).toMatch(/^\* +aaaa0000-1 .*\n +aaaa0000-2 /m)
  })

  test('marks the session in which it is asked, and shows nothing that drives a terminal', async () => {
    const box = await several()
    await recorded(box, {
      id: idOf('ffff'),
      outcomes: [{ ...AUTH, outcomeName: 'a\u001b[31m\nb\u202e' }],
      paused: { reason: 'rate_limit\u0007', at: ago(MINUTE) },
    })
    const { stdout } = box.run(['sessions'], { env: within(idOf('bbbb')) })
    expect(stdout).toMatch(/^\* +bbbb0000 /m)
    expect(stdout).toContain('paused: rate_limit\\x07')
    expect(stdout).toContain('a\\x1b[31m b\\u202e')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what must not be there
    expect(stdout.replaceAll('\n', '')).not.toMatch(/[\x00-\x1f\u202e]/)
  })
})

test('what only the hooks have written down is told: a start, a prompt, an end', () => {
  const box = workBox()
  const path = transcript(box, callRow(1, 1_000))
  const id = idOf('abcd')
  expect(heard(box, id, 'SessionStart', { source: 'startup', transcript_path: path })).toBe(0)
  expect(heard(box, id, 'UserPromptSubmit', { prompt: 'Add login', transcript_path: path })).toBe(0)
  expect(listOf(box).sessions).toMatchObject([{ id, phase: 'active', current: true, branch: 'main' }])
  const shown = box.json(['sessions', 'show', 'abcd']).session
  expect(shown).toMatchObject({
    environment: { workingDirectory: box.repo, permissionMode: 'plan', transcriptPath: path },
    statistics: { tokensConsumed: { input: 1_000 } },
    events: [{ kind: 'start', note: 'startup' }, { kind: 'prompt' }],
  })
  expect(heard(box, id, 'SessionEnd', { reason: 'logout', transcript_path: path })).toBe(0)
  expect(listOf(box).sessions).toMatchObject([{ id, phase: 'recent', current: false, endReason: 'logout' }])
})

describe('the registry', () => {
  const NAMES = [
    'activeSessions',
    'recentHistory',
    'lastWorked',
    'staleSessionsDetected',
    'indexByOutcome',
    'indexByBranch',
  ]

  test('is the whole of stdout, with and without --json, under its own names', async () => {
    const box = await several()
    const words = JSON.parse(box.run(['sessions', '--registry']).stdout)
    const json = JSON.parse(box.run(['sessions', '--registry', '--json']).stdout)
    expect(words).toEqual(json)
    expect(Object.keys(json)).toEqual(NAMES)
    expect(json).toMatchObject({
      activeSessions: [
        { sessionId: idOf('aaaa'), isStale: false },
        { sessionId: idOf('cccc'), isStale: true },
      ],
      recentHistory: [{ sessionId: idOf('bbbb'), sessionEndReason: 'prompt_input_exit' }],
      staleSessionsDetected: [idOf('cccc')],
      indexByOutcome: { [AUTH.path]: [idOf('aaaa')] },
      indexByBranch: {
        'feature/auth': [idOf('aaaa')],
        main: expect.arrayContaining([idOf('bbbb'), idOf('cccc')]),
      },
    })
  })

  test('stays JSON with letters that a terminal must not get', async () => {
    const box = workBox()
    const outcomeName = 'a\u009b\u007f\u2028\u202e\u001b'
    await recorded(box, { id: idOf('aaaa'), outcomes: [{ ...AUTH, outcomeName, path: null }] })
    const { stdout } = onTerminal(box, 80, ['sessions', '--registry'])
    expect(Object.keys(JSON.parse(stdout).indexByOutcome)).toEqual([outcomeName])
    expect(stdout).not.toMatch(/[\u007f-\u009f\u2028\u202e]/)
  })

  test('the last work has the tasks, decisions and next steps of its stream, unconfirmed ones marked [002.33]', async () => {
    const box = workBox()
    put(box, 'src/auth.ts', 'one\n')
    commit(box)
    box.json(['save', 'Refresh', '--decision', 'Using RS256', '--next', 'Add tests', '--stream', 'auth'])
    box.json(['save', '--decision', 'Cache keys', '--unconfirmed', '--stream', 'auth'])
    await ended(box, { id: idOf('bbbb'), stream: 'auth', outcomes: [AUTH] })
    expect(JSON.parse(box.run(['sessions', '--registry']).stdout).lastWorked).toMatchObject({
      sessionId: idOf('bbbb'),
      outcomes: [
        {
          outcomeId: 5,
          outcomeName: 'Authentication',
          lastTask: 'Implement token refresh',
          workSummary: 'Added JWT refresh logic',
        },
      ],
      context: { keyDecisions: ['Using RS256', 'Cache keys (UNCONFIRMED)'], nextSteps: ['Add tests'] },
    })
  })

  test('the last work tells nothing that others wrote and nobody here has reviewed', async () => {
    const box = workBox()
    box.json(['save', 'Refresh', '--decision', 'Using RS256', '--next', 'Add tests', '--stream', 'auth'])
    await ended(box, { id: idOf('bbbb'), stream: 'auth', outcomes: [AUTH] })
    await inStore(box, async ({ store, identity, ports }) => {
      const stream = await store.log.findStream(identity.repository, 'auth', 'work')
      const head = await store.log.readCheckpoint(stream?.headId ?? '')
      if (head?.state !== 'whole') throw new Error('nothing is saved')
      const { checkpoint } = head
      const foreign = {
        ...checkpoint,
        id: checkpointId(ports.now(), head.row.sequence + 1, ports.random),
        parent: checkpoint.id,
      }
      const appends = [{ checkpoint: foreign, after: checkpoint.id, foreign: true }]
      expect(await store.acts.commit({ workspace: identity.workspace, appends })).toEqual({ done: true })
    })
    expect(JSON.parse(box.run(['sessions', '--registry']).stdout).lastWorked).toMatchObject({
      sessionId: idOf('bbbb'),
      context: { keyDecisions: [], nextSteps: [] },
    })
  })
})

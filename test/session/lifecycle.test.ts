import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { reconcileHere } from '../../src/engine/sessions/ingest-sessions.ts'
import { lookHere } from '../../src/engine/trust/here.ts'
import { accomplishmentsOf } from '../../src/policy/registry.ts'
import { HOUR, idOf, Lab, MINUTE, SECOND, streamOf } from './lab.ts'

const A = idOf('a')
const B = idOf('b')
const WANTED = 'Please move the login to tokens. Always use tabs for indentation.'
const phaseOf = async (lab: Lab, id = A) => (await lab.row(id)).phase

/** A session that began, and said something in its transcript. */
async function begun(): Promise<Lab> {
  const lab = new Lab()
  await lab.start(A)
  lab.talk(A)
  return lab
}

describe('a session that falls silent', () => {
  test('is stale after an hour without hooks and without a line in its transcript [002.40] [002.41]', async () => {
    const lab = await begun()
    lab.wait(HOUR)
    await lab.follow()
    expect(await phaseOf(lab)).toBe('active')
    lab.wait(SECOND)
    await lab.follow()
    expect(await phaseOf(lab)).toBe('stale')
  })

  test('is not stale while its transcript grows, and its activity moves on with it', async () => {
    const lab = await begun()
    for (const _ of [1, 2, 3, 4]) {
      lab.wait(50 * MINUTE)
      lab.says(A, 'Still at it.')
      await lab.follow()
    }
    expect(await phaseOf(lab)).toBe('active')
    lab.wait(59 * MINUTE)
    await lab.follow()
    const session = await lab.row(A)
    expect(session.phase).toBe('active')
    expect(Date.parse(session.lastActivityAt)).toBe(lab.ports.time - 59 * MINUTE)
    expect(session.events.map(({ kind }) => kind)).toEqual(['start'])
  })

  test('and writes again is active, as is one whose hook is heard', async () => {
    const lab = await begun()
    await lab.start(B)
    lab.wait(2 * HOUR)
    await lab.follow()
    expect([await phaseOf(lab), await phaseOf(lab, B)]).toEqual(['stale', 'stale'])
    lab.says(A, 'I am back.')
    lab.hear(B, 'UserPromptSubmit', { prompt: 'Me too' })
    await lab.follow()
    expect([await phaseOf(lab), await phaseOf(lab, B)]).toEqual(['active', 'active'])
  })

  test('has no transcript that can be looked at, and is stale all the same', async () => {
    const lab = new Lab()
    await lab.start(A, 'startup', { transcript_path: join(lab.box.root, 'no', 'such', 'file') })
    await lab.start(B, 'startup', { transcript_path: null })
    lab.wait(HOUR + SECOND)
    await lab.follow()
    expect([await phaseOf(lab), await phaseOf(lab, B)]).toEqual(['stale', 'stale'])
  })
})

describe('a session that broke off', () => {
  test('has at the next start everything that its end would have recorded [002.29] [002.46] [002.77]', async () => {
    const lab = new Lab()
    lab.box.git(
      '-c',
      'user.name=A',
      '-c',
      'user.email=a@b',
      'commit',
      '--quiet',
      '--allow-empty',
      '-m',
      'first',
    )
    await lab.trust()
    await lab.start(A)
    lab.talk(A)
    lab.tool(A, 'Bash', { command: 'npm test' }, { content: 'Exit code 1\n1 failing', failed: true })
    lab.tool(A, 'TaskUpdate', { taskId: '1', status: 'completed' }, {})
    const lastAt = lab.now
    mkdirSync(lab.box.path('src'))
    for (const name of ['login.ts', 'other.ts']) writeFileSync(lab.box.path('src', name), 'x')
    lab.wait(2 * HOUR)
    await lab.start(B)
    const session = await lab.row(A)
    expect(session).toMatchObject({
      phase: 'recent',
      endReason: 'crash',
      endedAt: lastAt,
      uncommittedFiles: 2,
    })
    expect(session.statistics).toMatchObject({
      filesModified: ['src/login.ts'],
      tasksFailed: 1,
      toolUsageCounts: { Write: 1, Bash: 1, TaskUpdate: 1 },
    })
    expect(accomplishmentsOf(session)).not.toEqual([])
    expect(await lab.work(streamOf(A))).toMatchObject({
      intent: WANTED,
      blockers: [{ text: 'Failing: npm test (exit 1): "1 failing"' }],
      artifacts: [{ path: 'src/login.ts' }],
    })
  })

  test('is counted once, and an untrusted repository is not asked what is uncommitted', async () => {
    const lab = await begun()
    lab.wait(2 * HOUR)
    await lab.follow()
    const moved = await lab.within(async (context) =>
      reconcileHere(context, await lookHere(context), { except: null }),
    )
    expect(moved.map(({ id }) => id)).toEqual([A])
    const first = await lab.row(A)
    expect(first).toMatchObject({ phase: 'recent', endReason: 'crash', uncommittedFiles: null })
    expect(
      await lab.within(async (context) => reconcileHere(context, await lookHere(context), { except: null })),
    ).toEqual([])
    expect(await lab.row(A)).toEqual(first)
  })

  test('and was only asleep is active with its next word, and no end stays of it', async () => {
    const lab = await begun()
    lab.wait(2 * HOUR)
    await lab.start(B)
    lab.hear(A, 'UserPromptSubmit', { prompt: 'Here I am' })
    await lab.follow()
    expect(await lab.row(A)).toMatchObject({ phase: 'active', endedAt: null, endReason: null })
  })

  test('does not touch who is at work: neither the one that starts nor one that speaks', async () => {
    const lab = await begun()
    lab.wait(2 * HOUR)
    await lab.follow()
    // It is stale, and it is the one that starts now.
    await lab.start(A, 'resume')
    expect(await lab.row(A)).toMatchObject({ phase: 'active', endReason: null })
  })
})

describe('a session that ended', () => {
  const filesOf = (lab: Lab, id: string) =>
    readdirSync(join(lab.box.home, 'sessions', 'claude')).filter((name) => name.startsWith(id))

  test('is archived after 72 hours: its files go, its row and its checkpoints stay [002.92]', async () => {
    const lab = await begun()
    lab.end(A)
    await lab.start(B)
    lab.end(B)
    await lab.follow()
    lab.wait(72 * HOUR - MINUTE)
    await lab.follow()
    expect(await phaseOf(lab)).toBe('recent')
    expect(filesOf(lab, A)).not.toEqual([])
    lab.wait(2 * MINUTE)
    await lab.follow()
    expect(await lab.row(A)).toMatchObject({ phase: 'archived', endReason: 'prompt_input_exit' })
    expect(filesOf(lab, A)).toEqual([])
    expect((await lab.work(streamOf(A)))?.intent).toBe(WANTED)
    expect(existsSync(lab.pathOf(A))).toBe(true)
  })

  test('and was archived is active when it speaks again, with every word since', async () => {
    const lab = await begun()
    for (let index = 0; index < 10; index += 1) lab.hear(A, 'UserPromptSubmit', { prompt: `Word ${index}` })
    lab.end(A)
    lab.wait(80 * HOUR)
    await lab.start(B)
    expect(await phaseOf(lab)).toBe('archived')
    await lab.start(A, 'resume')
    expect(await lab.row(A)).toMatchObject({ phase: 'active', endedAt: null, endReason: null })
    lab.hear(A, 'UserPromptSubmit', { prompt: 'I am back' })
    await lab.follow()
    expect((await lab.row(A)).lastPrompt?.text).toBe('I am back')
    expect((await lab.row(A)).events.slice(-3).map(({ kind }) => kind)).toEqual(['end', 'start', 'prompt'])
  })

  test('and is resumed after a long time, before anybody looked, is not archived under its feet', async () => {
    const lab = await begun()
    lab.end(A)
    lab.wait(100 * HOUR)
    await lab.start(A, 'resume')
    expect(await phaseOf(lab)).toBe('active')
    expect(filesOf(lab, A)).not.toEqual([])
  })
})

describe('several sessions', () => {
  test('in one repository end each by itself, and no event touches the row of another', async () => {
    const lab = new Lab()
    await lab.start(A)
    await lab.start(B)
    const before = await lab.row(B)
    lab.hear(A, 'UserPromptSubmit', { prompt: 'Only A' })
    await lab.act(A, 'PreCompact', { trigger: 'auto' })
    expect(await lab.row(B)).toEqual(before)
    lab.end(A, 'logout')
    lab.end(B, 'clear')
    await lab.follow()
    expect(await lab.row(A)).toMatchObject({ phase: 'recent', endReason: 'logout' })
    expect(await lab.row(B)).toMatchObject({
      phase: 'recent',
      endReason: 'clear',
      lastPrompt: null,
      compaction: null,
    })
  })

  test('belong to the worktree that each began in, wherever its agent goes', async () => {
    const lab = new Lab()
    lab.box.git(
      '-c',
      'user.name=A',
      '-c',
      'user.email=a@b',
      'commit',
      '--quiet',
      '--allow-empty',
      '-m',
      'first',
    )
    const other = join(lab.box.root, 'other')
    lab.box.git('worktree', 'add', '--quiet', '-b', 'side', other)
    await lab.start(A)
    await lab.start(B, 'startup', { cwd: other })
    lab.hear(A, 'UserPromptSubmit', { prompt: 'x', cwd: other })
    await lab.follow()
    const [a, b] = [await lab.row(A), await lab.row(B)]
    expect(a.repository).toBe(b.repository)
    expect(a.workspace).not.toBe(b.workspace)
    expect(a.environment).toMatchObject({ workingDirectory: lab.box.repo })
    expect(b.environment).toMatchObject({ workingDirectory: other, gitBranch: 'side' })
    const here = await lab.within(({ store, identity }) =>
      store.log.listSessions({ workspace: identity.workspace }),
    )
    expect(here.map(({ session }) => session.id)).toEqual([A])
  })

  test('one that goes on after /clear knows the one before, its stream and its outcomes', async () => {
    const lab = await begun()
    await lab.save(A, { text: 'Login', stream: 'auth' })
    lab.end(A, 'clear')
    await lab.start(B, 'clear')
    expect(await lab.row(B)).toMatchObject({ parent: A, stream: 'auth', source: 'clear' })
    const c = idOf('c')
    await lab.start(c)
    expect(await lab.row(c)).toMatchObject({ parent: null, stream: null })
  })

  test('a fork goes on from the session that it was forked from', async () => {
    const lab = await begun()
    await lab.save(A, { text: 'Login', stream: 'auth' })
    lab.end(A, 'other')
    await lab.start(B, 'fork')
    expect(await lab.row(B)).toMatchObject({ parent: A, stream: 'auth', source: 'fork' })
    lab.end(B, 'clear')
    const c = idOf('c')
    await lab.start(c, 'clear')
    expect((await lab.row(c)).parent).toBe(B)
  })
})

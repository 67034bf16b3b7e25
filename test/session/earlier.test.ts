import { mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { projectName, readEnds } from '../../src/agents/claude/earlier.ts'
import { readTranscript } from '../../src/agents/claude/transcript.ts'
import {
  AT_A_START,
  AT_SET_UP,
  type EarlierLimits,
  readEarlier,
} from '../../src/engine/sessions/earlier-sessions.ts'
import { readState } from '../../src/engine/surroundings/read-state.ts'
import { performOnce } from '../../src/verbs/perform.ts'
import { reconcile } from '../../src/verbs/sessions/reconcile.ts'
import { HOUR, idOf, keyOf, Lab, MINUTE, streamOf } from './lab.ts'

// The real ones, but that a test sees how often they are asked, and may let one fail.
vi.mock('../../src/agents/claude/earlier.ts', async (original) => {
  const real = await original<typeof import('../../src/agents/claude/earlier.ts')>()
  const readEnds = vi.fn(real.readEnds)
  return { ...real, readEnds, finder: { ...real.finder, readEnds } }
})
vi.mock('../../src/agents/claude/transcript.ts', async (original) => {
  const real = await original<typeof import('../../src/agents/claude/transcript.ts')>()
  return { ...real, readTranscript: vi.fn(real.readTranscript) }
})
beforeEach(() => {
  vi.mocked(readEnds).mockClear()
  vi.mocked(readTranscript).mockClear()
})

const DAY = 24 * HOUR
const [A, B, C, NOW] = [idOf('a1'), idOf('b2'), idOf('c3'), idOf('ffff')]

/** Transcripts where the client puts them, of sessions that no hook was heard of. */
function earlierLab(): Lab {
  const lab = new Lab()
  lab.box.env.CLAUDE_CONFIG_DIR = ''
  const folder = join(lab.box.root, 'user/.claude/projects', projectName(realpathSync(lab.box.repo)))
  lab.pathOf = (id) => join(folder, `${id}.jsonl`)
  return lab
}

const rowsOf = (lab: Lab) => lab.within(({ store }) => store.log.listSessions({}))
const readWith = (lab: Lab, limits: Partial<EarlierLimits> = {}) =>
  lab.within((context) => readEarlier(context, { ...AT_SET_UP, ...limits }))
const faultsIn = (lab: Lab) => lab.within(async ({ home }) => readFileSync(home.faults, 'utf8'))

describe('the first start after the set-up', () => {
  test('tells what was worked on before anybody followed it', async () => {
    const lab = earlierLab()
    await lab.trust()
    const begun = lab.now
    lab.talk(A)
    const ended = lab.now
    lab.wait(2 * HOUR)
    const told = await lab.start(NOW)
    expect(told).toContain('Please move the login to tokens. Always use tabs for indentation.')
    expect(told).toContain('src/login.ts')
    expect(await lab.row(A)).toMatchObject({
      ...{ phase: 'recent', endReason: 'other', endedAt: ended, lastActivityAt: ended, source: 'startup' },
      ...{ events: [], uncommittedFiles: null },
      environment: { workingDirectory: lab.box.repo, transcriptPath: lab.pathOf(A) },
    })
    expect(Date.parse((await lab.row(A)).startedAt) - Date.parse(begun)).toBeLessThan(MINUTE)
    expect(await lab.streams()).toEqual({ [streamOf(A)]: 1 })
  })

  test('tells only what the user typed where the workspace is not trusted', async () => {
    const lab = earlierLab()
    lab.talk(A)
    lab.wait(2 * HOUR)
    const told = await lab.start(NOW)
    expect(told).toContain('Please move the login to tokens')
    expect(told).not.toContain('The login form works')
  })

  test('a second start reads nothing twice', async () => {
    const lab = earlierLab()
    await lab.trust()
    lab.talk(A)
    lab.wait(2 * HOUR)
    await lab.start(NOW)
    const [rows, streams] = [await rowsOf(lab), await lab.streams()]
    vi.mocked(readEnds).mockClear()
    vi.mocked(readTranscript).mockClear()
    lab.wait(MINUTE)
    expect(await lab.start(idOf('eeee'))).toContain('Please move the login to tokens')
    expect(readEnds).not.toHaveBeenCalled()
    expect(vi.mocked(readTranscript).mock.calls.map(([path]) => path)).not.toContain(lab.pathOf(A))
    expect(await lab.streams()).toEqual(streams)
    const before = rows.find(({ session }) => session.id === A)
    expect((await rowsOf(lab)).find(({ session }) => session.id === A)).toEqual(before)
  })

  test('does not take its own transcript for an earlier one', async () => {
    const lab = earlierLab()
    lab.talk(NOW)
    expect(await lab.start(NOW, 'resume')).toBeNull()
    expect((await lab.row(NOW)).events).toHaveLength(1)
    lab.talk(B)
    const env = { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: B }
    expect(await lab.within((context) => readEarlier(context, AT_SET_UP), { env })).toMatchObject({ read: 0 })
    expect(await readWith(lab)).toMatchObject({ read: 1 })
  })

  test('reads nothing where the user does not want it', async () => {
    const lab = earlierLab()
    const config = join(lab.box.root, 'config/savepoint/config.yml')
    mkdirSync(dirname(config), { recursive: true })
    writeFileSync(config, 'session:\n  read_earlier: false\n')
    lab.talk(A)
    lab.wait(2 * HOUR)
    expect(await lab.start(NOW)).toBeNull()
    expect(await rowsOf(lab)).toHaveLength(1)
  })
})

describe('how a session of before is recorded', () => {
  test('one that wrote within the hour may still be running, and is followed from then on', async () => {
    const lab = earlierLab()
    await lab.trust()
    lab.talk(A)
    lab.wait(10 * MINUTE)
    expect(await lab.start(NOW)).toContain('may still be running')
    expect(await lab.row(A)).toMatchObject({ phase: 'active', endedAt: null, endReason: null })
    lab.prompt(A, 'Now write the refresh test, please.')
    lab.wait(2 * HOUR)
    expect(await lab.start(B)).toContain('Now write the refresh test, please.')
    expect(await lab.row(A)).toMatchObject({ phase: 'recent', endReason: 'crash' })
  })

  test('one of long ago is archived, and what it said is kept', async () => {
    const lab = earlierLab()
    await lab.trust()
    lab.talk(A)
    lab.wait(10 * DAY)
    expect(await lab.start(NOW)).toContain('Please move the login to tokens')
    expect(await lab.row(A)).toMatchObject({ phase: 'archived', transcriptRead: 0 })
    const kept = readState(await lab.within(({ store }) => store.log.readReading(keyOf(A))))
    expect(kept).toMatchObject({ reading: null, digest: { requests: [{ how: 'prompt' }] } })
  })

  test('an archived one that speaks again is read anew, and nothing of it is doubled', async () => {
    const lab = earlierLab()
    await lab.trust()
    lab.talk(A)
    lab.wait(10 * DAY)
    await readWith(lab)
    await lab.start(A, 'resume')
    lab.prompt(A, 'Go on with the refresh test.')
    await lab.act(A, 'PreCompact', { trigger: 'manual' })
    const state = readState(await lab.within(({ store }) => store.log.readReading(keyOf(A))))
    expect(state?.digest.requests.map(({ text }) => text)).toEqual([
      'Please move the login to tokens. Always use tabs for indentation.',
      'Go on with the refresh test.',
    ])
    expect(state?.digest.counts.edits).toBe(1)
    expect((await lab.row(A)).statistics.filesModified).toHaveLength(1)
  })

  test('what an archived one said stays also where its transcript is gone', async () => {
    const lab = earlierLab()
    await lab.trust()
    lab.talk(A)
    lab.wait(10 * DAY)
    await readWith(lab)
    rmSync(lab.pathOf(A))
    await lab.start(A, 'resume')
    await lab.act(A, 'PreCompact', { trigger: 'manual' })
    const state = readState(await lab.within(({ store }) => store.log.readReading(keyOf(A))))
    expect(state?.digest.requests).toHaveLength(1)
  })

  test('the ledger stays with the work of today', async () => {
    const lab = earlierLab()
    await lab.trust()
    writeFileSync(lab.box.path('.agents.yml'), 'session:\n  ledger: true\n')
    lab.talk(A)
    lab.wait(2 * DAY)
    await lab.save(null, { now: 'Paint the shed' })
    const ledger = lab.box.read('.agents/session_ledger.md')
    expect(await readWith(lab)).toMatchObject({ read: 1 })
    expect(lab.box.read('.agents/session_ledger.md')).toBe(ledger)
  })
})

describe('whose transcripts are read', () => {
  /** Puts a session's transcript where one of another folder would be. */
  function said(lab: Lab, id: string, cwd: string, folder = cwd): void {
    const path = join(lab.box.root, 'user/.claude/projects', projectName(folder), `${id}.jsonl`)
    mkdirSync(dirname(path), { recursive: true })
    const timestamp = lab.now
    const content = 'Please move the login to tokens.'
    writeFileSync(
      path,
      `${JSON.stringify({ type: 'user', timestamp, cwd, message: { role: 'user', content } })}\n`,
    )
  }

  test('those of the root and of folders below it; none of another path with the same name', async () => {
    const lab = earlierLab()
    const root = realpathSync(lab.box.repo)
    for (const folder of ['packages/web', 'packages-web']) mkdirSync(join(root, folder), { recursive: true })
    mkdirSync(`${root}-old`)
    said(lab, A, join(root, 'packages/web'))
    said(lab, B, `${root}-old`)
    said(lab, C, `${root}/old`)
    expect(await readWith(lab)).toMatchObject({ read: 1, unread: 0 })
    expect((await rowsOf(lab)).map(({ session }) => session.id)).toEqual([A])
    expect(readEnds).toHaveBeenCalledTimes(3)
    // They are not looked at again.
    expect(await readWith(lab)).toEqual({ read: 0, unread: 0, newestAt: null })
    expect(readEnds).toHaveBeenCalledTimes(3)
  })

  test.each([
    ['from another system', 'D:\\\\shop', true],
    ['from another machine', '/home/someone/shop', true],
    ['of a folder that is there', '/', false],
  ])('one that was put among those of the root, %s', async (_, cwd, isRead) => {
    const lab = earlierLab()
    said(lab, A, cwd, realpathSync(lab.box.repo))
    expect(await readWith(lab)).toMatchObject({ read: isRead ? 1 : 0, unread: 0 })
  })

  test('none of a folder that is gone and had the same name as the root', async () => {
    const lab = earlierLab()
    const root = realpathSync(lab.box.repo)
    const other = root.replace(/\/(?=[^/]*$)/, '-')
    expect(projectName(other)).toBe(projectName(root))
    said(lab, A, other)
    expect(await readWith(lab)).toMatchObject({ read: 0, unread: 0 })
  })

  test('a worktree inside the repository has its own', async () => {
    const lab = earlierLab()
    lab.box.git(
      ...['-c', 'user.name=x', '-c', 'user.email=x@example.com'],
      ...['commit', '--quiet', '--allow-empty', '-m', 'Base'],
    )
    const root = realpathSync(lab.box.repo)
    const tree = join(root, '.claude/worktrees/fix')
    lab.box.git('worktree', 'add', '--quiet', tree)
    said(lab, A, tree)
    expect(await readWith(lab)).toMatchObject({ read: 0, unread: 0 })
    const there = await lab.within((context) => readEarlier(context, AT_SET_UP), { cwd: tree })
    expect(there).toMatchObject({ read: 1 })
    expect(readEnds).toHaveBeenCalledTimes(2)
  })
})

describe('how much is read', () => {
  /** So many sessions, a minute apart, the newest last. */
  function many(lab: Lab, number: number): string[] {
    const ids = Array.from({ length: number }, (_, at) => idOf(`a${at}x`).replace(/x/g, 'b'))
    for (const [at, id] of ids.entries()) {
      lab.prompt(id, `Please build part ${at} of the shop.`)
      lab.tool(id, 'Write', { file_path: lab.box.path(`src/part-${at}.ts`), content: 'x' }, {})
      lab.wait(MINUTE)
    }
    lab.wait(HOUR)
    return ids
  }

  test('of a hundred a start reads the newest that a brief can tell, reconcile reads all', async () => {
    const lab = earlierLab()
    await lab.trust()
    const ids = many(lab, 100)
    expect(await lab.start(NOW)).toContain('part 99 of the shop')
    expect((await rowsOf(lab)).map(({ session }) => session.id)).toEqual([
      NOW,
      ...ids.slice(-AT_A_START.sessions).reverse(),
    ])
    for (const letters of ['f1', 'f2', 'f3', 'f4']) await lab.start(idOf(letters))
    const known = (await rowsOf(lab)).filter(({ session }) => session.events.length === 0).length
    expect(known).toBeGreaterThan(AT_A_START.sessions)
    expect(known).toBeLessThanOrEqual(AT_A_START.newest)
    vi.mocked(readEnds).mockClear()
    await lab.start(idOf('f5'))
    expect(readEnds).not.toHaveBeenCalled()
    const done = await performOnce(
      reconcile,
      { cwd: lab.box.repo, env: lab.box.env, ports: lab.ports },
      { dryRun: false },
    )
    expect(done.earlier).toMatchObject({ read: 100 - known, unread: 0 })
    expect((await rowsOf(lab)).filter(({ session }) => session.events.length === 0)).toHaveLength(100)
  }, 60_000)

  test('each limit ends it, and the next call goes on', async () => {
    const lab = earlierLab()
    const ids = many(lab, 9)
    const { bytes } = vi.mocked(readEnds)(lab.pathOf(ids[0] ?? '')) as { bytes: number }
    expect(await readWith(lab, { sessions: 2 })).toMatchObject({ read: 2, unread: 7 })
    expect(await readWith(lab, { bytes: bytes * 2 + 10 })).toMatchObject({ read: 2, unread: 5 })
    expect(await readWith(lab, { looks: 1 })).toMatchObject({ read: 1, unread: 4 })
    expect(await readWith(lab, { ms: -1 })).toMatchObject({ read: 0, unread: 4 })
    expect(await readWith(lab)).toMatchObject({ read: 4, unread: 0 })
    expect((await rowsOf(lab)).map(({ session }) => session.id)).toEqual([...ids].reverse())
  })

  test('a transcript that is too large for a start is left for a command', async () => {
    const lab = earlierLab()
    lab.talk(A)
    lab.talk(B)
    lab.prompt(B, 'x'.repeat(200_000))
    lab.wait(2 * HOUR)
    expect(await readWith(lab, { bytes: 100_000 })).toMatchObject({ read: 1, unread: 1 })
    expect((await rowsOf(lab)).map(({ session }) => session.id)).toEqual([A])
    expect(await readWith(lab)).toMatchObject({ read: 1, unread: 0 })
  })
})

describe('what cannot be read', () => {
  test('is passed over, told once, and looked at again by reconcile alone', async () => {
    const lab = earlierLab()
    lab.talk(A)
    lab.talk(B)
    lab.talk(C)
    lab.wait(2 * HOUR)
    const denied = { kind: 'unreadable' as const, problem: 'EACCES: permission denied' }
    vi.mocked(readEnds).mockImplementationOnce(() => denied)
    vi.mocked(readTranscript).mockImplementationOnce(() => {
      throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' })
    })
    expect(await readWith(lab)).toMatchObject({ read: 1, unread: 0 })
    expect((await rowsOf(lab)).map(({ session }) => session.id)).toEqual([A])
    const faults = await faultsIn(lab)
    expect(faults).toContain('Could not read session c3000000: EACCES')
    expect(faults).toContain('Could not read session b2000000: i/o error (EIO)')
    expect(await readWith(lab)).toEqual({ read: 0, unread: 0, newestAt: null })
    expect(await faultsIn(lab)).toBe(faults)
    const again = await lab.within((context) =>
      readEarlier(context, AT_SET_UP, { except: null, again: true }),
    )
    expect(again).toMatchObject({ read: 2 })
  })

  test('one in which nothing was said is passed over, unless it has only just begun', async () => {
    const lab = earlierLab()
    lab.write(A, (_number, rest) => ({ type: 'progress', ...rest }))
    expect(await readWith(lab)).toEqual({ read: 0, unread: 0, newestAt: null })
    lab.wait(2 * HOUR)
    await readWith(lab)
    expect(readEnds).toHaveBeenCalledTimes(2)
    await readWith(lab)
    expect(readEnds).toHaveBeenCalledTimes(2)
    expect(await rowsOf(lab)).toEqual([])
  })
})

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { assistant, done, linesOf, text, usageOf, user } from '../agents/transcript-rows.ts'
import type { Sandbox } from '../support/sandbox.ts'
import { seedFile } from '../support/seed-file.ts'
import { put, workBox } from './document-lab.ts'
import { HOUR, turned } from './resume-lab.ts'
import { callRow, heard, within } from './session-lab.ts'
import { slashCommand } from './slash-lab.ts'

const TRACK = 'outcomes/in-progress/005-auth/outcome_track.json'

const registryOf = (box: Sandbox, env: NodeJS.ProcessEnv = {}) =>
  box.json(['sessions', '--registry'], { env })

/** A session of an agent that writes the files of the example, as its hooks and its transcript tell it. */
function work(box: Sandbox, id: string): void {
  const path = join(box.root, `${id}.jsonl`)
  heard(box, id, 'SessionStart', { source: 'startup', transcript_path: path })
  put(box, 'src/auth.ts', 'x\n')
  put(box, 'src/token.ts', 'x\n')
  writeFileSync(
    path,
    linesOf([
      user(1, 'Refresh the tokens.'),
      assistant(2, { content: [text('So.')], usage: usageOf(1_000, 20, 300, 4) }),
      ...done(3, 'Write', { file_path: box.path('src/auth.ts') }),
      ...done(5, 'Edit', { file_path: box.path('src/token.ts') }),
      ...done(7, 'Write', { file_path: '/elsewhere/notes.txt' }),
    ]),
  )
}

test('lastWorked is as the format shows it, files by their way from the root [002.23] [002.30] [002.31] [002.32] [002.54] [002.55] [002.56] [002.71]', () => {
  const wanted = JSON.parse(seedFile('002', 'lastWorked.json'))
  const { sessionId: id, outcomes, context } = wanted
  const [{ outcomeId, outcomeName, lastTask, workSummary }] = outcomes
  const box = workBox()
  box.git('checkout', '--quiet', '-b', context.gitBranch)
  work(box, id)
  const env = within(id)
  const about = ['--id', String(outcomeId), '--task', lastTask, '--summary', workSummary]
  box.json(['outcome', 'focus', outcomeName, '--path', TRACK, ...about], { env })
  const [decision] = context.keyDecisions
  const [first, second] = context.nextSteps
  const typed = slashCommand('/context:checkpoint', ['Refreshing', 'The refresh works', decision, first])
  box.json([...typed, '--next', second], { env })
  box.json(['confirm', decision])
  heard(box, id, 'SessionEnd', { reason: 'logout' })
  expect(registryOf(box).lastWorked).toEqual({
    ...wanted,
    completedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    context: {
      ...context,
      filesModified: [...context.filesModified, '/elsewhere/notes.txt'],
      gitCommitHash: box.git('rev-parse', 'HEAD').trim(),
    },
  })
  expect(registryOf(box)).toMatchObject({
    recentHistory: [{ accomplishments: ['The refresh works'], statistics: { tokensConsumed: 1_324 } }],
  })
})

test('the indexes are as the format shows them: sessions by the path of an outcome, and by branch [002.85] [002.86] [002.87]', () => {
  const box = workBox()
  const start = (id: string) => heard(box, id, 'SessionStart', { source: 'startup' })
  const focus = (id: string) =>
    box.json(['outcome', 'focus', 'Authentication', '--path', TRACK], { env: within(id) })
  start('sess-xyz')
  box.git('checkout', '--quiet', '-b', 'feature/auth')
  start('sess-abc')
  expect(registryOf(box).indexByBranch).toEqual(JSON.parse(seedFile('002', 'indexByBranch.json')))
  start('sess-def')
  for (const id of ['sess-def', 'sess-abc']) focus(id)
  const { indexByOutcome } = registryOf(box) as { indexByOutcome: Record<string, string[]> }
  const sorted = Object.entries(indexByOutcome).map(([path, ids]) => [path, ids.toSorted()])
  expect(Object.fromEntries(sorted)).toEqual(JSON.parse(seedFile('002', 'indexByOutcome.json')))
  const listed = box.json(['sessions', '--outcome', TRACK]).sessions as Array<{ id: string }>
  expect(listed.map(({ id }) => id).toSorted()).toEqual(['sess-abc', 'sess-def'])
})

test('a session that is archived is deleted from the registry, whole, and a silent one is flagged [002.05] [002.42] [002.44] [002.93]', () => {
  const box = workBox()
  heard(box, 'sess-old', 'SessionStart', { source: 'startup' })
  expect(registryOf(box, turned(box, 2 * HOUR))).toMatchObject({
    activeSessions: [{ sessionId: 'sess-old', isStale: true }],
    staleSessionsDetected: ['sess-old'],
  })
  heard(box, 'sess-old', 'SessionEnd', { reason: 'logout' })
  expect(registryOf(box)).toMatchObject({ recentHistory: [{ sessionId: 'sess-old' }] })
  const later = registryOf(box, turned(box, 73 * HOUR))
  expect(later).toMatchObject({ activeSessions: [], recentHistory: [], lastWorked: null })
  expect(JSON.stringify(later)).not.toContain('sess-old')
})

test('what is uncommitted is counted while a session goes on, and not where git may not be asked [002.29]', () => {
  const box = workBox()
  work(box, 'sess-abc')
  expect(registryOf(box)).toMatchObject({ activeSessions: [{ uncommittedFiles: 2 }] })
  expect(box.json(['sessions']).sessions).toMatchObject([{ uncommittedFiles: 2 }])
  expect(box.run(slashCommand('/context:info')).stdout).toMatch(/^Branch +main, 2 files uncommitted$/m)
  expect(box.json(['info'])).toMatchObject({
    session: {
      uncommittedFiles: 2,
      statistics: { filesModified: ['src/auth.ts', 'src/token.ts', '/elsewhere/notes.txt'] },
    },
  })
  box.json(['trust', '--off'])
  expect(registryOf(box)).toMatchObject({ activeSessions: [{ uncommittedFiles: null }] })
  expect(box.json(['info'])).toMatchObject({ session: { uncommittedFiles: null } })
})

test('at its end the uncommitted files are counted by the next command, and not counted again [002.29]', () => {
  const box = workBox()
  work(box, 'sess-abc')
  heard(box, 'sess-abc', 'SessionEnd', { reason: 'logout' })
  const wanted = { recentHistory: [{ uncommittedFilesAtEnd: 2, gitStatusCleanAtEnd: false }] }
  expect(registryOf(box)).toMatchObject(wanted)
  put(box, 'src/later.ts', 'x\n')
  expect(registryOf(box)).toMatchObject(wanted)
})

test('the four commands of a session are /context:info, checkpoint, compact and budget [002.58]', () => {
  const commands = ['/context:info', '/context:checkpoint', '/context:compact', '/context:budget'] as const
  expect(commands.map((name) => slashCommand(name).slice(0, 2).join(' '))).toEqual([
    'sessions info',
    'save <summary>',
    'compact',
    'sessions budget',
  ])
  const box = workBox()
  work(box, 'sess-abc')
  const env = within('sess-abc')
  for (const name of commands) expect([name, box.run(slashCommand(name), { env }).code]).toEqual([name, 0])
})

test('/context:budget shows consumption, headroom, when to delegate, and its thresholds with the position [002.65] [002.66] [002.67] [002.68] [002.69]', () => {
  const box = workBox()
  work(box, 'sess-abc')
  const path = join(box.root, 'sess-abc.jsonl')
  const say = (used: number) => {
    writeFileSync(path, callRow(1, used))
    return box.run(slashCommand('/context:budget'), { env: within('sess-abc') }).stdout
  }
  expect(say(100_000)).toMatch(/^Thresholds +70 % \(140k\): save, 85 % \(170k\): save and clear$/m)
  expect(say(100_000)).toMatch(/^Position +50 %: below both, 40k tokens until 70 %$/m)
  expect(say(150_000)).toMatch(/^Position +75 %: between 70 % and 85 %, 20k tokens until 85 %$/m)
  expect(say(180_000)).toMatch(/^Position +90 %: past both$/m)
  const full = say(180_000)
  expect(full).toMatch(/^Used +180k of 200k tokens \(90 %\)$/m)
  expect(full).toMatch(/^Headroom +20k tokens$/m)
  expect(full).toMatch(/^Consumed +180k tokens over all calls$/m)
  expect(full).toMatch(/^Delegate +Delegate large reads and searches to a subagent/m)
  expect(full).toMatch(/^Warning +The context window is 90 % full/m)
  expect(say(20_000)).toMatch(/^Delegate +not needed below 50 %$/m)
  say(180_000)
  expect(box.json(['budget'], { env: within('sess-abc') }).thresholds).toEqual([
    { percent: 70, tokens: 140_000, left: 0 },
    { percent: 85, tokens: 170_000, left: 0 },
  ])
})

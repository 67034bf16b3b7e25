import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { assistant, done, linesOf, text, usageOf, user } from '../agents/transcript-rows.ts'
import { put, workBox } from './document-lab.ts'
import { heard, idOf, within } from './session-lab.ts'

const A = idOf('aaaa')

test.each(['startup', 'resume', 'clear'])(
  'the hook of a start records who, whence (%s), where and on what [002.10] [002.11] [002.12] [002.13] [002.14] [002.15]',
  (source) => {
    const box = workBox()
    box.git('checkout', '--quiet', '-b', 'feature/auth')
    const transcriptPath = join(box.root, `${A}.jsonl`)
    expect(heard(box, A, 'SessionStart', { source, transcript_path: transcriptPath })).toBe(0)
    expect(box.json(['sessions', 'show', A]).session).toMatchObject({
      id: A,
      source,
      environment: {
        gitBranch: 'feature/auth',
        gitCommitHash: box.git('rev-parse', 'HEAD').trim(),
        workingDirectory: box.repo,
        permissionMode: 'plan',
        transcriptPath,
      },
    })
  },
)

test('of a session that began and ended by its hooks alone it is known what it did [002.22] [002.23] [002.25] [002.26] [002.27] [002.28] [002.29] [002.77] [002.90]', () => {
  const box = workBox()
  const path = join(box.root, `${A}.jsonl`)
  const tell = (name: string, more: object = {}) => heard(box, A, name, { transcript_path: path, ...more })
  tell('SessionStart', { source: 'startup' })
  expect(box.json(['sessions', '--registry'])).toMatchObject({ activeSessions: [{ sessionId: A }] })
  put(box, 'src/login.ts', 'x\n')
  const login = { file_path: box.path('src/login.ts') }
  writeFileSync(
    path,
    linesOf([
      user(1, 'Move the login to tokens.'),
      assistant(2, { content: [text('Going on.')], usage: usageOf(1_000, 20, 300, 4) }),
      ...done(3, 'Write', login),
      ...done(5, 'Edit', login),
      ...done(7, 'Bash', { command: 'npm test' }, 'Exit code 1', true),
      ...done(9, 'Bash', { command: 'git commit -m login' }),
    ]),
  )
  tell('SessionEnd', { reason: 'logout' })
  // Whoever starts next does what the end had no time for.
  expect(heard(box, idOf('bbbb'), 'SessionStart', { source: 'startup' })).toBe(0)
  expect(box.json(['sessions', 'show', 'aaaa']).session).toMatchObject({
    phase: 'recent',
    endReason: 'logout',
    uncommittedFiles: 1,
    statistics: {
      tokensConsumed: { input: 1_000, output: 20, cacheRead: 300, cacheCreation: 4 },
      filesModified: ['src/login.ts'],
      tasksCompleted: 3,
      tasksFailed: 1,
      gitCommits: 1,
      toolUsageCounts: { Write: 1, Edit: 1, Bash: 2 },
    },
  })
  expect(box.json(['sessions', '--registry'])).toMatchObject({
    activeSessions: [{ sessionId: idOf('bbbb') }],
    recentHistory: [
      {
        ...{ sessionId: A, sessionEndReason: 'logout', uncommittedFilesAtEnd: 1 },
        statistics: { tokensConsumed: 1_324 },
        accomplishments: expect.arrayContaining([
          expect.stringContaining('1 file'),
          expect.stringContaining('1 commit'),
        ]),
      },
    ],
    lastWorked: { sessionId: A },
  })
  const { stdout } = box.run(['sessions', 'show', 'aaaa'], { env: within(idOf('bbbb')) })
  expect(stdout).toMatch(/^Done +Modified 1 file\n +Made 1 commit\n +Completed 3 tasks$/m)
})

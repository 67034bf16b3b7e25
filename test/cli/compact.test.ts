import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sessionStream } from '../../src/policy/resolve.ts'
import { assistant, done, type Json, linesOf, text, usageOf, user } from '../agents/transcript-rows.ts'
import type { Sandbox } from '../support/sandbox.ts'
import { elsewhere, workBox } from './document-lab.ts'
import { told, workOf } from './save-lab.ts'
import { ended, idOf, recorded, rowOf, within } from './session-lab.ts'

const A = idOf('aaaa')
const OWN = sessionStream(A)
const KEY = `sk-ant-${'a1'.repeat(20)}`
const PRINTED = 'export const login = () => {}\n'
const LONG = 'one more line that a tool printed\n'

const TALK: Json[] = [
  user(1, 'Please move the login to tokens. Always use tabs for indentation.'),
  assistant(2, { content: [text('I decided to use JWT because the app has no session.')] }),
  ...done(3, 'Read', { file_path: '/repo/src/login.ts' }, PRINTED.repeat(9)),
  ...done(11, 'Bash', { command: 'npm run build' }, LONG.repeat(3_000)),
  ...done(5, 'Bash', { command: 'npm run deploy' }, `Exit code 1\nrefused ${KEY}`, true),
  assistant(7, {
    content: [text('The login form works. Next: write the refresh test.')],
    usage: usageOf(3_000, 10, 47_000),
  }),
]

interface Compacted {
  session: string
  stream: string
  checkpoint: string | null
  archive: string
  results: number
  tokensBefore: number
  tokensAfter: number
  tokensSaved: number
}
// `as`: what the verb answers with is compared by the tests.
const compact = (box: Sandbox) => box.json(['compact']) as unknown as Compacted
const shown = (box: Sandbox, archive: string) => box.run(['compact', '--show', archive])
const reasonOf = (box: Sandbox, args: string[], env: NodeJS.ProcessEnv = {}) => {
  const { code, stdout } = box.run(['compact', ...args, '--json'], { env })
  return [code, JSON.parse(stdout).reason]
}

async function talked(): Promise<{ box: Sandbox; path: string }> {
  const box = workBox()
  const path = join(box.root, 'transcript.jsonl')
  writeFileSync(path, linesOf(TALK))
  await recorded(box, { id: A, environment: { transcriptPath: path } })
  return { box, path }
}

test('what matters of the conversation so far is a checkpoint, without what tools printed [002.60] [002.62]', async () => {
  const { box, path } = await talked()
  const first = compact(box)
  expect(first).toMatchObject({ session: A, stream: OWN, checkpoint: expect.stringMatching(/^cp_/) })
  const { work, text: brief } = told(box, [OWN])
  expect(work).toMatchObject({
    intent: 'Please move the login to tokens. Always use tabs for indentation.',
    // Sentences are quoted where they are told; only acts make claims.
    ...{ decisions: [], rules: [], next: [], overheard: ['intent'] },
  })
  for (const words of ['Always use tabs for indentation.', 'Next: write the refresh test.'])
    expect(brief).toContain(words)
  // 100 KB went through the window.
  for (const kept of [JSON.stringify(work), brief]) {
    expect(kept.length).toBeLessThan(5_000)
    expect(kept).not.toMatch(/export const login|one more line/)
  }
  expect(box.json(['show', OWN, '--history']).history).toMatchObject([
    { why: expect.stringMatching(/^compaction: /) },
  ])
  const todos = [{ content: 'Write the refresh test', status: 'pending', activeForm: 'Writing it' }]
  const later = [user(20, 'Never touch the billing module.'), ...done(21, 'TodoWrite', { todos })]
  appendFileSync(path, linesOf(later))
  expect(compact(box).checkpoint).not.toBeNull()
  expect(workOf(box, [OWN])).toMatchObject({
    now: 'Never touch the billing module.',
    next: [{ text: 'Write the refresh test' }],
  })
})

test('what its tools gave back is archived, and shown again by the name that the brief and the session have [002.61]', async () => {
  const { box } = await talked()
  const { archive, results } = compact(box)
  expect([archive, results]).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), 3])
  const { code, stdout } = shown(box, archive.slice(0, 12))
  expect(code).toBe(0)
  expect(stdout).toContain(PRINTED.repeat(9))
  expect(stdout).toContain(LONG.repeat(9))
  expect(stdout).toMatch(/^## \S+Z Read \/repo\/src\/login\.ts$/m)
  expect(stdout).toMatch(/^## \S+Z Bash npm run deploy \(failed\)$/m)
  // The text as it is, and the whole of it.
  for (const name of [archive, archive.slice(0, 4).toUpperCase()])
    expect(shown(box, name).stdout).toBe(stdout)
  expect(told(box, [OWN]).work.references).toMatchObject([
    { kind: 'command', text: `savepoint compact --show ${archive.slice(0, 12)}` },
  ])
  expect((await rowOf(box, A))?.session.archives).toEqual([archive])
})

test('no secret is in the archive, and none in what is told of it', async () => {
  const { box } = await talked()
  const { archive } = compact(box)
  const { stdout } = shown(box, archive)
  expect(stdout).toContain('Exit code 1\nrefused ')
  for (const text of [stdout, JSON.stringify(told(box, [OWN])), JSON.stringify(await rowOf(box, A))])
    expect(text).not.toContain(KEY)
})

test('tokens in the window, in the brief, and how many are saved are reported in words and as numbers [002.63]', async () => {
  const { box } = await talked()
  const found = compact(box)
  expect(found.tokensBefore).toBe(50_000)
  expect(found.tokensAfter).toBeGreaterThan(20)
  expect(found.tokensAfter).toBeLessThan(1_000)
  expect(found.tokensSaved).toBe(50_000 - found.tokensAfter)
  const { tokens } = box.json(['resume', OWN]) as { tokens: number }
  // A brief also says that the session may still be running.
  expect(Math.abs(tokens - found.tokensAfter)).toBeLessThanOrEqual(40)
  const { stdout } = box.run(['compact'])
  expect(stdout).toBe(`\
Already saved: ${OWN}
Archived 3 tool results: savepoint compact --show ${found.archive.slice(0, 12)}
Tokens: 50000 in the window, ${found.tokensAfter} in the brief (est.), ${found.tokensSaved} saved
Now type /clear: the next session continues from the brief.
`)
})

test('twice saves nothing twice, and changes nothing in the transcript', async () => {
  const { box } = await talked()
  const first = compact(box)
  const second = compact(box)
  expect(second).toEqual({ ...first, checkpoint: null })
  expect(box.json(['show', OWN, '--history']).history).toHaveLength(1)
  expect((await rowOf(box, A))?.session.archives).toEqual([first.archive])
  expect(told(box, [OWN]).work.references).toHaveLength(1)
})

test('where no tool gave anything back and nobody counted, that is said, and the last session is meant where none goes on', async () => {
  const box = workBox()
  const path = join(box.root, 'transcript.jsonl')
  writeFileSync(path, linesOf(TALK.slice(0, 2)))
  await ended(box, { id: A, environment: { transcriptPath: path } })
  const { code, stdout, stderr } = box.run(['compact'])
  expect(code).toBe(0)
  expect(stdout).toMatch(
    /^Saved the essential context: \S+\nNo tool results to archive\.\nTokens: unknown in the window, \d+ in the brief \(est\.\)\n/,
  )
  expect(stderr).toContain('No session is active. Showing the last one: aaaa0000')
})

test('without a session, in one that is not recorded, and for an archive that is not there it is refused with a reason', async () => {
  const none = workBox()
  expect(reasonOf(none, [])).toEqual([3, 'session_none'])
  expect(reasonOf(none, ['--show', 'abcdef'])).toEqual([3, 'archive_unknown'])
  const { box } = await talked()
  expect(reasonOf(box, [], within('unheard-of'))).toEqual([3, 'session_unrecorded'])
  const { archive } = compact(box)
  expect(reasonOf(box, ['--show', `${archive.slice(0, 11)}x`])).toEqual([3, 'archive_unknown'])
  // Too short to mean one.
  expect(reasonOf(box, ['--show', archive.slice(0, 3)])).toEqual([3, 'archive_unknown'])
  expect(reasonOf(box, ['--show', ''])[0]).toBe(3)
  // Another repository of the same user.
  const other = elsewhere(box, 'other')
  box.git('init', '--quiet', other.repo)
  expect(reasonOf(other, ['--show', archive])).toEqual([3, 'archive_unknown'])
})

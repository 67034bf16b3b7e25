import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { callTool } from '../../src/apps/mcp/server.ts'
import { isTool } from '../../src/apps/mcp/tool-list.ts'
import { realPorts } from '../../src/apps/process/real-ports.ts'
import type { SqliteOptions, SqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { loadVerbs } from '../../src/verbs/table.ts'
import { save } from '../../src/verbs/work/save.ts'
import { heard, idOf } from '../cli/hook-lab.ts'
import { LEDGER_ON } from '../cli/save-lab.ts'
import { PLAN, type Sandbox, sandbox } from '../support/sandbox.ts'
import { command, lastJson } from './sweep.ts'

type Method = (...given: unknown[]) => Promise<{ done?: boolean }>

const A = idOf('a')

/** What a test does to every store that is opened. */
const opening = vi.hoisted(() => ({ change: (_store: SqliteStore): void => undefined }))

vi.mock('../../src/store/sqlite/sqlite-store.ts', async (load) => {
  const real = await load<typeof import('../../src/store/sqlite/sqlite-store.ts')>()
  const openSqliteStore = (options: SqliteOptions) => {
    const store = real.openSqliteStore(options)
    opening.change(store)
    return store
  }
  return { ...real, openSqliteStore }
})

/** From the first checkpoint on that is committed, every method of the store fails in a way that nobody foresaw. */
function failAfterCommit(): () => boolean {
  let isCommitted = false
  opening.change = (store) => {
    for (const part of [store.acts, store.log, store.local, store])
      for (const [name, real] of Object.entries(part)) {
        if (typeof real !== 'function') continue
        // `as`: every method is replaced by one that takes and gives the same.
        const [methods, method] = [part as unknown as Record<string, Method>, real as Method]
        methods[name] = async (...given) => {
          if (isCommitted && name !== 'close') throw new Error(`${name} broke`)
          const answer = await method(...given)
          if (isCommitted) throw new Error(`${name} broke`)
          // `as`: what a commit is given.
          const [{ appends = [], note } = {}] = given as [{ appends?: unknown[]; note?: object }?]
          const isSave =
            part === store.acts && name === 'commit' && (appends.length > 0 || note !== undefined)
          if (isSave && answer.done === true) isCommitted = true
          return answer
        }
      }
  }
  onTestFinished(() => {
    opening.change = () => undefined
  })
  return () => isCommitted
}

async function did(box: Sandbox, words: string[]): Promise<Record<string, unknown>> {
  const { code, text } = await command(box, words)
  expect({ words, code, text }).toMatchObject({ code: 0 })
  return lastJson(text) ?? {}
}

async function prepared(): Promise<Sandbox> {
  const box = sandbox()
  writeFileSync(box.path('.agents.yml'), LEDGER_ON)
  writeFileSync(box.path('plan.md'), PLAN)
  await did(box, ['new', 'auth', '--current'])
  await did(box, ['run', 'start', 'plan.md', '--run-id', 'r1'])
  heard(box, A, 'SessionStart')
  Object.assign(box.env, { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: A })
  return box
}

test.each([
  [['save', 'Tokens are rotated'], { stream: 'auth', sequence: 2 }],
  [['ledger', 'write', 'Tokens are rotated'], { stream: 'auth', sequence: 2 }],
  [['delta', '--what', 'Tokens are rotated'], { id: 'auth', sequence: 2, files: 'pending' }],
  [['run', 'save', 'r1'], { runId: 'r1', files: 'pending' }],
  [['run', 'step', 'r1', 's1', 'in_progress'], { runId: 'r1', sequence: 2, files: 'pending' }],
])('%j is confirmed though every later step fails', async (words, receipt) => {
  const box = await prepared()
  const isCommitted = failAfterCommit()
  const answer = await did(box, words)
  expect(isCommitted()).toBe(true)
  expect(answer).toMatchObject({ ok: true, ...receipt })
  expect(answer.notices).toEqual(expect.arrayContaining([expect.stringMatching(/ failed: .* broke/)]))
  opening.change = () => undefined
  // The next command writes what is owed.
  await did(box, words[0] === 'run' ? ['run', 'save', 'r1'] : ['list'])
  expect(await did(box, ['doctor'])).toMatchObject({ healthy: true })
  if (words[0] !== 'run') expect(box.read('checkpoints/active/auth.md')).toContain('Tokens are rotated')
})

test('a handoff whose document cannot be made says that the work is saved', async () => {
  const box = await prepared()
  failAfterCommit()
  const { code, text } = await command(box, ['handoff', 'Go on'])
  expect(code).not.toBe(0)
  expect(lastJson(text)).toMatchObject({ reason: 'handoff_unwritten', data: { stream: 'auth', sequence: 2 } })
})

const BROKEN: Array<[string, (box: Sandbox) => void, string]> = [
  [
    'the folder of backups is a file',
    (box) => {
      rmSync(join(box.home, 'backups'), { recursive: true })
      writeFileSync(join(box.home, 'backups'), '')
    },
    'daily backup',
  ],
  [
    'the list of what git ignores is a folder',
    (box) => {
      rmSync(box.path('.git/info'), { recursive: true })
      mkdirSync(box.path('.git/info/exclude'), { recursive: true })
    },
    'git',
  ],
]

test.each(BROKEN)('a save is confirmed where %s', async (_, breaks, notice) => {
  const box = await prepared()
  breaks(box)
  const done = box.run(['save', 'Tokens are rotated', '--json'])
  expect(done, done.stdout).toMatchObject({ code: 0 })
  expect(JSON.parse(done.stdout)).toMatchObject({ ok: true, sequence: 2 })
  expect(done.stderr).toContain(notice)
  expect(box.json(['resume'])).toMatchObject({ stream: 'auth', sequence: 2 })
})

test('a receipt that cannot be put into words is given as it is', async () => {
  const box = await prepared()
  const said = vi.spyOn(save, 'say').mockImplementation(() => {
    throw new Error('no words')
  })
  onTestFinished(() => said.mockRestore())
  const { code, text } = await command(box, ['save', 'Tokens are rotated'], { json: false })
  expect(code).toBe(0)
  expect(JSON.parse(text)).toMatchObject({ stream: 'auth', sequence: 2 })
})

test('nor is a tool that saved answered with an error', async () => {
  const box = await prepared()
  const said = vi.spyOn(save, 'say').mockImplementation(() => {
    throw new Error('no words')
  })
  onTestFinished(() => said.mockRestore())
  const verb = (await loadVerbs()).filter(isTool).find(({ name }) => name === 'save')
  if (verb === undefined) throw new Error('save is a tool')
  const place = { cwd: box.repo, env: box.env, ports: realPorts, version: '0' }
  const answer = await callTool(verb, { summary: 'Tokens are rotated' }, place)
  expect(answer).not.toHaveProperty('isError')
  expect(answer.content[0]?.text).toMatch(/no words\n.*"stream":"auth".*"sequence":2/)
})

import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot, sandbox } from '../support/sandbox.ts'
import { seedFile } from '../support/seed-file.ts'
import { commit, put, textOf, workBox } from './document-lab.ts'
import { heard } from './hook-lab.ts'
import { within } from './session-lab.ts'

const page = readFileSync(join(projectRoot, 'docs/seeds.md'), 'utf8')
const sectionOf = (title: string) => page.split(/^## /m).find((part) => part.startsWith(title)) ?? ''

/** The commands of each row of a table, by what its user did before. */
const rowsOf = (title: string) =>
  [...sectionOf(title).matchAll(/^\| ((?:\\\||[^|])+) \|.*$/gm)]
    .slice(2)
    .map(([line, before = '']) => ({
      before,
      commands: [...line.matchAll(/`savepoint ([^`]+)`/g)].map(([, command = '']) => command),
    }))
    .filter(({ commands }) => commands.length > 0)

const FILLED: Readonly<Record<string, string>> = {
  ...{ '"…"': 'Refresh', '<ledger>': '.agents/session_ledger.md', '<plan>': 'plan.md', '<path>': 'plan.md' },
  ...{ '<step>': 'backfill', '<code>': 'rate_limited', '<command>': 'true' },
}

/**
 * What the user of documents, notes and the registry has; `save` asks, `init` finds no agent here, and `dashboard` serves
 * until it is stopped (test/apps/dashboard-life.test.ts).
 */
const OWN: Readonly<Record<string, string>> = {
  ...{ '<id>': 'chk-auth-system', '<new>': 'chk-new', '<plan>': 'auth', '<branch>': 'main' },
  ...{ '<path>': 'outcomes/005-auth.json', '"…"': 'Refresh' },
}
const ANSWERED: Readonly<Record<string, string[]>> = {
  save: ['Refresh'],
  init: ['--agent', 'claude'],
  dashboard: ['--help'],
}

const wordsOf = (command: string, run: string) =>
  command.split(' ').map((word) => (FILLED[word] ?? word).replace('<run>', run))

/** A repository with the files of both formats, in which the first page of the ledger was saved. */
function workspace() {
  const box = sandbox()
  put(box, '.agents.yml', seedFile('003', 'agents.yml'))
  put(box, '.agents/session_ledger.md', seedFile('003', 'session_ledger.md'))
  cpSync(join(projectRoot, 'test/fixtures/seeds/004/checkpoints'), box.path('checkpoints'), {
    recursive: true,
  })
  put(box, 'plan.md', '- [ ] backfill: Copy the old orders\n')
  box.run(['trust'])
  return box
}

test.each(
  ['Checkpoint documents (000)', 'Notes by `/checkpoint` (001)', 'Session registry (002)'].flatMap(rowsOf),
)('a user of documents, notes or the registry who used to $before', ({ commands }) => {
  const box = workBox({
    ...{ 'chk-login': textOf('chk-login'), 'chk-auth-system': seedFile('000', 'checkpoint.md') },
  })
  put(box, 'checkpoints/LEARNINGS.md', seedFile('000', 'LEARNINGS.md'))
  commit(box, 'learned')
  put(box, '.claude/plans/auth/checkpoints/20260102T030405Z.json', seedFile('001', 'note.json'))
  put(box, '.claude/checkpoints/20260131T120000Z.json', seedFile('001', 'found-note.json'))
  heard(box, 'sess-abc', 'SessionStart', { source: 'startup' })
  for (const command of commands) {
    const words = command.split(' ').map((word) => OWN[word] ?? word)
    const done = box.run([...words, ...(ANSWERED[command] ?? [])], { env: within('sess-abc') })
    expect(done, command).toMatchObject({ code: 0 })
  }
})

test.each(rowsOf('Session ledger (003)'))('a user of the ledger who used to $before', ({ commands }) => {
  const box = workspace()
  box.json(['save', 'Refresh of an expired token'])
  for (const command of commands) expect(box.run(wordsOf(command, '')), command).toMatchObject({ code: 0 })
})

test.each(rowsOf('Run snapshots (004)'))('a user of runs who used to $before', ({ commands }) => {
  const box = workspace()
  const isStart = commands.some((command) => command.startsWith('run start'))
  const isFound = commands.some((command) => /^run list|^import/.test(command))
  if (!isStart && !isFound) box.json(['import', 'checkpoints/plan-42'])
  for (const command of commands)
    expect(box.run(wordsOf(command, isStart ? 'move-1' : 'plan-42')), command).toMatchObject({ code: 0 })
})

test('no table is empty, and the differences are ten at most, each with why and what to do', () => {
  for (const title of page.match(/(?<=^## ).*\(00\d\)$/gm) ?? [])
    expect(sectionOf(title).match(/^\| /gm)?.length, title).toBeGreaterThan(8)
  const rows = [...sectionOf('What is different on purpose').matchAll(/^\| 00\d \|.*$/gm)]
  expect(rows.length).toBeLessThanOrEqual(10)
  for (const [row] of rows) expect(row.split(' | ').filter((cell) => cell.trim() !== '')).toHaveLength(4)
})

import { existsSync, mkdirSync, realpathSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { projectName } from '../../src/agents/claude/earlier.ts'
import { SetupLab } from './init-lab.ts'
import { heard, idOf } from './session-lab.ts'

const DAY = 86_400_000
const HOUR = 3_600_000

/** A session of so long ago, in the client's own folder. */
function said(lab: SetupLab, id: string, prompt: string, ago: number): void {
  const root = realpathSync(lab.box.repo)
  const path = join(dirname(lab.user), 'projects', projectName(root), `${id}.jsonl`)
  const at = Date.now() - ago
  const row = (number: number, type: 'user' | 'assistant', content: unknown) =>
    JSON.stringify({
      ...{ type, uuid: `${id}-${number}`, isSidechain: false, cwd: root, gitBranch: 'main' },
      timestamp: new Date(at - 60_000 + number * 1_000).toISOString(),
      message: { role: type, content },
    })
  const file = { type: 'tool_use', id: 't', name: 'Write', input: { file_path: join(root, 'a.ts') } }
  const rows = [
    row(1, 'user', prompt),
    row(2, 'assistant', [file]),
    row(3, 'user', [{ type: 'tool_result', tool_use_id: 't', content: 'ok' }]),
    row(4, 'assistant', [{ type: 'text', text: 'It is done.' }]),
  ]
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${rows.join('\n')}\n`)
  utimesSync(path, at / 1_000, at / 1_000)
}

interface Listed {
  sessions: Array<{ id: string; phase: string }>
  archived: number
  unread: number
}
// `as`: what the verb answers with is compared by the tests.
const listOf = (lab: SetupLab, ...args: string[]) => lab.box.json(['sessions', ...args]) as unknown as Listed

test('init reads the sessions of before, and sessions and search know them', () => {
  const lab = new SetupLab()
  said(lab, idOf('a1'), 'Please move the checkout to tokens.', 2 * DAY)
  said(lab, idOf('b2'), 'Why does the zebra importer fail?', 20 * DAY)
  expect(lab.box.json(['init', '--dry-run'])).toMatchObject({ earlier: { read: 0, unread: 2 } })
  expect(lab.box.run(['init', '--dry-run']).stdout).toContain(
    '2 earlier sessions to read; the newest: 2 days',
  )
  expect(existsSync(lab.box.home)).toBe(false)
  expect(lab.box.run(['init']).stdout).toContain('Read 2 earlier sessions; the newest: 2 days ago\n')
  expect(lab.box.json(['init'])).toMatchObject({ earlier: { read: 0, unread: 0, newestAt: null } })
  expect(listOf(lab)).toMatchObject({
    sessions: [{ id: idOf('a1'), phase: 'recent' }],
    archived: 1,
    unread: 0,
  })
  expect(listOf(lab, '--all').sessions.map(({ id }) => id)).toEqual([idOf('a1'), idOf('b2')])
  expect(lab.box.run(['search', 'zebra']).stdout).toContain('zebra')
  expect(lab.box.run(['resume']).stdout).toContain('Please move the checkout to tokens.')
  expect(lab.box.run(['doctor']).stdout).toContain('no events received yet')
})

test('a hook reads the newest, a command goes on with the rest', () => {
  const lab = new SetupLab()
  for (let number = 1; number <= 30; number += 1)
    said(lab, idOf(`a${number}c`), `Please build part ${number}.`, number * HOUR + 2 * HOUR)
  lab.box.json(['trust'])
  // Nobody asked for sessions of this machine to be recorded.
  expect(listOf(lab)).toMatchObject({ sessions: [], unread: 0 })
  expect(heard(lab.box, idOf('ffff'), 'SessionStart', { source: 'startup' })).toBe(0)
  const listed = listOf(lab)
  expect(listed.sessions.length + listed.unread).toBe(31)
  expect(listed.unread).toBeGreaterThan(0)
  const { stdout } = lab.box.run(['reconcile'])
  expect(stdout).toMatch(/^(Read \d+ earlier sessions; the newest: .* ago\n)?No broken sessions\.\n$/)
  expect(listOf(lab)).toMatchObject({ unread: 0 })
  expect(listOf(lab).sessions).toHaveLength(31)
})

test('what is left is said, and what reads it', () => {
  const lab = new SetupLab()
  lab.init('--agent', 'claude')
  heard(lab.box, idOf('ffff'), 'SessionStart', { source: 'startup' })
  for (let number = 1; number <= 25; number += 1)
    said(lab, idOf(`a${number}c`), `Please build part ${number}.`, number * HOUR)
  expect(lab.box.run(['sessions']).stdout).toMatch(
    /\n\d+ earlier transcripts? not read yet: savepoint reconcile\n$/,
  )
})

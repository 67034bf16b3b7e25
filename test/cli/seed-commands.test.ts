import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '../support/sandbox.ts'
import { commit, put, textOf, workBox } from './document-lab.ts'
import { heard } from './hook-lab.ts'
import { within } from './session-lab.ts'
import { seedFile } from './slash-lab.ts'

const page = readFileSync(join(projectRoot, 'docs/seeds.md'), 'utf8')

/** The commands in the rows of a format's table, by what its user did before. */
function rowsOf(format: string) {
  const section = page.split(/^## /m).find((part) => part.split('\n', 1)[0]?.endsWith(`(${format})`)) ?? ''
  return [...section.matchAll(/^\| ((?:\\\||[^|])+) \|.*$/gm)].slice(2).map(([row, before = '']) => ({
    ...{ format, before },
    commands: [...row.matchAll(/`savepoint ([^`]+)`/g)].map(([, command = '']) => command),
  }))
}

const FILLED: Readonly<Record<string, string>> = {
  ...{ '<id>': 'chk-auth-system', '<new>': 'chk-new', '<plan>': 'auth', '<branch>': 'main' },
  ...{ '"…"': 'Refresh', '<path>': 'outcomes/005-auth.json' },
}

/** A terminal asks; a test says what would be answered. `init` finds no agent here, unless it is named. */
const MORE: Readonly<Record<string, string[]>> = { save: ['Refresh'], init: ['--agent', 'claude'] }

const rows = ['000', '001', '002'].flatMap(rowsOf)

test.each(rows.filter(({ commands }) => commands.length > 0))(
  'a user of $format who used to $before',
  ({ commands }) => {
    const box = workBox({
      'chk-login': textOf('chk-login'),
      'chk-auth-system': seedFile('000/checkpoint.md'),
    })
    put(box, 'checkpoints/LEARNINGS.md', seedFile('000/LEARNINGS.md'))
    commit(box, 'learned')
    put(box, '.claude/plans/auth/checkpoints/20260102T030405Z.json', seedFile('001/note.json'))
    put(box, '.claude/checkpoints/20260131T120000Z.json', seedFile('001/found-note.json'))
    heard(box, 'sess-abc', 'SessionStart', { source: 'startup' })
    const env = within('sess-abc')
    for (const command of commands) {
      const words = command.split(' ').map((word) => FILLED[word] ?? word)
      const { code, stdout, stderr } = box.run([...words, ...(MORE[command] ?? [])], { env })
      expect([command, code, code === 0 ? '' : stdout + stderr]).toEqual([command, 0, ''])
    }
  },
)

test('each table has a row for what its user did', () => {
  expect(rows.length).toBeGreaterThan(25)
  expect(rows.filter(({ before }) => before.includes('/'))).not.toEqual([])
})

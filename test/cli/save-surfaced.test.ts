import { expect, test } from 'vitest'
import type { Sandbox } from '../support/sandbox.ts'
import { elsewhere, identify } from './document-lab.ts'
import { heard, idOf, words } from './hook-lab.ts'
import { SetupLab } from './init-lab.ts'
import { save } from './save-lab.ts'
import { within } from './session-lab.ts'

const LINE = '\n\n  This context will be surfaced on next session start.\n\n━'
const ONE = idOf('1')
const TWO = idOf('2')

/** Whether the banner promises it; the receipt says the same of the same save. */
function promised(box: Sandbox, args: string[], env: NodeJS.ProcessEnv = {}): boolean {
  const inBanner = box.run(['save', '--verbose', ...args], { env }).stdout.includes(LINE)
  expect(save(box, args, { env }).surfaced).toBe(inBanner)
  return inBanner
}

/** What the next session that starts is told. */
const toldAt = (box: Sandbox, id: string) => words(heard(box, id, 'SessionStart', { source: 'startup' }))

test('the banner says that the next start tells this where init was given, and not before it or after uninstall [001.19]', () => {
  const lab = new SetupLab()
  expect(promised(lab.box, ['Login works'])).toBe(false)
  lab.init()
  expect(promised(lab.box, ['Logout works'])).toBe(true)
  // At a terminal nobody knows whether the next start tells of the work that is named.
  expect(promised(lab.box, ['Docs', '--stream', 'docs'])).toBe(false)
  expect(toldAt(lab.box, ONE)).toContain('Logout works')
  lab.uninstall()
  expect(promised(lab.box, ['Refresh works'])).toBe(false)
})

test('for the agent of a user it is said in every workspace, for one of a project in that alone [001.19]', () => {
  const lab = new SetupLab()
  identify(lab.box)
  lab.box.git('commit', '--quiet', '--allow-empty', '-m', 'begin')
  lab.init('--scope', 'user')
  expect(promised(lab.box, ['Login works'])).toBe(true)
  lab.uninstall('--scope', 'user')
  lab.init()
  lab.box.git('worktree', 'add', '--quiet', '-b', 'side', '../other')
  const other = elsewhere(lab.box, 'other')
  expect(promised(other, ['Side'])).toBe(false)
  expect(promised(lab.box, ['Login works'])).toBe(true)
})

test('in a session that is followed it is said of named work too, and the next start tells that work [001.19]', () => {
  const { box } = new SetupLab()
  // Nothing is recorded of this one: its start was not heard.
  expect(promised(box, ['Docs', '--stream', 'docs'], within(ONE))).toBe(false)
  heard(box, ONE, 'SessionStart', { source: 'startup' })
  expect(promised(box, ['Billing works', '--stream', 'billing'], within(ONE))).toBe(true)
  heard(box, ONE, 'SessionEnd', { reason: 'logout' })
  expect(toldAt(box, TWO)).toContain('Billing works')
})

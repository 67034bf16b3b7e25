import { expect, test } from 'vitest'
import { sandbox } from '../support/sandbox.ts'

const REASONS = [
  ['session-end', 'Leaving for today'],
  ['pressure', 'The window fills up'],
  ['decision', 'RS256 is settled'],
  ['shift', 'Off to the billing'],
  ['risk', 'Before the large migration'],
  ['phase', 'After the large migration, a milestone'],
] as const

test('the end of a session, a growing context, a decision, a change of focus, a risk ahead and a milestone are named by the save that they cause [001.03] [002.91] [003.20] [003.21]', () => {
  const box = sandbox()
  for (const [reason, text] of REASONS) box.json(['save', text, '--trigger', reason])
  const { history } = box.json(['show', 'main', '--history']) as { history: Array<{ why: string }> }
  expect(history.map(({ why }) => why)).toEqual(REASONS.map(([reason, text]) => `${reason}: saved: ${text}`))
  expect(box.run(['save', 'x', '--trigger', 'boredom']).code).toBe(2)
})

import { expect, test } from 'vitest'
import { sandbox } from '../support/sandbox.ts'

test('the end of a session, a full window, a decision and a change of task are named by the save that they cause [001.03]', () => {
  const box = sandbox()
  const reasons = ['session-end', 'pressure', 'decision', 'shift']
  for (const reason of reasons) box.json(['save', `Because of ${reason}`, '--trigger', reason])
  const { history } = box.json(['show', 'main', '--history']) as { history: Array<{ why: string }> }
  expect(history.map(({ why }) => why)).toEqual(
    reasons.map((reason) => `${reason}: saved: Because of ${reason}`),
  )
})

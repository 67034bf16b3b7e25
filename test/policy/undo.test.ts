import { expect, test } from 'vitest'
import { chooseAct, mayUndo } from '../../src/policy/undo.ts'

const at = (session: string | null) => ({ session, isRedo: false })

const acts = (...undone: number[]) => [1, 2, 3].map((id) => ({ id, isUndone: undone.includes(id) }))

test('an undo takes the last act that stands, a redo the first after it', () => {
  expect([chooseAct(acts(), false)?.id, chooseAct(acts(), true)]).toEqual([3, null])
  expect([chooseAct(acts(3), false)?.id, chooseAct(acts(3), true)?.id]).toEqual([2, 3])
  expect([chooseAct(acts(2, 3), false)?.id, chooseAct(acts(2, 3), true)?.id]).toEqual([1, 2])
  expect([chooseAct(acts(1, 2, 3), false), chooseAct(acts(1, 2, 3), true)?.id]).toEqual([null, 1])
  expect([chooseAct([], false), chooseAct([], true)]).toEqual([null, null])
})

test('a user may undo all of it, an agent only what was done in its own session', () => {
  const ofAgent = { by: 'agent', session: 'a' } as const
  const ofUser = { by: 'user', session: null } as const
  expect([mayUndo(ofUser, 'user', at(null)), mayUndo(ofAgent, 'user', at(null))]).toEqual([true, true])
  expect([mayUndo(ofAgent, 'agent', at('a')), mayUndo(ofAgent, 'agent', at('b'))]).toEqual([true, false])
  expect([
    mayUndo(ofUser, 'agent', at('a')),
    mayUndo({ by: 'user', session: 'a' }, 'agent', at('a')),
  ]).toEqual([false, false])
  expect(mayUndo({ by: 'agent', session: null }, 'agent', at(null))).toBe(false)
  // It may have been the user who undid it.
  expect(mayUndo(ofAgent, 'agent', { session: 'a', isRedo: true })).toBe(false)
  expect(mayUndo(ofAgent, 'user', { session: null, isRedo: true })).toBe(true)
})

import { expect, test } from 'vitest'
import { MOST_EVENTS, withEvent } from '../../src/policy/session-apply.ts'
import { after, sampleSession } from './session-sample.ts'

const event = (index: number) => ({ at: after(index), kind: 'prompt', note: `${index}`, ms: null, tokens: 0 })

test('the newest 100 events are kept, and the session is not touched [002.20]', () => {
  const events = Array.from({ length: 100 }, (_, index) => event(index))
  const first = sampleSession({ events: events.slice(0, 99) })
  const full = withEvent(first, event(99))
  expect(MOST_EVENTS).toBe(100)
  expect(full).toEqual({ ...first, events })
  expect(withEvent(full, event(100)).events).toEqual([...events.slice(1), event(100)])
  expect(full.events).toHaveLength(100)
  expect(first.events).toHaveLength(99)
})

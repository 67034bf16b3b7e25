import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PHASES, type Phase, type Session } from '../../src/core/session.ts'
import {
  dueEvent,
  LIFE_EVENTS,
  nextPhase,
  phaseAt,
  RECENT_FOR_MS,
  STALE_AFTER_MS,
} from '../../src/policy/session-lifecycle.ts'
import { madeLines } from '../support/made-part.ts'
import { T0 } from './sample.ts'
import { after } from './session-sample.ts'

const HOUR = 3_600_000

/** Every phase with every event, in the order of LIFE_EVENTS. */
const TABLE: Record<Phase, string> = {
  //         speak  end      silent   reconcile age
  active: '  active recent   stale    active    active',
  stale: '   active recent   stale    recent    stale',
  recent: '  active recent   recent   recent    archived',
  archived: 'active archived archived archived  archived',
}
const ROWS = PHASES.flatMap((from) =>
  TABLE[from]
    .trim()
    .split(/\s+/)
    .map((to, index) => [from, LIFE_EVENTS[index] ?? 'speak', to] as const),
)

test('the table covers every phase and every event', () => {
  expect(ROWS).toHaveLength(PHASES.length * LIFE_EVENTS.length)
})

test.each(ROWS)('a session that is %s is, after %s, %s [002.01] [002.02] [002.04]', (from, event, to) => {
  expect(nextPhase(from, event)).toBe(to)
})

test('whatever happened, whoever speaks is active', () => {
  fc.assert(
    fc.property(fc.constantFrom(...PHASES), fc.array(fc.constantFrom(...LIFE_EVENTS)), (phase, events) => {
      const last = events.reduce(nextPhase, phase)
      expect(PHASES).toContain(last)
      expect(nextPhase(last, 'speak')).toBe('active')
    }),
  )
})

const session = (phase: Phase, more: Partial<Session> = {}) => ({
  phase,
  lastActivityAt: after(0),
  endedAt: phase === 'recent' || phase === 'archived' ? after(0) : null,
  ...more,
})

describe('what the clock does', () => {
  test('an hour of silence is not yet too long [002.03] [002.40]', () => {
    expect(STALE_AFTER_MS).toBe(HOUR)
    expect(phaseAt(session('active'), T0 + HOUR)).toBe('active')
    expect(phaseAt(session('active'), T0 + HOUR + 1)).toBe('stale')
    expect(dueEvent(session('active'), T0 + HOUR + 1)).toBe('silent')
  })

  test('a recent session is archived after 72 hours, counted from its end [002.05] [002.92]', () => {
    expect(RECENT_FOR_MS).toBe(72 * HOUR)
    expect(phaseAt(session('recent', { endedAt: after(HOUR) }), T0 + 73 * HOUR)).toBe('recent')
    expect(phaseAt(session('recent', { endedAt: after(HOUR) }), T0 + 73 * HOUR + 1)).toBe('archived')
    expect(phaseAt(session('recent', { endedAt: null }), T0 + 72 * HOUR + 1)).toBe('archived')
  })

  test('a transcript that grew is activity, one that was written before is not [002.43]', () => {
    expect(phaseAt(session('active'), T0 + 2 * HOUR, T0 + HOUR)).toBe('active')
    expect(phaseAt(session('active'), T0 + 2 * HOUR, T0 + HOUR - 1)).toBe('stale')
    expect(phaseAt(session('active'), T0 + 2 * HOUR, T0 - HOUR)).toBe('stale')
    expect(phaseAt(session('active'), T0 + HOUR, T0 - HOUR)).toBe('active')
    expect(phaseAt(session('stale'), T0 + 3 * HOUR, T0 + 3 * HOUR - 5)).toBe('active')
    expect(phaseAt(session('stale'), T0 + 3 * HOUR, T0 + HOUR)).toBe('stale')
  })

  test('a stale session waits, however long, and does not come back because the clock was set back', () => {
    expect(phaseAt(session('stale'), T0 + 1_000 * HOUR)).toBe('stale')
    expect(phaseAt(session('stale'), T0 + 5)).toBe('stale')
    expect(phaseAt(session('active'), T0 - 5 * HOUR)).toBe('active')
  })

  test('the last lines that a client writes when it has ended do not bring the session back', () => {
    expect(phaseAt(session('recent'), T0 + HOUR, T0 + 30_000)).toBe('recent')
    expect(phaseAt(session('recent'), T0 + HOUR, T0 + 61_000)).toBe('active')
    expect(phaseAt(session('recent'), T0 + 80 * HOUR, T0 + HOUR)).toBe('archived')
    expect(phaseAt(session('archived'), T0 + 80 * HOUR, T0 + 80 * HOUR)).toBe('archived')
  })

  test('is done at once: looking a second time at the same moment changes nothing', () => {
    const times = fc.integer({ min: -100, max: 100 }).map((hours) => T0 + hours * HOUR)
    fc.assert(
      fc.property(
        fc.constantFrom(...PHASES),
        times,
        fc.option(times, { nil: undefined }),
        (phase, now, grew) => {
          const first = phaseAt(session(phase), now, grew)
          expect(phaseAt(session(phase, { phase: first }), now, grew)).toBe(first)
        },
      ),
    )
  })
})

test('the diagram has an arrow for each change, and none for what stays', () => {
  expect(madeLines('lifecycle').slice(1, -1).join('\n')).toBe(`stateDiagram-v2
    [*] --> active: starts
    active --> recent: ends
    active --> stale: silent for 1 h
    stale --> active: speaks again
    stale --> recent: ends
    stale --> recent: reconciled, reason crash
    recent --> active: speaks again
    recent --> archived: 72 h after its end
    archived --> active: speaks again`)
})

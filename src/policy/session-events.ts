import type { Session, SessionEvent } from '../core/session.ts'

export const MOST_EVENTS = 100

/** A session with one more event; of more than it may keep, the oldest go. */
export const withEvent = <S extends Pick<Session, 'events'>>(session: S, event: SessionEvent): S => ({
  ...session,
  events: [...session.events, event].slice(-MOST_EVENTS),
})

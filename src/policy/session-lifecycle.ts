import { clipText } from '../core/canonical.ts'
import type { InFlight, Phase, Session } from '../core/session.ts'
import { collapseSpaces } from '../core/text.ts'

/** What can happen to a session in the eyes of its life: each sign of life is `speak`. */
export const LIFE_EVENTS = ['speak', 'end', 'silent', 'reconcile', 'age'] as const
export type LifeEvent = (typeof LIFE_EVENTS)[number]

/** Longer than this without activity, and an active session is stale. */
export const STALE_AFTER_MS = 3_600_000
/** Longer than this after its end, and a recent session is archived. */
export const RECENT_FOR_MS = 72 * 3_600_000
/** A client writes its last lines when it has said already that it ends. */
const CLOSING_MS = 60_000

type Row = Record<LifeEvent, Phase>

// `as`: every key of the row is filled from the list of keys.
const staysAs = (phase: Phase) => Object.fromEntries(LIFE_EVENTS.map((event) => [event, phase])) as Row

/** A session's phase after each event. Whoever speaks is alive, whatever was thought of it. */
const LIFECYCLE = {
  active: { ...staysAs('active'), end: 'recent', silent: 'stale' },
  stale: { ...staysAs('stale'), speak: 'active', end: 'recent', reconcile: 'recent' },
  recent: { ...staysAs('recent'), speak: 'active', age: 'archived' },
  archived: { ...staysAs('archived'), speak: 'active' },
} as const satisfies Record<Phase, Row>

export const nextPhase = (phase: Phase, event: LifeEvent): Phase => LIFECYCLE[phase][event]

type SessionTimes = Pick<Session, 'phase' | 'lastActivityAt' | 'endedAt'>

/**
 * What the clock, or a transcript that grew at a time later than the last known activity, does to a session; null
 * where that is nothing. A recent session speaks only when its transcript still grows well after its end, and an
 * archived one only by an event of its own.
 */
export function dueEvent({ phase, lastActivityAt, endedAt }: SessionTimes, nowMs: number, grewAtMs?: number) {
  const heardMs = Date.parse(lastActivityAt)
  const aliveMs = Math.max(heardMs, grewAtMs ?? heardMs)
  const isSilent = nowMs - aliveMs > STALE_AFTER_MS
  const endMs = Date.parse(endedAt ?? lastActivityAt)
  const due: Record<Phase, LifeEvent | false> = {
    active: isSilent && 'silent',
    stale: !isSilent && aliveMs > heardMs && 'speak',
    recent:
      !isSilent && aliveMs > heardMs && aliveMs > endMs + CLOSING_MS
        ? 'speak'
        : nowMs - endMs > RECENT_FOR_MS && 'age',
    archived: false,
  }
  return due[phase] || null
}

export function phaseAt(session: SessionTimes, nowMs: number, grewAtMs?: number): Phase {
  const event = dueEvent(session, nowMs, grewAtMs)
  return event === null ? session.phase : nextPhase(session.phase, event)
}

/** It may be at work now, as far as anybody can tell. */
export const isLive = ({ phase, endedAt }: Pick<Session, 'phase' | 'endedAt'>) =>
  phase === 'active' && endedAt === null

/** A transcript that grew for so long without a hook being heard: hooks do not run. */
const QUIET_MS = 1_800_000

/** For how long a session went on without any of its hooks being heard; null where that is not so. */
export function quietFor(session: Pick<Session, 'events' | 'lastActivityAt' | 'endedAt'>): number | null {
  const heard = session.events.at(-1)?.at
  if (heard === undefined || session.endedAt !== null) return null
  const quietMs = Date.parse(session.lastActivityAt) - Date.parse(heard)
  return quietMs > QUIET_MS ? quietMs : null
}

/**
 * What was running when it was last heard of: by its transcript, and by its hooks, which may have heard of it first. The
 * two have other ids for the same helper, and the hooks may know only what kind it is.
 */
export function runningIn({ inFlight, unfinished }: Pick<Session, 'inFlight' | 'unfinished'>): InFlight[] {
  const isKnown = ({ id, what }: InFlight) =>
    unfinished.some((one) => one.id === id || one.what.toLowerCase().includes(what.toLowerCase()))
  const heard = inFlight.filter((one) => one.kind !== 'task' && !isKnown(one))
  return [...unfinished, ...heard].filter(({ what }) => what !== '')
}

/** "go on" is no task. */
const SAYS_LITTLE = 15

/** Whether a request says what is to be done, as far as its length can tell. */
export const saysTask = ({ text }: { text: string }) => text.length > SAYS_LITTLE

const LONGEST = 160

/** A request as lists of sessions show it. */
export const clipRequest = (text: string) => clipText(collapseSpaces(text.slice(0, LONGEST * 10)), LONGEST)

/** What a session was asked last, as far as lists know: what its hooks heard may be newer than its transcript. */
export function lastAsked({ asked, lastPrompt }: Pick<Session, 'asked' | 'lastPrompt'>): string {
  const isNewer = lastPrompt !== null && lastPrompt.at > (asked?.at ?? '') && saysTask(lastPrompt)
  return clipRequest((isNewer ? lastPrompt.text : asked?.text) ?? lastPrompt?.text ?? '')
}

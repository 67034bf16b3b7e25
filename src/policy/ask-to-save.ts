import type { AgentEvent } from '../core/agent-event.ts'
import type { Session, Stretch } from '../core/session.ts'

/** No more points come from something than `mostPoints`. */
type Weight = Record<'perPoint' | 'mostPoints', number>

/**
 * How much was done since the last save. Decisions come with requests, so they alone have no limit: neither a large
 * rename nor a long run is enough by itself.
 */
export const WEIGHTS = {
  requests: { perPoint: 1, mostPoints: Number.POSITIVE_INFINITY },
  edits: { perPoint: 2, mostPoints: 6 },
  minutes: { perPoint: 10, mostPoints: 6 },
} as const satisfies Record<string, Weight>

export const DUE_AT_POINTS = 12

/** Upper limit for the work time counted between two events: in a longer pause the user was away. */
const LONGEST_PAUSE_MS = 600_000

/** A stretch begins with its session, and anew with every save by hand. */
export const beginStretch = (at: string): Stretch => ({
  ...{ requests: 0, edits: 0, activeMs: 0, heardAt: at, isAsked: false },
})

/** The stretch after one more event. Edits of helpers count as well; only the main conversation has requests. */
export function stretchAfter(stretch: Stretch, event: AgentEvent): Stretch {
  const { requests, edits, activeMs, heardAt } = stretch
  const silentMs = Date.parse(event.at) - Date.parse(heardAt)
  const edited = event.kind === 'batch' ? event.tools.filter(({ isEdit }) => isEdit).length : 0
  return {
    ...stretch,
    requests: event.kind === 'prompt' && event.helper === null ? requests + 1 : requests,
    edits: edits + edited,
    activeMs: activeMs + Math.min(Math.max(0, silentMs), LONGEST_PAUSE_MS),
    // An event that comes late from a journal does not turn the clock back.
    heardAt: silentMs > 0 ? event.at : heardAt,
  }
}

/** The stretch in which a session may still be asked; null where it was asked, handed its work off, or must not be. */
export const openStretch = (
  { stretch, handedOff }: Pick<Session, 'stretch' | 'handedOff'>,
  isAllowed: boolean,
): Stretch | null => (isAllowed && !handedOff && stretch && !stretch.isAsked ? stretch : null)

/** Whether so much was done since the last save that the agent is to be asked for one. */
export const isSaveDue = ({ requests, edits, activeMs }: Stretch): boolean =>
  points(WEIGHTS.requests, requests) +
    points(WEIGHTS.edits, edits) +
    points(WEIGHTS.minutes, activeMs / 60_000) >=
  DUE_AT_POINTS

const points = ({ perPoint, mostPoints }: Weight, amount: number) => Math.min(amount / perPoint, mostPoints)

import type { InFlight, Session } from '../core/session.ts'

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

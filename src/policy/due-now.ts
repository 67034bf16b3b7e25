import type { AgentEvent } from '../core/agent-event.ts'
import type { Stretch } from '../core/session.ts'
import { isSaveDue, stretchAfter } from './ask-to-save.ts'
import { momentOf } from './moments.ts'
import { nudgesFor } from './nudges.ts'

/** What is remembered of a session between two events, without opening the store. */
export interface SessionMemory {
  nudged: readonly string[]
  compactions: number
  /** The summary of a compaction is not compared yet, or a message to the agent is pending. */
  owed: boolean
  handedOff: boolean
  /** What was done since the last save, up to this event; null where the agent is not to be asked for one. */
  stretch: Stretch | null
}

/** Whether it matters how full the window is: between tools and at the end of a turn, in the main conversation. */
export const asksForWindow = (event: AgentEvent): boolean =>
  event.helper === null && (event.kind === 'batch' || (event.kind === 'stop' && !event.again))

/** Whether the agent can be asked for a save: with a request, in the main conversation. */
export const mayAskToSave = (event: AgentEvent): boolean => event.helper === null && event.kind === 'prompt'

/**
 * Whether the store has to be opened for an event: the table of moments says which may, and what is remembered says
 * whether anything is due. A session of which nothing is remembered is looked up once.
 */
export function isDueNow(
  event: AgentEvent,
  known: SessionMemory | null,
  usedPercent: number | null,
): boolean {
  const { opens } = momentOf(event.kind)
  if (opens !== 'when-due') return opens === 'always'
  // A helper has a window of its own, and a turn that a hook keeps going has been advised.
  if (event.helper !== null || (event.kind === 'stop' && event.again)) return false
  if (known === null) return true
  const canTell = event.kind === 'prompt' || event.kind === 'batch'
  return (
    (known.owed && canTell) ||
    (asksForWindow(event) && nudgesFor({ usedPercent, ...known }).length > 0) ||
    (mayAskToSave(event) && known.stretch !== null && isSaveDue(stretchAfter(known.stretch, event)))
  )
}

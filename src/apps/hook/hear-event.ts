import { join } from 'node:path'
import type { Agent } from '../../core/agent.ts'
import type { AgentEvent } from '../../core/agent-event.ts'
import type { SessionKey } from '../../core/session.ts'
import { headHere } from '../../engine/sessions/head-here.ts'
import { recallSession } from '../../engine/sessions/recall.ts'
import type { JournalRecord } from '../../engine/sessions/record.ts'
import { appendRecord, readGauge } from '../../engine/sessions/session-files.ts'
import { asksForWindow, isDueNow } from '../../policy/due-now.ts'
import { redactAll } from '../../policy/redact.ts'

/**
 * Writes an event down in the journal of its session, and says whether somebody must open the store for it now.
 * `elapsed` is how long our part took, where this is all of it.
 */
export function hearEvent(
  home: string,
  agent: Agent,
  event: AgentEvent,
  elapsed: () => number,
): { isDue: boolean; usedPercent: number | null } {
  const usedPercent = usedPercentFor(home, event, agent)
  const isDue = isDueNow(event, recallSession(join(home, 'sessions'), event), usedPercent)
  const head = event.kind === 'start' ? headHere(event.cwd) : null
  // What reaches the disk holds no secret.
  appendTo(home, event, redactAll({ event, ms: isDue ? null : elapsed(), head }))
  return { isDue, usedPercent }
}

export const appendTo = (home: string, event: AgentEvent, line: JournalRecord) =>
  appendRecord(join(home, 'sessions'), keyOf(event), line)

/** How full the window is: the transcript's last call, in the window that the status line was told of. */
function usedPercentFor(home: string, event: AgentEvent, { lastUse, windowOf }: Agent): number | null {
  const use = asksForWindow(event) && event.transcript !== null ? lastUse(event.transcript) : null
  if (use === null) return null
  const gauge = readGauge(join(home, 'sessions'), keyOf(event))
  const window = gauge?.window ?? windowOf(use.model)
  return window ? (use.tokens / window) * 100 : null
}

const keyOf = ({ agent, session }: AgentEvent): SessionKey => ({ agent, id: session })

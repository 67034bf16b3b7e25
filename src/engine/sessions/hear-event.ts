import { join } from 'node:path'
import type { Agent } from '../../core/agent.ts'
import type { AgentEvent } from '../../core/agent-event.ts'
import { unlessRefused } from '../../core/reason.ts'
import type { SessionKey, Stretch } from '../../core/session.ts'
import { stretchAfter } from '../../policy/ask-to-save.ts'
import { asksForWindow, isDueNow, mayAskToSave, type SessionMemory } from '../../policy/moments.ts'
import { redactAll, type SecretMark } from '../../policy/redact.ts'
import { headOf } from '../../workspace/git-state.ts'
import { locateWorkspace } from '../../workspace/locate.ts'
import {
  appendRecord,
  type JournalRecord,
  journalSize,
  readGauge,
  readHint,
  readJournal,
} from './session-files.ts'

/**
 * Writes an event down in the journal of its session, and says whether somebody must open the store for it now, and
 * what kept it from being written.
 * `elapsed` is how long our part took, where this is all of it. It is in the hook's own bundle, as session-files.ts is.
 */
export function hearEvent(
  home: string,
  agent: Agent,
  event: AgentEvent,
  { elapsed, mark }: { elapsed: () => number; mark: SecretMark },
): { isDue: boolean; usedPercent: number | null; failure: unknown } {
  const usedPercent = usedPercentFor(home, event, agent)
  const isDue = isDueNow(event, recallSession(join(home, 'sessions'), event), usedPercent)
  const head = event.kind === 'start' ? unlessRefused(() => headOf(locateWorkspace(event.cwd))) : null
  let failure: unknown = null
  try {
    // What reaches the disk holds no secret.
    appendTo(home, event, redactAll({ event, ms: isDue ? null : elapsed(), head }, mark))
  } catch (error) {
    // A disk that takes nothing can still be read: the brief of a start is told all the same.
    failure = error
  }
  return { isDue, usedPercent, failure }
}

export const appendTo = (home: string, event: AgentEvent, line: JournalRecord) =>
  appendRecord(join(home, 'sessions'), sessionKeyOf(event), line)

export const sessionKeyOf = ({ agent, session }: AgentEvent): SessionKey => ({ agent, id: session })

/** How full the window is: the transcript's last call, in the window that the status line was told of. */
function usedPercentFor(home: string, event: AgentEvent, { lastUse, windowOf }: Agent): number | null {
  const use = asksForWindow(event) && event.transcript !== null ? lastUse(event.transcript) : null
  if (use === null) return null
  const window = readGauge(join(home, 'sessions'), sessionKeyOf(event))?.window ?? windowOf(use.model)
  return window ? (use.tokens / window) * 100 : null
}

/** More than this is for the store to take in: else every request would read it again. */
const MOST_UNREAD_BYTES = 256 * 1024

/**
 * What is known of a session before an event, without opening the store. Null where that is nothing, or where the hint
 * is too far behind the journal: then the store is looked into, and a new hint is written.
 */
export function recallSession(sessions: string, event: AgentEvent): SessionMemory | null {
  const key = sessionKeyOf(event)
  const hint = readHint(sessions, key) ?? null
  if (!hint?.stretch || !mayAskToSave(event)) return hint
  const { journalRead } = hint.stretch
  if (journalSize(sessions, key) - journalRead > MOST_UNREAD_BYTES) return null
  const stretch = readJournal(sessions, key, journalRead).records.reduce(
    (sum: Stretch, record) => ('event' in record ? stretchAfter(sum, record.event) : sum),
    hint.stretch,
  )
  return { ...hint, stretch }
}

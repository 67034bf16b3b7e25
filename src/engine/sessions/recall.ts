import type { AgentEvent } from '../../core/agent-event.ts'
import type { SessionKey, Stretch } from '../../core/session.ts'
import { stretchAfter } from '../../policy/ask-to-save.ts'
import { mayAskToSave, type SessionMemory } from '../../policy/due-now.ts'
import { recordOf } from './record.ts'
import { type Hint, journalSize, readHint, readRecords } from './session-files.ts'

/** More than this is for the store to take in: else every request would read it again. */
const MOST_UNREAD_BYTES = 256 * 1024

/**
 * What is known of a session before an event, without opening the store. Null where that is nothing, or where the hint
 * is too far behind the journal: then the store is looked into, and a new hint is written.
 */
export function recallSession(sessions: string, event: AgentEvent): SessionMemory | null {
  const key: SessionKey = { agent: event.agent, id: event.session }
  const hint = readHint(sessions, key) ?? null
  if (!hint?.stretch || !mayAskToSave(event)) return hint
  const isFarBehind = journalSize(sessions, key) - hint.stretch.journalRead > MOST_UNREAD_BYTES
  return isFarBehind ? null : { ...hint, stretch: withJournal(sessions, key, hint.stretch) }
}

/** A stretch with what the journal holds beyond the hint. */
const withJournal = (sessions: string, key: SessionKey, stretch: NonNullable<Hint['stretch']>): Stretch =>
  readRecords(sessions, key, stretch.journalRead).records.reduce((sum: Stretch, value) => {
    const record = recordOf(value, key.id)
    return record !== null && 'event' in record ? stretchAfter(sum, record.event) : sum
  }, stretch)

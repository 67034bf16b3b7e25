import type { AgentEvent, AgentEventKind } from '../../core/agent-event.ts'

/** One record of a session's journal: what happened, or how long our part of it took. */
export type JournalRecord =
  | { event: AgentEvent; ms: number | null; head: RecordedHead | null }
  | { timing: { of: AgentEventKind; ms: number; tokens: number } }

/** Where git stood when a session began. */
export interface RecordedHead {
  branch: string | null
  commit: string | null
}

/** A record as it was written; null where somebody else wrote it, or another version with other words. */
export function recordOf(value: unknown, id: string): JournalRecord | null {
  if (typeof value !== 'object' || value === null) return null
  // `as`: only this program writes there; what tells the two kinds apart is tested.
  const record = value as Partial<{ event: Partial<AgentEvent>; timing: object }>
  if (typeof record.timing === 'object' && record.timing !== null) return value as JournalRecord
  const { kind, session, at, cwd } = record.event ?? {}
  if (typeof kind !== 'string' || session !== id || typeof at !== 'string' || typeof cwd !== 'string')
    return null
  const fields: Readonly<Record<string, unknown>> = { ...record.event }
  const isWhole = Object.entries(NEEDED[kind] ?? {}).every(([name, type]) =>
    type === 'list' ? Array.isArray(fields[name]) : typeof fields[name] === type,
  )
  return isWhole && !Number.isNaN(Date.parse(at)) ? (value as JournalRecord) : null
}

/** What an event of a kind cannot be taken in without; of a kind that is not known, only that it was there. */
const NEEDED: Readonly<Record<string, Readonly<Record<string, 'string' | 'list'>>>> = {
  start: { source: 'string' },
  prompt: { text: 'string' },
  batch: { tools: 'list' },
  stop: { said: 'string', background: 'list' },
  failure: { error: 'string' },
  compacted: { summary: 'string' },
  'helper-started': { id: 'string', what: 'string' },
  'helper-stopped': { id: 'string' },
  'task-created': { id: 'string', what: 'string' },
  'task-completed': { id: 'string', what: 'string' },
  end: { reason: 'string' },
}

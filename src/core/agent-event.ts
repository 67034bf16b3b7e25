import type { AgentName, EndReason, InFlight, SessionSource } from './session.ts'

/** What every event of an agent says. */
interface Common {
  agent: AgentName
  /** The client's own id of the session. */
  session: string
  at: string
  cwd: string
  transcript: string | null
  permissionMode: string | null
  /** The helper in which it happened; null for the main conversation. */
  helper: string | null
}

/** A tool that was used, in as few words as can say it. */
export interface ToolUse {
  name: string
  /** The file that it was given, where it was given one. */
  path: string | null
  /** Whether it changes a file. */
  isEdit: boolean
  /** What it left running, where it did. */
  running: Pick<InFlight, 'id' | 'kind' | 'what'> | null
}

/** An agent's event in our vocabulary: agents/<agent>/hooks.ts makes it from the client's payload. */
export type AgentEvent = Common &
  (
    | { kind: 'start'; source: SessionSource; model: string | null }
    | { kind: 'prompt'; text: string }
    | { kind: 'batch'; tools: ToolUse[] }
    /** `again`: a hook has kept the turn going already. */
    | { kind: 'stop'; again: boolean; said: string; background: Array<Pick<InFlight, 'id' | 'what'>> }
    | { kind: 'failure'; error: string; details: string }
    | { kind: 'compacting'; automatic: boolean }
    | { kind: 'compacted'; summary: string }
    | { kind: 'helper-started'; id: string; what: string }
    | { kind: 'helper-stopped'; id: string; said: string }
    | { kind: 'task-created'; id: string; what: string }
    | { kind: 'task-completed'; id: string; what: string }
    | { kind: 'end'; reason: EndReason }
  )

export type AgentEventKind = AgentEvent['kind']

import type { WindowSample } from './window-fill.ts'

/** Where a session stands in its life; policy/session-lifecycle.ts says what leads from one to the next. */
export const PHASES = ['active', 'stale', 'recent', 'archived'] as const
export type Phase = (typeof PHASES)[number]

/** How a session came to be, in the words of the clients. */
export const SESSION_SOURCES = ['startup', 'resume', 'clear', 'compact', 'fork'] as const
export type SessionSource = (typeof SESSION_SOURCES)[number]

export const END_REASONS = [
  'clear',
  'resume',
  'logout',
  'prompt_input_exit',
  'crash',
  'timeout',
  'other',
] as const
export type EndReason = (typeof END_REASONS)[number]

/** The name of an agent, as agents/table.ts has it. Rows and files may name one that this version does not know. */
export type AgentName = string

/** A client's own id, as far as it can be a file's name and a row's key. */
export const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/

/** What identifies a session: the client's own id is unique among the sessions of that client. */
export interface SessionKey {
  agent: AgentName
  id: string
}

/** An objective that sessions work on; known by its path, else by its name. */
export interface Outcome {
  outcomeId: number | string | null
  outcomeName: string
  path: string | null
  lastTask: string
  workSummary: string
}

/** Something that happened in a session. */
export interface SessionEvent {
  at: string
  kind: string
  /** A few words about it; never a secret, never a tool's output. */
  note: string
  /** How long our own part of it took, with the start of the process; null where nobody measured. */
  ms: number | null
  /** How many tokens we told the agent with it (an estimate). */
  tokens: number
}

/** A helper or a background command that was still running at the session's last event. */
export interface InFlight {
  id: string
  kind: 'subagent' | 'task' | 'background'
  what: string
  since: string
}

/** Tokens by how the provider counts them, each API call once. */
export interface Tokens {
  input: number
  output: number
  cacheRead: number
  cacheCreation: number
}

/** What a session did, from its transcript. */
export interface Statistics {
  tokensConsumed: Tokens
  apiCalls: number
  /**
   * In the order of their first change. In a session from the root of its workspace, absolute where they are outside;
   * a reading of a transcript has them as the tools were given them.
   */
  filesModified: string[]
  tasksCompleted: number
  tasksFailed: number
  gitCommits: number
  toolUsageCounts: Record<string, number>
  subagentsLaunched: number
  /** Lines of kinds that are not known, by kind, and lines that are no JSON. */
  unknownLines: Record<string, number>
}

/** How full the window was at the last real call of the main conversation. */
export interface ContextUse {
  tokens: number
  /** Null where nobody can say how large the model's window is. */
  window: number | null
  model: string
  at: string
}

/** The checkpoint that the agent was told at its start; a resume tells what changed since. */
export interface StartPoint {
  at: string
  stream: string | null
  checkpoint: string | null
  /** It is what another branch knows: the session begins work of its own, and takes on none of its goals. */
  isOrigin?: true
}

/** What was done since the last save by hand, or since the session began. */
export interface Stretch {
  /** What the user said. */
  requests: number
  /** Calls of tools that change files. */
  edits: number
  /** The time in it, without long pauses. */
  activeMs: number
  heardAt: string
  /** The agent was asked to save; it is asked once. */
  isAsked: boolean
}

/** One conversation of an agent. */
export interface Session extends SessionKey {
  repository: string
  /** It belongs to the workspace it started in. */
  workspace: string
  source: SessionSource
  phase: Phase
  startedAt: string
  lastActivityAt: string
  endedAt: string | null
  endReason: EndReason | null
  environment: {
    workingDirectory: string
    gitBranch: string | null
    gitCommitHash: string | null
    permissionMode: string | null
    transcriptPath: string | null
    model: string | null
  }
  /** The session that this one goes on from: before a clear, or the one it was forked from. */
  parent: string | null
  /** The stream that it saves to since somebody saved in it; null while it has only its own. */
  stream: string | null
  outcomes: Outcome[]
  accomplishments: string[]
  /** The newest; policy/session-apply.ts has the cap. */
  events: SessionEvent[]
  inFlight: InFlight[]
  /** Why it stopped without its user wanting it: a limit, an overload, a bill. */
  paused: { reason: string; at: string } | null
  compactions: number
  /** The advice that was given, each once. */
  nudged: string[]
  /**
   * A compaction whose summary has not been compared with what was known, its summary once that is known, and how
   * often it was looked for.
   */
  compaction: { at: string; summary: string | null; looks: number } | null
  /** The newest words of both sides: a client that is killed may not have written them. */
  lastPrompt: { at: string; text: string } | null
  lastSaid: { at: string; text: string } | null
  /** The newest request in its transcript that says what is to be done, in a line; absent until that was read. */
  asked?: { at: string; text: string } | null
  /** What was running when the transcript was last read. */
  unfinished: InFlight[]
  told: StartPoint | null
  /** When somebody last saved in it by hand. */
  savedAt: string | null
  /** A session that an older version followed has none before its next event. */
  stretch?: Stretch
  /** When a checkpoint was last taken of it without anybody asking. */
  checkpointedAt: string | null
  handedOff: boolean
  /** Texts in the store that hold what its tools gave back, by their SHA-256. */
  archives: string[]
  /** At its end; null where nobody counted. */
  uncommittedFiles: number | null
  statistics: Statistics
  context: ContextUse | null
  /** How the window filled, oldest first; absent until its transcript was read by a version that notes it. */
  fill?: WindowSample[]
  /** How many bytes of its journal are in this row. */
  journalRead: number
  /** How much of its transcript is read, in its agent's own measure, and when that was. */
  transcriptRead: number
  caughtUpAt: string | null
  /** Which version of the reading made its digest: one that an older version read is read anew. */
  readBy?: number
}

/** A session with its version, which every change moves on. */
export interface SessionRow {
  session: Session
  version: number
}

export const noStatistics = (): Statistics => ({
  tokensConsumed: { input: 0, output: 0, cacheRead: 0, cacheCreation: 0 },
  apiCalls: 0,
  filesModified: [],
  tasksCompleted: 0,
  tasksFailed: 0,
  gitCommits: 0,
  toolUsageCounts: {},
  subagentsLaunched: 0,
  unknownLines: {},
})

export const totalTokens = ({ input, output, cacheRead, cacheCreation }: Tokens) =>
  input + output + cacheRead + cacheCreation

import type { AgentEvent, AgentEventKind } from './agent-event.ts'
import type { AgentSetUp } from './agent-setup.ts'
import type { AgentName, SessionKey } from './session.ts'
import type { TranscriptFinder, TranscriptReader } from './transcript.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** What the model's last call of the main conversation held. */
export interface LastUse {
  tokens: number
  model: string
}

/** What an agent says at each drawing of its status line; null where it does not know, or says nothing sensible. */
export interface StatusInput {
  session: SessionKey | null
  /** Tokens. */
  window: number | null
  /** A whole number from 0 to 100. */
  usedPercent: number | null
}

/**
 * An agent, in our words: one entry of agents/table.ts, made in the agent's own folder. No other file knows an agent by
 * name. Here, because a folder may not import the one above it, which has the table.
 */
export interface Agent {
  /** What commands, rows and files call it. Written into all of them: it never changes. */
  name: AgentName
  /** What people call it. */
  label: string
  /** The command that gives our tools to it by hand, without our plugin. */
  addTools: string
  /** Variables that it sets in the environment of the commands that it runs. */
  signs: readonly string[]
  /** The session in which a command is run, where the agent says so. */
  sessionOf(env: Environment): SessionKey | null
  /** The folder that is worked in, where the agent says so: what it starts may be started elsewhere. */
  projectOf(env: Environment): string | null
  /** Whether a hook was started by our plugin, which brings our tools along. */
  hasTools(env: Environment): boolean
  /** A hook's payload as an event; null where it says nothing that is followed. */
  eventOf(payload: unknown, at: string): AgentEvent | null
  /** What a hook prints: words for the model in the agent's own form, or nothing at all. */
  envelope(kind: AgentEventKind, words: string): string
  statusOf(payload: unknown): StatusInput
  /** How full the window was at the last call, from the end of a transcript: a hook has some milliseconds for it. */
  lastUse(path: string): LastUse | null
  /** How large a model's window is, in tokens; null where that is not known. */
  windowOf(model: string): number | null
  transcript: {
    /** Whether more stands in a transcript than was read: `read` is what the reader told with its last reading. */
    isBehind(path: string, read: number): boolean
    /** Loaded late, as the finder is: a hook reads no transcript. */
    reader(): Promise<TranscriptReader>
    finder(): Promise<TranscriptFinder>
  }
  /** How it is set up, as data that engine/setup performs. Loaded late: most commands set nothing up. */
  setUp(): Promise<AgentSetUp>
}

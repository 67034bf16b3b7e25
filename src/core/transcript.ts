import type { Environment } from './agent.ts'
import type { ContextUse, Statistics } from './session.ts'
import type { WindowSample } from './window-fill.ts'

/** What matters of a tool's input, cut to what a checkpoint could ever use. */
export interface ToolInput {
  /** The file that it reads or changes. */
  path?: string
  /** A shell command, at most 1,000 characters. */
  command?: string
  /** What the agent said it is for. */
  description?: string
  /** The kind of helper that was started. */
  helper?: string
  background?: true
  /** What a helper was told to do. */
  prompt?: string
  /** What runs in the background and is looked at or ended, by the client's name for it. */
  task?: string
}

/** What a call does, as far as that matters to the work; any other call has no kind. */
export type CallKind =
  /** It changes a file, or writes the whole of it. */
  | 'edit'
  | 'write'
  /** It starts a helper. */
  | 'help'
  /** It looks at, or ends, what runs in the background. */
  | 'look'
  | 'stop'
  /** It ends all helpers. */
  | 'dismiss'
  /** It has entries of its own: a plan, a question, a task. */
  | 'speak'
  /** It is a tool of ours: who saves or looks has not gone on with the work by that. */
  | 'ours'

/** What a result says besides its text, as far as the agent's own words tell. */
export interface CallOutcome {
  /** The agent kept the call from running. */
  neverRan?: true
  /** The call goes on in the background. */
  goesOn?: true
  /** What the agent calls that which goes on. */
  handle?: string
  /** A helper was stopped before it had finished. */
  broke?: true
  /** What was looked at is over, and how that came. */
  over?: 'well' | 'failed'
  /** The file was not there before. */
  created?: true
  /** What a command of a shell ended with. */
  code?: number
}

/** How a user said something to an agent. An answer is one to a question that the agent asked by its tool. */
export type RequestKind = 'prompt' | 'queued' | 'command' | 'refusal' | 'answer'

/** One thing that a transcript tells, in our words and in the order of the file. Side chains give none. */
export type TranscriptEntry = { at: string } & (
  | /** What the user said. `about` is the command's name, the id of the call that was refused, or the question. */ {
      kind: 'request'
      how: RequestKind
      text: string
      about: string
      /** Nothing but its words says that a user typed it: they may be a tool's or an agent's. */
      isUnsure?: true
    }
  /** A prompt that waits while the agent works: `sent` ones come again as a request, `used` ones nowhere else. */
  | { kind: 'queue'; change: 'added' | 'sent' | 'used' | 'withdrawn'; text: string }
  /** What a slash command of the user's stands for: the text that its file holds. */
  | { kind: 'expansion'; text: string }
  | /** What the agent said. */ { kind: 'text'; text: string }
  | { kind: 'tool'; id: string; name: string; does?: CallKind; input: ToolInput }
  /** What a tool came to. `text` is at most its last 2,000 characters: a program's words, and nobody's wish. */
  | ({ kind: 'result'; id: string; failed: boolean; refused: boolean; text: string } & CallOutcome)
  /** Questions that the agent asks by its tool, with what it offers; the answers are requests. */
  | { kind: 'asks'; questions: Array<{ question: string; options: string[] }> }
  /** A plan that the agent showed by its tool, and what became of it; an empty text is the plan shown last. */
  | { kind: 'plan'; text: string; verdict: 'shown' | 'approved' | 'refused'; path: string }
  /** The whole list of tasks, as the agent keeps it. */
  | { kind: 'todos'; items: Array<{ text: string; state: 'open' | 'doing' | 'done' }> }
  /** One task of a list that is kept by ids; an empty text leaves the one it had. */
  | { kind: 'todo'; id: string; text: string; state: 'open' | 'doing' | 'done' | 'deleted' }
  /** A helper or command in the background came to its end. */
  | { kind: 'finished'; id: string; failed: boolean }
  /** A pull request that the client knows of. */
  | { kind: 'link'; url: string }
  | { kind: 'boundary'; automatic: boolean }
  /** The client's own summary after a compaction, without its tags. */
  | { kind: 'summary'; text: string }
  | { kind: 'interrupt' }
  /** The provider refused or failed: a limit, an overload. `words` are the provider's own. */
  | { kind: 'halt'; error: string; words: string }
)

export type TranscriptEntryOf<Kind extends TranscriptEntry['kind']> = Extract<TranscriptEntry, { kind: Kind }>

/** Where reading stopped, as plain JSON of bounded size: only the agent's own folder understands it. */
export type TranscriptCursor = Readonly<Record<string, unknown>>

/** What a transcript says so far, and all that reading on needs. */
export interface TranscriptReading {
  cursor: TranscriptCursor
  statistics: Statistics
  context: ContextUse | null
  /** How the window filled, oldest first; absent where nobody noted it. */
  fill?: WindowSample[]
  compactions: number
  /** The last line's own time. */
  lastAt: string | null
}

/** What one go of reading came to. */
export interface TranscriptProgress {
  reading: TranscriptReading
  /** How much is read, in the agent's own measure: `isBehind` compares it. */
  read: number
  /** Another transcript stands there than the one that was read, or another version read it: it was begun anew. */
  restarted: boolean
  /** False where `maxBytes` left something to read. */
  complete: boolean
}

/** Reads the transcripts of one agent. */
export interface TranscriptReader {
  /** Reads on from where it was read to; null where there is no transcript. */
  readOn(
    path: string,
    before: TranscriptReading | null,
    onEntry: ((entry: TranscriptEntry) => void) | null,
    options?: { maxBytes?: number },
  ): TranscriptProgress | null
}

/** A transcript that lies among those that an agent keeps. */
export interface FoundTranscript {
  /** The session's id. */
  id: string
  path: string
  mtimeMs: number
  /** It lies where the agent puts the transcripts of the root itself. */
  isRoots: boolean
}

/** What the beginning and the end of a transcript say of it. */
export type TranscriptEnds =
  | {
      kind: 'conversation'
      /** The folder that the session was started in. */
      cwd: string
      /** The branch of its last line; null where git stood on none. */
      branch: string | null
      startedMs: number | null
      lastMs: number | null
      /** How many bytes are to be read, with the files of its helpers. */
      bytes: number
    }
  /** Nothing was said in it, or it is a helper's. */
  | { kind: 'nothing' }
  | { kind: 'unreadable'; problem: string }

/** Finds the transcripts that an agent wrote before anybody followed its sessions. */
export interface TranscriptFinder {
  /** Those of sessions that may have been started at a root or below it, the newest first. */
  find(env: Environment, root: string, isKnown: (id: string) => boolean): FoundTranscript[]
  /** Never throws for what stands there. */
  readEnds(path: string): TranscriptEnds
  /** Whether one whose folder is not on this machine was put among those of the root by somebody. */
  isMovedTo(root: string, found: FoundTranscript, cwd: string): boolean
}

import type { ContextUse, Statistics } from './session.ts'

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

/** How a user said something to an agent. An answer is one to a question that the agent asked by its tool. */
export type RequestKind = 'prompt' | 'queued' | 'command' | 'refusal' | 'answer'

/** One thing that a transcript tells, in our words and in the order of the file. Side chains give none. */
export type Entry = { at: string } & (
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
  | { kind: 'tool'; id: string; name: string; input: ToolInput }
  /** What a tool came to. `text` is at most its last 2,000 characters: a program's words, and nobody's wish. */
  | { kind: 'result'; id: string; failed: boolean; refused: boolean; text: string }
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

export type EntryOf<Kind extends Entry['kind']> = Extract<Entry, { kind: Kind }>

/** Everything that reading on needs; plain JSON of bounded size. */
export interface Reading {
  /** How many bytes are read: always the start of a line. */
  offset: number
  /** Tells this file from another that stands at its path later. */
  head: string
  statistics: Statistics
  context: ContextUse | null
  compactions: number
  /** The last line's own time. */
  lastAt: string | null
  /** What only the reader understands. */
  carry: unknown
}

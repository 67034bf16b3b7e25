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
}

/** One thing that a transcript tells, in our words and in the order of the file. Side chains give none. */
export type Entry = { at: string } & (
  | /** What the user typed. */ { kind: 'prompt'; text: string }
  | /** What the agent said. */ { kind: 'text'; text: string }
  | { kind: 'tool'; id: string; name: string; input: ToolInput }
  /** What a tool came to. `text` is at most its last 2,000 characters: never a source of decisions or rules. */
  | { kind: 'result'; id: string; failed: boolean; rejected: boolean; text: string }
  /** Questions that the agent asked by its tool, and what the user chose. */
  | { kind: 'answers'; answers: Array<{ question: string; answer: string }> }
  /** A plan that the agent proposed by its tool, and whether the user approved it. */
  | { kind: 'plan'; text: string; approved: boolean }
  /** The whole list of tasks, as the agent keeps it. */
  | { kind: 'todos'; items: Array<{ text: string; state: 'open' | 'doing' | 'done' }> }
  /** One task of a list that is kept by ids; an empty text leaves the one it had. */
  | { kind: 'todo'; id: string; text: string; state: 'open' | 'doing' | 'done' | 'deleted' }
  /** A helper or command in the background came to its end. */
  | { kind: 'finished'; id: string; failed: boolean }
  | { kind: 'boundary'; automatic: boolean }
  /** The client's own summary after a compaction, without its tags. */
  | { kind: 'summary'; text: string }
  | { kind: 'interrupt' }
  /** The provider refused or failed: a limit, an overload. */
  | { kind: 'halt'; error: string }
)

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

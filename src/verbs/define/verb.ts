import type { Context } from '../../engine/context/context.ts'
import type { FactsOf, Shape } from './facts.ts'
import type { Fields, InputOf } from './field.ts'
import type { Screen } from './screen.ts'

type Access = 'read' | 'write'

/** Bad news that comes with a whole result, in the words of a failure. */
export interface Failure {
  exit: number
  reason: string
  message: string
  hint: string
}

/** What a verb is for an agent: a tool of the MCP server. */
export interface Tool<R = unknown, S extends Shape = Shape> {
  title: string
  /** What it is called where that is not the name of the verb. */
  name?: string
  /** When to call it, and when not, in a sentence or two that follow the summary. */
  when: string
  /** Whether it leaves all as it is, only adds, or changes what is there. */
  effect: 'reads' | 'adds' | 'changes'
  /** What a program gets besides the words. No saved text: that has its place in the words, behind their fence. */
  facts: S
  /** The facts of a result; what the shape does not name is left out of them. */
  factsOf(result: R): FactsOf<S>
  /** The words where they have a fence of their own already; null where those of `say` are to be told. */
  fenced?(result: R): string | null
}

/** A verb that every door offers. */
export interface Verb<F extends Fields = Fields, R = unknown, S extends Shape = Shape> {
  /** `run step`: the words of the command line. */
  name: string
  summary: string
  detail?: string
  fields: F
  examples: readonly string[]
  /** A reading verb makes nothing: no home, no ids, no files. */
  access: Access | ((input: InputOf<F>) => Access)
  /** The verb opens a damaged store as it is; for all other verbs the store is healed first. */
  meetsDamage?: true
  /** A settings file that cannot be read is told, and the rest of the settings is used: a save must not fail for it. */
  lenient?: true
  /** What sessions left, taken in before it is performed: the events that hooks wrote down, or also their talk. */
  takesIn?: 'events' | 'talk'
  perform(context: Context, input: InputOf<F>): Promise<R>
  /** The result in words, for people and agents. */
  say(result: R, screen: Screen): string
  /** Where the result is a file's own text: what a pipe gets instead of words, and not a byte more. */
  exact?(result: R): string | null
  /** Whether the words go to stderr, because stdout belongs to something else: a command that was run, an export. */
  aside?(result: R): boolean
  /** Where a result can be bad news: what is wrong, and what the process ends with. Null where all is well. */
  failure?(result: R): Failure | null
  /** Without it the verb is none of the agents' tools. */
  tool?: Tool<R, S>
}

/** What help and reference say of a verb. An agent's tool says the summary, and when to call it. */
export const descriptionOf = ({ summary, detail }: Pick<Verb, 'summary' | 'detail'>) =>
  [`${summary}.`, detail].filter(Boolean).join(' ')

/** Keeps the literal types of the fields, so that a verb's input is typed by its own table. */
export const defineVerb = <const F extends Fields, R, const S extends Shape = Shape>(
  definition: Verb<F, R, S>,
): Verb<F, R, S> => definition

/** A piece of what the model answers: words, or a tool that it calls. */
export type Block = { say: string } | { use: string; input: Record<string, unknown> }

/** One turn of the model. */
export type Turn =
  | { kind: 'answer'; blocks: Block[]; context: number }
  /** No answer: the client waits until somebody ends it. */
  | { kind: 'hold' }
  /** The provider's refusal, at every try. */
  | { kind: 'refuse'; code: number; type: string }

/** What the model will say in a session, request by request. */
export interface Scenario {
  /** For the requests of the main conversation, in order; past the end the model says that it is done. */
  turns: Turn[]
  /** The answer to a request to summarise the conversation. */
  summary?: string
  /** The answer to every request of a helper that the agent started. */
  helper?: Turn
}

/** How full the window is while no turn says otherwise. */
export const USUAL_CONTEXT = 16_000

export const answer = (...blocks: Block[]): Turn => ({ kind: 'answer', blocks, context: USUAL_CONTEXT })
export const say = (text: string): Turn => answer({ say: text })
export const use = (tool: string, input: Record<string, unknown>, text?: string): Turn =>
  answer(...(text === undefined ? [] : [{ say: text }]), { use: tool, input })
/** The same turn, with that many tokens in the window. */
export const at = (context: number, turn: Turn): Turn =>
  turn.kind === 'answer' ? { ...turn, context } : turn
export const hold: Turn = { kind: 'hold' }
export const refuse = (code: number, type: string): Turn => ({ kind: 'refuse', code, type })
export const DONE = say('Done.')

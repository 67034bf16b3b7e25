import type { ServerResponse } from 'node:http'
import type { Block, Turn } from './scenario.ts'

interface TextPart {
  type: 'text'
  text: string
}

export interface Message {
  role: 'user' | 'assistant' | 'system'
  content: string | Array<TextPart | { type: string; [key: string]: unknown }>
}

/** A request of the client, as far as the lab looks into it. */
export interface ModelRequest {
  model: string
  stream?: boolean
  system?: string | TextPart[]
  messages: Message[]
  tools?: Array<{ name: string }>
}

/** Every word of a message that the model gets to read, also what tools gave back. */
export function wordsOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (Array.isArray(content)) return content.map(wordsOf).join('\n')
  if (content === null || typeof content !== 'object') return ''
  if ('text' in content) return wordsOf(content.text)
  return 'content' in content ? wordsOf(content.content) : ''
}

/** Answers with a turn of the scenario: as a stream of events where the client asked for one, else as one object. */
export function reply(
  request: ModelRequest,
  turn: Turn & { kind: 'answer' },
  serial: number,
  to: ServerResponse,
) {
  const usage = {
    input_tokens: 1_000,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: turn.context - 1_000,
    output_tokens: 60,
  }
  const content = turn.blocks.map((block, index) => partOf(block, `toolu_${serial}_${index}`))
  const stop_reason = turn.blocks.some((block) => 'use' in block) ? 'tool_use' : 'end_turn'
  const envelope = {
    id: `msg_${serial}`,
    type: 'message',
    role: 'assistant',
    model: request.model,
    stop_sequence: null,
  }
  if (!request.stream) {
    to.writeHead(200, { 'content-type': 'application/json' })
    to.end(JSON.stringify({ ...envelope, content, stop_reason, usage }))
    return
  }
  to.writeHead(200, { 'content-type': 'text/event-stream' })
  const send = (type: string, rest: object) =>
    to.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`)
  send('message_start', { message: { ...envelope, content: [], stop_reason: null, usage } })
  for (const [index, part] of content.entries()) {
    const isText = part.type === 'text'
    send('content_block_start', {
      index,
      content_block: isText ? { ...part, text: '' } : { ...part, input: {} },
    })
    send('content_block_delta', {
      index,
      delta: isText
        ? { type: 'text_delta', text: part.text }
        : { type: 'input_json_delta', partial_json: JSON.stringify(part.input) },
    })
    send('content_block_stop', { index })
  }
  send('message_delta', { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 60 } })
  send('message_stop', {})
  to.end()
}

const partOf = (block: Block, id: string) =>
  'use' in block
    ? ({ type: 'tool_use', id, name: block.use, input: block.input } as const)
    : ({ type: 'text', text: block.say } as const)

export function refusal(turn: Turn & { kind: 'refuse' }, to: ServerResponse) {
  to.writeHead(turn.code, { 'content-type': 'application/json' })
  to.end(JSON.stringify({ type: 'error', error: { type: turn.type, message: 'The scenario refuses.' } }))
}

import { countIn, cutTextOf, type Members, membersOf, nameIn } from './transcript-value.ts'

/** One block of a message; what is in its open fields is looked into by who wants it. */
export interface Block {
  type: string
  id: string
  name: string
  text: unknown
  input: unknown
  toolUseId: string
  failed: boolean
  content: unknown
}

export interface Usage {
  input: number
  output: number
  cacheRead: number
  cacheCreation: number
  /** What the last step of the call had in its window. */
  window: number
}

/** One line of a transcript, in our words. */
export interface Row {
  type: string
  subtype: string
  uuid: string
  at: string
  side: boolean
  meta: boolean
  compactSummary: boolean
  apiError: boolean
  error: string
  requestId: string
  /** Who wrote a prompt, where the client tells. */
  source: string
  origin: string
  messageId: string
  model: string
  role: string
  /** What a message says, where that is no list of blocks. */
  said: unknown
  blocks: Block[]
  usage: Usage | null
  /** The client's own record of a result. */
  result: unknown
  /** Who kept a call from running, where the client tells; empty where it does not. */
  denied: string
  automatic: boolean
  postTokens: number | null
  attachment: { type: string; prompt: unknown; taskId: string; status: string } | null
  /** Of a change of the queue of prompts: what was done, and the words where it has some. */
  operation: string
  content: unknown
  /** Of a pull request. */
  url: string
}

/** The attachments that tell something. */
const TELLING = ['queued_command', 'task_status']
/** Kinds of lines that can be most of a file, and say nothing. */
const SKIPPED = /^(?:progress|api-request(?:-blob|-shape)?|file-history-(?:snapshot|delta))$/
/** A line up to its kind, or its attachment's: before it stand only ids and the like. */
const KIND =
  /^\{(?:"\w+":(?:null|true|false|"[^"\\]*"),)*"(?:type":"([\w-]+)"|attachment":\{"type":"([\w-]+)")/
const KIND_WITHIN = 600
const CLOSE = 0x7d
const NAME = 200
const MAX_BLOCKS = 1_000

/** The client's own copy of a result comes last, and can be most of a line. */
const RESULT_COPY = ',"toolUseResult":'

/**
 * Reads one line; null where it is no JSON object. Of a line of no interest only the kind is told. `isWhole` is false
 * for statistics alone: all that they need of a result that is no error stands before its copy.
 */
export function readRow(
  bytes: Buffer,
  from: number,
  to: number,
  { isWhole }: { isWhole: boolean },
): Row | { type: string } | null {
  // A line that is still being written does not end like this.
  if (bytes[to - 1] !== CLOSE) return null
  const [, kind = '', attached = ''] =
    KIND.exec(bytes.toString('latin1', from, Math.min(to, from + KIND_WITHIN))) ?? []
  if (SKIPPED.test(kind)) return { type: kind }
  if (attached !== '' && !TELLING.includes(attached)) return { type: 'attachment' }
  const copy = isWhole ? -1 : bytes.subarray(from, to).indexOf(RESULT_COPY)
  const short = copy < 0 ? null : readLine(`${bytes.toString('utf8', from, from + copy)}}`)
  if (short && short.uuid !== '' && short.at !== '' && !short.blocks.some(({ failed }) => failed))
    return short
  return readLine(bytes.toString('utf8', from, to))
}

function readLine(text: string): Row | null {
  const line = parseLine(text)
  return line === null ? null : rowOf(line)
}

export const isRow = (row: Row | { type: string }): row is Row => 'uuid' in row

function parseLine(text: string): Members | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? membersOf(value) : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

function rowOf(line: Members): Row {
  const message = membersOf(line.message)
  const compaction = membersOf(line.compactMetadata)
  const attached = membersOf(line.attachment)
  const attachment = attachmentOf(attached)
  const { content } = message
  return {
    type: nameIn(line.type, NAME),
    subtype: nameIn(line.subtype, NAME),
    uuid: nameIn(line.uuid, NAME),
    at: nameIn(line.timestamp, 40),
    side: line.isSidechain === true,
    meta: line.isMeta === true || (attachment !== null && attached.isMeta === true),
    compactSummary: line.isCompactSummary === true,
    apiError: line.isApiErrorMessage === true,
    error: cutTextOf(line.error, 300),
    requestId: nameIn(line.requestId, NAME),
    source: nameIn(line.promptSource, NAME),
    origin: kindIn(attachment === null ? line.origin : (attached.origin ?? line.origin)),
    messageId: nameIn(message.id, NAME),
    model: nameIn(message.model, NAME),
    role: nameIn(message.role, NAME),
    said: Array.isArray(content) ? null : content,
    blocks: Array.isArray(content) ? blocksOf(content) : [],
    usage: usageOf(message.usage),
    result: line.toolUseResult,
    denied: nameIn(line.toolDenialKind, NAME),
    automatic: compaction.trigger === 'auto',
    postTokens: countIn(compaction.postTokens) || null,
    attachment,
    operation: nameIn(line.operation, NAME),
    content: line.content,
    url: cutTextOf(line.prUrl, 300),
  }
}

const blocksOf = (content: readonly unknown[]): Block[] =>
  content.slice(0, MAX_BLOCKS).flatMap((value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
    const block = membersOf(value)
    return {
      type: nameIn(block.type, NAME),
      id: nameIn(block.id, NAME),
      name: nameIn(block.name, NAME),
      text: block.text,
      input: block.input,
      toolUseId: nameIn(block.tool_use_id, NAME),
      failed: block.is_error === true,
      content: block.content,
    }
  })

function usageOf(value: unknown): Usage | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const usage = membersOf(value)
  const steps = Array.isArray(usage.iterations) ? usage.iterations : []
  const step = membersOf(steps.findLast((one) => typeof one === 'object' && one !== null) ?? value)
  return {
    input: countIn(usage.input_tokens),
    output: countIn(usage.output_tokens),
    cacheRead: countIn(usage.cache_read_input_tokens),
    cacheCreation: countIn(usage.cache_creation_input_tokens),
    window:
      countIn(step.input_tokens) +
      countIn(step.cache_read_input_tokens) +
      countIn(step.cache_creation_input_tokens),
  }
}

function attachmentOf(attached: Members): Row['attachment'] {
  const type = nameIn(attached.type, NAME)
  if (!TELLING.includes(type)) return null
  return {
    type,
    prompt: attached.prompt,
    taskId: nameIn(attached.taskId, NAME),
    status: nameIn(attached.status, NAME),
  }
}

const kindIn = (origin: unknown) => nameIn(membersOf(origin).kind, NAME)

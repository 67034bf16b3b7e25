import {
  countIn,
  cutTextOf,
  isObject,
  type Members,
  membersIn,
  membersOf,
  nameIn,
  usageOf,
} from './transcript-value.ts'

/** One line of a transcript, in our words. */
export type Row = ReturnType<typeof rowOf>
/** One block of a message; what is in its open fields is looked into by who wants it. */
export type Block = ReturnType<typeof blockOf>

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
const RESULT_COPY = Buffer.from(',"toolUseResult":')
// Around a result that is one text. None of these can stand inside a text of JSON, where quotes are escaped.
const TEXT_OPENS = Buffer.from('"type":"tool_result","content":"')
const TEXT_CLOSES = Buffer.from('"}]},"uuid":"')
const OTHER_RESULT = Buffer.from('"type":"tool_result"')
const ERROR = Buffer.from('"is_error":true')

/**
 * Reads one line; null where it is no JSON object. Of a line of no interest only the kind is told. `isWhole` is false
 * for statistics alone, which need neither the text of a result that is no error nor the client's copy of it.
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
  const copy = isWhole || kind !== 'user' ? -1 : bytes.subarray(from, to).indexOf(RESULT_COPY)
  const short = copy < 0 ? null : rowIn(`${withoutText(bytes.subarray(from, from + copy))}}`)
  if (short && short.uuid !== '' && short.at !== '' && !short.blocks.some(({ failed }) => failed))
    return short
  return rowIn(bytes.toString('utf8', from, to))
}

/** A line with one result that is no error, without its text; any other line as it is. */
function withoutText(line: Buffer): string {
  const start = line.indexOf(TEXT_OPENS) + TEXT_OPENS.length
  const end = line.lastIndexOf(TEXT_CLOSES)
  const text = line.subarray(start, Math.max(start, end))
  if (start < TEXT_OPENS.length || end < start || text.includes(OTHER_RESULT) || text.includes(ERROR))
    return line.toString('utf8')
  return line.toString('utf8', 0, start) + line.toString('utf8', end)
}

export const isRow = (row: Row | { type: string }): row is Row => 'uuid' in row

function rowIn(text: string): Row | null {
  const line = membersIn(text)
  return line === null ? null : rowOf(line)
}

function rowOf(line: Members) {
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
    /** Who wrote a prompt, where the client tells. */
    source: nameIn(line.promptSource, NAME),
    origin: nameIn(membersOf((attachment && attached.origin) ?? line.origin).kind, NAME),
    messageId: nameIn(message.id, NAME),
    model: nameIn(message.model, NAME),
    role: nameIn(message.role, NAME),
    /** What a message says, where that is no list of blocks. */
    said: Array.isArray(content) ? null : content,
    blocks: Array.isArray(content) ? content.slice(0, MAX_BLOCKS).filter(isObject).map(blockOf) : [],
    usage: isObject(message.usage) ? usageOf(message.usage) : null,
    /** The client's own record of a result. */
    result: line.toolUseResult,
    /** Who kept a call from running, where the client tells; empty where it does not. */
    denied: nameIn(line.toolDenialKind, NAME),
    automatic: compaction.trigger === 'auto',
    postTokens: countIn(compaction.postTokens) || null,
    attachment,
    /** Of a change of the queue of prompts: what was done, and the words where it has some. */
    operation: nameIn(line.operation, NAME),
    content: line.content,
    /** Of a pull request. */
    url: cutTextOf(line.prUrl, 300),
  }
}

const blockOf = (block: Members) => ({
  type: nameIn(block.type, NAME),
  id: nameIn(block.id, NAME),
  name: nameIn(block.name, NAME),
  text: block.text,
  input: block.input,
  toolUseId: nameIn(block.tool_use_id, NAME),
  failed: block.is_error === true,
  content: block.content,
})

function attachmentOf(attached: Members) {
  const type = nameIn(attached.type, NAME)
  if (!TELLING.includes(type)) return null
  return {
    type,
    prompt: attached.prompt,
    taskId: nameIn(attached.taskId, NAME),
    status: nameIn(attached.status, NAME),
  }
}

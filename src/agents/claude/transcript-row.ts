import { memberNames, type Span, Walk } from './transcript-json.ts'

/** One block of a message; what it holds stays in the bytes until somebody wants it. */
export interface Block {
  type: string
  id: string
  name: string
  text: Span | null
  input: Span | null
  toolUseId: string
  failed: boolean
  content: Span | null
}

export interface Usage {
  input: number
  output: number
  cacheRead: number
  cacheCreation: number
  /** What the last step of the call had in its window. */
  window: number
}

/** One line of a transcript, with as much of it as its kind needs. Its spans are places in the bytes of the line. */
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
  /** What a message says: a string in the bytes, else blocks. */
  said: Span | null
  blocks: Block[]
  usage: Usage | null
  result: Span | null
  /** Who kept a call from running, where the client tells; empty where it does not. */
  denied: string
  automatic: boolean
  postTokens: number | null
  attachment: { type: string; prompt: Span | null; taskId: string; status: string } | null
  /** Of a change of the queue of prompts: what was done, and the words where it has some. */
  operation: string
  content: Span | null
  /** Of a pull request. */
  url: string
}

const ROW = memberNames(
  'type',
  'subtype',
  'uuid',
  'timestamp',
  'isSidechain',
  'isMeta',
  'isCompactSummary',
  'isApiErrorMessage',
  'error',
  'requestId',
  'promptSource',
  'origin',
  'message',
  'toolUseResult',
  'toolDenialKind',
  'compactMetadata',
  'attachment',
  'operation',
  'content',
  'prUrl',
)
const MESSAGE = memberNames('id', 'model', 'role', 'content', 'usage')
const BLOCK = memberNames('type', 'id', 'name', 'text', 'input', 'tool_use_id', 'is_error', 'content')
const USAGE = memberNames(
  'input_tokens',
  'output_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
  'iterations',
)
const COMPACTION = memberNames('trigger', 'postTokens')
const ATTACHMENT = memberNames('type', 'prompt', 'origin', 'isMeta', 'taskId', 'status')
const KIND = memberNames('kind')

/** Values that nearly every line has. */
const WORDS = memberNames<string>(
  'assistant',
  'user',
  'system',
  'attachment',
  'progress',
  'queue-operation',
  'api-request',
  'api-request-blob',
  'api-request-shape',
  'prompt_snapshot',
  'text',
  'thinking',
  'tool_use',
  'tool_result',
  'Bash',
  'Read',
  'Edit',
  'Write',
)

/** The kinds of lines that are read further than their kind. */
const READ = ['assistant', 'user', 'system', 'attachment', 'queue-operation', 'pr-link']
/** The attachments that tell something; the others can be most of a file. */
const TELLING = ['queued_command', 'task_status']
const NAME = 200
const MAX_BLOCKS = 1_000

/** Reads one line; null where it is no JSON object. `whole` is false for statistics alone, which need less of it. */
export function readRow(bytes: Buffer, from: number, to: number, whole: boolean): Row | null {
  const row = emptyRow()
  const walk = new Walk(bytes, from, to)
  if (bytes[to - 1] !== 0x7d || !walk.object()) return null
  for (let key = walk.member(ROW); key !== null; key = walk.member(ROW)) {
    switch (key) {
      case 'type':
        row.type = walk.word(WORDS, NAME) ?? ''
        if (!READ.includes(row.type)) return walk.broken ? null : row
        break
      case 'attachment':
        readAttachment(walk, row)
        if (row.attachment === null) {
          row.type = 'attachment'
          return walk.broken ? null : row
        }
        break
      case 'message':
        readMessage(walk, row)
        break
      case 'toolUseResult':
        // All that statistics need of a result that is no error stands before its copy.
        if (!whole && row.type !== '' && row.at !== '' && row.uuid !== '' && !row.blocks.some(isFailed))
          return walk.broken ? null : row
        row.result = walk.span()
        break
      case 'compactMetadata':
        readCompaction(walk, row)
        break
      case 'origin':
        row.origin = readKind(walk)
        break
      case 'content':
        row.content = walk.span()
        break
      default:
        readScalar(walk, row, key)
    }
  }
  return walk.broken ? null : row
}

const isFailed = ({ failed }: Block) => failed

function readScalar(walk: Walk, row: Row, key: string) {
  if (key === 'uuid') row.uuid = walk.string(NAME) ?? ''
  else if (key === 'timestamp') row.at = walk.string(40) ?? ''
  else if (key === 'isSidechain') row.side = walk.true()
  else if (key === 'isMeta') row.meta = walk.true()
  else if (key === 'isCompactSummary') row.compactSummary = walk.true()
  else if (key === 'isApiErrorMessage') row.apiError = walk.true()
  else if (key === 'subtype') row.subtype = walk.string(NAME) ?? ''
  else if (key === 'error') row.error = walk.words(300) ?? ''
  else if (key === 'requestId') row.requestId = walk.string(NAME) ?? ''
  else if (key === 'promptSource') row.source = walk.string(NAME) ?? ''
  else if (key === 'toolDenialKind') row.denied = walk.string(NAME) ?? ''
  else if (key === 'operation') row.operation = walk.string(NAME) ?? ''
  else if (key === 'prUrl') row.url = walk.string(300) ?? ''
  else walk.skip()
}

function readMessage(walk: Walk, row: Row) {
  if (!walk.object()) return walk.skip()
  for (let key = walk.member(MESSAGE); key !== null; key = walk.member(MESSAGE)) {
    if (key === 'id') row.messageId = walk.string(NAME) ?? ''
    else if (key === 'model') row.model = walk.word(WORDS, NAME) ?? ''
    else if (key === 'role') row.role = walk.word(WORDS, NAME) ?? ''
    else if (key === 'usage') row.usage = readUsage(walk)
    else if (key !== 'content') walk.skip()
    else if (walk.array()) row.blocks = readBlocks(walk)
    else row.said = walk.span()
  }
}

function readBlocks(walk: Walk): Block[] {
  const blocks: Block[] = []
  while (walk.element()) {
    if (blocks.length >= MAX_BLOCKS || !walk.object()) {
      walk.skip()
      continue
    }
    const block = emptyBlock()
    for (let key = walk.member(BLOCK); key !== null; key = walk.member(BLOCK)) {
      if (key === 'type') block.type = walk.word(WORDS, NAME) ?? ''
      else if (key === 'id') block.id = walk.string(NAME) ?? ''
      else if (key === 'name') block.name = walk.word(WORDS, NAME) ?? ''
      else if (key === 'tool_use_id') block.toolUseId = walk.string(NAME) ?? ''
      else if (key === 'is_error') block.failed = walk.true()
      else if (key === 'text') block.text = walk.span()
      else if (key === 'input') block.input = walk.span()
      else if (key === 'content') block.content = walk.span()
      else walk.skip()
    }
    blocks.push(block)
  }
  return blocks
}

function readUsage(walk: Walk): Usage | null {
  if (!walk.object()) {
    walk.skip()
    return null
  }
  const usage: Usage = { input: 0, output: 0, cacheRead: 0, cacheCreation: 0, window: 0 }
  let last: Usage | null = null
  for (let key = walk.member(USAGE); key !== null; key = walk.member(USAGE)) {
    if (key === 'input_tokens') usage.input = walk.count()
    else if (key === 'output_tokens') usage.output = walk.count()
    else if (key === 'cache_read_input_tokens') usage.cacheRead = walk.count()
    else if (key === 'cache_creation_input_tokens') usage.cacheCreation = walk.count()
    else if (key === 'iterations' && walk.array()) while (walk.element()) last = readStep(walk) ?? last
    else walk.skip()
  }
  const { input, cacheRead, cacheCreation } = last ?? usage
  usage.window = input + cacheRead + cacheCreation
  return usage
}

/** One step of a call that took several; it has no steps of its own. */
function readStep(walk: Walk): Usage | null {
  if (!walk.object()) {
    walk.skip()
    return null
  }
  const step: Usage = { input: 0, output: 0, cacheRead: 0, cacheCreation: 0, window: 0 }
  for (let key = walk.member(USAGE); key !== null; key = walk.member(USAGE)) {
    if (key === 'input_tokens') step.input = walk.count()
    else if (key === 'cache_read_input_tokens') step.cacheRead = walk.count()
    else if (key === 'cache_creation_input_tokens') step.cacheCreation = walk.count()
    else walk.skip()
  }
  return step
}

function readCompaction(walk: Walk, row: Row) {
  if (!walk.object()) return walk.skip()
  for (let key = walk.member(COMPACTION); key !== null; key = walk.member(COMPACTION)) {
    if (key === 'trigger') row.automatic = walk.string(NAME) === 'auto'
    else if (key === 'postTokens') row.postTokens = walk.count() || null
    else walk.skip()
  }
}

/** The attachment's own type comes first; one that tells nothing is left there. */
function readAttachment(walk: Walk, row: Row) {
  if (!walk.object()) return walk.skip()
  const attachment = { type: '', prompt: null as Span | null, taskId: '', status: '' }
  for (let key = walk.member(ATTACHMENT); key !== null; key = walk.member(ATTACHMENT)) {
    if (key === 'type') {
      attachment.type = walk.word(WORDS, NAME) ?? ''
      if (!TELLING.includes(attachment.type)) return
    } else if (key === 'prompt') attachment.prompt = walk.span()
    else if (key === 'origin') row.origin = readKind(walk)
    else if (key === 'isMeta') row.meta = walk.true()
    else if (key === 'taskId') attachment.taskId = walk.string(NAME) ?? ''
    else if (key === 'status') attachment.status = walk.string(NAME) ?? ''
    else walk.skip()
  }
  if (attachment.type !== '') row.attachment = attachment
}

function readKind(walk: Walk): string {
  if (!walk.object()) {
    walk.skip()
    return ''
  }
  let kind = ''
  for (let key = walk.member(KIND); key !== null; key = walk.member(KIND))
    if (key === 'kind') kind = walk.string(NAME) ?? ''
    else walk.skip()
  return kind
}

const emptyBlock = (): Block => ({
  type: '',
  id: '',
  name: '',
  text: null,
  input: null,
  toolUseId: '',
  failed: false,
  content: null,
})

const emptyRow = (): Row => ({
  type: '',
  subtype: '',
  uuid: '',
  at: '',
  side: false,
  meta: false,
  compactSummary: false,
  apiError: false,
  error: '',
  requestId: '',
  source: '',
  origin: '',
  messageId: '',
  model: '',
  role: '',
  said: null,
  blocks: [],
  usage: null,
  result: null,
  denied: '',
  automatic: false,
  postTokens: null,
  attachment: null,
  operation: '',
  content: null,
  url: '',
})

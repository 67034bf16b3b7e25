import { callKindOf, outcomeIn } from '../../src/agents/claude/transcript-tools.ts'
import type { TranscriptEntry } from '../../src/core/transcript.ts'
import type { Json } from './transcript-rows.ts'

type How = 'prompt' | 'queued'

const QUEUE = new Map<unknown, 'added' | 'sent' | 'used' | 'withdrawn'>([
  ['enqueue', 'added'],
  ['dequeue', 'sent'],
  ['remove', 'used'],
  ['popAll', 'withdrawn'],
])
const HANDS_OVER = 'Implement the following plan:\n'

/**
 * Tells rows in the plainest way there is: every rule stands once, on values that are parsed whole. It knows as much of
 * the client's words as the rows of the property tests have.
 */
export class ReferenceTeller {
  readonly told: TranscriptEntry[] = []
  private readonly asked = new Map<unknown, { name: unknown; input: Json }>()
  private expands = false

  tell(row: Json): void {
    const at = String(row.timestamp)
    if (row.type === 'queue-operation') this.queue(at, row)
    if (row.type === 'pr-link' && isFilled(row.prUrl)) this.told.push({ at, kind: 'link', url: row.prUrl })
    if (row.type === 'attachment') this.attachment(at, row)
    if (row.type === 'system' && row.subtype === 'compact_boundary')
      this.told.push({
        at,
        kind: 'boundary',
        automatic: (row.compactMetadata as Json | undefined)?.trigger === 'auto',
      })
    if (row.type === 'assistant') this.assistant(at, row)
    if (row.type === 'user') this.user(at, row)
  }

  private assistant(at: string, row: Json) {
    this.expands = false
    const { content, model } = row.message as { content: Json[]; model: unknown }
    if (row.isApiErrorMessage === true) {
      const words = content
        .flatMap(textIn)
        .map((text) => text.slice(0, 300))
        .join(' ')
      this.told.push({ at, kind: 'halt', error: isFilled(row.error) ? row.error : words || 'unknown', words })
    } else if (model !== '<synthetic>') for (const block of content) this.block(at, block)
  }

  private block(at: string, block: Json) {
    const [text = ''] = textIn(block)
    if (text.trim() !== '') this.told.push({ at, kind: 'text', text })
    if (block.type !== 'tool_use') return
    const { name } = block
    const input = block.input as Json
    const kept = { path: input.file_path, command: input.command, prompt: input.prompt, task: input.task_id }
    const strings = Object.entries(kept).filter(([, value]) => isFilled(value))
    this.told.push({
      at,
      kind: 'tool',
      id: String(block.id),
      name: String(name),
      ...callKindOf(String(name), {}),
      input: Object.fromEntries(strings),
    })
    if (name === 'AskUserQuestion' || name === 'ExitPlanMode' || (name === 'TodoWrite' && input.todos))
      this.asked.set(block.id, { name, input })
    if (name === 'AskUserQuestion')
      this.told.push({ at, kind: 'asks', questions: ((input.questions ?? []) as Json[]).map(questionIn) })
    if (name === 'ExitPlanMode')
      this.told.push({ at, kind: 'plan', text: String(input.plan ?? '').trim(), verdict: 'shown', path: '' })
  }

  private user(at: string, row: Json) {
    const { content } = row.message as { content: string | Json[] }
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content
    for (const block of blocks) if (block.type === 'tool_result') this.result(at, row, block)
    const texts = blocks.flatMap(textIn)
    if (row.isMeta !== true) {
      const kind = (row.origin as Json | undefined)?.kind ?? 'human'
      this.said(at, texts, row.promptSource !== 'system' && kind === 'human', 'prompt')
    } else if (this.expands && typedOf(texts.join('\n')) !== '') {
      this.expands = false
      this.told.push({ at, kind: 'expansion', text: texts.join('\n') })
    }
  }

  private said(at: string, texts: string[], isPerson: boolean, how: How) {
    const typed: string[] = []
    for (const text of texts) {
      const [, name, words] =
        /<command-name>\/(.*)<\/command-name>(?:\s*<command-args>(.*)<)?/s.exec(text) ?? []
      if (this.finished(at, text)) continue
      else if (text.startsWith('[Request interrupted by user')) this.told.push({ at, kind: 'interrupt' })
      else if (!isPerson) continue
      else if (name !== undefined && name !== 'compact') {
        this.told.push({ at, kind: 'request', how: 'command', text: (words ?? '').trim(), about: name })
        if (how === 'prompt') this.expands = true
      } else if (typedOf(text) !== '') typed.push(typedOf(text))
    }
    const prompt = typed.join('\n')
    if (prompt === '') return
    if (how === 'prompt') this.expands = false
    if (prompt.startsWith(HANDS_OVER)) {
      const plan = prompt.slice(HANDS_OVER.length).trim()
      const title = (plan.split('\n')[0] ?? '').replace(/^#+ /, '')
      this.told.push({ at, kind: 'plan', text: plan, verdict: 'approved', path: '' })
      this.told.push({
        at,
        kind: 'request',
        how,
        text: `Implement the following plan: ${title}`,
        about: '',
        isUnsure: true,
      })
    } else this.told.push({ at, kind: 'request', how, text: prompt, about: '' })
  }

  private result(at: string, row: Json, block: Json) {
    const id = String(block.tool_use_id)
    const failed = block.is_error === true
    const parts =
      typeof block.content === 'string' ? [block.content] : (block.content as Json[]).flatMap(textIn)
    const text = parts.join('\n')
    const denied = String(row.toolDenialKind ?? '')
    const isRejected = isRejectedRow(row, block)
    const refused = isRejected && (saysRefused(text) || denied.startsWith('user'))
    const [, words = ''] = refused ? text.split(/the user said:(.*)/s) : []
    const isTalk = words.trim().startsWith('The user wants to clarify these questions')
    this.told.push({ at, kind: 'result', id, failed, refused, text, ...outcomeIn(text, failed) })
    const call = this.asked.get(id)
    this.asked.delete(id)
    const ok = !failed && !isRejected
    const record = (row.toolUseResult ?? {}) as Json
    if (call?.name === 'TodoWrite' && ok)
      this.told.push({ at, kind: 'todos', items: [{ text: 'x', state: 'open' }] })
    if (call?.name === 'ExitPlanMode' && (ok || refused))
      this.told.push({
        at,
        kind: 'plan',
        text: isFilled(record.plan) ? record.plan.trim() : '',
        verdict: ok ? 'approved' : 'refused',
        path: isFilled(record.filePath) ? record.filePath : (text.split(/saved to: (.*)\n/)[1] ?? ''),
      })
    if (call?.name === 'AskUserQuestion')
      for (const [about, answer] of ok ? answersIn(record, text) : isTalk ? partlyIn(words) : [])
        this.told.push({ at, kind: 'request', how: 'answer', text: answer, about })
    const own = (words.split('\n\nNote: The user')[0] ?? '').trim()
    const isMarked = denied.startsWith('user') || String(row.toolUseResult ?? '').startsWith('User rejected')
    const unsure = isMarked ? {} : { isUnsure: true as const }
    if (own !== '' && !isTalk)
      this.told.push({ at, kind: 'request', how: 'refusal', text: own, about: id, ...unsure })
  }

  private queue(at: string, row: Json) {
    const change = QUEUE.get(row.operation)
    const said = String(row.content ?? '')
    if (change === undefined) return
    if (change === 'added') this.finished(at, said)
    this.told.push({ at, kind: 'queue', change, text: typedOf(said) })
  }

  private attachment(at: string, row: Json) {
    const { type, prompt, isMeta } = row.attachment as Json
    const texts = typeof prompt === 'string' ? [prompt] : ((prompt ?? []) as Json[]).flatMap(textIn)
    if (type === 'queued_command' && isMeta !== true) this.said(at, texts, true, 'queued')
  }

  /** Whether a text says that a task is over, which is then told. */
  private finished(at: string, text: string): boolean {
    const [, id, status] =
      /^<task-notification><task-id>(.*)<\/task-id><status>(.*)<\/status>/.exec(text) ?? []
    if (id === undefined || status === 'running') return false
    this.told.push({ at, kind: 'finished', id, failed: status !== 'completed' })
    return true
  }
}

/** Whether a call was kept from running. */
export function isRejectedRow(row: Json, { content, is_error }: Json): boolean {
  const [first = ''] = typeof content === 'string' ? [content] : (content as Json[]).flatMap(textIn)
  return row.toolDenialKind !== undefined || (is_error === true && saysRefused(first))
}

const saysRefused = (text: string) => text.startsWith("The user doesn't want to proceed with this tool use")

const textIn = ({ type, text }: Json) => (type === 'text' ? [String(text)] : [])

const isFilled = (value: unknown): value is string => typeof value === 'string' && value !== ''

const questionIn = ({ question, options }: Json) => ({
  question: String(question),
  options: (options as Json[]).map(({ label }) => String(label)),
})

/** By the client's record, else by the sentence to the agent. */
function answersIn({ answers, annotations }: Json, text: string): Array<[string, string]> {
  const pairs: Array<[string, unknown]> = answers
    ? Object.entries(answers as Json)
    : (text.split(/questions: "(.*)"\. You can/s)[1] ?? '')
        .split('", "')
        .map((pair): [string, unknown] => [pair.split('"="')[0] ?? '', pair.split('"="')[1]])
  return pairs.flatMap(([question, answer]): Array<[string, string]> => {
    const notes = (annotations as Record<string, Json> | undefined)?.[question]?.notes
    const chosen = Array.isArray(answer) ? answer.join(', ') : answer
    const whole = [chosen, notes].filter(isFilled).join(': ')
    return whole === '' ? [] : [[question, whole]]
  })
}

/** Of questions that the user wants to talk about, each with an answer on the next line. */
function partlyIn(words: string): Array<[string, string]> {
  const lines = words.split('\n')
  return lines.flatMap((line, place): Array<[string, string]> => {
    const next = lines[place + 1] ?? ''
    return line.startsWith('- "') && next.startsWith('  Answer: ')
      ? [[line.slice(3, -1), next.slice('  Answer: '.length)]]
      : []
  })
}

const OWN = [
  'Operation stopped by hook',
  '{"task_id":',
  '<local-command-',
  '<command-',
  '<task-notification>',
]

/** What of a text is not the client's own. */
function typedOf(text: string): string {
  const bare = (text.split('<system-reminder>')[0] ?? '').trim()
  return [...OWN, '[Request interrupted'].some((start) => bare.startsWith(start)) ? '' : bare
}

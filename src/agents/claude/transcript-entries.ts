import type { TranscriptEntry } from '../../core/transcript.ts'
import { type Carry, type EntryBody, rememberNewest } from './transcript-carry.ts'
import {
  bareSummary,
  commandIn,
  finishedTaskOf,
  hasEnded,
  isInterrupt,
  planIn,
  refusalIn,
  typedTextOf,
} from './transcript-prompt.ts'
import type { Block, Row } from './transcript-row.ts'
import { isReal, isRejected } from './transcript-statistics.ts'
import { callKindOf, heldEntryOf, outcomeIn, releaseHeld, toolInput } from './transcript-tools.ts'
import { cutTextOf, cutToEnd, startOf, textPartsOf } from './transcript-value.ts'

const MOST = { text: 20_000, summary: 64_000, result: 2_000, error: 300, held: 20, tasks: 200 }
/** The client's own preface may stand before and behind what is kept of a summary. */
const PREFACE = 8_000
/** Where the client says who wrote a prompt: these are people. */
const PEOPLE = ['', 'human', 'person', 'composer', 'remote']

type EmitEntry = (entry: EntryBody) => void

export function tellEntries(row: Row, carry: Carry, onEntry: (entry: TranscriptEntry) => void): void {
  const tell: EmitEntry = (entry) => onEntry({ ...entry, at: row.at })
  if (row.type === 'assistant') tellAssistant(row, carry, tell)
  else if (row.type === 'user') tellUser(row, carry, tell)
  else if (row.type === 'attachment') tellAttachment(row, tell)
  else if (row.type === 'queue-operation') tellQueue(row, tell)
  else if (row.type === 'pr-link') {
    if (row.url !== '') tell({ kind: 'link', url: row.url })
  } else if (row.subtype === 'compact_boundary') tell({ kind: 'boundary', automatic: row.automatic })
}

function tellAssistant(row: Row, carry: Carry, tell: EmitEntry) {
  carry.expands = false
  if (row.apiError) {
    const words = textsOf(row, MOST.error).join(' ')
    return tell({ kind: 'halt', error: row.error || words || 'unknown', words })
  }
  if (!isReal(row)) return
  tellText(row.said, tell)
  for (const block of row.blocks) {
    if (block.type === 'text') tellText(block.text, tell)
    if (block.type !== 'tool_use') continue
    const { id, name } = block
    const input = toolInput(block.input)
    tell({ kind: 'tool', id, name, ...callKindOf(name, input), input })
    const held = heldEntryOf(block)
    if (held === null || id === '') continue
    rememberNewest(carry.held, id, held, MOST.held)
    // Whether or not an answer ever comes, this is what the user was shown.
    if (held.entry.kind === 'asks' || held.entry.kind === 'plan') tell(held.entry)
  }
}

/** What the client lets its agent say where nothing was asked. */
const OWN_WORDS = /^(?:No response requested\.?|\(no content\))$/

function tellText(value: unknown, tell: EmitEntry) {
  const text = cutTextOf(value, MOST.text)
  if (text.trim() !== '' && !OWN_WORDS.test(text.trim())) tell({ kind: 'text', text })
}

function tellUser(row: Row, carry: Carry, tell: EmitEntry) {
  if (row.compactSummary) {
    const summary = bareSummary(textsOf(row, MOST.summary + PREFACE).join('\n'))
    if (summary !== '') tell({ kind: 'summary', text: startOf(summary, MOST.summary) })
    return
  }
  for (const block of row.blocks) if (block.type === 'tool_result') tellResult(block, row, carry, tell)
  const texts = textsOf(row, MOST.text)
  if (row.meta) tellExpansion(texts.join('\n'), carry, tell)
  else tellSaid(texts, row, 'prompt', carry, tell)
}

/** What a slash command stands for comes right behind it, as a text of the client's own. */
function tellExpansion(text: string, carry: Carry, tell: EmitEntry) {
  const isSkill = text.startsWith('Base directory for this skill:')
  if (!carry.expands || (typedTextOf(text) === '' && !isSkill)) return
  carry.expands = false
  tell({ kind: 'expansion', text: startOf(text, MOST.text) })
}

/** Texts in the user's part of the conversation, of which only some are the user's. */
function tellSaid(texts: string[], row: Row, how: 'prompt' | 'queued', carry: Carry | null, tell: EmitEntry) {
  const isPerson = row.source !== 'system' && PEOPLE.includes(row.origin)
  const typed: string[] = []
  for (const text of texts) {
    const finished = finishedTaskOf(text)
    const command = isPerson ? commandIn(text) : null
    if (finished) tellFinished(finished, tell)
    else if (isInterrupt(text)) tell({ kind: 'interrupt' })
    else if (command) {
      const words = startOf(command.words, MOST.text)
      tell({ kind: 'request', how: 'command', text: words, about: command.name })
      if (carry) carry.expands = true
    } else if (isPerson) typed.push(typedTextOf(text))
  }
  const prompt = typed.filter((text) => text !== '').join('\n')
  if (prompt === '') return
  if (carry) carry.expands = false
  tellRequest(startOf(prompt, MOST.text), how, tell)
}

function tellFinished({ ids, failed }: { ids: string[]; failed: boolean }, tell: EmitEntry) {
  for (const id of ids) tell({ kind: 'finished', id, failed })
}

/** A prompt that hands over an approved plan is told by the plan's title: the plan itself has an entry of its own. */
function tellRequest(text: string, how: 'prompt' | 'queued', tell: EmitEntry) {
  const plan = planIn(text)
  if (plan === null) return tell({ kind: 'request', how, text, about: '' })
  tell({ kind: 'plan', text: plan, verdict: 'approved', path: '' })
  const title = /^\s*#{0,3}\s*(\S[^\n]*)/.exec(plan)?.[1] ?? ''
  const words = `Implement the following plan: ${title}`
  tell({ kind: 'request', how, text: words, about: '', isUnsure: true })
}

/** Of a text that was cut the first line goes, or its first word: half a secret looks like no secret. */
function wholeLines(text: string): string {
  if (text.length < MOST.result - 1) return text
  const end = text.indexOf('\n')
  return end === -1 ? text.replace(/^[!-~]+/, '…') : `…${text.slice(end)}`
}

function tellResult(block: Block, row: Row, carry: Carry, tell: EmitEntry) {
  const { toolUseId: id, failed } = block
  const text = wholeLines(cutToEnd(textPartsOf(block.content, MOST.result, cutToEnd).join('\n'), MOST.result))
  // What the client says of a call stands first: behind it there may be a whole plan.
  const opening = () => startOf(textPartsOf(block.content, MOST.text).join('\n'), MOST.text)
  const refusal = isRejected(block, row) ? refusalIn(opening(), row.denied) : null
  const refused = refusal?.byUser ?? false
  tell({ kind: 'result', id, failed, refused, text, ...outcomeIn(text, failed) })
  const held = carry.held.get(id)
  if (held !== undefined) {
    carry.held.delete(id)
    const ok = !failed && refusal === null
    for (const entry of releaseHeld(held.entry, { ok, refusal }, opening(), row.result)) {
      if (entry.kind === 'todo' && held.keepsState) entry.state = carry.tasks.get(entry.id) ?? 'open'
      if (entry.kind === 'todo') rememberNewest(carry.tasks, entry.id, entry.state, MOST.tasks)
      tell(entry)
    }
  }
  if (refusal && refusal.words !== '')
    tell({
      ...{ kind: 'request', how: 'refusal', text: refusal.words, about: id },
      ...(isMarkedByClient(row) ? {} : { isUnsure: true as const }),
    })
}

/** The client says itself that the user refused, and not only the text of the result. */
const isMarkedByClient = ({ denied, result }: Row) =>
  denied.startsWith('user') || (typeof result === 'string' && result.startsWith('User rejected'))

const QUEUE: Record<string, Extract<TranscriptEntry, { kind: 'queue' }>['change']> = {
  enqueue: 'added',
  dequeue: 'sent',
  remove: 'used',
  popAll: 'withdrawn',
}

function tellQueue({ operation, content }: Row, tell: EmitEntry) {
  const change = Object.hasOwn(QUEUE, operation) ? QUEUE[operation] : undefined
  if (change === undefined) return
  const [said = ''] = textPartsOf(content, MOST.text)
  const finished = finishedTaskOf(said)
  if (finished && change === 'added') tellFinished(finished, tell)
  tell({ kind: 'queue', change, text: finished ? '' : typedTextOf(said) })
}

function tellAttachment(row: Row, tell: EmitEntry) {
  const { attachment } = row
  if (attachment?.type === 'queued_command' && !row.meta)
    tellSaid(textPartsOf(attachment.prompt, MOST.text), row, 'queued', null, tell)
  if (attachment?.type === 'task_status' && attachment.taskId !== '' && hasEnded(attachment.status))
    tell({ kind: 'finished', id: attachment.taskId, failed: attachment.status !== 'completed' })
}

/** The texts of a message: the one that it is, else those among its blocks. */
function textsOf({ said, blocks }: Row, most: number): string[] {
  if (typeof said === 'string') return textPartsOf(said, most)
  return blocks.flatMap(({ type, text }) => (type === 'text' ? textPartsOf(text, most) : []))
}

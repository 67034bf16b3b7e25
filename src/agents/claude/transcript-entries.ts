import type { Entry } from '../../core/transcript.ts'
import { type Carry, remember } from './transcript-carry.ts'
import {
  endOf,
  isText,
  namesOf,
  parsed,
  type Span,
  startOf,
  textEnd,
  textStart,
  Walk,
} from './transcript-json.ts'
import { bareSummary, finishedIn, hasEnded, isInterrupt, typedIn } from './transcript-prompt.ts'
import type { Block, Row } from './transcript-row.ts'
import { isReal, isRejected } from './transcript-statistics.ts'
import { heldOf, releasedBy, toolInput } from './transcript-tools.ts'

const MOST = { text: 20_000, summary: 64_000, result: 2_000, error: 300, held: 20, tasks: 200 }
/** The client's own preface may stand before and behind what is kept of a summary. */
const PREFACE = 8_000
/** Where the client says who wrote a prompt: these are people. */
const PEOPLE = ['', 'human', 'person', 'composer', 'remote']
const PART = namesOf('type', 'text')

/** Tells what a row of the main conversation says. */
export function tellEntries(bytes: Buffer, row: Row, carry: Carry, tell: (entry: Entry) => void): void {
  const { type, at } = row
  if (type === 'assistant') tellAssistant(bytes, row, carry, tell)
  else if (type === 'user') tellUser(bytes, row, carry, tell)
  else if (type === 'attachment') tellAttachment(bytes, row, tell)
  else if (row.subtype === 'compact_boundary') tell({ at, kind: 'boundary', automatic: row.automatic })
}

function tellAssistant(bytes: Buffer, row: Row, carry: Carry, tell: (entry: Entry) => void) {
  const { at } = row
  if (row.apiError) {
    const said = textsOf(bytes, row, MOST.error).join(' ')
    return tell({ at, kind: 'halt', error: row.error || said || 'unknown' })
  }
  if (!isReal(row)) return
  if (row.said) tellText(bytes, row.said, at, tell)
  for (const block of row.blocks) {
    if (block.type === 'text' && block.text) tellText(bytes, block.text, at, tell)
    if (block.type !== 'tool_use') continue
    const { id, name } = block
    tell({ at, kind: 'tool', id, name, input: toolInput(bytes, block.input) })
    const held = heldOf(bytes, block, at)
    if (held && id !== '') remember(carry.held, id, held, MOST.held)
  }
}

function tellText(bytes: Buffer, span: Span, at: string, tell: (entry: Entry) => void) {
  const text = isText(bytes, span) ? (textStart(bytes, span, MOST.text) ?? '') : ''
  if (text.trim() !== '') tell({ at, kind: 'text', text })
}

function tellUser(bytes: Buffer, row: Row, carry: Carry, tell: (entry: Entry) => void) {
  const { at } = row
  if (row.compactSummary) {
    const summary = bareSummary(textsOf(bytes, row, MOST.summary + PREFACE).join('\n'))
    if (summary !== '') tell({ at, kind: 'summary', text: startOf(summary, MOST.summary) })
    return
  }
  const results = row.blocks.filter(({ type }) => type === 'tool_result')
  for (const block of results) tellResult(bytes, block, row, carry, tell)
  tellSaid(textsOf(bytes, row, MOST.text), row, results.length === 0 && !row.meta, tell)
}

/** Texts in the user's part of the conversation, of which only some are the user's. */
function tellSaid(texts: string[], row: Row, mayBePrompt: boolean, tell: (entry: Entry) => void) {
  const { at } = row
  const isPerson = mayBePrompt && row.source !== 'system' && PEOPLE.includes(row.origin)
  const typed: string[] = []
  for (const text of texts) {
    const finished = finishedIn(text)
    if (finished) for (const id of finished.ids) tell({ at, kind: 'finished', id, failed: finished.failed })
    else if (isInterrupt(text)) tell({ at, kind: 'interrupt' })
    else if (isPerson) typed.push(typedIn(text))
  }
  const prompt = typed.filter((text) => text !== '').join('\n')
  if (prompt !== '') tell({ at, kind: 'prompt', text: startOf(prompt, MOST.text) })
}

/** Of a text that was cut the first line goes: half a secret looks like no secret. */
function wholeLines(text: string): string {
  const end = text.length < MOST.result ? -1 : text.indexOf('\n')
  return end === -1 ? text : `…${text.slice(end)}`
}

function tellResult(bytes: Buffer, block: Block, row: Row, carry: Carry, tell: (entry: Entry) => void) {
  const { at } = row
  const { toolUseId: id, failed } = block
  const text = wholeLines(endOf(partsOf(bytes, block.content, MOST.result, textEnd).join('\n'), MOST.result))
  const rejected = isRejected(bytes, block, row)
  tell({ at, kind: 'result', id, failed, rejected, text })
  const held = carry.held.get(id)
  if (held === undefined) return
  carry.held.delete(id)
  const result = row.result ? parsed(bytes, row.result) : undefined
  const told = releasedBy(held.entry, at, !failed && !rejected, text, result)
  if (told === null) return
  if (told.kind === 'todo' && held.keepsState) told.state = carry.tasks.get(told.id) ?? 'open'
  if (told.kind === 'todo') remember(carry.tasks, told.id, told.state, MOST.tasks)
  tell(told)
}

function tellAttachment(bytes: Buffer, row: Row, tell: (entry: Entry) => void) {
  const { at, attachment } = row
  if (attachment?.type === 'queued_command')
    tellSaid(partsOf(bytes, attachment.prompt, MOST.text, textStart), row, !row.meta, tell)
  if (attachment?.type === 'task_status' && attachment.taskId !== '' && hasEnded(attachment.status))
    tell({ at, kind: 'finished', id: attachment.taskId, failed: attachment.status !== 'completed' })
}

/** The texts of a message: the one that it is, else those among its blocks. */
function textsOf(bytes: Buffer, { said, blocks }: Row, most: number): string[] {
  if (said) return partsOf(bytes, said, most, textStart)
  const spans = blocks.map(({ type, text }) => (type === 'text' ? text : null))
  return spans.flatMap((span) => partsOf(bytes, span, most, textStart))
}

/** The texts of a value that is a string, or a list of parts of which some are text. */
function partsOf(bytes: Buffer, span: Span | null, most: number, read: typeof textStart): string[] {
  if (span === null) return []
  if (isText(bytes, span)) return [read(bytes, span, most) ?? '']
  const texts: string[] = []
  const walk = new Walk(bytes, span.from, span.to)
  if (!walk.array()) return []
  while (walk.element()) {
    if (texts.length >= 100 || !walk.object()) {
      walk.skip()
      continue
    }
    let text: Span | null = null
    let type = ''
    for (let key = walk.member(PART); key !== null; key = walk.member(PART))
      if (key === 'type') type = walk.string(40) ?? ''
      else if (key === 'text') text = walk.span()
      else walk.skip()
    if (type === 'text' && text && isText(bytes, text)) texts.push(read(bytes, text, most) ?? '')
  }
  return texts
}

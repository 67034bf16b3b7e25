import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { readTranscript } from '../../src/agents/claude/transcript.ts'
import type { TranscriptEntry, TranscriptReading } from '../../src/core/transcript.ts'

export type Json = Record<string, unknown>

/** Rows in the client's shape. Ids are given by number, so that a test reads as a conversation. */
export const uuid = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
export const time = (number: number) => new Date(Date.UTC(2026, 10, 1) + number * 1_000).toISOString()

const around = { userType: 'external', entrypoint: 'cli', cwd: '/home/dev/proj', version: '2.1.325' }

export const usageOf = (input: number, output: number, cacheRead = 0, cacheCreation = 0): Json => ({
  input_tokens: input,
  cache_creation_input_tokens: cacheCreation,
  cache_read_input_tokens: cacheRead,
  output_tokens: output,
  cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: cacheCreation },
  iterations: [],
})

export const assistant = (number: number, message: Json, rest: Json = {}): Json => ({
  parentUuid: uuid(number - 1),
  isSidechain: false,
  message: { id: `msg_${number}`, type: 'message', role: 'assistant', model: 'claude-opus-5-5', ...message },
  requestId: `req_${number}`,
  type: 'assistant',
  uuid: uuid(number),
  timestamp: time(number),
  ...around,
  ...rest,
})

export const user = (number: number, content: unknown, rest: Json = {}): Json => ({
  parentUuid: uuid(number - 1),
  isSidechain: false,
  promptId: uuid(number + 500_000),
  type: 'user',
  message: { role: 'user', content },
  uuid: uuid(number),
  timestamp: time(number),
  ...rest,
  ...around,
})

export const text = (said: string): Json => ({ type: 'text', text: said })

export const call = (id: string, name: string, input: Json): Json => ({ type: 'tool_use', id, name, input })

export const result = (id: string, content: unknown, failed?: boolean): Json => ({
  tool_use_id: id,
  type: 'tool_result',
  content,
  ...(failed === undefined ? {} : { is_error: failed }),
})

/** A call and its result. */
export const done = (
  number: number,
  name: string,
  input: Json,
  content = 'ok',
  failed = false,
  rest: Json = {},
) => [
  assistant(number, { content: [call(`toolu_${number}`, name, input)] }),
  user(number + 1, [result(`toolu_${number}`, content, failed)], rest),
]

export const attachment = (number: number, value: Json, rest: Json = {}): Json => ({
  parentUuid: uuid(number - 1),
  isSidechain: false,
  attachment: value,
  type: 'attachment',
  uuid: uuid(number),
  timestamp: time(number),
  ...around,
  ...rest,
})

export const boundary = (number: number, metadata: Json): Json => ({
  parentUuid: null,
  isSidechain: false,
  type: 'system',
  subtype: 'compact_boundary',
  content: 'Conversation compacted',
  isMeta: false,
  timestamp: time(number),
  uuid: uuid(number),
  compactMetadata: metadata,
  ...around,
})

/** A change of the queue of prompts. Such rows have no id. */
export const queue = (number: number, operation: string, content?: string): Json => ({
  type: 'queue-operation',
  operation,
  timestamp: time(number),
  sessionId: uuid(900_000),
  ...(content === undefined ? {} : { content }),
})

/** What the client tells its agent of a call that the user refused, with the user's words or without. */
export const refusal = (words?: string) =>
  "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the " +
  'new_string was NOT written to the file). ' +
  (words === undefined
    ? 'STOP what you are doing and wait for the user to tell you how to proceed.'
    : `To tell you how to proceed, the user said:\n${words}`)

/** The same of questions that the user wants to talk about: what the user answered stands in the client's words. */
export const clarify = (...asked: Array<[question: string, answer: string | null]>) =>
  refusal(
    'The user wants to clarify these questions.\n    This means they may have additional information, context or ' +
      'questions for you.\n    Take their response into account and then reformulate the questions if appropriate.\n' +
      '    Start by asking them what they would like to clarify.\n\n    Questions asked:\n' +
      asked
        .map(
          ([question, answer]) =>
            `- "${question}"\n  ${answer === null ? '(No answer provided)' : `Answer: ${answer}`}`,
        )
        .join('\n'),
  )

/** The client's words to its agent when the user answered, and when the user approved a plan. */
export const answered = (...asked: Array<[question: string, answer: string]>) =>
  `User has answered your questions: ${asked.map(([question, answer]) => `"${question}"="${answer}"`).join(', ')}. ` +
  "You can now continue with the user's answers in mind."

export const approved = (path: string, plan: string) =>
  'User has approved your plan. You can now start coding. Start with updating your todo list if applicable\n\n' +
  `Your plan has been saved to: ${path}\nYou can refer back to it if needed during implementation.\n\n` +
  `## Approved Plan:\n${plan}`

/** A slash command as the user typed it. */
export const slash = (name: string, words?: string) =>
  `<command-message>${name}</command-message>\n<command-name>/${name}</command-name>${
    words === undefined ? '' : `\n<command-args>${words}</command-args>`
  }`

export const linesOf = (rows: Array<Json | string>) =>
  rows.map((row) => `${typeof row === 'string' ? row : JSON.stringify(row)}\n`).join('')

/** A transcript in a folder of its own, which is gone when the test is over. */
export function transcriptOf(content: string | Buffer, helpers: Record<string, string> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'savepoint-transcript-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'session.jsonl')
  writeFileSync(path, content)
  for (const [name, lines] of Object.entries(helpers)) {
    const place = join(folder, 'session/subagents', name)
    mkdirSync(dirname(place), { recursive: true })
    writeFileSync(place, lines)
  }
  return path
}

/** Reads on, through JSON, as a reading is kept between two processes. */
export function readOn(path: string, before: TranscriptReading | null = null, maxBytes?: number) {
  const entries: TranscriptEntry[] = []
  const read = readTranscript(
    path,
    before === null ? null : (JSON.parse(JSON.stringify(before)) as TranscriptReading),
    (entry) => entries.push(entry),
    maxBytes === undefined ? {} : { maxBytes },
  )
  if (read === null) throw new Error(`there is no transcript at ${path}`)
  return { ...read, entries, statistics: read.reading.statistics }
}

/** What a conversation of such rows comes to. */
export const readRows = (...rows: Array<Json | string>) => readOn(transcriptOf(linesOf(rows)))

/** What the user said in them, and how. */
export const heard = (entries: TranscriptEntry[]) =>
  entries.flatMap((entry) => (entry.kind === 'request' ? [`${entry.how}: ${entry.text}`] : []))

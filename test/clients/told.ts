import { type ModelRequest, wordsOf } from './messages-api.ts'

/** What a hook put before the model. In the lab every hook is Savepoint's. */
export interface Told {
  event: string
  text: string
}

/** Every word of a request but the system prompt. */
export const words = (request: ModelRequest): string =>
  request.messages.map(({ content }) => wordsOf(content)).join('\n')

/** What hooks have told up to a request, in order. */
export function toldIn(request: ModelRequest | undefined): Told[] {
  if (!request) throw new Error('There is no such request.')
  return [
    ...words(request).matchAll(
      /<system-reminder>\n(\w+) hook additional context: ([\s\S]*?)\n?<\/system-reminder>/g,
    ),
  ].map(([, event = '', text = '']) => ({ event, text }))
}

/** The text of one event's hooks up to a request. */
export const toldAt = (event: string, request: ModelRequest | undefined): string =>
  toldIn(request)
    .filter((told) => told.event === event)
    .map(({ text }) => text)
    .join('\n')

/** The lines of a text that a request has more than once: all that is told is told once. */
export function repeated(text: string, request: ModelRequest): string[] {
  const lines = (all: string) => all.split('\n').map((line) => line.trim())
  const counts = new Map<string, number>()
  for (const line of lines(words(request))) counts.set(line, (counts.get(line) ?? 0) + 1)
  return lines(text).filter((line) => line !== '' && (counts.get(line) ?? 0) > 1)
}

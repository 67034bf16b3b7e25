import { decodeDocument, withoutRule } from './codec.ts'

/** The text without its completion, and with nothing else changed: a document that is open again. */
export function withoutCompletion(text: string): string {
  const sections = decodeDocument(text).sections.get('Completion') ?? []
  let open = text
  for (const { start, bodyEnd } of sections.toReversed()) {
    const before = open.slice(0, withoutRule(open, 0, start)).trimEnd()
    const after = open.slice(bodyEnd)
    const eol = /\r\n|\n|\r/.exec(text)?.[0] ?? '\n'
    open = `${before}${eol}${after === '' ? '' : eol}${after}`
  }
  return open
}

import { plainLine } from '../../core/bullets.ts'
import { ReasonError } from '../../core/reason.ts'
import { decodeDocument, type SectionName, sectionText } from './codec.ts'
import { lineBreakOf, openBlockLine, replaceSection } from './edit.ts'
import { nowParagraph, splitStateAndNow } from './now.ts'
import { applyEdits, commentLines, commentsIn, maskComments, placedItems } from './placed-items.ts'
import { encodeStateBody, hideCommentMarks, saysNothing, writeBlock } from './spell.ts'

/** Says that what was put into a section would not be read there. */
export function unreadError(text: string, name: SectionName): ReasonError {
  const section = decodeDocument(text).sections.get(name)?.at(-1)
  const line = openBlockLine(text) ?? section?.line ?? 1
  const problem = `what is put into the section ${name} would not be read there`
  return new ReasonError('document_broken', { path: '', id: '', line, problem })
}

/** A section with another text. The comments that have lines of their own stay above it. */
export function withText(text: string, name: SectionName, said: string): string {
  return withBody(text, name, writeBlock(said))
}

const withBody = (text: string, name: SectionName, body: string) =>
  replaceSection(text, name, [...commentLines(decodeDocument(text), name), body].join('\n\n'))

/** Puts a block at the end of a section: where there was nothing but a placeholder, in the place of that. */
export function withBlock(text: string, name: SectionName, lines: readonly string[]): string {
  const document = decodeDocument(text)
  const eol = lineBreakOf(text)
  const section = document.sections.get(name)?.at(-1)
  const placed = placedItems(document, name)
  const block = lines.join(eol)
  if (!section || placed?.length === 0) return withBody(text, name, block)
  const [first] = placed ?? []
  if (first && placed?.every(({ item }) => saysNothing(item))) {
    const lineBreak = /[\r\n]*$/.exec(text.slice(first.start, first.end))?.[0] ?? ''
    return applyEdits(text, [{ start: first.start, end: first.end, put: block + lineBreak }])
  }
  const at = section.end + text.slice(section.end, section.contentEnd).trimEnd().length
  return applyEdits(text, [{ start: at, end: at, put: eol + eol + block }])
}

/** Current State with how things stand replaced; what is being done now has a paragraph of its own. */
export function withState(text: string, state: string, now: string): string {
  const parts = [encodeStateBody(state), nowLine(now)].filter((part) => part !== '')
  return withBody(text, 'Current State', parts.join('\n\n'))
}

const nowLine = (now: string) => (plainLine(now) === '' ? '' : `**Now**: ${hideCommentMarks(plainLine(now))}`)

/** Current State with only what is being done now changed: how things stand may hold what only a person can write. */
export function withNow(text: string, now: string): string {
  const document = decodeDocument(text)
  const [section, ...others] = document.sections.get('Current State') ?? []
  const from = section?.end ?? 0
  const body = text.slice(from, section?.contentEnd ?? 0)
  const plain = maskComments(body)
  if (!section || others.length > 0 || plain === null || plain.trim() === '')
    return withState(text, splitStateAndNow(sectionText(document, 'Current State')).state, now)
  const eol = lineBreakOf(text)
  const found = nowParagraph(plain)
  const line = nowLine(now)
  if (!found) {
    const at = from + body.trimEnd().length
    return applyEdits(text, [{ start: at, end: at, put: line === '' ? '' : eol + eol + line }])
  }
  const [start, end] = [from + found.start, from + found.end]
  if (line === '') {
    const blank = /^(?:[ \t]*(?:\r\n|\n|\r))*/.exec(body.slice(found.end))?.[0].length ?? 0
    return applyEdits(text, [{ start, end: end + blank, put: '' }])
  }
  const lineBreak = /[\r\n]*$/.exec(body.slice(found.start, found.end))?.[0] ?? ''
  const label = body.slice(found.start, found.textStart)
  const said = [hideCommentMarks(plainLine(now)), ...commentsIn(body.slice(found.textStart, found.end))].join(
    ' ',
  )
  return applyEdits(text, [{ start, end, put: label + said + lineBreak }])
}

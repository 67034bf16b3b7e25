import { isTextSpan, memberNames, type Span, type textStart, Walk } from './transcript-json.ts'

const PART = memberNames('type', 'text')

/** The texts of a value that is a string, or a list of parts of which some are text. */
export function textPartsOf(
  bytes: Buffer,
  span: Span | null,
  most: number,
  read: typeof textStart,
): string[] {
  if (span === null) return []
  if (isTextSpan(bytes, span)) return [read(bytes, span, most) ?? '']
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
    if (type === 'text' && text && isTextSpan(bytes, text)) texts.push(read(bytes, text, most) ?? '')
  }
  return texts
}

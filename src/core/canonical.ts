import type { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'

/** RFC 8785 text: one value, one text, so that a checksum means the value. */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value)
  if (text === undefined) throw new TypeError('this value has no JSON text')
  return text
}

let hash: typeof createHash | undefined

/** The module is loaded with the first hash: it is a third of what a start costs, and `list` needs none. */
export function sha256(data: string | Uint8Array): string {
  hash ??= process.getBuiltinModule('node:crypto').createHash
  return hash('sha256').update(data).digest('hex')
}

/** Half an emoji has no UTF-8 form and no canonical JSON: replace it at the edge, once. */
export const wellFormed = (text: string) =>
  text.replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, '\uFFFD')

/** At most `limit` characters, never half of a pair, with a mark where something was cut. */
export function clipText(text: string, limit: number): string {
  const sound = wellFormed(text)
  return sound.length <= limit ? sound : `${wellFormed(sound.slice(0, limit - 1)).replace(/\uFFFD$/, '')}…`
}

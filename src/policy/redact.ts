import { findSecrets } from './redact/find-secrets.ts'

export type SecretMark = (kind: string, secret: string) => string

/** Where nobody has a key to tell equal secrets by. */
export const markKind: SecretMark = (kind) => `[redacted:${kind}]`

/**
 * The text with a mark in the place of every secret. What nobody sees may stand inside a secret, and whoever shows the
 * text leaves it out: where a secret is found only without it, it goes from the whole text.
 */
export function redact(text: string, mark: SecretMark = markKind): string {
  const { secrets, hidden } = findSecrets(text)
  if (secrets.length === 0) return text
  const parts: string[] = []
  let from = 0
  const keep = (to: number) => {
    const part = text.slice(from, to)
    parts.push(hidden === null ? part : part.replace(hidden, ''))
  }
  for (const { start, end, kind, value } of secrets) {
    keep(start)
    parts.push(mark(kind, value))
    from = end
  }
  keep(text.length)
  return parts.join('')
}

declare const IS_REDACTED: unique symbol

/** A value that `redactAll` gave back: the compiler asks for it where something is stored. */
export type Redacted<T> = T & { readonly [IS_REDACTED]: true }

/**
 * The same for every text inside a value. Nearly always there is nothing to redact, and one look at all texts
 * together, a line break between them, finds that out ten times as fast.
 */
export function redactAll<T>(value: T, mark: SecretMark = markKind): Redacted<T> {
  const texts: string[] = []
  collect(value, texts)
  const all = texts.join('\n')
  // `as`: this is the one place that may say so.
  return (findSecrets(all).secrets.length === 0 ? value : redactEach(value, mark)) as Redacted<T>
}

function collect(value: unknown, texts: string[]): void {
  if (typeof value === 'string') texts.push(value)
  else if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value)) {
      if (!Array.isArray(value)) texts.push(key)
      collect(item, texts)
    }
}

function redactEach<T>(value: T, mark: SecretMark): T {
  // `as`: each value keeps its shape; only texts become other texts.
  if (typeof value === 'string') return redact(value, mark) as T
  if (Array.isArray(value)) return value.map((item) => redactEach(item, mark)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [redact(key, mark), redactEach(item, mark)]),
  ) as T
}

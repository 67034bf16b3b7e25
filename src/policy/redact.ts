/**
 * Secrets that must not reach the disk. Every rule is anchored on a fixed prefix and linear in the text;
 * none can be switched off by the text that it reads. A value that may hold anything ends at what nobody sees (`DI`:
 * ignorable), which must not be taken for the secret itself.
 */
const RULES: ReadonlyArray<{
  kind: string
  pattern: RegExp
  /** Where this is not in a text, neither is the secret: a look for it takes a tenth of the time. */
  hint?: RegExp
}> = [
  { kind: 'anthropic-key', pattern: /\bsk-ant-[A-Za-z0-9_-]{16,}/g },
  { kind: 'openai-key', pattern: /\bsk-(?:proj-|svcacct-)?[A-Za-z0-9_-]{20,}/g },
  { kind: 'github-token', pattern: /\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})/g },
  { kind: 'gitlab-token', pattern: /\bglpat-[A-Za-z0-9_-]{16,}/g },
  { kind: 'npm-token', pattern: /\bnpm_[A-Za-z0-9]{30,}/g },
  { kind: 'slack-token', pattern: /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/g },
  { kind: 'stripe-key', pattern: /\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}/g },
  { kind: 'google-key', pattern: /\bAIza[A-Za-z0-9_-]{30,}/g },
  { kind: 'aws-key-id', pattern: /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g },
  { kind: 'jwt', pattern: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/g },
  { kind: 'bearer', pattern: /(?<=\b[Bb]earer\s)[A-Za-z0-9._~+/=-]{12,}/g },
  {
    kind: 'url-password',
    hint: /:\/\//,
    pattern: /(?<=:\/\/[^\s:/@]{1,100}:)[^\s:/@\p{Cc}\p{DI}]{1,200}(?=@)/gu,
  },
  {
    kind: 'assigned-secret',
    hint: /key|token|secret|passw/iu,
    pattern:
      /(?<=\b(?:[a-z0-9]{1,20}_){0,4}(?:api[_-]?key|access[_-]?key|private[_-]?key|token|secret|password|passwd)["']?[=:]\s?["']?)[^\s"'\p{Cc}\p{DI}]{6,400}/giu,
  },
  {
    kind: 'secret-option',
    hint: /--[a-z0-9]/iu,
    pattern:
      /(?<=(?:^|\s)--(?:[a-z0-9]{1,20}-){0,4}(?:api-?key|access-?key|private-?key|token|secret|password|passwd)\s)[^\s\p{Cc}\p{DI}-][^\s\p{Cc}\p{DI}]{5,400}/giu,
  },
]

/**
 * The text with every known kind of secret replaced by its kind. What nobody sees may stand inside a secret, and
 * whoever shows the text leaves it out: so a secret is also looked for without it, and where one is found, it goes.
 */
export function redact(text: string): string {
  const clean = redactSeen(text)
  if (PLAIN.test(text) || !ANY_HIDDEN.test(text)) return clean
  for (const unseen of [`${SEQUENCE}|${UNSEEN}`, UNSEEN]) {
    // Made when needed: every start of the program would pay for them.
    const each = new RegExp(unseen, 'gu')
    // Of a secret that was found up to what is hidden, the rest.
    const rest = new RegExp(`(\\[redacted:[a-z-]{1,30}\\])(?:(?:${unseen})+[^\\s"'${HIDDEN}]+)+`, 'gu')
    const bare = clean.replace(each, '')
    const bareClean = redactSeen(clean.replace(rest, '$1').replace(each, ''))
    if (bareClean !== bare) return bareClean
  }
  return clean
}

const redactSeen = (text: string) =>
  RULES.reduce(
    (clean, { kind, pattern, hint }) =>
      hint === undefined || hint.test(clean) ? clean.replace(pattern, `[redacted:${kind}]`) : clean,
    withoutPrivateKeys(text),
  )

const PLAIN = /^[ -~\n\t]*$/
const ANY_HIDDEN = /[^\P{Cc}\n\t]|[\p{DI}\uFFF9-\uFFFB]/u
const HIDDEN = '\\p{Cc}\\p{DI}\\uFFF9-\\uFFFB'
const UNSEEN = `(?![\\n\\t])[${HIDDEN}]`
/** Terminal sequences: colours, window titles, character sets. */
const SEQUENCE = '\\x1B(?:\\[[0-?]*[ -/]*[@-~]|\\][^\\x07\\x1B\\n]*(?:\\x07|\\x1B\\\\)|[()][0-~])'

declare const IS_REDACTED: unique symbol

/** A value that `redactAll` gave back: the compiler asks for it where something is stored. */
export type Redacted<T> = T & { readonly [IS_REDACTED]: true }

/**
 * The same for every text inside a value. Nearly always there is nothing to redact, and one look at all texts
 * together, a line break between them, finds that out ten times as fast.
 */
export function redactAll<T>(value: T): Redacted<T> {
  const texts: string[] = []
  collect(value, texts)
  const all = texts.join('\n')
  // `as`: this is the one place that may say so.
  return (redact(all) === all ? value : redactEach(value)) as Redacted<T>
}

function collect(value: unknown, texts: string[]): void {
  if (typeof value === 'string') texts.push(value)
  else if (typeof value === 'object' && value !== null)
    for (const item of Object.values(value)) collect(item, texts)
}

function redactEach<T>(value: T): T {
  // `as`: each value keeps its shape; only texts become other texts.
  if (typeof value === 'string') return redact(value) as T
  if (Array.isArray(value)) return value.map((item) => redactEach(item)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, redactEach(item)])) as T
}

const KEY_BEGINS = /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----/g
const KEY_ENDS = /-----END [A-Z ]{0,30}PRIVATE KEY-----/g

/** From a key's first line to its last; a key without an end goes on to the end of the text. */
function withoutPrivateKeys(text: string): string {
  let clean = ''
  let from = 0
  // A text that was cut may hold only the end of a key.
  KEY_ENDS.lastIndex = 0
  KEY_BEGINS.lastIndex = 0
  const end = KEY_ENDS.exec(text)
  const begin = end === null ? null : KEY_BEGINS.exec(text)
  if (end !== null && (begin === null || begin.index > end.index)) {
    clean = '[redacted:private-key]'
    from = end.index + end[0].length
  }
  for (KEY_BEGINS.lastIndex = from; KEY_BEGINS.test(text); KEY_BEGINS.lastIndex = from) {
    const begins = KEY_BEGINS.lastIndex
    KEY_ENDS.lastIndex = begins
    clean += `${text.slice(from, text.lastIndexOf('-----BEGIN', begins - 1))}[redacted:private-key]`
    from = KEY_ENDS.test(text) ? KEY_ENDS.lastIndex : text.length
  }
  return clean + text.slice(from)
}

/** From where to where a secret stands in a text. */
export interface Span {
  start: number
  end: number
}

/**
 * Secrets without a form of their own, known by the name that they are given to: `password: x`, `API_KEY=x`,
 * `"token":"x"`, `--secret x`. A name alone proves nothing ("Password: argon2id because …"): how a value must look
 * depends on the name and on how it is written.
 */
const WORD =
  'pass(?:word|wd|phrase|code)?|pwd|secret|token|key|auth|credentials?|signature|sig|session(?:_?id)?|sessid|sid'
/** A word in capitals or small letters. With the flag for that V8 takes twice as long to compile a pattern with wide ranges. */
const inAnyCase = (word: string) => word.replace(/[a-z]/g, (one) => `[${one}${one.toUpperCase()}]`)
/** A mark of quotation: plain, escaped any number of times, or encoded. */
const QUOTE = String.raw`(?:\\{0,8}["'\x60]|%(?:25)?2[27]|&(?:${inAnyCase('quot|apos')}|#34|#39);|\\{1,8}[uU]002[27]|[\u2018-\u201E\xAB\xBB\u2039\u203A])`
const GAP = String.raw`(?:[^\S\n]|%(?:25)?20|\\{1,4}\n){0,20}`
const EQUALS = '(?::=|=>|={1,3}|:|%(?:25)?3[ADad])'
const BETWEEN = [
  String.raw`${GAP}${EQUALS}(?:\*\*|__)?${GAP}(?:[>|]-?\n\s{1,20})?`,
  // <password>x</password>, a cell of a table, <add key="password" value="x">, name: PASSWORD, value: x
  `>|${GAP}\\|${GAP}`,
  String.raw`[\s,]{1,20}["']?${inAnyCase('value')}["']?${GAP}[:=]${GAP}`,
  String.raw`[^\S\n]{1,3}(?:${inAnyCase('is|was|set to')})[^\S\n]{1,3}`,
  // --password x, and the password of a machine in .netrc
  String.raw`(?:[^\S\n]|\\{1,4}\n|%(?:25)?20|\+){1,8}`,
].join('|')
/** What Unicode calls ignorable, by ranges, which V8 compiles in a fraction of the time. */
export const IGNORABLE =
  '\\xAD\\u034F\\u061C\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180F\\u200B-\\u200F\\u202A-\\u202E\\u2060-\\u206F\\u3164\\uDB40-\\uDB43\\uFE00-\\uFE0F\\uFEFF\\uFFA0\\uFFF0-\\uFFF8'
const UNSEEN = `\\x00-\\x1F\\x7F-\\x9F${IGNORABLE}`
const CHARACTER = String.raw`[^\s"'\x60<>\\\u2018-\u201E\xAB\xBB\u2039\u203A${UNSEEN}]|\\{1,4}[uU][0-9A-Fa-f]{4}|\\{1,2}/`

// Two patterns, because V8 takes five times as long to compile them as one, and a hook has no time for that. Made when
// they are needed: most texts have no name that a value could follow.
let patterns: { name: RegExp; value: RegExp } | null = null
const makePatterns = () => ({
  name: new RegExp(
    `(${WORD})((?:_?\\d{1,2}|_(?:base|prod|production|dev|staging|test|live))?)(?:${QUOTE}|\\*\\*|__)?\\]?`,
    'iy',
  ),
  value: new RegExp(
    `(${BETWEEN})(${QUOTE}?)(?!\\w{1,40}=(?![=\\s"'&]|$)|[A-Za-z_.-]{1,40}:(?!\\s|$))((?:${CHARACTER}){4,300})`,
    'y',
  ),
})

/** How each of the words begins. */
export const ASSIGNED_AT = 'pass pwd secret token key auth credential sig sess sid'.split(' ')

/** Names of which `key` is the last word, and that hold a secret; a cache key or a primary key does not. */
const SECRET_KEY =
  /(?:api|access|secret|private|account|licen[cs]e|master|sign(?:ing)?|encrypt(?:ion)?|crypto?|cipher|aes|hmac|jwt|auth|app(?:lication)?|shared|storage|service|admin|root|deploy|ssh|webhook|session|cookie|ingest|integration|personal|rsa)[_.-]?$/i
/** What refers to a value: a variable, a template, a member, another place. */
const REFERENCE =
  /^(?:[$<{[(%*#@&]|\.{2}|x{3,}|[*•.x-]+$|(?:process|os|env|import|this|self|config|settings|options|props|req|request|ctx|args?|params?|data|user|secrets?|vars?)[.[]|(?:this\b|file:|env:|op:\/\/|vault:|arn:|https?:|ssm:|~\/|\.\/))/i
/** What stands for a value where it is not random. */
const STAND_IN =
  /^(?:\/|your|my|change|example|dummy|fake|placeholder|redacted|todo|none|null|undefined|string|number|boolean|true|false|required|optional)/i
/** Names of methods and formats with digits in them, which people write behind "password" and "token". */
const METHOD =
  /^(?:0x[0-9a-f]+|argon2(?:id|i|d)?|[bs]crypt\d*|pbkdf2|(?:hmac-?)?sha-?[0-9]{1,3}|md5|[hrep]s(?:256|384|512)|ed25519|x25519|secp256k1|p-?(?:256|384|521)|aes-?\d*(?:-?(?:gcm|cbc))?|rsa-?\d*|ecdsa\d*|oauth-?2?(?:\.\d)?|base(?:16|32|58|64)(?:url)?|utf-?8|ascii|x\.?509|k8s|s3|ec2|i18n|http\/?[123]|v\d+(?:\.\d+)*|\d+(?:\.\d+)*[a-z%]{0,8})$/i

/** Sessions are called by one, which opens nothing. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-/i

/** Blanks and a word that is no part of a name and its value: only an option is given to what follows it so. */
const PROSE = /[^\S\n]+(?!(?:is|was|set to)\s|["']?value)\w/iy

export function findAssigned(text: string, at: number): Span | null {
  patterns ??= makePatterns()
  const named = execAt(patterns.name, text, at)
  if (named === null) return null
  const [all, word = '', suffix = ''] = named
  const after = at + all.length
  const next = text.charAt(after)
  if (!/[\s%\\:=>|,+]/.test(next)) return null
  // Every event of an agent names its session: what follows counts only behind `=`.
  if (/^(?:sig|sess|sid)/i.test(word) && next !== '=' && next !== '%') return null
  const before = nameBefore(text, at)
  if (/^key$/i.test(word) && next !== '=' && !SECRET_KEY.test(before)) return null
  if (!isSecretName(before, word)) return null
  const isOption = before.startsWith('--') || isOfMachine(text, at)
  if (!isOption && execAt(PROSE, text, after) !== null) return null
  const given = execAt(patterns.value, text, after)
  if (given === null) return null
  const [, between = '', quote = '', raw = ''] = given
  const start = after + given[0].length - raw.length
  const value = assignedValue({ text, start, before, word, suffix, between, quote, raw, isOption })
  return value === '' ? null : { start, end: start + value.length }
}

function execAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

type Assignment = Record<'text' | 'before' | 'word' | 'suffix' | 'between' | 'quote' | 'raw', string> & {
  start: number
  isOption: boolean
}

/** What of the value is a secret, from its beginning; empty where it is none. */
function assignedValue(found: Assignment): string {
  const { text, start, before, word, suffix, between, quote, raw, isOption } = found
  const name = before + word + suffix
  const isEnv = between === '=' && /^[A-Z][A-Z0-9_]*$/.test(name)
  const isPassword = /^(?:pass|pwd)/i.test(word)
  const value = cutValue(raw, quote !== '' || isEnv)
  if (value.length < 4 || REFERENCE.test(value) || METHOD.test(value)) return ''
  if (STAND_IN.test(value) && !looksRandom(value)) return ''
  const end = start + value.length
  const next = text.slice(end, end + 12)
  // A call, a member, a template: code that gets the value from somewhere.
  if (quote === '' && (/^[([{]/.test(next) || (!isEnv && /[([]/.test(value)))) return ''
  const isBlank = /^(?:[^\S\n]|\\|%|\+)/.test(between) && !/[:=|>]|%(?:25)?3|is|was|set|value/i.test(between)
  if (isBlank && !isOption) return ''
  const isWord = /^(?:is|was|set)/.test(between.trim())
  const isLast = /^(?:\s*(?:$|[\n#;,}\])]|\/\/)|["'\\`&<%|])/.test(next)
  if (/^(?:sig|session|sid|sess)/i.test(word))
    return /^(?:=|%(?:25)?3D)$/i.test(between) && !UUID.test(value) ? ifRandomOf(value, 16) : ''
  if (/^key$/i.test(word) && !SECRET_KEY.test(before)) return isEnv ? ifRandomOf(value, 24) : ''
  if (isPassword && (isEnv || isOption))
    return isOption && isBlank && /^[a-z]+[.,;:]?$/.test(value) ? '' : value
  if (suffix !== '') return ifRandomOf(value, 12)
  if (isWord) return ifRandomOf(value, 8)
  if (quote !== '' || isEnv || isOption) return isPassword ? ifMixed(value) : looksGiven(value) ? value : ''
  if (isPassword && (isLast || (between === '=' && /\d.*\d/.test(value)))) return ifMixed(value)
  return ifRandomOf(value, 8)
}

const ifRandomOf = (value: string, least: number) =>
  value.length >= least && looksRandom(value) ? value : ''
/** Letters, and digits or other marks between them: what rules for passwords ask for. */
const ifMixed = (value: string) =>
  value.length >= 6 && /[a-z]/i.test(value) && /[0-9!@#$%^&*?+=~]/.test(value) && !isPath(value) ? value : ''
const looksGiven = (value: string) =>
  value.length >= 8 &&
  (looksRandom(value) || (value.length >= 20 && /\d/.test(value) && ifMixed(value) !== ''))
/** Words with separators between: an identifier, a path, a date. */
const isPath = (value: string) =>
  /^[\w@]*(?:[-_./:][A-Za-z]+\d{0,4}|[-_./:]\d{1,4})+$/.test(value) && !looksRandom(value)

/** Whether the end of a name says that a secret follows: not a word that happens to end like one (monkey, bypass). */
function isSecretName(before: string, word: string): boolean {
  if (/^(?:passw|passp|secret|token|credential)/i.test(word))
    return !/(?:css|design|syntax|lex|cancel(?:lation)?|public|next|page|continuation|sync)[_.-]?$/i.test(
      before,
    )
  if (/^key$/i.test(word)) return !/public[_.-]?$/i.test(before)
  const last = before.at(-1) ?? ''
  return (
    !/[A-Za-z0-9]/.test(last) ||
    (/[a-z0-9]/.test(last) && /^[A-Z]/.test(word)) ||
    /^PG?$|MYSQL_?$/.test(before)
  )
}

function nameBefore(text: string, at: number): string {
  let from = at
  while (from > 0 && at - from < 60 && /[\w.-]/.test(text.charAt(from - 1))) from -= 1
  return text.slice(text.charAt(from - 1) === '%' ? from + 2 : from, at)
}

const isOfMachine = (text: string, at: number) =>
  /(?:login|user|account)(?:\s|%20|\+){1,8}[^\s%]{1,80}?(?:\s|%20|\+){1,8}$/.test(
    text.slice(Math.max(0, at - 110), at),
  )

/** A value without quotation marks ends at what separates values, and at the end of a sentence. */
function cutValue(raw: string, isWhole: boolean): string {
  const encoded = raw.search(/%(?:25)?(?:2[0267C]|0[AD]|3[BC])|&(?:quot|apos|amp|lt|gt|#3[49]);/i)
  const whole = encoded < 0 ? raw : raw.slice(0, encoded)
  if (isWhole) return whole
  const end = whole.search(/[,;&|)\]}]/)
  return (end < 0 ? whole : whole.slice(0, end)).replace(/[.:]+$/, '')
}

/**
 * Whether a text is as mixed as chance makes it. What people name is made of words and numbers, three characters long
 * or more; in a random text of letters and digits a new kind of character comes after two.
 */
export function looksRandom(text: string): boolean {
  if (UUID.test(text)) return true
  return text
    .slice(0, 100)
    .split(/[-_./:%\s]+/)
    .some((part) => {
      if (part.length < 8 || !/[A-Za-z]/.test(part)) return false
      if (part.length >= 24 && /^[0-9a-f]*\d[0-9a-f]*$/i.test(part)) return true
      if (/\d/.test(part) && /[A-Za-z].*[!@#^&*?~]|[!@#^&*?~].*[A-Za-z]/.test(part)) return true
      const runs = part.match(/[A-Z]?[a-z]+|[A-Z]+|\d+|[^A-Za-z0-9]/g) ?? []
      const digits = /\d/.test(part)
      const mean = part.length / runs.length
      if (!digits) return part.length >= 16 && mean <= (part.length >= 24 ? 3 : 2.4)
      return mean <= (part.length >= 20 ? 3.8 : 2.6)
    })
}

/** From where to where a secret stands in a text. */
export interface Span {
  start: number
  end: number
}

/** The lines around a private key in armour, also where they are escaped or encoded. */
const BLANK = '(?:[ +]|%(?:25)?20)'
const NAMED = `${BLANK}(?:[A-Z0-9]{2,12}${BLANK}){0,3}PRIVATE${BLANK}KEY(?:${BLANK}BLOCK)?-----`
const HEAD = new RegExp(`-----BEGIN${NAMED}`, 'y')
const FOOT = new RegExp(`-----END${NAMED}`, 'y')
/** What may stand between the lines of a key: breaks, escaped ones, and what a quote, a diff or a list puts before a line. */
const BREAK = String.raw`(?:[\s>+|#*"',]|\\{1,8}[nr]|%(?:25)?0[AD])`
const LINE = '(?:[A-Za-z0-9+/=]|%(?:25)?(?:2[BF]|3D))'
const HEADERS = String.raw`(?:${BREAK}{1,20}[A-Z][A-Za-z-]{2,20}: [^\n\\]{1,100}){0,4}`
const CUT_BODY = new RegExp(
  `${HEADERS}(?:${BREAK}{1,40}${LINE}{16,100})+(?:${BREAK}{1,40}${LINE}{1,15}(?=\\s{0,9}$))?`,
  'y',
)

/**
 * The private key whose first or last line is here. Either line may be cut off; what is left of the key is found by
 * its long lines. A line that is only named, with no key at it, is none.
 */
export function findPrivateKey(text: string, at: number): Span | null {
  HEAD.lastIndex = at
  if (!HEAD.test(text)) return findCutKey(text, at)
  const begins = HEAD.lastIndex
  const next = text.indexOf('-----', begins)
  FOOT.lastIndex = next
  if (next >= 0 && FOOT.test(text))
    return /[A-Za-z0-9+/=]{16}/.test(text.slice(begins, next)) ? { start: at, end: FOOT.lastIndex } : null
  CUT_BODY.lastIndex = begins
  return CUT_BODY.test(text) ? { start: at, end: CUT_BODY.lastIndex } : null
}

/** Of a key whose beginning was cut off, the lines before its last one. */
function findCutKey(text: string, at: number): Span | null {
  FOOT.lastIndex = at
  if (!FOOT.test(text)) return null
  let start = at
  for (let from = at, line = 16; line >= 16; ) {
    while (from > 0 && /[\s>|#*"',\\]/.test(text.charAt(from - 1))) from -= 1
    const end = from
    while (from > 0 && /[A-Za-z0-9+/=]/.test(text.charAt(from - 1))) from -= 1
    line = end - from
    if (line >= 16 || (line > 0 && start === at)) start = from
    if (line > 0 && line < 16 && start === from) line = 16
  }
  return at - start >= 16 ? { start, end: FOOT.lastIndex } : null
}

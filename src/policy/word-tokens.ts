/** A word of a sentence, or a mark that ends a clause. */
interface Token {
  lower: string
  /** A number or an identifier, which has no endings to be taken off. */
  isExact: boolean
  /** In code marks, or a capital where none is due. */
  isName: boolean
  /** A mark that ends a clause; empty for a word. */
  mark: string
}

const TOKEN =
  /`+|[\p{L}\p{N}\p{M}_]+(?:[./@:'’\\-][\p{L}\p{N}\p{M}_]+)*(?:\+\+|#)?|[,;:()—–]|(?<=\s)-(?=\s)/gu
const LIST_COMMA = /^,\s+(?:(?:and|or)\b|[^\s,]+(?:\s[^\s,]+)?(?:,|\s(?:and|or)\b))/
const EXACT = /[\p{N}_./@:\\+#]|\p{Ll}\p{Lu}/u
const CJK = /(?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])/u

/** "SHA-256" is "sha256", and "v20" is "20". */
const exactOf = (lower: string) => lower.replaceAll('-', '').replace(/^v(?=\p{N})/u, '')

export function tokensOf(sentence: string): Token[] {
  const text = sentence.replace(/(\d),(?=\d{3}(?!\d))/g, '$1')
  const tokens: Token[] = []
  let isCode = false
  let isFirst = true
  for (const { 0: found, index } of text.matchAll(TOKEN)) {
    if (found.startsWith('`')) isCode = !isCode
    else if (found === ',' && LIST_COMMA.test(text.slice(index, index + 80))) continue
    else if (/^[,;:()—–-]$/.test(found)) {
      tokens.push({ lower: '', isExact: false, isName: false, mark: found })
      isFirst = true
    } else {
      const isName = isCode || (!isFirst && /^\p{Lu}/u.test(found))
      for (const part of partsOf(found)) {
        const isExact = EXACT.test(part)
        const lower = part.toLowerCase()
        tokens.push({ lower: isExact ? exactOf(lower) : lower, isExact, isName, mark: '' })
      }
      isFirst = false
    }
  }
  return tokens
}

/** Hyphens join what can as well stand apart; a writing without blanks is read sign by sign. */
function partsOf(found: string): string[] {
  const word = found.replaceAll('’', "'").replace(/(?<!n)'(?:\p{L}{1,2})$/u, '')
  if (CJK.test(word)) return word.split(CJK)
  return EXACT.test(word) ? [word] : word.split('-')
}

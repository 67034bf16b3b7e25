import { redactToLine } from './quote.ts'

/** Words that often stand where a reason, a finding or a way out is told. They rank lines, and make nothing of them. */
const TELLING =
  /\b(?:because|since|instead|rather than|so that|therefore|root cause|caused by|turns out|decided|workaround|not? (?:needed|possible|supported)|only|never|must|fix(?:ed)?|added|removed|renamed|replaced|changed|found|reason|trade-?off|weil|deshalb|stattdessen|statt|Ursache|entschieden|porque|en lugar de|decid\w+|causa|parce que|au lieu de|cause|décid\w+|perché|invece|em vez|poprzez|dlatego|omdat|in plaats)\b|(?:因为|由于|所以|而不是|决定|原因|ため|なので|代わりに|決め|때문|대신|그래서|결정|원인|потому|поэтому|вместо|решил|причин)/i
/** What announces the next step says little once that came. */
const PASSING =
  /^(?:let me|now (?:let me|i)|i'll|i will|next,? i|looking|checking|perfect|great|good|ok(?:ay)?\b|yes\b|you're right|wait|hmm)/i
const NAMES = /`[^`\n]{2,80}`|#\d{2,}|\b[0-9a-f]{7,40}\b|https?:\/\/\S+|\b[A-Z]{2,10}-\d+\b/g

/**
 * What an answer comes to, in at most two of its own sentences, the one that tells most first: to a question the first
 * one, to a wish the outcome, which often comes late.
 */
export function gistSentences(text: string, isQuestion: boolean): string[] {
  const ranked = sentencesOf(text)
    .map((sentence, place) => ({ sentence, place, score: scoreOf(sentence) }))
    .sort((a, b) => b.score - a.score || b.place - a.place)
  const first = ranked.filter(({ score }) => score >= 0).reduce((a, b) => (b.place < a.place ? b : a), NONE)
  const best = ranked.filter(
    ({ score, place }, rank) => (rank === 0 || score >= 2) && !(isQuestion && place === first.place),
  )
  return [...(isQuestion && first !== NONE ? [first] : []), ...best]
    .slice(0, 2)
    .map(({ sentence }) => sentence)
}

const NONE = { sentence: '', place: Number.POSITIVE_INFINITY, score: 0 }

const LEAST_WORDS = 4

function scoreOf(line: string): number {
  if (PASSING.test(line)) return -1
  // A name tells something where words stand around it.
  const words = line.replace(NAMES, ' ').match(/[\p{L}\p{N}']{2,}|\p{Script=Han}{2}/gu)?.length ?? 0
  const names = words < LEAST_WORDS ? 0 : Math.min(3, line.match(NAMES)?.length ?? 0)
  return (TELLING.test(line) ? 2 : 0) + names * 0.5
}

/** The sentences of paragraphs and items, without code, tables and headings. */
function sentencesOf(text: string): string[] {
  let isFenced = false
  return text.split('\n').flatMap((line) => {
    if (/^\s{0,8}(?:`{3}|~{3})/.test(line)) isFenced = !isFenced
    const bare = line
      .replace(/^\s*(?:[-*+•>]|\d{1,2}[.)])\s+/, '')
      .replace(/\*\*/g, '')
      .trim()
    const isProse = !isFenced && !/^[|#`]/.test(bare) && !/[:：]$/.test(bare)
    return isProse ? sentencesIn(bare) : []
  })
}

const LENGTH = { least: 12, most: 240 }

const sentencesIn = (line: string) =>
  line
    .split(/(?<=[.!?](?=\s)|[。！？])\s*/)
    .filter((one) => one.length >= LENGTH.least && one.length <= LENGTH.most && !/[?？]$/.test(one))
    .map((sentence) => redactToLine(sentence, LENGTH.most))

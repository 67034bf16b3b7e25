import { findQuestion, inOneLine, keepEnd } from './quote.ts'
import type { Digest } from './state.ts'

/** The agent ended its turn with these words; null in the middle of one. */
function finalWords({ turn, lastEvent }: Digest): string | null {
  const words = turn.at(-1)
  return words && !words.isFollowedByCall && lastEvent === 'text' ? words.text : null
}

/** An answer of so many characters is told on the line of its request. */
const SHORT = 220

export function shortAnswer(digest: Digest): string {
  const words = finalWords(digest) ?? ''
  return words.length <= SHORT ? inOneLine(words) : ''
}

export const hasEndedTurn = (digest: Digest) => finalWords(digest) !== null

/** Of what was announced earlier in a turn only a report is worth telling: the rest was overtaken. */
const REPORT = 300
const MOST_ANNOUNCED = 2

/**
 * The end of the last answer, where that is not told on the line of its request. In the middle of a turn the agent's
 * last announcements: an answer from before it was answered by the newest request.
 */
export function lastWords(digest: Digest, most: number): string[] {
  const final = finalWords(digest)
  if (final !== null) return shortAnswer(digest) === '' ? linesIn(final, most) : []
  const said = digest.turn.map(({ text }) => text)
  const announced = said.filter((text, place) => place === said.length - 1 || text.length >= REPORT)
  const told: string[] = []
  let room = most
  for (const text of announced.slice(-MOST_ANNOUNCED).toReversed()) {
    if (told.length > 0 && room < LEAST_BEFORE) break
    const part = linesIn(text, room)
    told.unshift(...part)
    room -= part.join('').length
  }
  return told
}

/** Last words of so many characters speak for themselves. */
const ENOUGH = 500
/** A shorter answer from before says nothing by now. */
const LEAST_BEFORE = 60

/** The answer before the newest request, where the last one says little. */
export function previousAnswerLines(digest: Digest, most: number): string[] {
  const final = finalWords(digest)
  const { previousAnswer } = digest
  const isWanted = final !== null && final.length < ENOUGH && previousAnswer.length >= LEAST_BEFORE
  return isWanted ? linesIn(previousAnswer, Math.max(LEAST_BEFORE, most - final.length)) : []
}

/** A text line by line: headings go into the line behind them, code fences away, and its end is what stays. */
function linesIn(text: string, most: number): string[] {
  const lines: string[] = []
  let heading = ''
  let isCode = false
  for (const raw of text.split('\n')) {
    const line = raw.replace(/\*\*/g, '').trim()
    if (/^(?:`{3}|~{3})/.test(line)) isCode = !isCode
    if (line === '' || /^(?:`{3}|~{3}|[-━─=]{3,}$|\|[\s|:-]+\|$)/.test(line)) continue
    const bare = line.replace(/^#{1,6}\s+/, '')
    const before = lines.at(-1)
    if (!isCode && (bare !== line || (/[:：]$/.test(line) && line.length < 60)))
      heading = heading === '' ? bare : `${heading} ${bare}`
    else if (heading === '' && before !== undefined && (isCode || isFragment(bare)))
      lines[lines.length - 1] = `${before} / ${bare}`
    else {
      lines.push(heading === '' ? bare : `${heading.replace(/[:：]$/, '')}: ${bare}`)
      heading = ''
    }
  }
  return fitEnd(heading === '' ? lines : [...lines, heading], most)
}

/** A few words or a line of code are no line of their own. */
const isFragment = (line: string) => line.length < 40 && line.split(/\s+/).length < 6

/** The last lines that fit, and the first one where something lies between. */
function fitEnd(lines: string[], most: number): string[] {
  let room = most
  let from = lines.length
  while (from > 0 && room - (lines[from - 1]?.length ?? 0) >= 0) {
    from -= 1
    room -= lines[from]?.length ?? 0
  }
  if (from === 0) return lines
  if (from === lines.length) return [keepEnd(lines.at(-1) ?? '', most)]
  const [first = ''] = lines
  const rest = lines.slice(from)
  if (first.length > room) return rest.map((line, at) => (at === 0 ? `${leftOutMark(from)} ${line}` : line))
  return [from > 1 ? `${first} ${leftOutMark(from - 1)}` : first, ...rest]
}

const leftOutMark = (count: number) => `[${count === 1 ? '1 line' : `${count} lines`} left out]`

/** The question that the agent's last words ask, with what it offers; empty where they ask none. */
export function openQuestion(digest: Digest): string {
  const [answeredQuestion] = digest.openQuestions?.questions ?? []
  if (answeredQuestion)
    return [answeredQuestion.question, ...answeredQuestion.options.map((one) => `- ${one}`)].join(' ')
  const { parts, at } = findQuestion(finalWords(digest) ?? '')
  // A question in the middle of a long answer is one that the answer itself answers.
  const behind = parts.slice(at + 1)
  const isList = behind.every((part) => /^\s*(?:[-*+]|\w[.)]|\*\*)/.test(part))
  if (at < 0 || (behind.length > 1 && !isList)) return ''
  return inOneLine(isList ? parts.slice(at).join('\n') : (parts[at] ?? ''))
}

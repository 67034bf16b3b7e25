import { meaningOf, type Word } from './meaning.ts'

/** One sentence, or one line, of a text that is written in Markdown as people do. */
export interface Passage {
  words: Word[]
  /** Sentences of one paragraph or of one list item have the same. */
  block: number
  /** The passages that it stands under: a heading, a lead line, the items around it. */
  under: readonly number[]
}

/** How many of the passages above it speak for one below. */
const MOST_ABOVE = 4
const REJECTING =
  /\b(?:reject(?:ed|ions?)?|abandoned|discarded|ruled out|dead[ -]ends?|considered|out of scope|non-goals?)\b/i
/** A longer line is a sentence of its own. */
const LONGEST_LEAD = 60

interface Above {
  level: number
  passages: number[]
  isRejecting: boolean
  /** Something stands under it already. */
  isUsed: boolean
}

interface Line {
  text: string
  kind: 'heading' | 'lead' | 'item' | 'plain'
  /** How far right it begins; what has a greater one stands under it. */
  level: number
}

/** A text as passages, each of which knows what it stands under. What is listed as rejected is denied. */
export function passagesOf(text: string): Passage[] {
  const passages: Passage[] = []
  const above: Above[] = []
  let [block, isContinued] = [0, false]
  for (const row of text.split(/\r\n|[\n\r\u2028\u2029]/)) {
    const line = lineOf(row)
    if (line === null) {
      isContinued = false
      continue
    }
    while ((above.at(-1)?.level ?? Number.NEGATIVE_INFINITY) >= line.level) above.pop()
    // A paragraph after the list under "Rejected:" is no longer part of it.
    if (line.kind === 'plain' && !isContinued && above.at(-1)?.isUsed && isLead(above.at(-1))) above.pop()
    const parent = above.at(-1)
    if (parent) parent.isUsed = true
    if (line.kind !== 'plain' || !isContinued) block += 1
    isContinued = line.kind === 'plain' || line.kind === 'item'
    const under = above.slice(-MOST_ABOVE).flatMap((one) => one.passages)
    const isDenied = parent?.isRejecting ?? false
    const own: number[] = []
    for (const sentence of line.text.split(/(?<=[.!?])\s+/)) {
      const words = meaningOf(sentence)
      if (words.length === 0) continue
      own.push(passages.length)
      passages.push({
        words: isDenied ? words.map((word) => ({ ...word, isNegated: true })) : words,
        block,
        under,
      })
    }
    if (line.kind !== 'plain')
      above.push({
        level: line.level,
        // An item of many sentences does not speak for its sub-items with all of them.
        passages: own.slice(0, 1),
        isRejecting: isDenied || isRejectingLead(line),
        isUsed: false,
      })
  }
  return passages
}

const isLead = (one: Above | undefined) => one !== undefined && !Number.isInteger(one.level)

const isRejectingLead = ({ kind, text }: Line) =>
  text.length <= LONGEST_LEAD && (kind !== 'item' || /:\W*$/.test(text)) && REJECTING.test(text)

/** What a line is; null where it says nothing. */
function lineOf(row: string): Line | null {
  const indent = (/^[ \t]*/.exec(row)?.[0] ?? '').replaceAll('\t', '    ').length
  const [, hashes = '', title = ''] = /^\s*(#{1,6})\s+(.*)$/.exec(row) ?? []
  if (hashes !== '') return { text: title, kind: 'heading', level: hashes.length - 100 }
  const [, mark = '', rest = ''] = /^\s*(?:([-*+•]|\d{1,9}[.)])\s+)?(.*)$/.exec(row) ?? []
  const text = rest.trim()
  if (text === '') return null
  // A lead line stands half a step above what begins in its own column.
  const isBold = /^\*\*[^*]+\*\*:?$/.test(text)
  if ((mark === '' || /^\d/.test(mark)) && (isBold || text.endsWith(':')))
    return { text, kind: 'lead', level: indent - 0.5 }
  return mark === '' ? { text, kind: 'plain', level: indent } : { text, kind: 'item', level: indent }
}

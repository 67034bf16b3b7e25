import { decodeItems, encodeItem, plainText } from '../../core/bullets.ts'
import type { BodyCodec } from '../../core/claims.ts'
import type { WorkState } from '../../core/work.ts'

/** Labels of bullets, each with the words that people write for it, as the source of an expression. */
export type Labels = Readonly<Record<string, string>>

/** The bullets that carry a label: their texts behind it. */
export type LabelledTexts = (label: string) => readonly string[]

/** What a section says besides its own text or list, in bullets that begin with a label. */
export interface LabelledPart {
  labels: Labels
  encode(work: WorkState): ReadonlyArray<readonly [label: string, text: string]>
  decode(textsOf: LabelledTexts): Partial<WorkState>
}

const anyOf = (labels: Labels) => Object.values(labels).join('|')

/** `Label:`, also in stars. */
export const labelPattern = (words: string) => new RegExp(`^[*_]*(?:${words})[*_]*[ \\t]*:[*_]*[ \\t]*`, 'i')

const BULLET = '(?:[-*+]|\\d{1,9}[.)])[ \\t]+'
const isBullet = (line: string) => new RegExp(`^[ \\t]?${BULLET}`).test(line)
const lineStart = (labels: Labels, behind = '') =>
  new RegExp(`^( ?)${behind}(?=\\\\*${BULLET}[*_]*(?:${anyOf(labels)})[*_]*[ \\t]*:)`, 'i')

/** A section with labelled bullets below its own text. A line of the text that looks like one gets a backslash. */
export function withLabels(plain: BodyCodec, { labels, encode, decode }: LabelledPart): BodyCodec {
  const [start, shielded] = [lineStart(labels), lineStart(labels, '\\\\')]
  const mapLines = (text: string, change: (line: string) => string) =>
    text
      .split(/\r\n|\n|\r/)
      .map(change)
      .join('\n')
  return {
    encode: (work) =>
      [
        mapLines(plain.encode(work), (line) => line.replace(start, '$1\\')),
        ...encode(work)
          .filter(([, text]) => plainText(text) !== '')
          .map(([label, text]) => encodeItem(`${label}: ${plainText(text)}`)),
      ]
        .filter((part) => part !== '')
        .join('\n'),
    decode(body) {
      const { rest, bullets } = splitBullets(body, lineStart(labels))
      const items = decodeItems(bullets)
      const textsOf = (label: string) => {
        const pattern = labelPattern(labels[label] ?? label)
        return items
          .filter((item) => pattern.test(item))
          .map((item) => item.replace(pattern, '').trim())
          .filter((text) => text !== '')
      }
      return { ...plain.decode(mapLines(rest, (line) => line.replace(shielded, '$1'))), ...decode(textsOf) }
    },
  }
}

/** Parts the labelled bullets, with the lines that belong to each, from all else. */
function splitBullets(body: string, start: RegExp): { rest: string; bullets: string } {
  const found = { rest: [] as string[], bullets: [] as string[] }
  let into: keyof typeof found = 'rest'
  let isBehindBlank = false
  for (const line of body.split(/\r\n|\n|\r/)) {
    const isBlank = line.trim() === ''
    if (!isBlank && !/^(?: {2}|\t)/.test(line)) {
      // A backslash in front makes it text.
      if (start.test(line) && !/^ ?\\/.test(line)) into = 'bullets'
      else if (isBullet(line) || isBehindBlank) into = 'rest'
    }
    found[into].push(line)
    isBehindBlank = isBlank
  }
  return { rest: found.rest.join('\n'), bullets: found.bullets.join('\n') }
}

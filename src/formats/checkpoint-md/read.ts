import { nameProblem } from '../../core/id.ts'
import { linesOf } from '../../core/outline.ts'
import { decodeUtf8, quoteShort } from '../../core/text.ts'
import type { FrontMatter } from '../markdown/front-matter.ts'
import { type CheckpointDocument, decodeDocument } from './codec.ts'

/** What a file in the documents' folder turns out to be. */
export type DocumentReading =
  | { state: 'whole'; text: string; document: CheckpointDocument; front: FrontMatter; id: string }
  /** Git left conflict markers in it. */
  | { state: 'conflicted'; text: string; line: number; problem: string }
  /** It is a document, and does not parse. */
  | { state: 'broken'; text: string | null; line: number; problem: string }
  /** It has nothing of a checkpoint document. */
  | { state: 'other' }

/** Reads a file's bytes; its name is its id where it says none. */
export function readDocument(bytes: Buffer, fileName: string): DocumentReading {
  const text = decodeUtf8(bytes)
  if (text === null) return { state: 'broken', text: null, line: 1, problem: 'it is not UTF-8 text' }
  const line = conflictLine(text)
  if (line !== null) return { state: 'conflicted', text, line, problem: 'it has conflict markers' }
  const document = decodeDocument(text)
  const { front } = document
  if (front === null) {
    if (!/^\uFEFF?---/.test(text)) return { state: 'other' }
    return { state: 'broken', text, line: 1, problem: 'the front matter is not closed' }
  }
  if (front.problem !== null)
    return {
      state: 'broken',
      text,
      line: yamlLine(front),
      problem: `invalid front matter: ${front.problem.replace(YAML_PLACE, '')}`,
    }
  const id = front.fields.get('checkpoint')?.value || fileName.replace(/\.md$/i, '')
  const problem = nameProblem(id)
  if (problem !== null)
    return {
      state: 'broken',
      text,
      line: front.fields.get('checkpoint')?.line ?? 1,
      problem: `invalid id ${quoteShort(id)}: ${problem}`,
    }
  return { state: 'whole', text, document, front, id }
}

/** The parser counts lines from its own first one, which is the second of the file. */
const YAML_PLACE = / at line (\d+), column \d+:?\s*$/
const yamlLine = ({ problem }: FrontMatter) => Number(YAML_PLACE.exec(problem ?? '')?.[1] ?? 1) + 1

/** The line of the first conflict marker, where all three kinds are there in their order. */
function conflictLine(text: string): number | null {
  if (!text.includes('<<<<<<<')) return null
  let begun: number | null = null
  let parted = false
  for (const line of linesOf(text)) {
    if (/^<{7}(?: |$)/.test(line.text)) {
      begun = line.number
      parted = false
    } else if (/^={7}$/.test(line.text)) parted = begun !== null
    else if (/^>{7}(?: |$)/.test(line.text) && parted) return begun
  }
  return null
}

/** Whether the document asks to be the one in focus. */
export const saysCurrent = (front: FrontMatter) => front.fields.get('status')?.value === 'current'

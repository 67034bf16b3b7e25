import {
  type Document,
  isMap,
  isScalar,
  type Pair,
  parseDocument,
  type Scalar,
  stringify,
  type YAMLMap,
} from 'yaml'
import { describe } from '../../core/reason.ts'

const MAX_FRONT_MATTER = 16 * 1024

/** The front matter of a document: its YAML, and where it stands in the text. */
export interface FrontMatter {
  /** The first character of the YAML, and the first one of the closing fence. */
  start: number
  end: number
  /** The first character of the body. */
  bodyStart: number
  problem: string | null
  fields: Map<string, { value: string; line: number }>
}

const OPENING = /^\uFEFF?---[ \t]*(?:\r\n|\n|\r)/
const CLOSING = /^(?:---|\.\.\.)[ \t]*(?:\r\n|\n|\r|$)/gm

/** Reads the front matter; null where the text does not begin with one. A `---` inside a value is not its end. */
export function readFrontMatter(text: string): FrontMatter | null {
  const opening = OPENING.exec(text)
  if (!opening) return null
  const start = opening[0].length
  CLOSING.lastIndex = start
  const closing = CLOSING.exec(text)
  if (!closing || closing.index - start > MAX_FRONT_MATTER) return null
  const found: FrontMatter = {
    start,
    end: closing.index,
    bodyStart: closing.index + closing[0].length,
    problem: null,
    fields: new Map(),
  }
  const { map, problem } = parse(text.slice(start, closing.index))
  found.problem = problem
  for (const { key, value } of pairsOf(map)) {
    const line = text.slice(0, start + (key.range?.[0] ?? 0)).split(/\r\n|\n|\r/).length
    found.fields.set(String(key.value), { value: sourceOf(value), line })
  }
  return found
}

interface Entry {
  key: Scalar
  value: unknown
}

function parse(yaml: string): { document: Document; map: YAMLMap | null; problem: string | null } {
  try {
    const document = parseDocument(yaml, { keepSourceTokens: true, schema: 'core' })
    const [error] = document.errors
    const map = isMap(document.contents) ? document.contents : null
    const empty = document.contents === null
    const problem = error ? describe(error) : map || empty ? null : 'the front matter is not a list of keys'
    return { document, map: error ? null : map, problem }
  } catch (error) {
    // Deep nesting makes the parser run out of stack.
    return { document: parseDocument(''), map: null, problem: describe(error) }
  }
}

function pairsOf(map: YAMLMap | null): Entry[] {
  // `as`: the pairs of a map that was parsed from text have nodes or null.
  return ((map?.items ?? []) as Pair[]).flatMap(({ key, value }) => (isScalar(key) ? [{ key, value }] : []))
}

/** A value as its author wrote it: `001` is not the number 1. */
function sourceOf(value: unknown): string {
  if (!isScalar(value)) return value === null || value === undefined ? '' : String(value)
  return value.value === null ? '' : (value.source ?? String(value.value))
}

/** The text with one key set, or taken out where the value is null. Only that key's own characters change. */
export function setFrontMatter(text: string, key: string, value: string | null): string {
  const eol = /\r\n|\n|\r/.exec(text)?.[0] ?? '\n'
  const front = readFrontMatter(text)
  if (front === null) {
    if (value === null) return text
    const bom = text.startsWith('\uFEFF') ? '\uFEFF' : ''
    return `${bom}---${eol}${key}: ${scalar(value)}${eol}---${eol}${eol}${text.slice(bom.length)}`
  }
  const yaml = text.slice(front.start, front.end)
  const entry = pairsOf(parse(yaml).map).find((pair) => pair.key.value === key)
  return text.slice(0, front.start) + edited(yaml, entry, key, value, eol) + text.slice(front.end)
}

function edited(
  yaml: string,
  entry: Entry | undefined,
  key: string,
  value: string | null,
  eol: string,
): string {
  if (entry === undefined) {
    if (value === null) return yaml
    const gap = yaml === '' || /[\r\n]$/.test(yaml) ? '' : eol
    return `${yaml}${gap}${key}: ${scalar(value)}${eol}`
  }
  const keyStart = entry.key.range?.[0] ?? 0
  const keyEnd = entry.key.range?.[1] ?? 0
  const range = isScalar(entry.value) && entry.value.value !== null ? entry.value.range : undefined
  if (value === null) {
    const lineEnd = /\r\n|\n|\r|$/g
    lineEnd.lastIndex = range?.[1] ?? keyEnd
    lineEnd.exec(yaml)
    return yaml.slice(0, keyStart) + yaml.slice(lineEnd.lastIndex)
  }
  if (range) return yaml.slice(0, range[0]) + scalar(value) + yaml.slice(range[1])
  const colon = yaml.indexOf(':', keyEnd) + 1
  return `${yaml.slice(0, colon)} ${scalar(value)}${yaml.slice(colon)}`
}

const scalar = (value: string) => stringify(value, { lineWidth: 0 }).trimEnd()

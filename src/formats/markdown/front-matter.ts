import {
  type Document,
  isMap,
  isNode,
  isScalar,
  type Pair,
  Parser,
  parseDocument,
  type Scalar,
  stringify,
} from 'yaml'
import { describeError, ReasonError } from '../../core/reason.ts'
import { isTooDeep, MAX_YAML_DEPTH } from '../../core/yaml-depth.ts'
import { cacheNewest } from './newest.ts'
import { lineBreakOf } from './splice.ts'

export const MAX_FRONT_MATTER = 16 * 1024

/** The front matter of a document: its YAML, and where it stands in the text. */
export interface FrontMatter {
  /** The first character of the YAML, and the first one of the closing fence. */
  start: number
  end: number
  /** The first character of the body. */
  bodyStart: number
  problem: string | null
  /** `isPlain`: a value of its own, and no list, map or reference. */
  fields: Map<string, { value: string; line: number; isPlain: boolean }>
}

const OPENING = /^\uFEFF?---[ \t]*(?:\r\n|\n|\r)/
// Not `^` and `m`: these take a line separator inside a value for the start of a line.
const CLOSING = /(?<=[\r\n])(?:---|\.\.\.)[ \t]*(?:\r\n|\n|\r|$)/g

/** Reads the front matter; null where the text does not begin with one. A `---` inside a value is not its end. */
export function readFrontMatter(text: string): FrontMatter | null {
  const opening = OPENING.exec(text)
  if (!opening) return null
  const start = opening[0].length
  CLOSING.lastIndex = start
  const closing = CLOSING.exec(text)
  if (!closing || closing.index - start > MAX_FRONT_MATTER) return null
  const { index: end } = closing
  return { start, end, bodyStart: end + closing[0].length, ...readFields(text.slice(start, end)) }
}

const readFields = cacheNewest((yaml: string): Pick<FrontMatter, 'problem' | 'fields'> => {
  const { entries, problem } = parseYaml(yaml)
  const fields: FrontMatter['fields'] = new Map()
  let [line, seen] = [2, 0]
  for (const { key, value } of entries) {
    const at = key.range?.[0] ?? 0
    line += linesIn(yaml.slice(seen, at)) - 1
    seen = at
    fields.set(String(key.value), { value: sourceOf(yaml, value), line, isPlain: isScalar(value) })
  }
  return { problem, fields }
})

const linesIn = (text: string) => text.split(/\r\n|\n|\r/).length

interface YamlEntry {
  key: Scalar
  value: unknown
  pair: Pair
}

interface ParsedYaml {
  document: Document | null
  entries: YamlEntry[]
  problem: string | null
}

function parseYaml(yaml: string): ParsedYaml {
  const withProblem = (problem: string) => ({ document: null, entries: [], problem })
  try {
    // The parser does not know a carriage return alone, which is a line break everywhere else here.
    // Its tests for equal keys and its pictures of errors take too long for thousands of either.
    const text = yaml.replace(/\r(?!\n)/g, '\n')
    if (isTooDeep(new Parser().parse(text)))
      return withProblem(`nested more than ${MAX_YAML_DEPTH} levels deep`)
    const document = parseDocument(text, {
      keepSourceTokens: true,
      schema: 'core',
      uniqueKeys: false,
      prettyErrors: false,
    })
    const { contents, errors } = document
    const [error] = errors
    if (error) return withProblem(withYamlPosition(describeError(error), yaml, error.pos[0]))
    if (!isMap(contents))
      return contents === null ? { document, entries: [], problem: null } : withProblem('it has no keys')
    // `as`: the pairs of a map that was parsed from text have nodes or null.
    const entries = (contents.items as Pair[]).flatMap((pair) =>
      isScalar(pair.key) ? [{ key: pair.key, value: pair.value, pair }] : [],
    )
    const known = new Set<unknown>()
    const twice = entries.find(({ key }) => known.size === known.add(key.value).size)
    if (twice)
      return withProblem(withYamlPosition('Map keys must be unique', yaml, twice.key.range?.[0] ?? 0))
    return { document, entries, problem: null }
  } catch (error) {
    // Deep nesting makes the parser run out of stack.
    return withProblem(describeError(error))
  }
}

/** Tells the place as the parser itself does. */
function withYamlPosition(problem: string, yaml: string, offset: number): string {
  const before = yaml.slice(0, offset).split(/\r\n|\n|\r/)
  return `${problem} at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
}

/** A value as its author wrote it: `001` is not the number 1. Nothing is expanded: a short text can mean a huge value. */
function sourceOf(yaml: string, value: unknown): string {
  if (isScalar(value)) return value.value === null ? '' : (value.source ?? String(value.value))
  const [start, end] = isNode(value) && value.range ? value.range : [0, 0]
  return yaml.slice(start, end).trim()
}

/**
 * The text with one key set, or taken out where the value is null. Only that key's own characters change; it
 * refuses where the result would not say the wanted value and the same as before for every other key.
 */
export function setFrontMatter(text: string, key: string, value: string | null): string {
  const eol = lineBreakOf(text)
  const front = readFrontMatter(text)
  if (front === null) {
    if (value === null) return text
    if (OPENING.test(text)) throw refusal(key)
    const bom = text.startsWith('\uFEFF') ? '\uFEFF' : ''
    return setFrontMatter(`${bom}---${eol}---${eol}${eol}${text.slice(bom.length)}`, key, value)
  }
  const yaml = text.slice(front.start, front.end)
  const changed = front.problem === null ? setKey(yaml, key, value, eol) : null
  if (changed === null) throw refusal(key)
  const result = text.slice(0, front.start) + changed + text.slice(front.end)
  const after = readFrontMatter(result)
  const isSet = (after?.fields.get(key)?.value ?? null) === value
  const isWhole = after?.problem === null && after.end === front.start + changed.length
  if (!isSet || !isWhole || othersOf(yaml, key) !== othersOf(changed, key)) throw refusal(key)
  return result
}

const refusal = (key: string) => {
  const problem = `\`${key}\` cannot be set in this front matter: write one key per line`
  return new ReasonError('document_broken', { id: '', path: '', line: 1, problem })
}

/** The YAML with the key set or taken out; null where its keys do not have lines of their own. */
function setKey(yaml: string, key: string, value: string | null, eol: string): string | null {
  const { document, entries } = parseYaml(yaml)
  const entry = entries.find((one) => one.key.value === key)
  const splice = (start: number, end: number, by: string) => yaml.slice(0, start) + by + yaml.slice(end)
  if (isMap(document?.contents) && document.contents.flow) return null
  if (!entry) {
    const first = lineStart(yaml, entries[0]?.key.range?.[0] ?? 0)
    const indent = entries.length === 0 ? '' : (/^ */.exec(yaml.slice(first))?.[0] ?? '')
    return value === null ? yaml : `${yaml}${indent}${key}: ${scalar(value)}${eol}`
  }
  const { value: node } = entry
  const range = isNode(node) ? node.range : null
  if (value === null) {
    // Empty lines that are a part of the value go along: the value above must not get them.
    const blockEnd = isScalar(node) && /^BLOCK/.test(node.type ?? '') ? range?.[1] : undefined
    const end = blockEnd ?? lineEnd(yaml, endOf(yaml, entry))
    return splice(lineStart(yaml, entry.key.range?.[0] ?? 0), end, '')
  }
  const colon = entry.pair.srcToken?.sep?.find(({ type }) => type === 'map-value-ind')
  if (!colon) return null
  const after = colon.offset + 1
  if (!range || range[0] === range[1]) return splice(after, after, ` ${scalar(value)}`)
  // A value that begins below its key comes up to it: there it is one, whatever its indentation.
  const isBelow = /^\s*[\r\n]\s*$/.test(yaml.slice(after, range[0]))
  return splice(isBelow ? after : range[0], endOf(yaml, entry), `${isBelow ? ' ' : ''}${scalar(value)}`)
}

/** The end of what a pair says: the line breaks behind a block belong to the lines below it. */
function endOf(yaml: string, { key, value }: YamlEntry): number {
  const [start = 0, valueEnd = 0] = (isNode(value) ? value.range : null) ?? []
  let end = valueEnd
  while (end > start && /[ \t\r\n]/.test(yaml[end - 1] ?? '')) end -= 1
  return Math.max(end, key.range?.[1] ?? 0)
}

function lineStart(yaml: string, offset: number): number {
  const before = yaml.slice(0, offset)
  return Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r')) + 1
}

function lineEnd(yaml: string, offset: number): number {
  const found = /\r\n|\n|\r|$/g
  found.lastIndex = offset
  found.exec(yaml)
  return Math.max(found.lastIndex, offset)
}

/** What all other keys say, with what their references stand for; a text of its own where that cannot be told. */
function othersOf(yaml: string, key: string): string {
  try {
    const { [key]: _own, ...others } = parseYaml(yaml).document?.toJS() ?? {}
    return JSON.stringify(others)
  } catch (error) {
    return `${describeError(error)}: ${yaml}`
  }
}

/** A value in one line, whatever it holds. */
const scalar = (value: string) =>
  /[\p{Cc}\p{Zl}\p{Zp}\uFEFF]/u.test(value)
    ? JSON.stringify(value)
    : stringify(value, { lineWidth: 0 }).trimEnd()

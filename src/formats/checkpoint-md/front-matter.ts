import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  type Node,
  type Pair,
  Parser,
  parseDocument,
  type Scalar,
  stringify,
  visit,
  type YAMLMap,
} from 'yaml'
import { describeError, ReasonError } from '../../core/reason.ts'
import { isTooDeep, MAX_YAML_DEPTH } from '../../core/yaml-depth.ts'
import { linesOf } from './scan.ts'

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
  const head = text.slice(0, closing.index + closing[0].length)
  if (last?.head !== head) last = { head, front: parsedFront(text, start, closing) }
  return last.front
}

/** One act reads the same front matter many times: the newest is kept, for nobody changes what was read. */
let last: { head: string; front: FrontMatter } | null = null

function parsedFront(text: string, start: number, closing: RegExpExecArray): FrontMatter {
  const found: FrontMatter = {
    start,
    end: closing.index,
    bodyStart: closing.index + closing[0].length,
    problem: null,
    fields: new Map(),
  }
  const yaml = text.slice(start, closing.index)
  const { map, problem } = parse(yaml)
  found.problem = problem
  const lines = linesOf(text.slice(0, closing.index), start)
  let at = 0
  for (const { key, value } of pairsOf(map)) {
    while ((lines[at]?.end ?? text.length) <= start + (key.range?.[0] ?? 0)) at += 1
    found.fields.set(String(key.value), { value: sourceOf(yaml, value), line: lines[at]?.number ?? 1 })
  }
  return found
}

interface YamlEntry {
  key: Scalar
  value: unknown
  pair: Pair
}

function parse(yaml: string): { map: YAMLMap | null; problem: string | null } {
  try {
    // The parser does not know a carriage return alone, which is a line break everywhere else here.
    // Its tests for equal keys and its pictures of errors take too long for thousands of either.
    const text = yaml.replace(/\r(?!\n)/g, '\n')
    if (isTooDeep(new Parser().parse(text)))
      return { map: null, problem: `it is nested more than ${MAX_YAML_DEPTH} deep` }
    const document = parseDocument(text, {
      keepSourceTokens: true,
      schema: 'core',
      uniqueKeys: false,
      prettyErrors: false,
    })
    const map = isMap(document.contents) ? document.contents : null
    const empty = document.contents === null
    const [error] = document.errors
    const problem = error
      ? withYamlPosition(describeError(error), yaml, error.pos[0])
      : sameKey(document, yaml)
    return {
      map: problem === null ? map : null,
      problem: problem ?? (map || empty ? null : 'the front matter is not a list of keys'),
    }
  } catch (error) {
    // Deep nesting makes the parser run out of stack.
    return { map: null, problem: describeError(error) }
  }
}

/** Tells the place as the parser itself does. */
function withYamlPosition(problem: string, yaml: string, offset: number): string {
  const before = yaml.slice(0, offset).split(/\r\n|\n|\r/)
  return `${problem} at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
}

function sameKey(document: Document, yaml: string): string | null {
  let found: string | null = null
  visit(document, {
    Map: (_, { items }) => {
      const known = new Set<unknown>()
      for (const { key } of items) {
        if (!isScalar(key)) continue
        if (known.has(key.value))
          found ??= withYamlPosition('Map keys must be unique', yaml, key.range?.[0] ?? 0)
        known.add(key.value)
      }
    },
  })
  return found
}

function pairsOf(map: YAMLMap | null): YamlEntry[] {
  // `as`: the pairs of a map that was parsed from text have nodes or null.
  return ((map?.items ?? []) as Pair[]).flatMap((pair) =>
    isScalar(pair.key) ? [{ key: pair.key, value: pair.value, pair }] : [],
  )
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
  const eol = /\r\n|\n|\r/.exec(text)?.[0] ?? '\n'
  const front = readFrontMatter(text)
  if (front === null) {
    if (value === null) return text
    if (OPENING.test(text)) throw refusal(key)
    const bom = text.startsWith('\uFEFF') ? '\uFEFF' : ''
    const made = `${bom}---${eol}${key}: ${scalar(value)}${eol}---${eol}${eol}${text.slice(bom.length)}`
    if (readFrontMatter(made)?.fields.get(key)?.value !== value) throw refusal(key)
    return made
  }
  const yaml = text.slice(front.start, front.end)
  const { map, problem } = parse(yaml)
  const changed = problem === null ? setKey(yaml, map, key, value, eol) : null
  if (changed === null) throw refusal(key)
  const result = text.slice(0, front.start) + changed + text.slice(front.end)
  const after = readFrontMatter(result)
  const isSet = (after?.fields.get(key)?.value ?? null) === value
  const isAlone = after?.end === front.start + changed.length && sameOthers(map, parse(changed).map, key)
  if (after?.problem !== null || !isSet || !isAlone) throw refusal(key)
  return result
}

const refusal = (key: string) => {
  const problem = `\`${key}\` cannot be set in this front matter: write its keys one a line`
  return new ReasonError('document_broken', { id: '', path: '', line: 1, problem })
}

/** The YAML with the key set or taken out; null where that is not possible. */
function setKey(
  yaml: string,
  map: YAMLMap | null,
  key: string,
  value: string | null,
  eol: string,
): string | null {
  const entries = pairsOf(map)
  const entry = entries.find((one) => one.key.value === key)
  const splice = (start: number, end: number, by: string) => yaml.slice(0, start) + by + yaml.slice(end)
  if (entry && value !== null) return withValue(yaml, entry, map?.flow ? flowScalar(value) : scalar(value))
  if (value !== null && map?.flow) {
    const inside = (map.range?.[0] ?? 0) + 1
    const comma = map.items.length === 0 ? '' : /^\s/.test(yaml.slice(inside)) ? ',' : ', '
    return splice(inside, inside, `${key}: ${flowScalar(value)}${comma}`)
  }
  if (value !== null) {
    const first = lineStart(yaml, entries[0]?.key.range?.[0] ?? 0)
    const indent = entries.length === 0 ? '' : (/^ */.exec(yaml.slice(first))?.[0] ?? '')
    return `${yaml}${indent}${key}: ${scalar(value)}${eol}`
  }
  if (!entry) return yaml
  const [start, end] = [entry.key.range?.[0] ?? 0, endOf(yaml, entry)]
  if (!map?.flow) {
    const { value: node } = entry
    // Empty lines that are a part of the value go along: the value above must not get them.
    const blockEnd = isScalar(node) && /^BLOCK/.test(node.type ?? '') ? node.range?.[1] : undefined
    return splice(lineStart(yaml, start), blockEnd ?? lineEnd(yaml, end), '')
  }
  const at = entries.indexOf(entry)
  const [before, next] = [entries[at - 1], entries[at + 1]]
  const from = !next && before ? endOf(yaml, before) : start
  const to = next?.key.range?.[0] ?? end
  const comma = next ? yaml.slice(end, to) : yaml.slice(from, start)
  if (entries.length !== map.items.length || ((before || next) && comma.trim() !== ',')) return null
  return splice(from, to, '')
}

function withValue(yaml: string, entry: YamlEntry, said: string): string | null {
  const range = isNode(entry.value) ? entry.value.range : undefined
  const colon = entry.pair.srcToken?.sep?.find(({ type }) => type === 'map-value-ind')
  const keyEnd = entry.key.range?.[1] ?? 0
  const after = colon ? colon.offset + 1 : keyEnd
  if (!range || range[0] === range[1] || !colon)
    return `${yaml.slice(0, after)}${colon ? '' : ':'} ${said}${/^[^\s,}]/.test(yaml.slice(after)) ? ' ' : ''}${yaml.slice(after)}`
  // A value that begins below its key comes up to it: there it is one, whatever its indentation.
  const between = yaml.slice(after, range[0])
  const isBelow = between.trim() === '' && /[\r\n]/.test(between)
  const start = isBelow ? after : range[0]
  return `${yaml.slice(0, start)}${isBelow ? ' ' : ''}${said}${yaml.slice(endOf(yaml, entry))}`
}

/** The end of what a pair says: the line breaks behind a block belong to the lines below it. */
function endOf(yaml: string, { key, value }: YamlEntry): number {
  const [start = 0, valueEnd = 0] = (isNode(value) ? value.range : null) ?? []
  let end = valueEnd
  while (end > start && /[ \t\r\n]/.test(yaml[end - 1] ?? '')) end -= 1
  return Math.max(end, key.range?.[1] ?? 0)
}

function lineStart(yaml: string, offset: number): number {
  let at = offset
  while (at > 0 && !/[\r\n]/.test(yaml[at - 1] ?? '')) at -= 1
  return at
}

function lineEnd(yaml: string, offset: number): number {
  const found = /\r\n|\n|\r|$/g
  found.lastIndex = offset
  found.exec(yaml)
  return Math.max(found.lastIndex, offset)
}

/** Whether two maps say the same but for one key, which no other one refers to. */
function sameOthers(before: YAMLMap | null, after: YAMLMap | null, key: string): boolean {
  try {
    const [was, is] = [before, after].map((map) => otherNodesOf(map, key))
    const isFree = was?.aliases.every((name) => !was.anchors.has(name)) ?? true
    return isFree && was?.others.join('\n') === is?.others.join('\n')
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return false
  }
}

function otherNodesOf(map: YAMLMap | null, key: string) {
  const others: string[] = []
  const aliases: string[] = []
  const anchors = new Set<string>()
  // `as`: the pairs of a map that was parsed from text have nodes or null.
  for (const pair of (map?.items ?? []) as Pair<Node | null, Node | null>[]) {
    const isOwn = isScalar(pair.key) && pair.key.value === key
    for (const node of [pair.key, pair.value]) {
      others.push(isOwn ? '' : 'node')
      if (node === null) continue
      visit(node, {
        Node: (_, one) => {
          if (isAlias(one)) aliases.push(one.source)
          else if (isOwn && one.anchor !== undefined) anchors.add(one.anchor)
          if (isOwn) return
          const said = isScalar(one)
            ? (one.source ?? one.value)
            : isAlias(one)
              ? one.source
              : one.items.length
          others.push(JSON.stringify([one.constructor.name, one.tag, isAlias(one) ? '' : one.anchor, said]))
        },
      })
    }
  }
  return { others: others.filter((one) => one !== ''), aliases, anchors }
}

/** A value in one line, whatever it holds. */
const scalar = (value: string) =>
  /[\p{Cc}\p{Zl}\p{Zp}\uFEFF]/u.test(value)
    ? JSON.stringify(value)
    : stringify(value, { lineWidth: 0 }).trimEnd()

const flowScalar = (value: string) => (/[,[\]{}]/.test(value) ? JSON.stringify(value) : scalar(value))

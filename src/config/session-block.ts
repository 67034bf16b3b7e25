import { isAlias, isMap, isScalar, type Pair, Parser, parseDocument, type YAMLMap } from 'yaml'
import { clipText } from '../core/canonical.ts'
import { describeError } from '../core/reason.ts'
import { isTooDeep, MAX_YAML_DEPTH } from '../core/yaml-depth.ts'
import { isSettingName, type SettingName } from './settings.ts'

const MAX_SHOWN = 200
const PLAIN_TAGS = ['str', 'int', 'float', 'bool', 'null', 'map'].map((name) => `tag:yaml.org,2002:${name}`)

/** A value as it can be shown; of what is no plain value, its text. */
export type ShownValue = string | number | boolean | null

/** A line of the `session` block that is ours, or that could hold what is. */
export interface SettingEntry {
  name: SettingName | '<<'
  line: number
  /** Undefined where it is no plain value. */
  value: unknown
  shown: ShownValue
  /** Why the line cannot be used, whatever its setting wants; null where it can. */
  problem: string | null
}

/**
 * The settings in a file's `session` block. Keys that are not ours belong to other tools and are left alone.
 * Nothing is expanded: aliases, merge keys and tags mean nothing here, and nothing is done about those of others.
 */
export function readSessionBlock(text: string): { entries: SettingEntry[] } | { problem: string } {
  try {
    if (isTooDeep(new Parser().parse(text)))
      return { problem: `nested more than ${MAX_YAML_DEPTH} levels deep` }
    // Its tests for equal keys and its pictures of errors take seconds for thousands of either.
    const { contents, errors } = parseDocument(text, { uniqueKeys: false, prettyErrors: false })
    const [error] = errors
    if (error) return { problem: `line ${lineAt(text, error.pos[0])}: ${describeError(error)}` }
    if (contents === null || (isScalar(contents) && contents.value === null)) return { entries: [] }
    return isMap(contents) ? blockOf(text, contents) : { problem: 'it must contain keys such as `session:`' }
  } catch (error) {
    return { problem: describeError(error) }
  }
}

function blockOf(text: string, root: YAMLMap): { entries: SettingEntry[] } | { problem: string } {
  const [block, second] = pairsOf(root).filter(({ key }) => keyName(key) === 'session')
  if (!block) return { entries: [] }
  if (second) return { problem: `line ${lineOf(text, second)}: duplicate key \`session\`` }
  const { value } = block
  if (value === null || (isScalar(value) && value.value === null)) return { entries: [] }
  if (!isMap(value) || !hasPlainTag(value))
    return { problem: `line ${lineOf(text, block)}: \`session\` must contain settings, one per line` }
  return { entries: entriesOf(text, value) }
}

/** A setting that stands there several times is told once. */
function entriesOf(text: string, block: YAMLMap): SettingEntry[] {
  const said = new Map<SettingEntry['name'], Pair[]>()
  for (const pair of pairsOf(block)) {
    const name = keyName(pair.key)
    if (name === '<<' || (name !== null && isSettingName(name)))
      said.set(name, [...(said.get(name) ?? []).slice(0, 1), pair])
  }
  return [...said].flatMap(([name, [pair, second]]) =>
    pair ? [entryOf(text, name, pair, second !== undefined)] : [],
  )
}

function entryOf(text: string, name: SettingEntry['name'], pair: Pair, isTwice: boolean): SettingEntry {
  const { value: node } = pair
  const source = clipText(sourceOf(text, node), MAX_SHOWN)
  const value = node === null ? null : isScalar(node) ? node.value : undefined
  const isPlain = value === null || typeof value === 'boolean' || Number.isFinite(value)
  return {
    ...{ name, line: lineOf(text, pair), value, problem: lineProblem(name, node, isTwice) },
    // `as`: tested on the line above.
    shown: isPlain ? (value as ShownValue) : typeof value === 'string' ? clipText(value, MAX_SHOWN) : source,
  }
}

function lineProblem(name: SettingEntry['name'], node: unknown, isTwice: boolean): string | null {
  if (name === '<<') return 'merge keys (`<<`) are not supported here'
  if (isTwice) return `duplicate key \`session.${name}\``
  if (isAlias(node)) return `\`session.${name}\` uses an alias, which is not supported here`
  return hasPlainTag(node) ? null : `\`session.${name}\` has a tag, which is not supported here`
}

// `as`: the pairs of a map that was parsed from text have nodes or null.
const pairsOf = (map: YAMLMap) => map.items as Pair[]

/** A merge key is a symbol where the file says that it is YAML 1.1. */
function keyName(key: unknown): string | null {
  if (!isScalar(key)) return null
  if (typeof key.value === 'symbol') return '<<'
  return typeof key.value === 'string' ? key.value : null
}

const rangeOf = (node: unknown): readonly [number, number] => {
  // `as`: a node that was parsed from text has its range; anything else has none.
  const [start, end] = (node as { range?: readonly [number, number, number] | null } | null)?.range ?? [0, 0]
  return [start, end]
}

const sourceOf = (text: string, node: unknown) => text.slice(...rangeOf(node))
const lineOf = (text: string, { key }: Pair) => lineAt(text, rangeOf(key)[0])
const lineAt = (text: string, offset: number) => text.slice(0, offset).split('\n').length

function hasPlainTag(node: unknown): boolean {
  // `as`: every node may have a tag; anything else has none.
  const tag = (node as { tag?: string } | null)?.tag
  return tag === undefined || PLAIN_TAGS.includes(tag)
}

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const SOURCE = new URL('../../src', import.meta.url).pathname

/** Words that look like a participle and are a verb or a noun. */
const VERBS = new Set([
  'embed',
  'exceed',
  'feed',
  'heed',
  'need',
  'proceed',
  'seed',
  'shed',
  'speed',
  'succeed',
])
const IRREGULAR =
  /^(?:apart|began|begun|bound|broke|broken|brought|built|came|caught|chosen|done|drawn|foreseen|forgotten|found|given|gone|grown|heard|held|hidden|kept|known|led|left|lost|made|meant|overlaid|ran|said|seen|sent|shown|spent|spoken|struck|taken|thought|thrown|told|undone|unread|went|worn|written)$/
/** What a participle is followed by where it still has no object: `typedIn`, `saidBy`. */
const PREPOSITION = /(?:As|At|By|For|From|Here|In|Of|Off|On|Out|Over|Since|To|Until|Up|With)$/

/** Matches `const name = (…) =>` by its start; whether an arrow follows is seen behind the parentheses. */
const ARROW = /\bconst (\w+)(?:: [^=\n]+)? =\s*(?:async )?(?:<[^=\n]*?>)?\(/g
const FUNCTION = /\bfunction\*? (\w+)/g
const METHOD =
  /^ {2}(?:(?:private|protected|static|override|async) )*\*?(\w+)(?:<[^>\n]*>)?\((?:[^\n]*\{)?$/gm
const EXPORT =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|let|class|interface|type|enum) (\w+)/gm

const isParticiple = (name: string) =>
  !VERBS.has(name) && ((/^[a-z]+ed$/.test(name) && name.length > 3) || IRREGULAR.test(name))

const isBareParticiple = (name: string) =>
  isParticiple(name) || (PREPOSITION.test(name) && isParticiple(name.replace(PREPOSITION, '')))

function sources(folder = SOURCE): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? sources(path) : path.endsWith('.ts') ? [path] : []
  })
}

/** The names that a module declares and exports; overloads are one name. What `export … from` passes on is not its own. */
const exportedIn = (text: string) => [...new Set([...text.matchAll(EXPORT)].map(([, name = '']) => name))]

/** Functions at any depth, and methods of classes; a value that is no function may bear a participle. */
function functionsIn(text: string): string[] {
  const arrows = [...text.matchAll(ARROW)].filter(({ index, 0: { length } }) =>
    /^(?:: [^=]+?)? =>/.test(text.slice(closingOf(text, index + length - 1) + 1)),
  )
  const methods = /\bclass \w+/.test(text) ? [...text.matchAll(METHOD)] : []
  return [...arrows, ...text.matchAll(FUNCTION), ...methods].map(([, name = '']) => name)
}

/** Where the parenthesis ends that opens at a place. */
function closingOf(text: string, open: number): number {
  let depth = 0
  for (let at = open; at < text.length; at += 1) {
    if (text[at] === '(') depth += 1
    if (text[at] === ')') depth -= 1
    if (depth === 0) return at
  }
  return text.length
}

const files = sources().map((path) => ({
  file: path.slice(SOURCE.length + 1),
  text: readFileSync(path, 'utf8'),
}))

test('the patterns see what they are there for', () => {
  const text = [
    'export function said(a: string): void',
    'export function said(a: unknown): void {}',
    'const told = async <T>(a: (b: T) => void): Promise<T> => a',
    'const kept = (a + b) * 2',
    'export const GIVEN = 3',
    'export interface Seen {}',
    "export { other } from './other.ts'",
    'class One {\n  private taken(a: string): void {\n    if (a) return\n  }\n}',
  ].join('\n')
  expect(exportedIn(text)).toEqual(['said', 'GIVEN', 'Seen'])
  expect(functionsIn(text).filter(isBareParticiple).sort()).toEqual(['said', 'said', 'taken', 'told'])
  expect(['typedIn', 'saidBy', 'marked'].every(isBareParticiple)).toBe(true)
  expect(['feed', 'readText', 'mergedText', 'commandIn', 'red'].some(isBareParticiple)).toBe(false)
  expect(files.length).toBeGreaterThan(300)
})

test('no two modules export the same name', () => {
  const homes = new Map<string, string[]>()
  for (const { file, text } of files)
    for (const name of exportedIn(text)) homes.set(name, [...(homes.get(name) ?? []), file])
  const shared = [...homes].filter(([, where]) => where.length > 1)
  expect(shared.map(([name, where]) => `${name}: ${where.join(', ')}`)).toEqual([])
})

test('no function is named by a bare participle: it is a verb with its object', () => {
  const bare = files.flatMap(({ file, text }) =>
    functionsIn(text)
      .filter(isBareParticiple)
      .map((name) => `${name} in ${file}`),
  )
  expect(bare).toEqual([])
})

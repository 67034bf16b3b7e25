import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isTool, toolOf } from '../../src/apps/mcp/tool-list.ts'
import { loadVerbs } from '../../src/verbs/table.ts'
import { projectRoot } from '../support/sandbox.ts'

/** The layers that tell something besides a result; those below have words files of their own. */
const LAYERS = ['src/engine', 'src/verbs', 'src/apps']

const files = LAYERS.flatMap((layer) =>
  readdirSync(join(projectRoot, layer), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => ({
      file: `${layer}/${name}`,
      text: readFileSync(join(projectRoot, layer, name), 'utf8'),
    })),
)

/** What is handed to each `notices.push(…)` of a text. */
function pushedIn(text: string): string[] {
  return [...text.matchAll(/\bnotices\s*\.push\(/g)].map(({ index, 0: { length } }) => {
    let [depth, at] = [1, index + length]
    for (; depth > 0 && at < text.length; at += 1) depth += { '(': 1, ')': -1 }[text[at] ?? ''] ?? 0
    return text.slice(index + length, at - 1).trim()
  })
}

/** Words of a sentence in quotes; a separator such as `'/'` is none. */
const SENTENCE = /(['"`])(?:(?!\1).)*[A-Za-z](?:(?!\1).)*\1/s

/** A sentence of the table, a message of an error, or a value of this file that was made from the table. */
function isGathered(pushed: string, text: string): boolean {
  if (SENTENCE.test(pushed)) return false
  if (/^NOTICES\.\w+/.test(pushed) || pushed === 'error.message') return true
  const [, called, value = ''] = /^(?:(?:\.\.\.)?(\w+)\(.*\)|(\w+))$/s.exec(pushed) ?? []
  if (called !== undefined) return TELLERS.includes(called)
  return value !== '' && text.includes(`const ${value} = NOTICES.`)
}

/** Functions that answer sentences of the table. */
const TELLERS = ['hookHindrances']

/** Where a finding of `doctor` or a trouble of a document is worded beside its facts. */
const FINDING = /\b(?:what|todo|fixed): (['"`])/g

test('the patterns see what they are there for', () => {
  const text = [
    'const message = NOTICES.gone(a)',
    'context.notices.push(NOTICES.gone(a, [...b].join("/")))',
    'notices.push(NOTICES.busy)',
    'notices.push(message)',
    'notices.push(error.message)',
    'notices.push(`It is gone`)',
    "notices.push(\n  'It is gone (again).',\n)",
    "notices.push(NOTICES.gone('The file'))",
    "notices.push(error.message + '. See doctor')",
    'notices.push(sentence)',
  ].join('\n')
  const pushed = pushedIn(text)
  expect(pushed).toHaveLength(9)
  expect(pushed.map((one) => isGathered(one, text))).toEqual([
    ...[true, true, true, true],
    ...[false, false, false, false, false],
  ])
  expect(files.flatMap(({ text: source }) => pushedIn(source)).length).toBeGreaterThan(80)
})

test('no file tells a notice in words of its own: they are in src/engine/context/notices.ts', () => {
  const scattered = files.flatMap(({ file, text }) =>
    pushedIn(text)
      .filter((pushed) => !isGathered(pushed, text))
      .map((pushed) => `${file}: ${pushed}`),
  )
  expect(scattered).toEqual([])
})

test('no file words a finding or a trouble: they are in src/engine/context/findings.ts', () => {
  const finders = files.filter(({ text }) => /context\/findings\.ts'|\btroubles\.push\(/.test(text))
  expect(finders.length).toBeGreaterThan(8)
  const scattered = finders.flatMap(({ file, text }) =>
    [...text.matchAll(FINDING)].map(({ 0: found }) => `${file}: ${found}`),
  )
  expect(scattered).toEqual([])
})

test('the summary of a verb is short, and each verb has an example of itself', async () => {
  for (const { name, summary, examples } of await loadVerbs()) {
    expect(summary.length, `${name}: ${summary}`).toBeLessThan(60)
    expect(summary, name).not.toMatch(/\.$/)
    expect(
      examples.some((example) => example.includes(`savepoint ${name}`)),
      name,
    ).toBe(true)
  }
})

const read = (file: string) => readFileSync(join(projectRoot, file), 'utf8')

/** The words that CONTRIBUTING.md refuses, with the row that says what to write. */
const REFUSED = [
  ...(read('CONTRIBUTING.md').split('### Words\n')[1]?.split('\n## ')[0] ?? '').matchAll(
    /^\| ([^|]+) \| (`[^|]+`) \|$/gm,
  ),
].flatMap(([, write, not = '']) =>
  [...not.matchAll(/`([^`]+)`/g)].map(([, words = '']) => ({ words, write })),
)

/** Comments are for us; an expression in a template is code. */
const sentencesIn = (text: string) =>
  text
    .replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
    .split('\n')
    .flatMap((line) => [...line.matchAll(/'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g)])
    .map(([, one, two, three]) => (one ?? two ?? three ?? '').replace(/\$\{[^}]*\}/g, '…'))
    .filter((text) => text.includes(' '))

const WORDS_FILES = [
  ...['src/core/reason.ts', 'src/engine/context/notices.ts', 'src/engine/context/findings.ts'],
  ...['src/config/settings.ts', 'src/policy/agent-words.ts', 'src/policy/brief/brief-words.ts'],
  ...['src/policy/brief/brief-sections.ts', 'src/policy/digest/tell.ts', 'src/policy/digest/tell-parts.ts'],
  ...['src/apps/mcp/instructions.ts'],
]

/** Whatever a person sees on a screen is worded in one of these. */
const SCREENS = ['src/verbs', 'src/apps', 'src/engine', 'web'].flatMap((folder) =>
  readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => `${folder}/${name}`),
)

const PROSE = readdirSync(join(projectRoot, 'plugins'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => `plugins/${name}`)

test('what is read has none of the words that CONTRIBUTING.md refuses', async () => {
  const verbs = await loadVerbs()
  const said = [
    ...[...WORDS_FILES, ...SCREENS].flatMap((file) =>
      sentencesIn(read(file)).map((text) => ({ file, text })),
    ),
    ...PROSE.map((file) => ({ file, text: read(file) })),
    ...verbs.flatMap(({ name, summary, detail = '', fields }) =>
      [summary, detail, ...Object.values(fields).map(({ about }) => about)].map((text) => ({
        file: name,
        text,
      })),
    ),
    ...verbs.filter(isTool).map((verb) => ({ file: verb.name, text: JSON.stringify(toolOf(verb)) })),
  ]
  expect(REFUSED.length).toBeGreaterThan(30)
  expect(said.length).toBeGreaterThan(500)
  const found = said.flatMap(({ file, text }) =>
    REFUSED.filter(({ words }) => new RegExp(`\\b${words}\\b`, 'i').test(text)).map(
      ({ words, write }) => `${file}: "${words}" in "${text.slice(0, 120)}": write ${write}`,
    ),
  )
  expect(found).toEqual([])
})

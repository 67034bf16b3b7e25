import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
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

import { describe, expect, test } from 'vitest'
import { ReasonError } from '../../../src/core/reason.ts'
import { decodeDocument } from '../../../src/formats/checkpoint-md/codec.ts'
import { compressDocument } from '../../../src/formats/checkpoint-md/compress.ts'
import { differenceOf } from '../../../src/formats/checkpoint-md/difference.ts'
import { appendDelta, replaceSection, setCompletion } from '../../../src/formats/checkpoint-md/edit.ts'
import { foldDeltas } from '../../../src/formats/checkpoint-md/fold.ts'
import { addLearnings, decodeLearnings } from '../../../src/formats/checkpoint-md/learnings.ts'
import { mergeTexts } from '../../../src/formats/checkpoint-md/merge.ts'
import { readDocument } from '../../../src/formats/checkpoint-md/read.ts'
import { signatureOf } from '../../../src/formats/checkpoint-md/signature.ts'
import { tableRows } from '../../../src/formats/checkpoint-md/table.ts'
import { validateDocument } from '../../../src/formats/checkpoint-md/validate.ts'
import { readFrontMatter, setFrontMatter } from '../../../src/formats/markdown/front-matter.ts'
import { fitToBudget } from '../../../src/policy/carry.ts'
import { cpuMs } from '../../support/cpu-time.ts'
import { DELTA, DONE, PLAIN } from './plain-document.ts'

/** The time of the quickest run: what else this process does makes one of them slow, not all. */
function quickest(bound: number, act: () => unknown): number {
  let best = Number.POSITIVE_INFINITY
  for (let run = 0; run < 3 && best >= bound; run += 1) {
    best = Math.min(best, cpuMs(act))
  }
  return best
}

const LIMIT = 16 * 1024
const filled = (part: string | ((at: number) => string), length: number) => {
  const parts: string[] = []
  for (let at = 0, size = 0; size < length; at += 1) {
    const next = typeof part === 'string' ? part : part(at)
    parts.push(next)
    size += next.length
  }
  return parts.join('').slice(0, length)
}

const YAML: Record<string, string> = {
  'keys of keys': `foo:\n  ${'? '.repeat(60)}`,
  'keys of keys, many': `foo:\n${filled('? ', LIMIT - 10)}`,
  'other keys': filled((at) => `${at.toString(36)}:\n`, LIMIT - 10),
  'other keys in braces': `{${filled((at) => `${at.toString(36)},`, LIMIT - 10)}}`,
  'the same key': filled('a:\n', LIMIT - 10),
  'closed lists': `a: ${'['.repeat(8_000)}${']'.repeat(8_000)}`,
  'deep lists': `a: ${'['.repeat(1_000)}${']'.repeat(1_000)}`,
  'aliases of aliases': `a0: &a0 [x, x]\n${filled((at) => `a${at + 1}: &a${at + 1} [*a${at}, *a${at}]\n`, 4_000)}`,
  'an alias of itself': 'a: &a [*a, *a]',
  ...Object.fromEntries(
    [
      '[',
      '{',
      '{a: ',
      '- ',
      'a: ',
      '"',
      "'",
      '&a ',
      '*a ',
      '!',
      '%a\n',
      '[,',
      '}',
      ':',
      ': ',
      ':\n',
      '?\n',
      '- ? ',
    ].map((part) => [`many ${JSON.stringify(part)}`, filled(part, LIMIT - 10)]),
  ),
  ...Object.fromEntries(
    [' ', '\t', '\n', ' \n', '\\x', '\r', '\u2028', '#\n'].map((part) => [
      `many ${JSON.stringify(part)} in a value`,
      `a: "${filled(part, LIMIT - 10)}"`,
    ]),
  ),
}

describe('a front matter of 16 KB is read in no time', () => {
  readFrontMatter(`---\n${YAML['other keys']}\n---\n`)

  test.each(Object.keys(YAML))('%s', (name) => {
    const text = `---\n${YAML[name]}\n---\n\n## Problem\n`
    expect(quickest(200, () => readFrontMatter(text))).toBeLessThan(200)
    expect(quickest(1_000, () => attempt(() => setFrontMatter(text, 'status', 'current')))).toBeLessThan(
      1_000,
    )
  })
})

test('a value that stands for more than it says is read as it is written', () => {
  const read = (yaml: string) => readFrontMatter(`---\n${yaml}\n---\n`)?.fields
  expect(read('a: &a [x]\nb: *a\nc: {d: *a}')?.get('b')?.value).toBe('*a')
  expect(read('a: &a [x]\nb: *a\nc: {d: *a}')?.get('c')?.value).toBe('{d: *a}')
  expect(read('a:\n  - x\n  - y')?.get('a')?.value).toBe('- x\n  - y')
})

const SIZE = 600_000
const run = (part: string) => part.repeat(Math.floor(SIZE / part.length))
/** Short lines cost more than their length: a quarter of the size has as many as anybody needs. */
const lines = (part: string) => part.repeat(Math.floor(SIZE / 4 / part.length))
const DELTAS =
  '## Delta: 2026-01-01T00:00:00Z\n\n### What Changed\n\nx\n\n### Artifacts\n\n|a|b|\n|-|-|\n| `f` | created |\n\n---\n\n'

const HOSTILE: Record<string, string> = {
  spaces: `${PLAIN}${run(' ')}x`,
  'spaces before a separator': `${PLAIN}\n## Completion\n\n**Status**${run(' ')}\u2028x`,
  'spaces in an item': `${PLAIN}\n- ${run(' ')}\u2028x`,
  'spaces in a heading': `${PLAIN}# ${run(' ')}\u2028x`,
  'a fence with a separator': `${PLAIN}${run('`')}\u2028x`,
  'empty lines': `${PLAIN}${lines('\n')}x`,
  'lines of spaces': `${PLAIN}${lines('  \n')}x`,
  backticks: `${PLAIN}${run('`')}x`,
  'backticks in a cell': `## Delta: x\n\n### Artifacts\n\n|a|\n|-|\n| x${run('`')}x |\n`,
  'code spans': `${PLAIN}${run('`a` ``')}`,
  pipes: `${PLAIN}${run('|')}x`,
  'spaces and pipes': `${PLAIN}${' '.repeat(SIZE / 2)}${'|'.repeat(SIZE / 2)}x`,
  'pipes in rows': `${PLAIN}|a|\n|-|\n${run('| ')}`,
  'a rule of many columns': `${PLAIN}|a|\n${run('|-')}x\n`,
  dashes: `${PLAIN}${run('-')}x`,
  'dashes apart': `${PLAIN}${run('- ')}x`,
  rules: `${PLAIN}${lines('---\n')}`,
  quotes: `${PLAIN}${run('>')}x`,
  'quoted lines': `${PLAIN}${lines('> a\n')}`,
  separators: `${PLAIN}${run('\u2028')}`,
  'question marks': `${PLAIN}${run('? ')}`,
  underscores: `${PLAIN}${run('_a ')}`,
  stars: `${PLAIN}\n## Completion\n\n**${run('*')}`,
  tildes: `${PLAIN}\n### Decisions\n\n- ${run('~~a ')}`,
  'deep lists': `${PLAIN}\n### Decisions\n\n${Array.from({ length: 2_000 }, (_, at) => `${' '.repeat(at)}- a`).join('\n')}`,
  'long lists': `${PLAIN}\n### Play-By-Play\n\n${run('- a step that was done\n')}`,
  'an earlier step': `${PLAIN}\n### Play-By-Play\n\n- Earlier: 2 steps, ${run(' … ')}\n  x\n`,
  headings: `${PLAIN}${'## A heading like any\n'.repeat(100_000)}`,
  'the same section': `${PLAIN}${'## Next Actions\n'.repeat(100_000)}`,
  'headings of entries': '## 2026-01-01 — a\n- b\n'.repeat(90_000),
  deltas: PLAIN + DELTAS.repeat(SIZE / DELTAS.length),
  'unclosed fences': `${PLAIN}${lines('```js\n')}`,
  'comments in code': `${PLAIN}\n### Current State\n\n${run('```\n<!--\n```\n')}-->`,
  'unclosed comments': `${PLAIN}${run('<!-- ')}`,
  'a front matter without an end': `---\n${lines('a: b\n')}`,
}

const AROUND = { parents: new Map<string, string | null>(), otherCurrent: [], archived: false }
const COMPRESS = { tokens: 500, isStale: () => false, fit: fitToBudget }

const PARSERS: Record<string, (text: string) => unknown> = {
  decodeDocument: (text) => {
    const { deltas, completion } = decodeDocument(text)
    return [deltas.map(({ what, artifacts, transitions }) => [what, artifacts, transitions]), completion]
  },
  readDocument: (text) => readDocument(Buffer.from(text), 'a.md'),
  signatureOf,
  validateDocument: (text) => validateDocument(text, AROUND),
  tableRows,
  decodeLearnings,
  addLearnings: (text) => addLearnings(text, { date: '2026-01-01', id: 'a', learnings: [text] }),
  foldDeltas,
  compressDocument: (text) => compressDocument(text, COMPRESS),
  appendDelta: (text) =>
    appendDelta(text, { ...DELTA, what: text, artifacts: [{ path: text, action: text, description: '' }] }),
  setCompletion: (text) => setCompletion(text, { ...DONE, learnings: [text] }),
  replaceSection: (text) => replaceSection(text, 'Next Actions', 'x'),
  differenceOf: (text) => differenceOf(text, `${text}x`),
  mergeTexts: (text) => mergeTexts(text, `x${text}`, `${text}\nx`),
}

/** A refusal is an answer as well. */
function attempt(act: () => unknown): void {
  try {
    act()
  } catch (error) {
    if (!(error instanceof ReasonError)) throw error
  }
}

describe('two megabytes of anything take seconds at most', () => {
  test.each(Object.keys(HOSTILE))('%s', { timeout: 300_000 }, (name) => {
    const text = HOSTILE[name] ?? ''
    const slow = Object.entries(PARSERS).flatMap(([parser, parse]) => {
      const time = quickest(3_000, () => attempt(() => parse(text)))
      return time < 3_000 ? [] : [`${parser}: ${Math.round(time)} ms`]
    })
    expect(slow).toEqual([])
  })
})

import fc from 'fast-check'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { expect, test } from 'vitest'
import { linesOf } from '../../../src/core/outline.ts'
import { headingsOf, sectionsOf } from '../../../src/formats/checkpoint-md/scan.ts'

/** The headings that an independent parser finds at the top level, with their lines. */
function oracle(text: string) {
  return fromMarkdown(text).children.flatMap((node) =>
    node.type === 'heading'
      ? [{ level: node.depth, line: node.position?.start.line, start: node.position?.start.offset }]
      : [],
  )
}

const ours = (text: string) => headingsOf(text).map(({ level, line, start }) => ({ level, line, start }))

/** Lines that people write, and lines that look like something else. */
const LINES = [
  '# One',
  '## Two ##',
  '### Three',
  '#hashtag',
  '#',
  '####### seven',
  'text',
  'more text',
  '===',
  '---',
  '----  ',
  '***',
  '```',
  '```js',
  '~~~',
  '````',
  '    # indented code',
  '\t# tab',
  '- item',
  '1. first',
  '  go on',
  '  # inside',
  '   # outside of -',
  '-',
  '> quote',
  '<!-- comment',
  'end -->',
  '<!-- whole -->',
  '<div>',
  '| a | b |',
  '|---|---|',
  '',
  '',
  '',
  'Title',
  '- [ ] s1: step',
  '**bold**: x',
  '\\# escaped',
]

test('finds the headings that an independent parser finds, at the same offsets', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...LINES), { maxLength: 14 }),
      fc.constantFrom('\n', '\r\n'),
      (lines, eol) => {
        // A paragraph line that follows a list or a quote lazily is the parser's own art: keep a gap there.
        const text = lines
          .flatMap((line) => (/^(?:[->]|\d\.)/.test(line) ? ['', line, ''] : [line]))
          .join(eol)
        expect(ours(text), JSON.stringify(text)).toEqual(
          oracle(text).map(({ start, ...rest }) => ({ ...rest, start: lineStart(text, start ?? 0) })),
        )
      },
    ),
    { numRuns: 3_000 },
  )
})

/** The oracle points behind the indentation; we point at the line. */
const lineStart = (text: string, offset: number) => Math.max(text.lastIndexOf('\n', offset - 1) + 1, 0)

test('a setext heading may take several lines, and a rule after a gap is none', () => {
  const found = headingsOf('A long\ntitle\n---\n\ntext\n\n---\n')
  expect(found).toEqual([{ level: 2, title: 'A long title', line: 1, start: 0, end: 17 }])
})

test('lines keep every character, whatever ends them', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', '\n', '\r', '\r\n', '#', ' ') }), (text) => {
      expect(
        linesOf(text)
          .map(({ start, end }) => text.slice(start, end))
          .join(''),
      ).toBe(text)
    }),
  )
})

test('a section reaches to the next heading of its own or a higher level', () => {
  const text = '## A\nx\n### B\ny\n## C\nz\n'
  const [a, b] = sectionsOf(text, headingsOf(text))
  expect(text.slice(a?.end, a?.bodyEnd)).toBe('x\n### B\ny\n')
  expect(text.slice(a?.end, a?.ownEnd)).toBe('x\n')
  expect(text.slice(b?.end, b?.bodyEnd)).toBe('y\n')
})

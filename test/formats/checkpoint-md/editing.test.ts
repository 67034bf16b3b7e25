import fc from 'fast-check'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { describe, expect, test } from 'vitest'
import { linesOf } from '../../../src/core/outline.ts'
import { decodeDocument, type SectionName, sectionText } from '../../../src/formats/checkpoint-md/codec.ts'
import { appendDelta, replaceSection, setCompletion } from '../../../src/formats/checkpoint-md/edit.ts'
import { headingsOf } from '../../../src/formats/checkpoint-md/scan.ts'
import { DELTA, DONE, PLAIN } from './plain-document.ts'

const openBlockLine = (text: string) => decodeDocument(text).openLine
const titles = (text: string) =>
  headingsOf(text, decodeDocument(text).front?.bodyStart).map(
    ({ level, title }) => `${'#'.repeat(level)} ${title}`,
  )
const NAMES = titles(PLAIN)

describe('a section that is missing', () => {
  test.each(NAMES)('%s goes to its place in the order [000.01]', (heading) => {
    const name = heading.replace(/#+ /, '') as SectionName
    const [section] = decodeDocument(PLAIN).sections.get(name) ?? []
    const without = PLAIN.slice(0, section?.start) + PLAIN.slice(section?.contentEnd)
    const changed = replaceSection(without, name, 'body')
    expect(titles(changed)).toEqual(NAMES)
    expect(sectionText(decodeDocument(changed), name)).toBe('body')
  })

  test('a part goes inside of Essential Information, also where the next part is elsewhere [000.01]', () => {
    const text =
      '## Essential Information\n\n### Decisions\n\n- d\n\n### Own\n\no\n\n## User Rules\n\n### Next Actions\n'
    expect(titles(replaceSection(text, 'Current State', 's'))).toEqual([
      '## Essential Information',
      '### Decisions',
      '### Current State',
      '### Own',
      '## User Rules',
      '### Next Actions',
    ])
  })

  test('a part brings the heading above it, which takes in the parts that are there [000.01]', () => {
    const text =
      '## Problem\n\np\n\n### Next Actions\n\n- n\n\n### Current State\n\ns\n\n## User Rules\n\nr\n'
    const changed = replaceSection(text, 'Decisions', '- d')
    expect(changed).toBe(
      text
        .replace('### Next', '## Essential Information\n\n### Next')
        .replace('### Curr', '### Decisions\n\n- d\n\n### Curr'),
    )
    expect(titles(replaceSection('## Problem\n\n## User Rules\n', 'Decisions', '- d'))).toEqual([
      '## Problem',
      '## Essential Information',
      '### Decisions',
      '## User Rules',
    ])
  })

  test.each(['\n', '\r\n'])(
    'a section goes before the deltas and the completion, with their rule (%j)',
    (eol) => {
      const text = setCompletion(appendDelta('## Problem\n\np\n', DELTA), DONE).replace(/\n/g, eol)
      const at = text.indexOf(`---${eol}${eol}## Delta`)
      const changed = replaceSection(text, 'User Rules', 'r')
      expect(changed).toBe(`${text.slice(0, at)}## User Rules${eol}${eol}r${eol}${eol}${text.slice(at)}`)
    },
  )
})

test('replacing a section that is there twice replaces it as a whole [000.46]', () => {
  const text = replaceSection(`${PLAIN}\n### Current State\n\nold\n\n## Own\n\no\n`, 'Current State', 'new')
  expect(sectionText(decodeDocument(text), 'Current State')).toBe('new')
  expect(text).toBe(`${PLAIN.replace('State\n\ns', 'State\n\nnew')}\n## Own\n\no\n`)
})

describe('an open block', () => {
  const refusal = expect.objectContaining({
    reason: 'document_broken',
    data: expect.objectContaining({ line: PLAIN.split('\n').length + 1 }),
  })

  test.each(['```', '~~~ sh', '<!-- a', '<?php'])(
    'after %j nothing is appended that nobody would read [000.66]',
    (open) => {
      const text = `${PLAIN}\n${open}\n`
      expect(openBlockLine(text)).toBe(PLAIN.split('\n').length + 1)
      expect(() => appendDelta(text, DELTA)).toThrow(refusal)
      expect(() => setCompletion(text, DONE)).toThrow(refusal)
      expect(() => replaceSection(text, 'User Rules', 'r')).toThrow(refusal)
    },
  )

  test('a body that would swallow what stands below it is refused', () => {
    expect(() => replaceSection(PLAIN, 'Problem', '```\ncode')).toThrow(
      expect.objectContaining({ reason: 'document_broken' }),
    )
  })

  test('what ends by itself is none: a delta below it is read [000.66]', () => {
    for (const closed of ['<div>', '- a\n  ```', '- a\n  <!-- b', '> ```', '    ```', 'a <!-- b']) {
      const text = `${PLAIN}\n${closed}\n`
      expect(openBlockLine(text), closed).toBeNull()
      expect(decodeDocument(appendDelta(text, DELTA)).deltas, closed).toHaveLength(1)
    }
  })

  test('is where an independent parser finds no heading below the text', () => {
    const line = fc.constantFrom(
      'text',
      '',
      '',
      '```',
      '~~~',
      '````',
      '<!-- a',
      'b -->',
      '<div>',
      '<?',
      '?>',
      '    ```',
      '# x',
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 10 }), (lines) => {
        const text = `# begin\n\n${lines.join('\n')}\n\n`
        const last = fromMarkdown(`${text}# end\n`).children.at(-1)
        expect(openBlockLine(text) === null, JSON.stringify(text)).toBe(last?.type === 'heading')
      }),
      { numRuns: 1_000 },
    )
  })

  test('inside a list item it ends with the item, as an independent parser sees it', () => {
    const line = fc.constantFrom(
      '- a',
      '- b',
      '  ```',
      '  # in',
      '  text',
      '# out',
      '',
      '  <!-- c',
      '  -->',
      '  ~~~',
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 10 }), (lines) => {
        const text = lines.flatMap((one) => (one.startsWith('- ') ? ['', one, ''] : [one])).join('\n')
        const seen = fromMarkdown(text).children.flatMap((node) =>
          node.type === 'heading' ? [node.position?.start.line] : [],
        )
        expect(
          headingsOf(text).map((heading) => heading.line),
          JSON.stringify(text),
        ).toEqual(seen)
      }),
      { numRuns: 2_000 },
    )
  })
})

test('a delta stands apart from text that ends in one line break of any kind [000.67]', () => {
  for (const eol of ['\n', '\r\n', '\r']) {
    const text = appendDelta(`## Problem${eol}p${eol}`, DELTA)
    expect(text).toContain(`p${eol}${eol}---${eol}`)
    expect(decodeDocument(text).deltas).toHaveLength(1)
  }
})

test('lines are numbered from the first line of the text, wherever reading begins', () => {
  expect(linesOf('\uFEFFa\nb\n', 1).map(({ number }) => number)).toEqual([1, 2])
  expect(linesOf('a\nb\nc', 2).map(({ number }) => number)).toEqual([2, 3])
})

test('a long document is read in time that grows with its length alone', () => {
  const one = appendDelta('', { ...DELTA, what: 'Did the next thing in line. '.repeat(4) })
  const section = one.slice(one.indexOf('---\n\n##'))
  const timed = (count: number) => {
    const text = PLAIN + `\n${section}`.repeat(count)
    const times = Array.from({ length: 3 }, () => {
      const begun = process.cpuUsage()
      expect(decodeDocument(text).deltas).toHaveLength(count)
      const { user, system } = process.cpuUsage(begun)
      return user + system
    })
    return Math.min(...times)
  }
  timed(200)
  // Twenty times the deltas would take four hundred times as long if each looked at all others.
  expect(timed(4_000) / timed(200)).toBeLessThan(100)
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeDocument } from '../../../src/formats/checkpoint-md/codec.ts'
import { appendDelta } from '../../../src/formats/checkpoint-md/edit.ts'
import { isFilled } from '../../../src/formats/checkpoint-md/items.ts'
import { tableRows, tableText } from '../../../src/formats/checkpoint-md/table.ts'
import { DELTA, PLAIN } from './plain-document.ts'

test('a lone backtick in a cell survives [000.69]', () => {
  const artifacts = [{ path: 'a.ts', action: 'modified', description: 'escapes the ` key' }]
  expect(decodeDocument(appendDelta(PLAIN, { ...DELTA, artifacts })).deltas[0]?.artifacts).toEqual(artifacts)
})

test('every cell comes back as it was written, whatever is in it', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', '文', ' ', '|', '`', '\\', '-', ':', '#') })
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 4 }), (rows) => {
      const written = tableText(['File', 'Action', 'Description'], rows, '\n')
      expect(tableRows(written)).toEqual(rows.map((row) => row.map((text) => text.trim())))
    }),
    { numRuns: 1_000 },
  )
})

test.each([
  ['| `a | b` | c |', ['`a | b`', 'c']],
  ['| ``a ` | b`` | c |', ['``a ` | b``', 'c']],
  ['| a ` b | c ` d |', ['a ` b', 'c ` d']],
  ['| a | b ` c', ['a', 'b ` c']],
  ['a | b\\|', ['a', 'b|']],
  ['| a | |', ['a', '']],
])('the row %j has the cells %j', (row, cells) => {
  expect(tableRows(`| x | y |\n|---|---|\n${row}\n`)).toEqual([cells])
})

test('a rule below a line of text makes no table of what follows', () => {
  expect(tableRows('text\n---\nthis | that\n')).toEqual([])
})

test.each([
  ['| F | S |\n|---|---|\n| 文件 | 变 |', true],
  ['F | S\n---|---\na | b', true],
  ['| F | S |\n|---|---|\n\n| F | S |\n|---|---|\n| a | b |', true],
  ['#### Sub\n\ntext', true],
  ['```\n# code\n```', true],
  ['File | Status\n---|---\n', false],
  ['| F | S |\n|---|---|\n| [file] | |', false],
  ['#### Sub', false],
  ['#### Sub\n\n[what is there]', false],
])('%j is filled: %s', (text, filled) => {
  expect(isFilled(text)).toBe(filled)
})

import { describe, expect, test } from 'vitest'
import { decodeDocument, isNone } from '../../../src/formats/checkpoint-md/codec.ts'
import { setCompletion } from '../../../src/formats/checkpoint-md/edit.ts'
import { addLearnings, decodeLearnings } from '../../../src/formats/checkpoint-md/learnings.ts'
import { DONE, PLAIN } from './plain-document.ts'

const completed = (lines: string) => decodeDocument(`${PLAIN}\n## Completion\n\n${lines}\n`).completion

describe('the completion', () => {
  test.each([
    [['**Cache**: clear it first', 'two']],
    [['**Date**: parse it as UTC', '**Status**: is a word']],
    [['1. is not a number here']],
    [['1. one', '2. two']],
  ])('gives back the learnings %j [000.78]', (learnings) => {
    const found = decodeDocument(setCompletion(PLAIN, { ...DONE, learnings })).completion
    expect(found).toMatchObject({ ...DONE, status: 'Archived', learnings })
  })

  test('a wrapped or numbered learning is one learning [000.78]', () => {
    const text = setCompletion(PLAIN, DONE).replace(' a\n', '\n  1. one that\n     goes on\n  2. two\n')
    expect(decodeDocument(text).completion?.learnings).toEqual(['one that goes on', 'two'])
    const wrapped = setCompletion(PLAIN, DONE).replace(' a\n', ' one that\n  goes on\n')
    expect(decodeDocument(wrapped).completion?.learnings).toEqual(['one that goes on'])
  })

  test('a field of another name, and text below, are no part of a field above [000.85]', () => {
    const lines = ['- **Status**: Archived', '- **Date**: 2026-01-03', '- **Commit**: abc', '', 'Thanks.']
    expect(completed(lines.join('\n'))).toMatchObject({ status: 'Archived', date: '2026-01-03' })
    const text = completed('- **Date**: 2026-01-03\n\nText.\n\n- **Learnings**:\n  - a\n\n### Notes\n\n- b')
    expect(text).toMatchObject({ date: '2026-01-03', learnings: ['a'] })
  })
})

test.each([
  'None identified',
  'No learnings',
  'No new learnings.',
  '*None noted*',
  '(none)',
  'Nothing new',
  'None recorded.',
  '_No lessons learned_',
])('%j says nothing [000.79]', (text) => {
  expect(isNone(text)).toBe(true)
})

test.each(['None of the caches expire', 'No', 'Nothing new works', 'No new learnings without tests'])(
  '%j says something [000.79]',
  (text) => {
    expect(isNone(text)).toBe(false)
  },
)

describe('LEARNINGS.md', () => {
  const ONE = addLearnings('', { date: '2026-01-01', id: 'a', learnings: ['x'] })

  test('a wrapped bullet is read whole, without what only separates [000.77]', () => {
    const text =
      '# Learnings\n\n## 2026-01-01 — a\n- one\n  goes on\n- two\n<!-- hint -->\n\n---\n\n## Other\n'
    expect(decodeLearnings(text)).toMatchObject([{ id: 'a', learnings: ['one goes on', 'two'] }])
  })

  test('a second end of the same id adds what it taught above all others [000.76]', () => {
    const entry = { date: '2026-05-01', id: 'a', learnings: ['x', 'y'] }
    const two = addLearnings(ONE, entry)
    expect(two).toBe('# Learnings\n\n## 2026-05-01 — a\n- y\n\n## 2026-01-01 — a\n- x\n')
    expect(addLearnings(two, entry)).toBe(two)
  })

  test.each([
    [
      '## 2026-01-01 — a\n- x\n\n## 2025-12-31 — b\n- z\n',
      '## 2026-01-01 — a\n- x\n- y\n\n## 2025-12-31 — b\n- z\n',
    ],
    ['## 2026-01-01 — a\r\n- x\r\n  goes on\r\n', '## 2026-01-01 — a\r\n- x\r\n  goes on\r\n- y\r\n'],
    ['## 2026-01-01 — a\n- x', '## 2026-01-01 — a\n- x\n- y'],
    ['## 2026-01-01 — a\n', '## 2026-01-01 — a\n- y\n'],
    ['## 2026-01-01 — a', '## 2026-01-01 — a\n- y'],
  ])('on the same day it goes into the entry that is there: %j [000.76]', (before, after) => {
    expect(addLearnings(before, { date: '2026-01-01', id: 'a', learnings: ['y'] })).toBe(after)
  })

  test('a new entry goes above the newest one, below what people wrote first [000.77]', () => {
    const text = `# Learnings\n\n## How to read this\n\nFrom above.\n\n${ONE.slice(13)}`
    const two = addLearnings(text, { date: '2026-01-02', id: 'b', learnings: ['y'] })
    expect(two).toBe(text.replace('## 2026', '## 2026-01-02 — b\n- y\n\n## 2026'))
  })

  test('words for none are not added [000.79]', () => {
    expect(addLearnings(ONE, { date: '2026-01-02', id: 'b', learnings: ['None identified', ' '] })).toBe(ONE)
  })

  test('learnings that nobody would read are refused [000.75]', () => {
    const entry = { date: '2026-01-02', id: 'b', learnings: ['y'] }
    expect(() => addLearnings('# Learnings\n\n```\n', entry)).toThrow(
      expect.objectContaining({ reason: 'document_broken', data: expect.objectContaining({ line: 3 }) }),
    )
  })
})

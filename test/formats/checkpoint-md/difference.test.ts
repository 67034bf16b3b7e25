import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { devNull, tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type Difference,
  differenceOf,
  sayDifference,
} from '../../../src/formats/checkpoint-md/difference.ts'
import { brokenLines, replacementsOf } from '../../../src/formats/checkpoint-md/merge.ts'
import { timeCpu } from '../../support/cpu-time.ts'

const say = (a: string, b: string, options?: { context?: number }) =>
  sayDifference(differenceOf(a, b, options), { from: 'seq 1', to: 'seq 2' })

const document = (state: string, next: string) => `---
checkpoint: api-work
created: 2026-03-01T10:00:00Z
---

## Problem
Logins fail.

## Session Intent
Mend them.

### Current State
${state}

### Next Actions
- ${next}
`

test('a difference reads as a unified diff, with the heading above each hunk', () => {
  const before = document('Two tests fail.', 'find the cause')
  const after = document('All tests pass.', 'find the cause')
  expect(differenceOf(before, after)).toMatchObject({ added: 1, removed: 1 })
  expect(say(before, after)).toBe(`--- seq 1
+++ seq 2
@@ -10,7 +10,7 @@ ## Session Intent
 Mend them.
 
 ### Current State
-Two tests fail.
+All tests pass.
 
 ### Next Actions
 - find the cause`)
})

test('the front matter is no heading', () => {
  const text = '---\nstatus: active\n---\n1\n2\n3\n4\n5\n'
  expect(differenceOf(text, text.replace('5', 'five')).hunks).toMatchObject([{ heading: null }])
})

test('an underlined heading is shown like the others, and a long one is cut', () => {
  const text = `Plan\n====\n\n1\n2\n3\n4\n5\n`
  expect(differenceOf(text, text.replace('5', 'five')).hunks).toMatchObject([{ heading: '# Plan' }])
  const long = text.replace('Plan', 'Plan '.repeat(100))
  expect(say(long, long.replace('5', 'five')).split('\n')[2]?.length).toBeLessThan(110)
})

test('a heading that opens the hunk is not repeated behind its line numbers', () => {
  const text = '# One\n\n## Two\n1\n2\n3\n'
  expect(differenceOf(text, text.replace('3', 'three')).hunks).toMatchObject([
    { toLine: 3, heading: '# One' },
  ])
})

test('equal texts have no difference', () => {
  expect(differenceOf('a\n', 'a\n')).toEqual({ added: 0, removed: 0, hunks: [] })
  expect(say('', '')).toBe('')
})

test('changes that are far apart are two hunks, near ones are one', () => {
  const lines = Array.from({ length: 20 }, (_, index) => `${index}\n`)
  const changed = (...at: number[]) =>
    lines.map((line, index) => (at.includes(index) ? `new ${line}` : line)).join('')
  const hunks = (text: string, context = 3) => differenceOf(lines.join(''), text, { context }).hunks
  expect(hunks(changed(2, 9))).toHaveLength(1)
  expect(hunks(changed(2, 10))).toHaveLength(2)
  expect(hunks(changed(2, 4), 0)).toHaveLength(2)
  expect(hunks(changed(2, 19), Number.POSITIVE_INFINITY)).toMatchObject([{ fromLine: 1, fromCount: 20 }])
})

test('a missing line break at the end is marked', () => {
  expect(say('a\nb', 'a\nb\n')).toBe(
    '--- seq 1\n+++ seq 2\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b',
  )
})

test('a line that differs in its line break alone is different, and shown without a carriage return', () => {
  expect(say('a\nb\n', 'a\nb\r\n')).toBe('--- seq 1\n+++ seq 2\n@@ -1,2 +1,2 @@\n a\n-b\n+b␍')
  expect(say('a\r\nb\r\n', 'a\r\nc\r\n')).toBe('--- seq 1\n+++ seq 2\n@@ -1,2 +1,2 @@\n a\n-b\n+c')
})

test('no control character of a document, a heading or a name reaches the terminal', () => {
  const every = Array.from({ length: 0x100 }, (_, code) => String.fromCharCode(code)).join('')
  const text = `# \u001b]0;title\u0007\n1\n2\n3\n${every}\u202e\u2066\n`
  const said = sayDifference(differenceOf('# x\n1\n2\n3\n', text, { context: 0 }), {
    from: 'a\u001b[2J\n',
    to: '\u009b2J',
  })
  expect(said.replace(/[\t\n]/g, '')).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u)
  expect(said).toContain('--- a\\x1b[2J\\x0a\n+++ \\x9b2J\n')
  expect(said).toContain('+# \\x1b]0;title\\x07\n')
  expect(said).toContain('\\u202e\\u2066')
  expect(said).toContain('\t')
})

test('lines that were appended stand at the end, also where they begin like the end', () => {
  const [a, b] = [brokenLines('old\nx\n\n'), brokenLines('new\nx\n\n## D\n\n')]
  expect(replacementsOf(a, b).at(-1)).toEqual({ aStart: 3, aEnd: 3, bStart: 3, bEnd: 5 })
})

const NUMBERED = Array.from({ length: 20_000 }, (_, index) => index)
/** A different order each time, without luck. */
const mixed = (factor: number) => NUMBERED.map((index) => `line ${(index * factor) % 20_011}\n`).join('')

test.each([
  [
    'with no line in common',
    NUMBERED.map((n) => `a ${n}\n`).join(''),
    NUMBERED.map((n) => `b ${n}\n`).join(''),
  ],
  ['with all lines in another order', mixed(7919), mixed(104_729)],
  [
    'of few different lines',
    NUMBERED.map((n) => `${(n * n) % 7}\n`).join(''),
    NUMBERED.map((n) => `${(n * n * n) % 11}\n`).join(''),
  ],
])('two texts of 20,000 lines %s are compared in bounded time', (_, a, b) => {
  const { result, ms } = timeCpu(() => differenceOf(a, b))
  expect(ms).toBeLessThan(5_000)
  expect(replayed(a, result)).toBe(b)
})

test('where the exact answer would take too long, what both texts begin and end with is kept', () => {
  const around = (text: string) => `first\nsecond\n${text}last\n`
  const [a, b] = [around(mixed(7919)), around(mixed(104_729).replace('line 0\n', ''))]
  expect(differenceOf(a, b, { context: 0 }).hunks).toMatchObject([
    { fromLine: 3, fromCount: 20_000, toLine: 3, toCount: 19_999 },
  ])
})

/** The newer text, from the older one and the hunks alone. */
function replayed(a: string, { hunks }: Difference): string {
  const lines = brokenLines(a)
  const made: string[] = []
  let at = 0
  for (const { fromLine, fromCount, toLine, toCount, lines: changed } of hunks) {
    const start = fromCount === 0 ? fromLine : fromLine - 1
    for (; at < start; at += 1) made.push(lines[at] ?? '')
    expect(made.length).toBe(toCount === 0 ? toLine : toLine - 1)
    const upTo = made.length + toCount
    for (const { mark, text, ending } of changed) {
      if (mark !== '+') {
        expect(lines[at]).toBe(text + ending)
        at += 1
      }
      if (mark !== '-') made.push(text + ending)
    }
    expect([at, made.length]).toEqual([start + fromCount, upTo])
  }
  for (; at < lines.length; at += 1) made.push(lines[at] ?? '')
  return made.join('')
}

const texts = fc
  .array(fc.constantFrom('a\n', 'b\n', '\n', 'a\r\n', '# h\n', 'b\r', '\ud83d', 'c'), { maxLength: 25 })
  .map((parts) => parts.join(''))

test('the hunks turn the older text into the newer one, whatever the texts and the context', () => {
  fc.assert(
    fc.property(texts, texts, fc.nat(4), (a, b, context) => {
      const difference = differenceOf(a, b, { context })
      expect(replayed(a, difference)).toBe(b)
      const marks = difference.hunks.flatMap(({ lines }) => lines.map(({ mark }) => mark))
      expect(marks.filter((mark) => mark === '+')).toHaveLength(difference.added)
      expect(marks.filter((mark) => mark === '-')).toHaveLength(difference.removed)
    }),
    { numRuns: 1_000 },
  )
})

test('a change has one place: as far down as it can stand, and apart from the next', () => {
  fc.assert(
    fc.property(texts, texts, (one, other) => {
      const [a, b] = [brokenLines(one), brokenLines(other)]
      const found = replacementsOf(a, b)
      for (const [index, { aStart, aEnd, bStart, bEnd }] of found.entries()) {
        const limit = found[index + 1]?.aStart ?? a.length
        if (found[index + 1]) expect(aEnd).toBeLessThan(limit)
        if (aStart === aEnd && aEnd < limit) expect(b[bStart]).not.toBe(b[bEnd])
        if (bStart === bEnd && aEnd < limit) expect(a[aStart]).not.toBe(a[aEnd])
      }
    }),
    { numRuns: 1_000 },
  )
})

test('no more lines change than need to', () => {
  fc.assert(
    fc.property(texts, texts, (a, b) => {
      const [older, newer] = [brokenLines(a), brokenLines(b)]
      const { added, removed } = differenceOf(a, b)
      expect(added + removed).toBe(older.length + newer.length - 2 * longestCommon(older, newer))
    }),
  )
})

function longestCommon(a: string[], b: string[]): number {
  let row = new Array<number>(b.length + 1).fill(0)
  for (const line of a) {
    const above = row
    row = [0]
    for (const [index, other] of b.entries())
      row.push(line === other ? (above[index] ?? 0) + 1 : Math.max(above[index + 1] ?? 0, row[index] ?? 0))
  }
  return row[b.length] ?? 0
}

test('git applies what is said', () => {
  const folder = mkdtempSync(join(tmpdir(), 'savepoint-difference-'))
  const file = join(folder, 'text')
  const plain = fc
    .array(fc.constantFrom('a\n', 'b\n', '\n', '## c\n'), { minLength: 1, maxLength: 15 })
    .chain((lines) => fc.constantFrom(lines.join(''), `${lines.join('')}end`))
  try {
    fc.assert(
      fc.property(plain, plain, (a, b) => {
        fc.pre(a !== b)
        writeFileSync(file, a)
        const input = `${sayDifference(differenceOf(a, b), { from: 'a/text', to: 'b/text' })}\n`
        const env = { ...process.env, GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_NOSYSTEM: '1' }
        const { status, stderr } = spawnSync('git', ['apply', '--whitespace=nowarn', '-'], {
          cwd: folder,
          env: { ...env, GIT_CEILING_DIRECTORIES: tmpdir() },
          input,
          encoding: 'utf8',
        })
        expect([status, stderr]).toEqual([0, ''])
        expect(readFileSync(file, 'utf8')).toBe(b)
      }),
      { numRuns: 40 },
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
})

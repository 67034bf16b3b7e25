import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { readFrontMatter, setFrontMatter } from '../../../src/formats/markdown/front-matter.ts'

const DOCUMENT = `---
# who made this
checkpoint: chk-001   # the id
created: 2026-01-01T00:00:00Z
anchor: "phase --- two"
x-other: [1, 2]
status: active
---

## Problem

text --- with dashes
`

const fieldsOf = (text: string) => {
  const found = readFrontMatter(text)?.fields ?? new Map<string, { value: string; line: number }>()
  return Object.fromEntries([...found].map(([key, { value }]) => [key, value]))
}

test('reads the keys with their lines, and is not ended by dashes inside a value [000.04]', () => {
  const front = readFrontMatter(DOCUMENT)
  expect(fieldsOf(DOCUMENT)).toMatchObject({
    checkpoint: 'chk-001',
    anchor: 'phase --- two',
    status: 'active',
  })
  expect(front?.fields.get('status')?.line).toBe(7)
  expect(DOCUMENT.slice(front?.bodyStart)).toMatch(/^\n## Problem/)
})

test('an id that looks like a number is read as it is written', () => {
  expect(fieldsOf('---\ncheckpoint: 001\ncreated: 2026-01-01\n---\n')).toEqual({
    checkpoint: '001',
    created: '2026-01-01',
  })
})

test.each([
  ['a byte order mark', `\uFEFF${DOCUMENT}`],
  ['Windows line breaks', DOCUMENT.replace(/\n/g, '\r\n')],
])('reads a text with %s', (_, text) => {
  expect(fieldsOf(text)).toMatchObject({ checkpoint: 'chk-001', status: 'active' })
})

test('code in the front matter is text, never run', () => {
  expect(readFrontMatter('---js\nprocess.exit(9)\n---\n')).toBeNull()
  expect(readFrontMatter('---\nx: !!js/function "process.exit(9)"\n---\n')?.fields.get('x')).toBeDefined()
})

test.each(['a: b: c', '{', '- only a list', `${'['.repeat(5_000)}`])(
  'broken YAML is told, not thrown: %s',
  (yaml) => {
    expect(readFrontMatter(`---\n${yaml}\n---\n`)?.problem).toEqual(expect.any(String))
  },
)

test('setting a key changes that value and nothing else', () => {
  const changed = setFrontMatter(DOCUMENT, 'status', 'current')
  expect(changed).toBe(DOCUMENT.replace('status: active', 'status: current'))
  expect(setFrontMatter(DOCUMENT, 'checkpoint', 'chk-002')).toBe(DOCUMENT.replace('chk-001', 'chk-002'))
})

test('a new key comes last, a key without a value gets one, a key that goes takes its line along', () => {
  expect(setFrontMatter(DOCUMENT, 'last_delta', '2026-02-01T00:00:00Z')).toBe(
    DOCUMENT.replace('status: active\n', 'status: active\nlast_delta: 2026-02-01T00:00:00Z\n'),
  )
  expect(setFrontMatter('---\nstatus:\n---\n', 'status', 'current')).toBe('---\nstatus: current\n---\n')
  expect(setFrontMatter(DOCUMENT, 'status', null)).toBe(DOCUMENT.replace('status: active\n', ''))
  expect(setFrontMatter('no front matter\r\n', 'status', 'active')).toBe(
    '---\r\nstatus: active\r\n---\r\n\r\nno front matter\r\n',
  )
})

test('any value comes back as it was set, and everything else stays byte for byte', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('checkpoint', 'created', 'anchor', 'status', 'last_delta', 'parent'),
      fc
        .string({ minLength: 1, maxLength: 30 })
        .filter((value) => !/[\p{Cc}\u2028\u2029\uFEFF]/u.test(value)),
      fc.constantFrom('\n', '\r\n'),
      (key, value, eol) => {
        const text = DOCUMENT.replace(/\n/g, eol)
        const changed = setFrontMatter(text, key, value)
        const front = readFrontMatter(changed)
        expect(parse(changed.slice(front?.start, front?.end))[key]).toBe(value)
        const untouched = (one: string) => one.split(eol).filter((line) => !line.startsWith(`${key}:`))
        expect(untouched(changed)).toEqual(untouched(text))
      },
    ),
  )
})

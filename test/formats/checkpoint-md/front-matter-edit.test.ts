import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { ReasonError } from '../../../src/core/reason.ts'
import { readFrontMatter, setFrontMatter } from '../../../src/formats/markdown/front-matter.ts'

const inFences = (yaml: string) => `---\n${yaml}---\n\n## Problem\n`
const set = (yaml: string, key: string, value: string | null) => setFrontMatter(inFences(yaml), key, value)

test.each([
  ['an indented map', '  a: 1\n  status: x\n', '  a: 1\n  status: current\n'],
  ['an indented map without the key', '  a: 1\n', '  a: 1\n  status: current\n'],
  ['a literal block', 'status: |\n  x\n  y\na: 1\n', 'status: current\na: 1\n'],
  ['a folded block', 'status: >-\n  x\n\na: 1\n', 'status: current\n\na: 1\n'],
  ['null', 'status: null # why\na: 1\n', 'status: current # why\na: 1\n'],
  ['a tilde', 'status: ~\na: 1\n', 'status: current\na: 1\n'],
  ['no value', 'status: # why\na: 1\n', 'status: current # why\na: 1\n'],
  ['an alias', 'a: &x 1\nstatus: *x\n', 'a: &x 1\nstatus: current\n'],
  ['a flow list', 'status: [a, b]\na: 1\n', 'status: current\na: 1\n'],
  ['a list below', 'status:\n- a\n- b\na: 1\n', 'status: current\na: 1\n'],
  ['a map below', 'status:\n  b: 2\na: 1\n', 'status: current\na: 1\n'],
])('%s gets the value, and nothing else changes', (_, before, after) => {
  expect(set(before, 'status', 'current')).toBe(inFences(after))
})

test.each([
  ['an indented key', '  a: 1\n  status: x\n  b: 2\n', '  a: 1\n  b: 2\n'],
  ['a block', 'status: |\n  x\n\na: 1\n', '\na: 1\n'],
  ['a block with its empty lines', 'status: |+\n  x\n\na: 1\n', 'a: 1\n'],
  ['a list', 'a: 1\nstatus:\n  - x\n  - y\nb: 2\n', 'a: 1\nb: 2\n'],
])('%s goes, and nothing else', (_, before, after) => {
  expect(set(before, 'status', null)).toBe(inFences(after))
})

test.each([
  ['a flow map', '{checkpoint: b, status: x}\n'],
  ['a flow map without the key', '{checkpoint: b}\n'],
  ['a key without a colon', '? status\na: 1\n'],
  ['an anchor that another key refers to', 'status: &x a\nb: *x\n'],
  ['YAML that does not parse', 'a: [1\n'],
  ['the same key twice', 'status: a\nstatus: b\n'],
  ['a front matter that would grow too large', `a: ${'x'.repeat(16 * 1024 - 5)}\n`],
])('%s is refused', (_, yaml) => {
  const refused = expect(() => set(yaml, 'status', 'current'))
  refused.toThrow(ReasonError)
  refused.toThrow('`status` cannot be set in this front matter: write one key per line')
})

test('a front matter without an end is refused, and not given another one', () => {
  expect(() => setFrontMatter('---\na: 1\n', 'status', 'current')).toThrow(ReasonError)
})

const key = fc.constantFrom('checkpoint', 'status', 'last_delta', 'owner', 'x-1', '"quoted key"')
const plain = fc.constantFrom(
  'a',
  '001',
  'null',
  '~',
  "'q: x'",
  '"d # x"',
  '[1, 2]',
  '{b: c}',
  '&z v',
  '*z',
  '',
)
const below = fc.constantFrom(
  '|\n$  x\n$\n$  y',
  '>-\n$  x',
  '|+\n$  x\n\n',
  '\n$  - 1\n$  - 2',
  '\n$- 1',
  '\n$  b: c',
)
const comment = fc.constantFrom('', ' # why', '   # "')

const blockMap = fc
  .record({
    indent: fc.constantFrom('', ' ', '    '),
    pairs: fc.uniqueArray(fc.tuple(key, fc.oneof(plain, below), comment, fc.boolean()), {
      selector: ([name]) => name,
      maxLength: 5,
    }),
  })
  .map(({ indent, pairs }) =>
    pairs
      .map(([name, value, why, isNoted]) => {
        const said = value.replaceAll('$', indent)
        const note = isNoted ? `${indent}# about ${name}\n` : ''
        return `${note}${indent}${name}: ${said}${value.includes('\n') ? '' : why}\n`
      })
      .join(''),
  )

const flowMap = fc
  .record({
    pairs: fc.uniqueArray(fc.tuple(key, plain), { selector: ([name]) => name, maxLength: 4 }),
    space: fc.constantFrom('', ' ', '\n  '),
    tail: fc.constantFrom('', ','),
  })
  .map(({ pairs, space, tail }) => {
    const inside = pairs.map(([name, value]) => `${space}${name}: ${value}`).join(',')
    return `{${inside}${pairs.length > 0 ? tail : ''}${space}}\n`
  })

const isValid = (yaml: string) => {
  try {
    parse(yaml, { schema: 'core' })
    return true
  } catch {
    return false
  }
}

test('whatever a front matter looks like, a key is set and all others stay, or it is refused', () => {
  let done = 0
  fc.assert(
    fc.property(
      fc.oneof({ weight: 9, arbitrary: blockMap }, { weight: 1, arbitrary: flowMap }).filter(isValid),
      fc.constantFrom('checkpoint', 'status', 'last_delta'),
      fc.oneof(
        fc.constant(null),
        fc.constantFrom('current', '2026-01-01T00:00:00Z', 'a, b: c', '001', 'x\ny'),
      ),
      fc.constantFrom('\n', '\r\n'),
      (yaml, name, value, eol) => {
        const text = inFences(yaml).replaceAll('\n', eol)
        let changed: string
        try {
          changed = setFrontMatter(text, name, value)
        } catch (error) {
          expect(error).toBeInstanceOf(ReasonError)
          return
        }
        done += 1
        const front = readFrontMatter(changed)
        expect(front?.problem).toBeNull()
        expect(changed.slice(front?.bodyStart)).toBe(`${eol}## Problem${eol}`)
        const was = parse(yaml.replaceAll('\n', eol), { schema: 'core' }) ?? {}
        const is = parse(changed.slice(front?.start, front?.end), { schema: 'core' }) ?? {}
        const { [name]: _old, ...others } = was
        const { [name]: said, ...rest } = is
        expect(rest).toEqual(others)
        expect(said).toBe(value ?? undefined)
        // What is said beside and above other keys is no value, and stays as well.
        const kept = changed.split(eol)
        for (const line of text
          .split(eol)
          .filter((one) => /# (?:why|about|"$)/.test(one) && !one.trim().startsWith(name)))
          expect(kept).toContain(line)
      },
    ),
    { numRuns: 2_000 },
  )
  expect(done).toBeGreaterThan(1_500)
})

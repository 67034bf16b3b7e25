import fc from 'fast-check'
import { parse } from 'jsonc-parser/lib/esm/main.js'
import { expect, test } from 'vitest'
import { HOOKS } from '../../src/agents/claude/hook-table.ts'
import { withSavepoint } from '../../src/agents/claude/settings.ts'
import { isMalformed, type SplicedSettings, type WantedSettings } from '../../src/core/agent-setup.ts'

const HOOK = { command: '/home/ann/state/bin/savepoint-hook', args: ['claude'] }
const LINE = { command: "'/home/ann/state/bin/savepoint-hook' statusline", rest: {} }
const EVERYTHING: WantedSettings = { hooks: HOOK, statusLine: LINE, before: '' }
const OUT: WantedSettings = { hooks: 'out', statusLine: 'out', before: '' }

const whole = (merged: ReturnType<typeof withSavepoint>): SplicedSettings => {
  if (isMalformed(merged)) throw new Error(`line ${merged.line}: ${merged.problem}`)
  return merged
}
const put = (text: string, wanted: Parameters<typeof withSavepoint>[1] = EVERYTHING) =>
  whole(withSavepoint(text, wanted))
const out = (text: string) => whole(withSavepoint(text, OUT))

/** How a file is written: its breaks, its steps, its comments, whether commas trail, and a mark at its begin. */
interface Manner {
  eol: string
  unit: string
  comments: string[]
  trailing: boolean
  bom: boolean
}

/** Writes a value in a manner; comments are used up one after the other, wherever something may stand. */
function written(value: unknown, { eol, unit, comments, trailing, bom }: Manner): string {
  let next = 0
  const note = () => (comments.length === 0 ? '' : (comments[next++ % comments.length] ?? ''))
  const line = (comment: string) => (comment === '' ? '' : ` // ${comment}`)
  const block = (comment: string) => (comment === '' ? '' : `/* ${comment} */ `)
  const print = (node: unknown, indent: string): string => {
    if (typeof node !== 'object' || node === null) return JSON.stringify(node)
    const [open, close] = Array.isArray(node) ? '[]' : '{}'
    const items = Array.isArray(node)
      ? node.map((item) => print(item, indent + unit))
      : Object.entries(node).map(
          ([key, item]) => `${JSON.stringify(key)}: ${block(note())}${print(item, indent + unit)}`,
        )
    if (items.length === 0) return `${open}${close}`
    const isFlat = eol === ''
    const rows = items.map((item, at) => {
      const comma = at < items.length - 1 || trailing ? ',' : ''
      return isFlat ? `${item}${comma}` : `${indent}${unit}${block(note())}${item}${comma}${line(note())}`
    })
    return isFlat
      ? `${open}${rows.join(' ')}${close}`
      : [`${open}${line(note())}`, ...rows, `${indent}${close}`].join(eol)
  }
  return `${bom ? '\uFEFF' : ''}${print(value, '')}${eol}`
}

const handler = fc.record({ type: fc.constant('command'), command: fc.string({ maxLength: 8 }) })
const group = fc.record(
  { matcher: fc.constantFrom('', 'startup', 'Bash|Edit'), hooks: fc.array(handler, { maxLength: 2 }) },
  { requiredKeys: ['hooks'] },
)
const events = fc.dictionary(
  fc.constantFrom(...Object.keys(HOOKS), 'PreToolUse', 'Notification'),
  fc.array(group, { minLength: 1, maxLength: 3 }),
  { minKeys: 1, maxKeys: 4 },
)
const key = fc.constantFrom('permissions', 'env', 'model', 'a"b\\', 'ключ')
const settings = fc
  .tuple(
    fc.dictionary(key, fc.jsonValue({ maxDepth: 3 }), { minKeys: 1 }),
    fc.option(events, { nil: undefined }),
    fc.boolean(),
  )
  .map(([others, hooks, isFirst]) =>
    hooks === undefined ? others : isFirst ? { hooks, ...others } : { ...others, hooks },
  )
const manner: fc.Arbitrary<Manner> = fc.record({
  eol: fc.constantFrom('\n', '\r\n', ''),
  unit: fc.constantFrom('  ', '    ', '\t', ''),
  comments: fc.array(fc.constantFrom('', 'mine', '{', '},', '"', 'https://x', 'a,b'), { maxLength: 7 }),
  trailing: fc.boolean(),
  bom: fc.boolean(),
})

const plain = (text: string) => parse(text.replace('\uFEFF', ''), [], { allowTrailingComma: true })
const commentsOf = (text: string) => text.match(/\/\/ [^\r\n]*|\/\* .*? \*\//g) ?? []

test('whatever a settings file looks like, a second merge changes nothing, and all else stays', () => {
  fc.assert(
    fc.property(settings, manner, (value, how) => {
      const text = written(value, how)
      const { text: merged, changes } = put(text)
      expect(changes.map(({ event }) => event)).toEqual(Object.keys(HOOKS))
      expect(put(merged)).toEqual({ text: merged, changes: [] })
      const { hooks, statusLine, ...others } = plain(merged)
      const { hooks: before = {}, ...same } = plain(text)
      expect(others).toEqual(same)
      expect(statusLine).toEqual({ type: 'command', command: LINE.command })
      for (const event of new Set([...Object.keys(HOOKS), ...Object.keys(before)])) {
        const mine =
          event in HOOKS ? [{ hooks: [{ type: 'command', ...HOOK, timeout: timeoutOf(event) }] }] : []
        expect(hooks[event]).toEqual([...(before[event] ?? []), ...mine])
      }
      expect(commentsOf(merged)).toEqual(commentsOf(text))
      if (how.eol === '\r\n') expect(merged.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
      if (how.eol === '') expect(merged).not.toMatch(/[\r\n]/)
    }),
    { numRuns: 300 },
  )
})

const timeoutOf = (event: string) => Object.entries(HOOKS).find(([name]) => name === event)?.[1]

test('what is taken out again leaves the very characters that were there', () => {
  fc.assert(
    fc.property(settings, manner, (value, how) => {
      const text = written(value, { ...how, trailing: false })
      expect(out(put(text).text).text).toBe(text)
    }),
    { numRuns: 300 },
  )
})

test('commas that trail are no obstacle either way', () => {
  fc.assert(
    fc.property(settings, manner, (value, how) => {
      const text = written(value, { ...how, trailing: true })
      const back = out(put(text).text).text
      expect(plain(back)).toEqual(plain(text))
      expect(commentsOf(back)).toEqual(commentsOf(text))
    }),
    { numRuns: 150 },
  )
})

test('what others put between and after ours stays when ours is taken out', () => {
  fc.assert(
    fc.property(settings, manner, fc.nat(40), (value, how, place) => {
      // `as`: what the merge has just made.
      const merged = plain(put(written(value, how)).text) as { hooks: Record<string, unknown[]> }
      const names = Object.keys(HOOKS)
      const event = names[place % names.length] ?? ''
      merged.hooks[event]?.push({ hooks: [{ type: 'command', command: 'theirs' }] })
      // A comment inside of what is ours keeps the list that it stands in.
      const edited = written({ ...merged, later: true }, { ...how, comments: [] })
      const { hooks: before = {}, ...same } = plain(written(value, how))
      expect(plain(out(edited).text)).toEqual({
        ...same,
        later: true,
        hooks: {
          ...before,
          [event]: [...(before[event] ?? []), { hooks: [{ type: 'command', command: 'theirs' }] }],
        },
      })
    }),
    { numRuns: 150 },
  )
})

import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { lastUse } from '../../src/agents/claude/window.ts'
import { projectRoot } from '../support/sandbox.ts'
import {
  assistant,
  boundary,
  type Json,
  linesOf,
  readOn,
  text,
  transcriptOf,
  usageOf,
  user,
} from './transcript-rows.ts'

const MODEL = 'claude-opus-5-5'
const call = (number: number, usage: Json, rest: Json = {}, message: Json = {}) =>
  assistant(number, { content: [text('So')], usage, ...message }, rest)
const at = (...rows: Array<Json | string>) => lastUse(transcriptOf(linesOf([user(1, 'Go'), ...rows])))

describe('the last call of the main conversation', () => {
  test('counts what went in, with both caches, and nothing that came out', () => {
    expect(at(call(2, usageOf(1, 9_000)), call(3, usageOf(10, 500, 2_000, 300)))).toEqual({
      tokens: 2_310,
      model: MODEL,
    })
  })

  test('is found behind what the user and the tools said since', () => {
    const rows = Array.from({ length: 40 }, (_, index) => user(index + 3, 'x'.repeat(1_000)))
    expect(at(call(2, usageOf(77, 1)), ...rows)).toEqual({ tokens: 77, model: MODEL })
  })

  test('is found behind one large result, and not sought for ever', () => {
    expect(at(call(2, usageOf(77, 1)), user(3, 'x'.repeat(900_000)))).toMatchObject({ tokens: 77 })
    expect(at(call(2, usageOf(77, 1)), user(3, 'x'.repeat(1_100_000)))).toBeNull()
  })

  test('is none of a helper, of an error that the client made up, or without numbers', () => {
    const rows = [
      call(3, usageOf(5_000, 1), { isSidechain: true }),
      call(4, usageOf(6_000, 1), {}, { model: '<synthetic>' }),
      call(5, usageOf(0, 0)),
      call(6, { input_tokens: 'many' }),
      assistant(7, { content: [text('"usage" "assistant"')] }),
    ]
    expect(at(call(2, usageOf(77, 1)), ...rows)).toEqual({ tokens: 77, model: MODEL })
    expect(at(...rows)).toBeNull()
  })

  test('is its last step where the provider used tools of its own', () => {
    const usage = { ...usageOf(9_000, 1), iterations: [usageOf(4_000, 1), usageOf(5_000, 1)] }
    expect(at(call(2, usage))).toMatchObject({ tokens: 5_000 })
  })

  test('before a compaction says nothing; one after it does', () => {
    const cut = boundary(3, { trigger: 'auto' })
    expect(at(call(2, usageOf(77, 1)), cut)).toBeNull()
    expect(at(call(2, usageOf(77, 1)), cut, call(4, usageOf(8, 1)))).toMatchObject({ tokens: 8 })
    // Who only speaks of one has not compacted.
    expect(at(call(2, usageOf(77, 1)), user(3, 'grep "compact_boundary" x'))).toMatchObject({ tokens: 77 })
  })

  test('is whole: a row that is being written is not read', () => {
    const path = transcriptOf(linesOf([user(1, 'Go'), call(2, usageOf(77, 1))]))
    const half = linesOf([call(3, usageOf(99, 1))])
    appendFileSync(path, half.slice(0, -20))
    expect(lastUse(path)).toMatchObject({ tokens: 77 })
    appendFileSync(path, half.slice(-20))
    expect(lastUse(path)).toMatchObject({ tokens: 99 })
  })
})

test('what is no transcript tells nothing', () => {
  const folder = join(transcriptOf(''), '..')
  mkdirSync(join(folder, 'd'))
  expect(lastUse(join(folder, 'gone.jsonl'))).toBeNull()
  expect(lastUse(join(folder, 'd'))).toBeNull()
  expect(lastUse(join(folder, 'session.jsonl'))).toBeNull()
  for (const rows of ['\n\n\n', '{"usage":{"assistant":', 'null\n"usage""assistant"\n', '\0'.repeat(9_999)])
    expect(lastUse(transcriptOf(rows))).toBeNull()
})

test.each(['interactive', 'printed'])(
  'says after every row that the real client wrote what the whole reading says: %s',
  (name) => {
    const whole = readFileSync(join(projectRoot, 'test/fixtures/claude', `${name}.jsonl`))
    const path = transcriptOf('')
    const different: unknown[] = []
    let found = 0
    let isCut = false
    for (
      let start = 0, end = whole.indexOf(0x0a);
      end >= 0;
      start = end + 1, end = whole.indexOf(0x0a, start)
    ) {
      const row: { type?: string; subtype?: string } = JSON.parse(whole.toString('utf8', start, end))
      if (row.subtype === 'compact_boundary') isCut = true
      if (row.type === 'assistant') isCut = false
      writeFileSync(path, whole.subarray(0, end + 1))
      const { context } = readOn(path).reading
      const use = lastUse(path)
      if (use !== null) found += 1
      // Right after a compaction only the whole reading knows more.
      const isSame =
        use === null
          ? isCut || context === null
          : use.tokens === context?.tokens && use.model === context.model
      if (!isSame) different.push([end, use, context])
    }
    expect(different).toEqual([])
    expect(found).toBeGreaterThan(5)
  },
)

import { writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readTranscript } from '../../src/agents/claude/transcript.ts'
import type { Entry, Reading } from '../../src/core/transcript.ts'
import { referenceOf } from './transcript-reference.ts'
import {
  assistant,
  attachment,
  boundary,
  call,
  type Json,
  readOn,
  result,
  text,
  transcriptOf,
  usageOf,
  user,
} from './transcript-rows.ts'

const number = fc.integer({ min: 1, max: 60 })
const said = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: fc.constantFrom('"', '\\', '\n', 'é', '😀', '{', '}', '[', ']', ',', ' ', '\u0000') }),
  fc.constantFrom(
    '"type":"assistant"',
    '{"is_error":true}',
    '\\"',
    '<system-reminder>x</system-reminder>',
    'x'.repeat(900),
  ),
)
const callId = fc.integer({ min: 1, max: 8 }).map((id) => `toolu_${id}`)
const side = fc.constantFrom({}, {}, { isSidechain: true })

const calling = fc.record({
  id: callId,
  name: fc.constantFrom('Write', 'Edit', 'Bash', 'Read', 'Task', 'Agent', 'TodoWrite'),
  input: fc.oneof(
    fc.record({ content: said, file_path: fc.constantFrom('/a', '/b "c"', '/ü') }),
    fc.record({ command: fc.constantFrom('git commit -m x', 'ls', 'echo "git commit"') }),
    fc.record({ todos: fc.constant([{ content: 'x', status: 'pending' }]) }),
    fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })).map((value) => value as Json),
  ),
})

const rowOf: fc.Arbitrary<Json> = fc.oneof(
  fc
    .record({
      n: number,
      id: fc.integer({ min: 1, max: 6 }),
      block: fc.oneof(
        said.map(text),
        calling.map(({ id, name, input }) => call(id, name, input)),
      ),
      tokens: fc.tuple(fc.nat(99), fc.nat(99), fc.nat(99), fc.nat(99)),
      model: fc.constantFrom('claude-opus-5-5', 'claude-opus-5-5', '<synthetic>'),
      rest: fc.constantFrom(
        {},
        {},
        {},
        { isSidechain: true },
        { isApiErrorMessage: true, error: 'rate_limit' },
      ),
    })
    .map(({ n, id, block, tokens, model, rest }) =>
      assistant(
        n,
        { id: `msg_${id}`, model, content: [block], usage: usageOf(...tokens) },
        { requestId: `req_${id}`, ...rest },
      ),
    ),
  fc
    .record({
      n: number,
      id: callId,
      said,
      failed: fc.constantFrom(undefined, false, true),
      rest: side,
      copy: fc.jsonValue(),
    })
    .map(({ n, id, said, failed, rest, copy }) =>
      user(n, [result(id, said, failed)], { toolUseResult: copy, ...rest }),
    ),
  fc
    .record({ n: number, id: callId, said })
    .map(({ n, id, said }) =>
      user(n, [result(id, said, true)], { toolUseResult: said, toolDenialKind: 'user-rejected' }),
    ),
  fc
    .record({ n: number, said, rest: fc.constantFrom({}, {}, { isMeta: true }, { isSidechain: true }) })
    .map(({ n, said, rest }) => user(n, said, rest)),
  fc
    .record({ n: number, said })
    .map(({ n, said }) => user(n, [text(said), { type: 'image', source: { data: said } }])),
  fc
    .record({ n: number, said })
    .map(({ n, said }) => attachment(n, { type: 'prompt_snapshot', systemPrompt: [said] })),
  fc
    .record({ n: number, after: fc.constantFrom({}, { postTokens: 77 }) })
    .map(({ n, after }) => boundary(n, { trigger: 'auto', ...after })),
  said.map((value) => ({ type: 'api-request', params: { x: value } })),
  fc.constantFrom('new-kind', 'other-kind').map((type) => ({ type, value: { type: 'assistant' } })),
)

/** JSON as the client writes it, with spaces as other tools do, or torn. */
const lineOf = fc.oneof(
  { weight: 8, arbitrary: rowOf.map((row) => JSON.stringify(row)) },
  { weight: 2, arbitrary: rowOf.map((row) => JSON.stringify(row, null, 1).replace(/\n */g, ' ')) },
  { weight: 1, arbitrary: rowOf.map((row) => `${JSON.stringify(row)}\r`) },
  { weight: 1, arbitrary: rowOf.map((row) => JSON.stringify(row).slice(0, 40)) },
  { weight: 1, arbitrary: fc.constantFrom('', 'null', '{', 'x{}') },
)
const contentOf = fc
  .array(lineOf, { maxLength: 40 })
  .map((lines) => lines.map((line) => `${line}\n`).join(''))

test('what the reader says is what the plainest reader says', () => {
  const path = transcriptOf('')
  fc.assert(
    fc.property(contentOf, (content) => {
      writeFileSync(path, content)
      const { reading, statistics, entries } = readOn(path)
      const wanted = referenceOf(content)
      expect(statistics).toEqual(wanted.statistics)
      expect(entries.map(wordOf).filter((word) => word !== null)).toEqual(wanted.told)
      const { context, compactions, lastAt } = reading
      expect({ context: context && { tokens: context.tokens, at: context.at }, compactions, lastAt }).toEqual(
        {
          context: wanted.context,
          compactions: wanted.compactions,
          lastAt: wanted.lastAt,
        },
      )
    }),
    { numRuns: 400 },
  )
})

function wordOf(entry: Entry): string | null {
  if (entry.kind === 'prompt' || entry.kind === 'text') return `${entry.kind} ${entry.text}`
  if (entry.kind === 'tool') return `tool ${entry.name}`
  if (entry.kind === 'result') return `result ${entry.failed} ${entry.rejected} ${entry.text}`
  return entry.kind === 'halt' || entry.kind === 'boundary' ? entry.kind : null
}

test('any split into increments gives the same reading and the same entries', () => {
  const path = transcriptOf('')
  fc.assert(
    fc.property(
      contentOf,
      fc.array(fc.nat(), { maxLength: 5 }),
      fc.integer({ min: 500, max: 6_000 }),
      (content, cuts, most) => {
        const bytes = Buffer.from(content)
        writeFileSync(path, bytes)
        const whole = readOn(path)
        const ends = [...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
        const entries: Entry[] = []
        let reading: Reading | null = null
        for (const end of ends) {
          writeFileSync(path, bytes.subarray(0, end))
          for (let complete = false; !complete; ) {
            const step = readOn(path, reading, most)
            expect(step.restarted).toBe(false)
            entries.push(...step.entries)
            reading = step.reading
            complete = step.complete
          }
        }
        expect(reading).toEqual(whole.reading)
        expect(entries).toEqual(whole.entries)
      },
    ),
    { numRuns: 60 },
  )
})

test('whatever the bytes are, nothing is thrown, and what is read is bounded by what is there', () => {
  const path = transcriptOf('')
  const noise = fc.oneof(
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    fc
      .tuple(contentOf, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 12 }))
      .map(([content, changes]) => {
        const bytes = Buffer.from(content)
        for (const [at, byte] of changes) if (bytes.length > 0) bytes[at % bytes.length] = byte
        return bytes
      }),
  )
  fc.assert(
    fc.property(noise, (bytes) => {
      writeFileSync(path, bytes)
      const { reading } = readOn(path)
      expect(reading.offset).toBe(bytes.lastIndexOf(0x0a) + 1)
      expect(readTranscript(path, null, null)?.reading.offset).toBe(reading.offset)
    }),
    { numRuns: 400 },
  )
})

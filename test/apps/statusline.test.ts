import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { AGENTS } from '../../src/agents/table.ts'
import { renderStatusline } from '../../src/apps/hook/statusline.ts'
import type { SessionKey } from '../../src/core/session.ts'
import { widthOf } from '../../src/core/width.ts'
import { type Hint, readGauge, writeHint } from '../../src/engine/sessions/session-files.ts'

const NOW = Date.parse('2026-05-04T12:00:00.000Z')
const ID = '58d9131b-852d-4038-b98b-993b616dbefc'
const KEY: SessionKey = { agent: 'claude', id: ID }
const NOTHING: Hint = {
  nudged: [],
  compactions: 0,
  owed: false,
  handedOff: false,
  savedAt: null,
  stretch: null,
  stream: null,
  focus: [],
}

function home(): string {
  const made = mkdtempSync(join(tmpdir(), 'savepoint-test-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  mkdirSync(join(made, 'sessions', 'claude'), { recursive: true })
  return made
}

const draw = (
  at: string,
  told: unknown,
  {
    columns = 120,
    env = { NO_COLOR: '1' },
    nowMs = NOW,
  }: Partial<Parameters<typeof renderStatusline>[1]> = {},
) =>
  renderStatusline(typeof told === 'string' ? told : JSON.stringify(told), {
    home: at,
    nowMs,
    columns,
    env,
    agents: AGENTS,
  })

const sessionsOf = (at: string) => join(at, 'sessions')
const usage = (used_percentage: unknown, current_usage: unknown, context_window_size: unknown = 200_000) => ({
  session_id: ID,
  context_window: { context_window_size, used_percentage, current_usage },
})
const used = (percent: number) => usage(percent, { input_tokens: 3 })

function saved(at: string, hint: Partial<Hint>): void {
  writeHint(sessionsOf(at), KEY, { ...NOTHING, ...hint })
}

test('the window, the age of the last save and the focus stand in one line', () => {
  const at = home()
  saved(at, { savedAt: '2026-05-04T11:47:30.000Z', stream: 'auth-refresh' })
  expect(draw(at, used(45))).toBe('▰▰▱▱▱ 45 % of 200k · saved 12 min ago · auth-refresh')
})

test('outcomes are named rather than the stream', () => {
  const at = home()
  saved(at, { savedAt: '2026-05-04T12:00:00.000Z', stream: 'auth-refresh', focus: ['login', 'logout'] })
  expect(draw(at, used(45))).toBe('▰▰▱▱▱ 45 % of 200k · saved just now · login, logout')
})

test('a session without a save says so', () => {
  expect(draw(home(), used(6))).toBe('▱▱▱▱▱ 6 % of 200k · not saved yet')
})

test.each([
  [69, '▰▰▰▱▱ 69 % of 200k · not saved yet'],
  [70, '\x1b[33m▰▰▰▰▱ 70 % of 200k\x1b[0m · \x1b[33msave soon\x1b[0m · not saved yet'],
  [84, '\x1b[33m▰▰▰▰▱ 84 % of 200k\x1b[0m · \x1b[33msave soon\x1b[0m · not saved yet'],
  [85, '\x1b[31m▰▰▰▰▱ 85 % of 200k\x1b[0m · \x1b[31msave now, then /clear\x1b[0m · not saved yet'],
])('at %d %% it warns in the colour of the threshold', (percent, line) => {
  expect(draw(home(), used(percent), { env: {} })).toBe(line)
})

test('NO_COLOR leaves the words', () => {
  expect(draw(home(), used(100))).toBe('▰▰▰▰▰ 100 % of 200k · save now, then /clear · not saved yet')
})

test.each([
  ['before the first call', usage(null, null), '▱▱▱▱▱ ? of 200k'],
  [
    'after a compaction',
    usage(0, { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }),
    '▱▱▱▱▱ ? of 200k',
  ],
  ['a large window, hardly used', usage(0, { input_tokens: 3000 }, 1_000_000), '▱▱▱▱▱ 0 % of 1M'],
  [
    'a client that gives no percentage',
    usage(undefined, { input_tokens: 3, cache_creation_input_tokens: 500, cache_read_input_tokens: 90_000 }),
    '▰▰▱▱▱ 45 % of 200k',
  ],
  ['more than the window', usage(140, null, 128_000), '▰▰▰▰▰ 100 % of 128k · save now, then /clear'],
  ['a window of nonsense', usage(45, null, -1), '▰▰▱▱▱ 45 %'],
  ['a window beyond all models', usage(45, null, 1e300), '▰▰▱▱▱ 45 %'],
  ['an older client', { session_id: ID, context_window: { total_input_tokens: 85_000 } }, '▱▱▱▱▱ ?'],
])('%s: only what is known is shown', (_, told, line) => {
  expect(draw(home(), told)).toBe(`${line} · not saved yet`)
})

test.each([
  ['no JSON', '{"session_id"'],
  ['nothing', ''],
  ['null', 'null'],
  ['more than anybody sends', JSON.stringify({ ...used(45), more: 'x'.repeat(2_000_000) })],
  ['an id that leads elsewhere', JSON.stringify({ session_id: '../../../elsewhere' })],
])('%s: nothing is claimed, and nothing written', (_, input) => {
  const at = home()
  expect(draw(at, input)).toBe('▱▱▱▱▱ ?')
  expect(readdirSync(join(at, 'sessions', 'claude'))).toEqual([])
})

test.each([
  ['2026-05-04T11:00:00.000Z', 'saved 1 h ago'],
  ['2026-05-02T13:00:00.000Z', 'saved 47 h ago'],
  ['2026-05-02T12:00:00.000Z', 'saved 2 d ago'],
  ['2026-05-04T12:00:30.000Z', 'saved just now'],
  ['2026-05-05T12:00:00.000Z', 'saved'],
  ['some day', 'saved'],
])('a save at %s reads as: %s', (savedAt, words) => {
  const at = home()
  saved(at, { savedAt })
  expect(draw(at, used(6))).toBe(`▱▱▱▱▱ 6 % of 200k · ${words}`)
})

test('what has no room is dropped from the right, and the focus cut', () => {
  const at = home()
  saved(at, { savedAt: '2026-05-04T11:48:00.000Z', stream: 'auth-refresh-of-tokens' })
  const at45 = (columns: number) => draw(at, used(45), { columns })
  expect(at45(47)).toBe('▰▰▱▱▱ 45 % of 200k · saved 12 min ago')
  expect(at45(48)).toBe('▰▰▱▱▱ 45 % of 200k · saved 12 min ago · auth-re…')
  expect(at45(36)).toBe('▰▰▱▱▱ 45 % of 200k')
  expect(at45(10)).toBe('▰▰▱▱▱ 45 …')
})

test('a name from outside cannot drive the terminal', () => {
  const at = home()
  saved(at, { focus: ['a\x1b]0;owned\x07\tb\nc\u202ed'] })
  expect(draw(at, used(6))).toBe('▱▱▱▱▱ 6 % of 200k · not saved yet · a\\x1b]0;owned\\x07 b c\\u202ed')
})

test('the gauge is kept for the hooks, and written only when it changed', () => {
  const at = home()
  draw(at, used(45))
  expect(readGauge(sessionsOf(at), KEY)).toEqual({
    window: 200_000,
    usedPercent: 45,
    at: '2026-05-04T12:00:00.000Z',
  })
  draw(at, used(45), { nowMs: NOW + 60_000 })
  expect(readGauge(sessionsOf(at), KEY)?.at).toBe('2026-05-04T12:00:00.000Z')
  draw(at, usage(0, { input_tokens: 0 }), { nowMs: NOW + 120_000 })
  expect(readGauge(sessionsOf(at), KEY)).toEqual({
    window: 200_000,
    usedPercent: null,
    at: '2026-05-04T12:02:00.000Z',
  })
})

test('a home that cannot be used costs the status line nothing but what it would have read there', () => {
  const at = home()
  writeFileSync(join(at, 'file'), '')
  expect(draw(join(at, 'gone'), used(45))).toBe('▰▰▱▱▱ 45 % of 200k · not saved yet')
  expect(draw(join(at, 'file'), used(45))).toBe('▰▰▱▱▱ 45 % of 200k')
  expect(readdirSync(at).sort()).toEqual(['file', 'sessions'])
})

test('a hint that cannot be read, or is of another shape, is not taken for an unsaved session', () => {
  const at = home()
  const hint = join(at, 'sessions', 'claude', `${ID}.hint.json`)
  symlinkSync('/dev/null', hint)
  expect(draw(at, used(45))).toBe('▰▰▱▱▱ 45 % of 200k')
  rmSync(hint)
  writeFileSync(hint, '{"savedAt":null,"focus":["login"]}')
  expect(draw(at, used(45))).toBe('▰▰▱▱▱ 45 % of 200k')
  writeFileSync(hint, '{"nudged":[],"compactions":0,"savedAt":7,"focus":[3,"  ","login"],"stream":{}}')
  expect(draw(at, used(45))).toBe('▰▰▱▱▱ 45 % of 200k · login')
})

const SGR = new RegExp(`${'\x1b'}\\[[0-9;]*m`, 'g')
const anyAmount = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.constantFrom(0, 1, 69.5, 84.4, 1e308, -1),
  fc.jsonValue(),
)
const likeTheClient = fc.record(
  {
    session_id: fc.oneof(fc.constant(ID), fc.string(), fc.jsonValue()),
    context_window: fc.oneof(
      fc.jsonValue(),
      fc.record(
        {
          context_window_size: anyAmount,
          used_percentage: anyAmount,
          current_usage: fc.oneof(fc.jsonValue(), fc.dictionary(fc.constant('input_tokens'), anyAmount)),
        },
        { requiredKeys: [] },
      ),
    ),
  },
  { requiredKeys: [] },
)
const anyText = fc.string({ unit: 'binary', maxLength: 60 })
const anyHint = fc.oneof(
  fc.jsonValue(),
  fc.record({ savedAt: fc.oneof(fc.constant(null), anyText), focus: fc.array(anyText), stream: anyText }),
)

test('any input and any hint make exactly one line that fits and cannot drive the terminal', () => {
  const at = home()
  const hintFile = join(at, 'sessions', 'claude', `${ID}.hint.json`)
  const input = fc.oneof(
    fc.string(),
    fc.json(),
    likeTheClient.map((told) => JSON.stringify(told)),
  )
  fc.assert(
    fc.property(input, anyHint, fc.integer({ min: 20, max: 200 }), (told, hint, columns) => {
      writeFileSync(hintFile, JSON.stringify(hint))
      const line = draw(at, told, { columns, env: {} })
      const words = line.replace(SGR, '')
      expect(words).not.toMatch(/[\p{Cc}\u2028-\u202e\u2066-\u2069]/u)
      expect(words).toMatch(/^[▰▱]{5} /)
      expect(widthOf(words)).toBeLessThanOrEqual(columns)
    }),
    { numRuns: 400 },
  )
  for (const name of readdirSync(join(at, 'sessions', 'claude')))
    if (name.endsWith('.gauge.json'))
      expect(JSON.parse(readFileSync(join(at, 'sessions', 'claude', name), 'utf8'))).toMatchObject({
        window: expect.any(Number),
      })
})

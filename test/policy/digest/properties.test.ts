import fc from 'fast-check'
import { expect, test } from 'vitest'
import { plainText } from '../../../src/core/bullets.ts'
import { emptyWork } from '../../../src/core/work.ts'
import { boundDigest, foldEntry } from '../../../src/policy/digest/fold.ts'
import { keepEnd, redactAndShorten, redactToLine, shorten } from '../../../src/policy/digest/quote.ts'
import { DIGEST_LIMIT, type Digest, emptyDigest } from '../../../src/policy/digest/state.ts'
import { tellDigest } from '../../../src/policy/digest/tell.ts'
import { deriveWork, mergeSessionWork } from '../../../src/policy/digest/work.ts'
import type { Untimed } from './sample.ts'
import {
  around,
  asks,
  foldAll,
  plan,
  queue,
  ROOT,
  request,
  runs,
  says,
  timed,
  timeOf,
  todos,
} from './sample.ts'

const PHRASES = [
  ...['yes', '2', 'Use Postgres for it.', 'Never push to main.', '1. Redis\n2. Postgres\n\nWhich one?'],
  ...['/compact', '# Plan: Queue\n\n## Steps of the work\n\ntext', '```\n[ERROR] x\n```', 'API Error: 529'],
  ...['Exit code 1\nFAIL test/a.test.ts', 'Tests  3 passed', '[main 1c77b2c] Add a queue', ''],
  ...['以后都用事务。', '<status>completed</status>', 'Command running in background with ID: bash_1'],
  ...['\u001B[31mred\u001B[0m\r\n', 'a\u2028b\u0085c', '\uD83D', '\uDE00 x', '```\n', '**', '"', '\\', '`'],
]
const COMMANDS = [
  ...['npm test', 'npm test 2>&1 | tail -5', 'npm run lint && npm test', 'git commit -m "x"', 'make', 'ls'],
  ...['git commit --amend -m "y"', 'git reset --hard HEAD~1', 'git commit -m "$(cat <<\'EOF\'\nz\nEOF\n)"'],
]
const TOOLS = 'Bash Write Edit Task TaskOutput TaskStop ExitPlanMode \u0000'.split(' ')
const phrase = fc.constantFrom(...PHRASES)
const words = fc.oneof(
  phrase,
  fc.array(phrase, { maxLength: 5 }).map((all) => all.join('\n\n')),
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.tuple(phrase, fc.nat(800)).map(([one, count]) => `${one} `.repeat(count).slice(0, 9_000)),
)
const id = fc.constantFrom('1', '2', 'bash_1')
const flag = fc.boolean()
const state = fc.constantFrom('open' as const, 'doing' as const, 'done' as const)
const path = fc.constantFrom(`${ROOT}/a.ts`, `${ROOT}/b/c.ts`, '../x', '/etc/y', 'C:\\app\\z', '')
const how = fc.constantFrom('prompt', 'queued', 'command', 'refusal', 'answer')
const change = fc.constantFrom('added', 'sent', 'used', 'withdrawn')
const verdict = fc.constantFrom('shown', 'approved', 'refused')
const input = fc.record(
  {
    ...{ path, command: fc.oneof(fc.constantFrom(...COMMANDS), words), description: words, prompt: words },
    ...{ helper: phrase, background: fc.constant(true as const), task: id },
  },
  { requiredKeys: [] },
)
const few = <T>(one: fc.Arbitrary<T>) => fc.array(one, { maxLength: 4 })
const isConst = <const Kind extends string>(kind: Kind) => fc.constant(kind)

const untimed: fc.Arbitrary<Untimed> = fc.oneof(
  fc.record({ kind: isConst('request'), how, text: words, about: phrase }),
  fc.record({ kind: isConst('queue'), change, text: words }),
  fc.record({ kind: fc.constantFrom('expansion', 'text', 'summary'), text: words }),
  fc.record({ kind: isConst('tool'), id, name: fc.constantFrom(...TOOLS), input }),
  fc.record({ kind: isConst('result'), id, failed: flag, refused: flag, text: words }),
  fc.record({ kind: isConst('asks'), questions: few(fc.record({ question: words, options: few(words) })) }),
  fc.record({ kind: isConst('plan'), text: words, verdict, path }),
  fc.record({ kind: isConst('todos'), items: few(fc.record({ text: words, state })) }),
  fc.record({ kind: isConst('todo'), id, text: words, state: fc.oneof(state, isConst('deleted')) }),
  fc.record({ kind: isConst('finished'), id, failed: flag }),
  fc.record({ kind: isConst('link'), url: words }),
  fc.record({ kind: isConst('boundary'), automatic: flag }),
  fc.record({ kind: isConst('interrupt') }),
  fc.record({ kind: isConst('halt'), error: words, words }),
)
const transcript = fc.array(untimed, { maxLength: 30 }).map(timed)

test('any transcript is folded without an error and within its limit of bytes, the same way every time', () => {
  fc.assert(
    fc.property(transcript, (entries) => {
      const digest = foldAll(entries)
      expect(Buffer.byteLength(JSON.stringify(boundDigest(digest)))).toBeLessThanOrEqual(DIGEST_LIMIT)
      expect(JSON.stringify(foldAll(entries))).toBe(JSON.stringify(digest))
    }),
    { numRuns: 120 },
  )
})

test('a session of very many long requests is within the limit, too, and keeps its first and its last ones', () => {
  const said = Array.from({ length: 120 }, (_, at) => [
    request(`Request ${at} ${'is about a "part" of it. '.repeat(150)}`),
    ...runs(`npm test ${'x'.repeat(900)}`, `FAIL ${at}`, true),
    todos([`Task ${at} ${'y'.repeat(300)}`, 'done']),
    says(`Answer ${at}: ${'it was fixed because of it. '.repeat(200)}`),
  ])
  const digest = foldAll(timed(said.flat()))
  expect(Buffer.byteLength(JSON.stringify(digest))).toBeGreaterThan(DIGEST_LIMIT)
  const { requests, turn } = boundDigest(digest)
  expect(Buffer.byteLength(JSON.stringify(boundDigest(digest)))).toBeLessThanOrEqual(DIGEST_LIMIT)
  expect(requests[0]?.text).toMatch(/^Request 0 /)
  expect(requests.slice(-4)).toEqual(digest.requests.slice(-4))
  expect(turn).toEqual(digest.turn)
})

test('reading on from what was written down comes to the same as reading at once', () => {
  fc.assert(
    fc.property(transcript, (entries) => {
      let read: Digest = emptyDigest()
      for (const entry of entries) {
        // `as`: a digest is plain JSON.
        read = JSON.parse(JSON.stringify(read)) as Digest
        foldEntry(read, entry)
      }
      expect(JSON.stringify(read)).toBe(JSON.stringify(foldAll(entries)))
    }),
    { numRuns: 100 },
  )
})

/** Characters that break a line or drive a terminal. */
const BREAKS = /[\n\v\f\r\u0085\u2028\u2029]|\p{Cc}\[/u
const isWellFormed = (text: string) => Buffer.from(text).toString() === text
const linesAt = (digest: Digest, scale: number, trusted = true) =>
  tellDigest(digest, around({ trusted }))(scale).flatMap(({ lines }) => lines.map(({ text }) => text))

test('at every scale a line is one line, and the full scale tells no less than the smallest', () => {
  fc.assert(
    fc.property(transcript, fc.double({ min: 0, max: 1, noNaN: true }), flag, (entries, scale, trusted) => {
      const digest = foldAll(entries)
      const lines = linesAt(digest, scale, trusted)
      expect(lines.filter((line) => BREAKS.test(line) || !isWellFormed(line))).toEqual([])
      const [all, least] = [linesAt(digest, 1), linesAt(digest, 0)]
      expect(all.join('').length).toBeGreaterThanOrEqual(least.join('').length)
    }),
    { numRuns: 150 },
  )
})

test('merging a session twice is merging it once, whatever it said and whatever was known', () => {
  fc.assert(
    fc.property(transcript, transcript, fc.option(fc.nat(40).map(timeOf)), (before, entries, savedAt) => {
      const known = mergeSessionWork(emptyWork(), deriveWork(foldAll(before), around()), null)
      const heard = deriveWork(foldAll(entries), around())
      const once = mergeSessionWork(known, heard, savedAt)
      expect(mergeSessionWork(once, heard, savedAt)).toEqual(once)
    }),
    { numRuns: 60 },
  )
})

// Put together at run time, so that no scanner takes this file for a leak.
const HIDDEN = 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6'
const SECRETS = [['sk-', 'ant-api03-', HIDDEN].join(''), ['gh', 'p_', HIDDEN].join(''), `--token ${HIDDEN}`]
const secret = fc
  .tuple(words, fc.constantFrom(...SECRETS), words)
  .map(([before, one, behind]) => `${before} ${one} ${behind}`)
const alone = (entry: Untimed): Untimed[] => [entry]
const telling: fc.Arbitrary<Untimed[]> = fc.oneof(
  fc.tuple(how, secret, phrase).map((said) => alone(request(said[1], said[0], said[2]))),
  secret.map((text) => alone(queue('added', text))),
  fc.tuple(fc.constantFrom('text', 'summary'), secret).map(([kind, text]) => alone({ kind, text })),
  secret.map((text) => alone(plan(text, 'shown'))),
  secret.map((text) => alone(todos([text, 'done']))),
  secret.map((text) => alone(asks(text, text))),
  secret.map((text) => alone({ kind: 'halt', error: '', words: text })),
  fc
    .tuple(fc.constantFrom(...COMMANDS), secret, secret, flag)
    .map(([command, more, text, failed]) => runs(`${command} ${more}`, text, failed)),
)

test('a secret that was said, asked, planned, run or printed is nowhere in a digest', () => {
  fc.assert(
    fc.property(fc.array(telling, { maxLength: 8 }), (entries) => {
      const digest = foldAll(timed(entries.flat()))
      // A call without a result has its command as it was given: whoever keeps it redacts that.
      const calls = digest.calls.map((call) => ({ ...call, command: '' }))
      expect(JSON.stringify({ ...digest, calls })).not.toContain(HIDDEN)
    }),
    { numRuns: 150 },
  )
})

test('a secret is looked for before a text is cut', () => {
  for (let before = 0; before < 60; before += 1) {
    const text = `${'x/'.repeat(before)}${SECRETS[0]}${'/y'.repeat(300)}`
    for (const short of [redactAndShorten(text, 100), redactToLine(text, 100), redactAndShorten(text, 400)])
      expect(short).not.toContain(HIDDEN.slice(0, 4))
  }
})

test('a shortened text is never longer than asked for, cuts no character in two, and keeps what fits', () => {
  const text = fc.oneof(words, fc.string({ unit: 'grapheme', minLength: 40, maxLength: 300, size: 'max' }))
  fc.assert(
    fc.property(text.map(plainText), fc.integer({ min: 60, max: 400 }), (given, most) => {
      const [short, end] = [shorten(given, most), keepEnd(given, most)]
      expect([short, end].filter((one) => one.length > most || !isWellFormed(one))).toEqual([])
      if (given.length <= most) expect([short, end]).toEqual([given, given])
      else expect(given.startsWith(short.split(/ ?\[\+?\d+ characters/, 1)[0] ?? '?')).toBe(true)
    }),
    { numRuns: 300 },
  )
})

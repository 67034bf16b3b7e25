import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { canonicalJson, sha256 } from '../../src/core/canonical.ts'
import { REASONS } from '../../src/core/reason.ts'
import { compressSnapshot, encodeSnapshot } from '../../src/formats/snapshot/codec.ts'
import { cpuMs } from '../support/cpu-time.ts'
import { sampleDocument, verdict } from './sample-document.ts'

const SCHEMA = 'checkpoint_schema_invalid'
const INTEGRITY = 'checkpoint_integrity_mismatch'
const plain = encodeSnapshot(sampleDocument())

type Tree = Record<string, unknown>
// `as`: a document is a tree of plain objects, and the tests below break it on purpose.
const tree = (): Tree => JSON.parse(plain.toString()) as Tree
const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value))
const at = (root: Tree, path: string[]): Tree => path.reduce((here, name) => here[name] as Tree, root)

/** The document with one value changed and a checksum that is right for it. */
function resealed(path: string, value: unknown): Buffer {
  const root = tree()
  const names = path.split('.')
  const last = names.pop() ?? ''
  const owner = at(root, names)
  if (value === undefined) delete owner[last]
  else owner[last] = value
  const { integrity, ...body } = root
  const seal = path.startsWith('integrity')
    ? integrity
    : { format_version: 1, checksum: `sha256:${sha256(canonicalJson(body))}` }
  return bytesOf({ ...body, ...(seal === undefined ? {} : { integrity: seal }) })
}

/** The path of every field of the document, arrays by their first entry. */
function paths(value: unknown, prefix: string[] = []): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => [
    [...prefix, name].join('.'),
    ...paths(inner, [...prefix, name]),
  ])
}

const FIELDS = paths(tree()).filter((path) => !/\.\d+$/.test(path))
const OPTIONAL = ['command_outcomes.0.reason_code', 'source_details.0.note']
const REQUIRED = FIELDS.filter((path) => !OPTIONAL.includes(path) && path !== 'source_details')
const FOLDERS = ['', 'step_state', 'step_state.todo_compliance', 'step_state.resume_hints', 'context_digest']
const OBJECTS = [...FOLDERS, 'integrity', 'command_outcomes.0', 'source_details.0']

test('the untouched document loads', () => {
  expect(verdict(plain)).toBe('loaded')
  expect(REQUIRED.length).toBeGreaterThan(30)
})

test.each(REQUIRED)('without %s nothing loads, even with a right checksum [004.41]', (path) => {
  expect(verdict(resealed(path, undefined))).toBe(SCHEMA)
})

test.each(OPTIONAL)('%s may be absent [004.16]', (path) => {
  expect(verdict(resealed(path, undefined))).toBe('loaded')
})

test.each(OBJECTS)('an unknown field in %j is refused [004.41]', (path) => {
  expect(verdict(resealed(path === '' ? 'extra' : `${path}.extra`, 1))).toBe(SCHEMA)
})

const WRONG: Array<[string, unknown]> = [
  ['snapshot_id', '../../etc/passwd'],
  ['snapshot_id', 'latest'],
  ['snapshot_id', 7],
  ['created_at', '2026-01-02T03:04:05+01:00'],
  ['created_at', '2026-01-02'],
  ['created_at', 1_700_000_000],
  ['created_at', '2026-13-45T25:61:61Z'],
  ['run_id', 'x'.repeat(129)],
  ['source', 'manual_checkpoint'],
  ['source_details', []],
  ['source_details.0.source', 'cron'],
  ['source_details.0.trigger', 'whim'],
  ['status', 'done'],
  ['status', 'running'],
  ['step_state', null],
  ['step_state.step_status', 'finished'],
  ['step_state.step_ordinal', -1],
  ['step_state.step_ordinal', 1.5],
  ['step_state.todo_compliance.result', 'pass'],
  ['step_state.todo_compliance.violations', 'none'],
  ['step_state.resume_hints.eligible', 'yes'],
  ['context_digest.window_pressure', 'extreme'],
  ['context_digest.dropped_items', -1],
  ['command_outcomes', {}],
  ['command_outcomes.0.kind', 'bash'],
  ['command_outcomes.0.result', 'OK'],
  ['command_outcomes.0.duration_ms', -1],
  ['command_outcomes.0.duration_ms', null],
  ['command_outcomes.0.summary', 'x'.repeat(1_001)],
  ['command_outcomes', Array.from({ length: 201 }, () => sampleDocument().command_outcomes[0])],
]

test.each(WRONG)('%s = %j is refused, even with a right checksum [004.41]', (path, value) => {
  expect(verdict(resealed(path, value))).toBe(SCHEMA)
})

const SEALS: Array<[string, unknown]> = [
  ['integrity', undefined],
  ['integrity', null],
  ['integrity', {}],
  ['integrity.checksum', undefined],
  ['integrity.checksum', ''],
  ['integrity.checksum', `md5:${'0'.repeat(32)}`],
  ['integrity.format_version', undefined],
  ['integrity.format_version', 0],
  ['integrity.format_version', 2],
  ['integrity.format_version', '1'],
]

test.each(SEALS)('with %s = %j nothing loads [004.17]', (path, value) => {
  expect(verdict(resealed(path, value))).toBe(SCHEMA)
})

test('a right-looking checksum of something else is a mismatch [004.42]', () => {
  expect(verdict(resealed('integrity.checksum', `sha256:${'0'.repeat(64)}`))).toBe(INTEGRITY)
})

const CHANGED: Array<[string, unknown]> = [
  ['snapshot_id', 'cp_20260102T030405000Z_2-00000001'],
  ['created_at', '2026-01-02T03:04:05.001Z'],
  ['run_id', 'r2'],
  ['status', 'completed'],
  ['step_state.step_id', 's3'],
  ['step_state.step_status', 'done'],
  ['context_digest.dropped_items', 0],
  ['command_outcomes.0.result', 'PASS'],
  ['command_outcomes', []],
]

test.each(CHANGED)('%s changed to %j by hand is a mismatch [004.42]', (path, value) => {
  const root = tree()
  const names = path.split('.')
  const last = names.pop() ?? ''
  at(root, names)[last] = value
  expect(verdict(bytesOf(root))).toBe(INTEGRITY)
})

const GARBAGE: Array<[string, Uint8Array]> = [
  ['nothing', Buffer.alloc(0)],
  ['zeros', Buffer.alloc(4_096)],
  ['half a file', plain.subarray(0, plain.length / 2)],
  ['no JSON', Buffer.from('hello')],
  ['another JSON', Buffer.from('[]')],
  ['null', Buffer.from('null')],
  ['broken UTF-8', Buffer.concat([plain, Buffer.from([0xff, 0xfe])])],
  ['two documents', Buffer.concat([plain, plain])],
  ['a deep nest', Buffer.from('['.repeat(100_000))],
  ['half a gzip', compressSnapshot(plain).subarray(0, 200)],
  ['a gzip without its end', compressSnapshot(plain).subarray(0, -4)],
  ['a gzip of garbage', gzipSync('garbage')],
  ['a gzip with a changed byte', flipped(compressSnapshot(plain), 60)],
  ['a gzip in a gzip', gzipSync(compressSnapshot(plain))],
]

test.each(GARBAGE)('%s is refused as an invalid snapshot [004.41]', (_, bytes) => {
  expect(verdict(bytes)).toBe(SCHEMA)
})

test('a gzip bomb is refused quickly and without its size in memory [004.41]', () => {
  const bomb = gzipSync(Buffer.alloc(300 * 1024 * 1024), { level: 9 })
  expect(bomb.length).toBeLessThan(1024 * 1024)
  const before = process.memoryUsage.rss()
  const took = cpuMs(() => expect(verdict(bomb)).toBe(SCHEMA))
  expect(took).toBeLessThan(1_000)
  expect(process.memoryUsage.rss() - before).toBeLessThan(100 * 1024 * 1024)
})

test('20,000 mutated files give one of the two reasons, the same one again, and never another error [004.45]', () => {
  let state = 1
  const roll = (sides: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) % sides
  }
  const packed = compressSnapshot(plain)
  const seen = { [SCHEMA]: 0, [INTEGRITY]: 0, loaded: 0 }
  for (let round = 0; round < 20_000; round += 1) {
    const bytes = Buffer.from(round % 4 === 0 ? packed : plain)
    for (let change = 0; change <= roll(3); change += 1) {
      const index = roll(bytes.length)
      // A digit for a digit keeps the document's shape, so that the checksum has to find it.
      if (round % 2 === 1) bytes[index] = isDigit(bytes[index]) ? 0x30 + roll(10) : (bytes[index] ?? 0)
      else bytes[index] = roll(256)
    }
    const cut = roll(10) === 0 ? bytes.subarray(0, roll(bytes.length)) : bytes
    const found = verdict(cut)
    expect(Object.keys(seen)).toContain(found)
    if (round % 50 === 0) expect(verdict(cut)).toBe(found)
    if (found === 'loaded') expect(sameDocument(cut)).toBe(true)
    // `as`: the line above the last is the test for it.
    seen[found as keyof typeof seen] += 1
  }
  expect(seen[SCHEMA]).toBeGreaterThan(1_000)
  expect(seen[INTEGRITY]).toBeGreaterThan(1_000)
})

const isDigit = (byte = 0) => byte >= 0x30 && byte <= 0x39

/** A change between two fields, such as a space for a newline, is no change of the document. */
function sameDocument(bytes: Buffer): boolean {
  if (bytes[0] === 0x1f) return true
  return canonicalJson(JSON.parse(bytes.toString())) === canonicalJson(tree())
}

function flipped(bytes: Buffer, index: number): Buffer {
  const copy = Buffer.from(bytes)
  copy[index] = (copy[index] ?? 0) ^ 0x01
  return copy
}

test('each reading reason says what to do next [004.42]', () => {
  for (const reason of [SCHEMA, INTEGRITY] as const)
    expect(REASONS[reason].hint).toContain('savepoint doctor --fix')
})

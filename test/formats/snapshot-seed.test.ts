import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { canonicalJson, sha256 } from '../../src/core/canonical.ts'
import { compressSnapshot, decodeSnapshot } from '../../src/formats/snapshot/codec.ts'
import { snapshotOfName } from '../../src/formats/snapshot/layout.ts'
import { projectRoot } from '../support/sandbox.ts'
import { verdict } from './sample-document.ts'

const FILE = join(projectRoot, 'test/fixtures/seeds/004/checkpoints/plan-42/latest.json')
const bytes = readFileSync(FILE)

type Tree = Record<string, unknown>
const tree = (): Tree => JSON.parse(bytes.toString())

/** The document with some fields put in, and a checksum as another harness may make it. */
function sealed(change: Tree, seal = (text: string) => `sha256:${sha256(text)}`): Buffer {
  const { integrity: _old, ...body } = { ...tree(), ...change }
  return Buffer.from(
    JSON.stringify({ ...body, integrity: { checksum: seal(canonicalJson(body)), format_version: 1 } }),
  )
}

test('a document with the nine fields of the contract and no other loads, plain and compressed [004.01]', () => {
  expect(Object.keys(tree())).toEqual([
    ...['snapshot_id', 'created_at', 'run_id', 'source', 'status', 'step_state'],
    ...['context_digest', 'command_outcomes', 'integrity'],
  ])
  const read = decodeSnapshot(bytes, 'latest.json')
  expect(read).toMatchObject(tree())
  expect(read.source_details).toEqual([
    { source: 'step_boundary', trigger: 'step', at: '2026-02-13T14:15:00Z' },
  ])
  expect(decodeSnapshot(compressSnapshot(bytes), 'latest.json')).toEqual(read)
})

test('source_details may be the plain sources that were appended [004.28]', () => {
  const read = decodeSnapshot(sealed({ source_details: ['step_boundary', 'timer'] }), 'p')
  expect(read.source_details.map(({ source, trigger }) => [source, trigger])).toEqual([
    ['step_boundary', 'step'],
    ['timer', 'timer'],
  ])
  expect(verdict(sealed({ source_details: ['cron'] }))).toBe('checkpoint_schema_invalid')
})

test('a time in UTC may end in +00:00 [004.03]', () => {
  const read = decodeSnapshot(sealed({ created_at: '2026-02-13T14:15:00+00:00' }), 'p')
  expect(read.created_at).toBe('2026-02-13T14:15:00Z')
})

const escaped = (text: string) =>
  text.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
const SEALS: Array<[string, (text: string) => string, string]> = [
  ['with its name', (text) => `sha256:${sha256(text)}`, 'loaded'],
  ['in bare digits', (text) => sha256(text), 'loaded'],
  ['of the text with letters escaped', (text) => sha256(escaped(text)), 'loaded'],
  ['of something else', () => '0'.repeat(64), 'checkpoint_integrity_mismatch'],
]

test.each(SEALS)('a checksum %s: %#', (_, seal, answer) => {
  const outcome = { kind: 'shell', name: 'make', result: 'PASS', duration_ms: 1, summary: 'größer 🚀' }
  expect(verdict(sealed({ command_outcomes: [outcome] }, seal))).toBe(answer)
})

test.each(['cp_20260213_141500_a1b2', 'cp_2026-02-13T14:15:00Z_a1b2', 'cp_1771000000.25_x'])(
  'the id %s loads and names a history file [004.02]',
  (id) => {
    expect(verdict(sealed({ snapshot_id: id }))).toBe('loaded')
    expect(snapshotOfName(`${id}.json.gz`)).toEqual({ snapshot: id, compressed: true })
  },
)

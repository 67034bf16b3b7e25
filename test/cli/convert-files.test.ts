import { execFileSync } from 'node:child_process'
import { ftruncateSync, mkdirSync, openSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findUnreadText } from '../../src/engine/import/unread-text.ts'
import { FORMAT_OF, noFacts, WORK_FORMATS } from '../../src/engine/import/work-formats.ts'
import { storedWorks } from '../formats/work-arbitraries.ts'
import { type Sandbox, sandbox } from '../support/sandbox.ts'
import { seedFile } from '../support/seed-file.ts'
import { commit, identify, put } from './document-lab.ts'

const LEDGER = seedFile('003', 'session_ledger.md')
const SNAPSHOT = seedFile('004', 'checkpoints/plan-42/latest.json')

const lostOf = (box: Sandbox, file: string, to = 'json') =>
  // `as`: the answer of the command under test.
  (box.json(['convert', file, '--to', to]).lost as Array<{ field: string; count: number }>).map(
    ({ field }) => field,
  )

test.each(WORK_FORMATS)('of a %s that we wrote ourselves nothing is left unread', (format) => {
  const facts = { ...noFacts(), at: '2026-01-31T12:00:00.000Z', id: 'auth' }
  fc.assert(
    fc.property(storedWorks, (work) => {
      const text = FORMAT_OF[format].encode({ work, facts })
      expect(findUnreadText(text, format, FORMAT_OF[format].decode(Buffer.from(text), 'p'))).toEqual([])
    }),
    { numRuns: 100 },
  )
})

test.each([
  ['line feeds', (text: string) => text],
  ['carriage returns', (text: string) => text.replaceAll('\n', '\r')],
  ['both, and a byte order mark', (text: string) => `\uFEFF${text.replaceAll('\n', '\r\n')}`],
])('what somebody wrote beside the sections of a ledger is named by its lines: %s', (_, written) => {
  const box = sandbox({ git: false })
  const own = LEDGER.replace('## Goal\n', 'Written by Bob on the train.\n\n## Goal\n')
    .replace('## State\n', '## State\nHalf of it works.\n')
    .replace('- IDs:', '- Owner: Alice\n- Branch: feature/tokens\n- IDs:')
  put(box, 'ledger.md', written(own))
  expect(lostOf(box, 'ledger.md')).toEqual(['lines 4, 18, 36-37'])
  expect(box.run(['convert', 'ledger.md', '--to', 'handoff']).stderr).toBe(
    'savepoint: Does not fit into a handoff: lines 4, 18, 36-37 (4)\n',
  )
})

test('lists with numbers or boxes, wrapped lines and line breaks of another system are read', () => {
  const box = sandbox({ git: false })
  put(
    box,
    'ledger.md',
    LEDGER.replace('- The API stays', '1. The API stays')
      .replace('- Login form', '* [x] Login form')
      .replace('because the app', '\n  because the app')
      .replaceAll('\n', '\r\n'),
  )
  expect(lostOf(box, 'ledger.md')).toEqual([])
})

test.each([
  ['different', (at: number) => `- Login number ${at}\n`],
  ['equal', () => '- Login number 19999\n'],
])('a ledger of 20,000 %s steps is converted whole', (_, step) => {
  const box = sandbox({ git: false })
  const many = Array.from({ length: 20_000 }, (_one, at) => step(at)).join('')
  put(box, 'ledger.md', LEDGER.replace('### Now', `${many}### Now`))
  const { lost, text } = box.json(['convert', 'ledger.md', '--to', 'handoff'])
  expect(lost).toEqual([])
  expect(text).toContain('- Login number 19999\n')
})

test.each(['<!--', '*', ' ', '|', '-', '# ', '\n- ', '\n# x', '| - '])(
  '400 KB of %j are looked at in one pass',
  (hostile) => {
    const text = `# Session Ledger\n${hostile.repeat(4e5 / hostile.length)} x\n## Key Decisions\n- A\n## Working Set\n`
    const read = FORMAT_OF.ledger.decode(Buffer.from(text), 'p')
    const since = performance.now()
    expect(findUnreadText(text, 'ledger', read).length).toBeLessThan(25)
    expect(performance.now() - since).toBeLessThan(3_000)
  },
)

test('keys of a document and of a note that no format reads are named, at any depth', () => {
  const box = sandbox({ git: false })
  put(box, 'document.md', seedFile('000', 'checkpoint.md').replace('---\n', '---\nmood: good\n'))
  expect(lostOf(box, 'document.md')).toEqual(['key "mood"', 'key "parent"', 'key "status"'])
  put(
    box,
    'note.json',
    `\uFEFF${JSON.stringify({ ...JSON.parse(seedFile('001', 'note.json')), context: { a: { b: 1 } } })}`,
  )
  expect(lostOf(box, 'note.json')).toEqual(['key "context.a"'])
})

test('a compressed snapshot of the history is read like a plain one', () => {
  const box = sandbox({ git: false })
  writeFileSync(box.path('s.json.gz'), gzipSync(SNAPSHOT))
  expect(box.json(['convert', 's.json.gz', '--to', 'ledger'])).toMatchObject({ from: 'snapshot' })
})

const REFUSED: Array<[what: string, make: (path: string) => void, code: number, says: string]> = [
  ['an empty file', (path) => writeFileSync(path, ''), 4, 'file: it is empty'],
  ['a text', (path) => writeFileSync(path, '# Milk\n- 1 l\n'), 4, 'not one of the five formats'],
  ['JSON of others', (path) => writeFileSync(path, '{"a": 1}'), 4, 'not one of the five formats'],
  ['bytes', (path) => writeFileSync(path, Buffer.from([0xff, 0xfe, 0, 1])), 4, 'it is not UTF-8 text'],
  ['gzip of others', (path) => writeFileSync(path, gzipSync('x')), 4, 'not one of the five formats'],
  [
    'a gzip bomb',
    (path) => writeFileSync(path, gzipSync(Buffer.alloc(9e6))),
    4,
    'it could not be decompressed',
  ],
  ['5 GB', (path) => ftruncateSync(openSync(path, 'w'), 5e9), 4, 'is larger than 4194304 bytes'],
  ['a folder', (path) => mkdirSync(path), 2, '"file" is not a plain file'],
  ['a pipe', (path) => execFileSync('mkfifo', [path]), 2, '"file" is not a plain file'],
  ['a device', (path) => symlinkSync('/dev/zero', path), 2, '"file" is not a plain file'],
  [
    'a snapshot that was changed',
    (path) => writeFileSync(path, SNAPSHOT.replace('"backfill"', '"switch"')),
    4,
    'does not match its checksum',
  ],
]

test.each(REFUSED)('%s is refused with what it is', (_, make, code, says) => {
  const box = sandbox({ git: false })
  make(box.path('file'))
  const refused = box.run(['convert', 'file', '--to', 'note', '--out', 'note.json'])
  expect(refused).toMatchObject({ code, stdout: '' })
  expect(refused.stderr).toContain(says)
  expect(JSON.parse(box.run(['convert', 'file', '--to', 'note', '--json']).stdout)).toMatchObject({
    ok: false,
    message: expect.stringContaining(says),
  })
})

test('a file outside of the repository is read and written; a folder that is not there is not made', () => {
  const box = sandbox()
  writeFileSync(join(box.root, 'outside.md'), LEDGER)
  expect(box.json(['convert', '../outside.md', '--to', 'note', '--out', '../note.json'])).toMatchObject({
    from: 'ledger',
    path: join(box.root, 'note.json'),
  })
  expect(box.run(['convert', '../outside.md', '--to', 'note', '--out', 'no/note.json']).code).toBe(3)
  expect(box.run(['convert', '../outside.md', '--to', 'note', '--out', '.']).code).toBe(2)
})

test('in a clone that nobody trusts a file is converted, and that trusts nothing', () => {
  const origin = sandbox()
  identify(origin)
  put(origin, '.agents/session_ledger.md', LEDGER)
  commit(origin, 'ledger')
  origin.git('clone', '--quiet', '.', join(origin.root, 'clone'))
  const box = origin.elsewhere('clone')
  expect(box.run(['convert', '.agents/session_ledger.md', '--to', 'note']).stdout).toContain('Refresh of an')
  expect(box.json(['status'])).toMatchObject({ trusted: false })
})

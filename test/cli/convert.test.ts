import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { WorkState } from '../../src/core/work.ts'
import { encodeAs } from '../../src/engine/import/convert-file.ts'
import { FORMAT_OF, noFacts, WORK_FORMATS } from '../../src/engine/import/work-formats.ts'
import { lostFields } from '../../src/policy/lost-fields.ts'
import { storedWorks } from '../formats/work-arbitraries.ts'
import { sandbox } from '../support/sandbox.ts'
import { seedFile } from '../support/seed-file.ts'
import { put } from './document-lab.ts'

const facts = { ...noFacts(), at: '2026-01-31T12:00:00.000Z', id: 'auth' }
const FIVE = WORK_FORMATS.filter((format) => format !== 'json')
const decoded = (format: (typeof WORK_FORMATS)[number], text: string) =>
  FORMAT_OF[format].decode(Buffer.from(text), `auth.${format}`)

/** The lost parts of a list are its own; a list that lost items is named by its name. */
const fieldsOf = (lost: ReadonlyArray<{ field: string }>) => new Set(lost.map(({ field }) => field))

test.each(WORK_FORMATS)(
  'whatever the work says, what a %s does not give back is what the report names',
  (format) => {
    fc.assert(
      fc.property(storedWorks, (work) => {
        const { text, lost } = encodeAs({ work, facts }, format)
        const back = decoded(format, text).work
        expect(fieldsOf(lostFields(work, back))).toEqual(fieldsOf(lost.filter(({ field }) => field !== 'id')))
        // A text that is not named is there, word for word.
        for (const field of ['problem', 'intent', 'state', 'now'] as const)
          if (work[field] !== '' && !fieldsOf(lost).has(field))
            expect(back[field].replace(/\s+/g, ' ')).toBe(work[field].replace(/\s+/g, ' '))
      }),
      { numRuns: 60 },
    )
  },
)

test.each(FIVE)('the items of a list that the report of a %s does not name are there', (format) => {
  const wordsOf = (list: ReadonlyArray<{ text: string }>) =>
    new Set(list.map(({ text }) => text.replace(/\s+/g, ' ')))
  fc.assert(
    fc.property(storedWorks, (work) => {
      const { text, lost } = encodeAs({ work, facts }, format)
      const back = decoded(format, text).work
      for (const field of ['constraints', 'rules', 'facts', 'done', 'next', 'blockers', 'questions'] as const)
        if (!fieldsOf(lost).has(field))
          for (const words of wordsOf(work[field])) expect(wordsOf(back[field])).toContain(words)
    }),
    { numRuns: 100 },
  )
})

test('through all five formats in turn, only what the reports name is lost [003.36]', () => {
  fc.assert(
    fc.property(storedWorks, fc.shuffledSubarray(FIVE, { minLength: 5 }), (work, order) => {
      const named = new Set<string>()
      let here: WorkState = work
      for (const format of order) {
        const { text, lost } = encodeAs({ work: here, facts }, format)
        for (const { field } of lost) named.add(field)
        here = decoded(format, text).work
      }
      for (const { field } of lostFields(work, here))
        expect([...named].some((one) => one === field || one === field.split('.')[0])).toBe(true)
    }),
    { numRuns: 60 },
  )
})

test('a ledger loses nothing of the work but who said it, when it was done and how a file looked', () => {
  fc.assert(
    fc.property(storedWorks, (work) => {
      for (const { field } of encodeAs({ work, facts: { ...facts, id: '' } }, 'ledger').lost)
        expect(field).toMatch(/\.origin$|^done\.at$|^artifacts\.seen$/)
    }),
    { numRuns: 200 },
  )
})

test('the ledger of another tool becomes a note, a handoff, a document and a snapshot, and the report is on stderr', () => {
  const box = sandbox({ git: false })
  put(box, 'ledger.md', seedFile('003', 'session_ledger.md'))
  const note = box.run(['convert', 'ledger.md', '--to', 'note'])
  expect(note.code).toBe(0)
  expect(JSON.parse(note.stdout)).toMatchObject({
    timestamp: '2026-03-02T09:30:00.000Z',
    summary: 'Refresh of an expired token',
    next_action: 'Delete the cookie code',
  })
  expect(note.stderr).toBe(
    'savepoint: Does not fit into a note: goal (1), constraints (2), done (2), questions (2), references (3)\n',
  )
  const handoff = box.json(['convert', 'ledger.md', '--to', 'handoff'])
  expect(handoff).toMatchObject({ from: 'ledger', to: 'handoff', path: null, lost: [] })
  expect(handoff.text).toContain('## Decisions\n- Tokens over cookies because the app has no session\n')
  expect(box.json(['convert', 'ledger.md', '--to', 'document']).text).toContain('\ncheckpoint: main\n')
  const snapshot = JSON.parse(box.run(['convert', 'ledger.md', '--to', 'snapshot']).stdout)
  expect(snapshot.step_state.resume_hints.next_actions).toEqual(['Delete the cookie code'])
  expect(box.json(['convert', 'ledger.md', '--to', 'json']).lost).toEqual([])
})

test('what one format wrote, each other reads again', () => {
  const box = sandbox({ git: false })
  put(box, 'start.md', seedFile('003', 'session_ledger.md'))
  for (const [at, to] of FIVE.entries()) {
    box.json(['convert', 'start.md', '--to', to, '--out', `out-${at}`])
    expect(box.json(['convert', `out-${at}`, '--to', 'json']).from).toBe(to)
  }
})

test('a file is never overwritten without --force, and --strict writes nothing where something is lost', () => {
  const box = sandbox({ git: false })
  put(box, 'ledger.md', `${seedFile('003', 'session_ledger.md')}\n## Diary\nMine\n`)
  put(box, 'there.md', 'mine')
  const refused = box.run(['convert', 'ledger.md', '--to', 'handoff', '--out', 'there.md'])
  expect([refused.code, box.read('there.md')]).toEqual([6, 'mine'])
  const strict = box.run(['convert', 'ledger.md', '--to', 'handoff', '--out', 'new.md', '--strict'])
  expect(strict.code).toBe(6)
  expect(strict.stderr).toContain('section "Diary" (1)')
  expect(existsSync(box.path('new.md'))).toBe(false)
  expect(box.run(['convert', 'ledger.md', '--to', 'handoff', '--out', 'there.md', '--force']).code).toBe(0)
  expect(readFileSync(join(box.repo, 'there.md'), 'utf8')).toContain('# Handoff: ')
})

test('nothing is stored, no trust is needed, and secrets are left out', () => {
  const box = sandbox()
  const token = `ghp_${'a1B2'.repeat(9)}`
  put(box, 'ledger.md', seedFile('003', 'session_ledger.md').replace('pr 77', token))
  const { stdout } = box.run(['convert', 'ledger.md', '--to', 'handoff'])
  expect(stdout).not.toContain(token)
  expect(stdout).toContain('[redacted')
  expect(existsSync(box.env.SAVEPOINT_HOME ?? '')).toBe(false)
  expect(box.run(['convert', 'nowhere.md', '--to', 'note']).code).toBe(3)
  put(box, 'other.md', '# Shopping\n- milk\n')
  expect(box.run(['convert', 'other.md', '--to', 'note']).code).not.toBe(0)
})

test('transitions, a completion and keys of other tools that have no place are named', () => {
  const box = sandbox()
  box.json(['new', 'auth', '--current'])
  box.json(['delta', '--what', 'Form done', '--transition', 'Form:open:done'])
  box.json(['archive', 'auth', '--outcome', 'It works', '--learning', 'Tokens expire'])
  const { lost } = box.json(['convert', 'checkpoints/archive/auth.md', '--to', 'ledger'])
  expect(lost).toContainEqual({ field: 'transitions', count: 1 })
  expect(lost).toContainEqual({ field: 'completion', count: 1 })
  put(box, 'note.json', seedFile('001', 'note.json').replace('{', '{ "mood": "good",'))
  expect(box.json(['convert', 'note.json', '--to', 'handoff']).lost).toContainEqual({
    ...{ field: 'key "mood"', count: 1 },
  })
})

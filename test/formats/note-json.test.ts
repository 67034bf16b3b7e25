import fc from 'fast-check'
import { expect, test } from 'vitest'
import { noteFolder } from '../../src/core/layout.ts'
import { type Decision, emptyWork, type WorkState } from '../../src/core/work.ts'
import { decodeNote, encodeNote, noteToWork } from '../../src/formats/note-json/codec.ts'
import { noteNames, noteTime } from '../../src/formats/note-json/layout.ts'

const AT = '2026-01-31T12:00:00.123Z'
const decision = (text: string, why = '', more: Partial<Decision> = {}): Decision => ({
  text,
  why,
  origin: 'user',
  confirmed: true,
  supersededBy: null,
  ...more,
})
const nowhere = { at: AT, plan: null, stage: null, tddPhase: null, files: [] }
const encode = (work: Partial<WorkState>) => encodeNote({ ...nowhere, work: { ...emptyWork(), ...work } })
const decode = (text: string) => decodeNote(Buffer.from(text), 'n.json')
function noteOf(text: string) {
  const read = decode(text)
  if ('problem' in read) throw new Error(read.problem)
  return read.note
}

test('a note has exactly the keys of the contract, in its order, two spaces deep [001.10] [001.11] [001.14] [001.16]', () => {
  const work = {
    ...emptyWork(),
    now: 'Working on the parser because it drops comments',
    decisions: [decision('Chose A over B', 'it is smaller'), decision('Deferred C until the release')],
    next: [{ text: 'Write the test' }, { text: 'Ship' }],
    blockers: [{ text: 'No key for the registry' }],
  }
  const files = ['src/a.ts', 'src/b.ts']
  expect(encodeNote({ work, at: AT, plan: 'auth', stage: 3, tddPhase: 'red', files })).toBe(`{
  "timestamp": "2026-01-31T12:00:00.123Z",
  "summary": "Working on the parser because it drops comments",
  "decisions": [
    "Chose A over B because it is smaller",
    "Deferred C until the release"
  ],
  "next_action": "Write the test",
  "blockers": [
    "No key for the registry"
  ],
  "context": {
    "active_plan": "auth",
    "active_plan_stage": 3,
    "active_tdd_phase": "red",
    "files_in_progress": [
      "src/a.ts",
      "src/b.ts"
    ]
  }
}
`)
})

test('an empty work gives every key, with empty lists and null [001.15] [001.17]', () => {
  expect(JSON.parse(encode({}))).toEqual({
    timestamp: AT,
    summary: '',
    decisions: [],
    next_action: '',
    blockers: [],
    context: { active_plan: null, active_plan_stage: null, active_tdd_phase: null, files_in_progress: [] },
  })
})

test('the summary is what is done now, else the first line of the state [001.12]', () => {
  expect(noteOf(encode({ now: 'Now', state: 'State' })).summary).toBe('Now')
  expect(noteOf(encode({ state: '\r\n  Parser done.\nTests next.' })).summary).toBe('Parser done.')
})

test('a decision is one sentence; its reason is not said twice; superseded ones are left out [001.13]', () => {
  const decisions = [
    decision('Chose A over B.', 'speed'),
    decision('Chose C over D because of speed', 'of speed'),
    decision('Chose E because F', 'and G'),
    decision('Old', 'x', { supersededBy: 'New' }),
    decision('Guessed H', 'it seems so', { confirmed: false }),
  ]
  expect(noteOf(encode({ decisions })).decisions).toEqual([
    'Chose A over B because speed',
    'Chose C over D because of speed',
    'Chose E because F; and G',
    'Guessed H because it seems so (UNCONFIRMED)',
  ])
})

test('nothing in a note drives a terminal, and half an emoji is replaced', () => {
  const text = encode({ now: 'a\u001b[31m\u009b\u202eb\ud83d' })
  expect(text).not.toMatch(/[^\P{Cc}\n]|\u202e/u)
  expect(noteOf(text).summary).toBe('a\u001b[31m\u009b\u202eb\ufffd')
})

test('what a note says comes back as work [001.02]', () => {
  const work: Partial<WorkState> = {
    now: 'Here',
    decisions: [
      decision('A', 'b', { origin: 'file' }),
      decision('C', '', { origin: 'file', confirmed: false }),
    ],
    next: [{ text: 'Go' }],
    blockers: [{ text: 'Wait' }],
  }
  expect(noteToWork(noteOf(encode(work)))).toEqual({ ...work, artifacts: [] })
  const full = encodeNote({ ...nowhere, work: emptyWork(), stage: 2, tddPhase: 'green', files: ['a'] })
  expect(noteToWork(noteOf(full))).toEqual({
    decisions: [],
    blockers: [],
    artifacts: [{ path: 'a', action: '', description: '' }],
    position: { ...emptyWork().position, stage: '2', tddPhase: 'green' },
  })
})

test('a note of another tool is read: other keys, a stage as a name, one text for a list, objects', () => {
  const note = noteOf(
    JSON.stringify({
      summary: ' S ',
      decisions: ['A', { decision: 'B', rationale: 'C' }, 3, null, ['x']],
      next_action: ['one', 'two'],
      blockers: 'only one',
      operational_notes_for_next_session: { deep: [1] },
      context: { active_plan: '', active_plan_stage: 'spec', files_in_progress: null },
    }),
  )
  expect(note).toEqual({
    timestamp: '',
    summary: 'S',
    decisions: ['A', 'B because C', '3'],
    next_action: 'one; two',
    blockers: ['only one'],
    context: { active_plan: null, active_plan_stage: 'spec', active_tdd_phase: null, files_in_progress: [] },
  })
})

test.each([
  ['', 'not JSON'],
  ['{"summary":', 'not JSON'],
  ['[]', 'not a JSON object'],
  ['null', 'not a JSON object'],
  ['{}', 'no summary'],
  ['{"state":"x"}', 'no summary'],
  [`{"summary":"${'x'.repeat(1024 * 1024)}"}`, 'larger than 1048576 bytes'],
  ['['.repeat(500_000), 'not JSON'],
])('no note: %.20s', (text, problem) => {
  expect(decode(text)).toEqual({ problem: expect.stringMatching(`^n\\.json: .*${problem}`) })
})

test('bytes that are no UTF-8 are a problem, a byte order mark is none', () => {
  expect(decodeNote(Buffer.from([0x22, 0xff, 0x22]), 'n')).toEqual({ problem: 'n: it is not JSON' })
  expect(noteOf('\uFEFF{"summary":"x"}').summary).toBe('x')
})

test('any JSON is a note or a problem, and reading never throws', () => {
  const keys = fc.constantFrom('summary', 'decisions', 'next_action', 'blockers', 'context', 'timestamp', 'x')
  fc.assert(
    fc.property(fc.dictionary(keys, fc.jsonValue()), (value) => {
      const read = decode(JSON.stringify(value))
      if ('problem' in read) return
      const again = encode(noteToWork(read.note))
      expect(decode(again)).toHaveProperty('note')
    }),
  )
})

test('a note lies with its plan, else with all others; a plan that is no safe name is refused [001.06] [001.07]', () => {
  expect(noteFolder(null)).toEqual(['.claude', 'checkpoints'])
  expect(noteFolder('auth')).toEqual(['.claude', 'plans', 'auth', 'checkpoints'])
  expect(() => noteFolder('../x')).toThrow('Invalid plan')
})

/** The first names that a note of a time may have. */
function namesAt(atMs: number, count = 3): string[] {
  const names = noteNames(atMs)
  return Array.from({ length: count }, () => names.next().value)
}

test('a name is the UTC time to the second; the second of a second has a number, and sorts behind it [001.09]', () => {
  const at = Date.parse(AT)
  expect(namesAt(at)).toEqual([
    '20260131T120000Z.json',
    '20260131T120000Z_001.json',
    '20260131T120000Z_002.json',
  ])
  const names = [
    '20260131T115959Z.json',
    ...namesAt(at, 20),
    // As ours were called before.
    '20260131T120000Z_123-4f1d9c02ab37.json',
    ...namesAt(at + 1_000),
  ]
  expect([...names].sort()).toEqual(names)
  const times = names.map((name) => noteTime(name) ?? Number.NaN)
  expect(times).toEqual(times.toSorted((a, b) => a - b))
  expect(new Set(times).size).toBe(times.length)
  expect(noteTime('20260131T120000Z.json')).toBe(at - 123)
  expect(noteTime('20260131T120000Z-2.json')).toBe(at - 123)
  expect(noteTime('20260131T120000Z_123-4f1d9c02ab37.json')).toBe(at)
  for (const no of [
    'a.json',
    '20260131T120000Z.txt',
    '20260230T120000Z.json',
    '20260131T250000Z.json',
    'x/20260131T120000Z.json',
  ])
    expect(noteTime(no)).toBeNull()
})

test('for any two times the names sort as their seconds do', () => {
  const time = fc.integer({ min: 0, max: 253_402_300_799_999 })
  const secondOf = (ms: number) => ms - (ms % 1_000)
  fc.assert(
    fc.property(time, fc.oneof(time, fc.integer({ min: 0, max: 2_000 })), (a, b) => {
      const other = b <= 2_000 ? a + b : b
      if (other > 253_402_300_799_999) return
      const [[one = '', next = ''], [two = '']] = [namesAt(a), namesAt(other)]
      expect(noteTime(one)).toBe(secondOf(a))
      expect(Math.sign(secondOf(a) - secondOf(other))).toBe(one < two ? -1 : one === two ? 0 : 1)
      expect([one < next, next < two]).toEqual([true, secondOf(a) < secondOf(other)])
    }),
  )
  expect(namesAt(Number.NaN, 1)).toEqual(['19700101T000000Z.json'])
  expect(namesAt(Number.MAX_VALUE, 1)).toEqual(['99991231T235959Z.json'])
})

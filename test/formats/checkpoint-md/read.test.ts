import { expect, test } from 'vitest'
import { readDocument, saysCurrent } from '../../../src/formats/checkpoint-md/read.ts'

const read = (text: string, name = 'auth.md') => readDocument(Buffer.from(text), name)
const front = (more = '') => `---\ncheckpoint: auth\ncreated: 2026-01-01T00:00:00Z\n${more}---\n`

test('a whole document has its text, byte for byte, and its id [000.02]', () => {
  const text = `\uFEFF${front('status: current\n').replace(/\n/g, '\r\n')}\r\n## Problem\r\n\r\np\t\r\n`
  const reading = read(text, 'other.md')
  expect(reading).toMatchObject({ state: 'whole', text, id: 'auth' })
  expect(reading.state === 'whole' && saysCurrent(reading.front)).toBe(true)
})

test('only `current` asks for the focus [000.07] [000.12]', () => {
  for (const [status, asks] of [
    ['current', true],
    ['"current"', true],
    ['active', false],
    ['Current', false],
    ['', false],
  ] as const) {
    const reading = read(front(status && `status: ${status}\n`))
    expect(reading.state === 'whole' && saysCurrent(reading.front), status).toBe(asks)
  }
})

test('a document without an id is named by its file', () => {
  expect(read('---\ncreated: 2026-01-01\n---\n', 'chk-001.md')).toMatchObject({
    state: 'whole',
    id: 'chk-001',
  })
  expect(read('---\ncheckpoint:\n---\n', 'chk-001.MD')).toMatchObject({ state: 'whole', id: 'chk-001' })
})

test('an id keeps its zeros', () => {
  expect(read('---\ncheckpoint: 001\n---\n')).toMatchObject({ state: 'whole', id: '001' })
})

test.each(['../evil', 'a/b', 'a\\\\b', '.hidden', 'con', 'a b', 'x'.repeat(129)])(
  'the id %j cannot be used',
  (id) => {
    const reading = read(`---\ncreated: 2026-01-01\ncheckpoint: "${id}"\n---\n`)
    expect(reading).toMatchObject({
      state: 'broken',
      line: 3,
      problem: expect.stringContaining('invalid id'),
    })
  },
)

test('a file name that cannot be an id is told where the document says none', () => {
  expect(read('---\ncreated: 2026-01-01\n---\n', 'a b.md')).toMatchObject({ state: 'broken', line: 1 })
})

test('YAML that does not parse is told with its line', () => {
  const reading = read(
    '---\ncheckpoint: auth\ncreated: 2026-01-01\nanchor: "open\nstatus: active\n---\n\n## Problem\n',
  )
  expect(reading).toMatchObject({ state: 'broken', problem: expect.stringContaining('invalid front matter') })
  expect(reading.state === 'broken' && reading.line).toBeGreaterThan(3)
  expect(read('---\ncheckpoint: auth\ncheckpoint: twice\n---\n')).toMatchObject({ state: 'broken', line: 3 })
  expect(read('---\ncheckpoint: auth\n  bad: [\n---\n')).toMatchObject({ state: 'broken' })
  expect(read('---\njust words\n---\n')).toMatchObject({ state: 'broken', line: 2 })
})

test('front matter without an end is broken; a text without any is no document', () => {
  expect(read('---\ncheckpoint: auth\n')).toMatchObject({
    state: 'broken',
    line: 1,
    problem: 'the front matter is not closed',
  })
  expect(read('# Notes\n')).toEqual({ state: 'other' })
  expect(read('')).toEqual({ state: 'other' })
})

test('bytes that are no UTF-8 are told, and no text is made of them', () => {
  const bytes = Buffer.concat([Buffer.from(front()), Buffer.from([0xff, 0xfe, 0x41])])
  expect(readDocument(bytes, 'auth.md')).toMatchObject({ state: 'broken', text: null, line: 1 })
  expect(readDocument(Buffer.from(`\uFEFF${front()}`, 'utf16le'), 'auth.md')).toMatchObject({
    state: 'broken',
  })
})

const CONFLICT = '<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> side\n'

test('conflict markers are told with the line of the first', () => {
  expect(read(`${front()}\n## Problem\n\n${CONFLICT}`)).toMatchObject({ state: 'conflicted', line: 8 })
  expect(read(`${front()}\n${CONFLICT.replace(/\n/g, '\r\n')}`)).toMatchObject({
    state: 'conflicted',
    line: 6,
  })
  const base = CONFLICT.replace('=======', '||||||| 1234\nbase\n=======')
  expect(read(`${front()}\n${base}`)).toMatchObject({ state: 'conflicted', line: 6 })
})

test('a conflict in the front matter is a conflict, and no broken YAML', () => {
  const text =
    '---\ncheckpoint: auth\n<<<<<<< HEAD\nstatus: current\n=======\nstatus: active\n>>>>>>> side\n---\n'
  expect(read(text)).toMatchObject({ state: 'conflicted', line: 3 })
})

test.each([
  ['a setext heading', 'Title\n=======\n\ntext\n'],
  ['a rule of seven', 'a\n\n=======\n\nb\n'],
  ['quotes of quotes', '>>>>>>> deep\n\n=======\n'],
  [
    'markers that are indented, as in an example',
    '    <<<<<<< HEAD\n    a\n    =======\n    b\n    >>>>>>> side\n',
  ],
  ['only the beginning', '<<<<<<< HEAD\nours\n'],
  ['the wrong order', '>>>>>>> side\n=======\n<<<<<<< HEAD\n'],
  ['more than seven', '<<<<<<<< HEAD\nx\n========\ny\n>>>>>>>> side\n'],
])('%s is no conflict', (_name, body) => {
  expect(read(`${front()}\n${body}`).state).toBe('whole')
})

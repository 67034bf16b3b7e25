import { spawnSync } from 'node:child_process'
import { PassThrough, Writable } from 'node:stream'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { askAt } from '../../src/apps/cli/ask.ts'
import { askOf, NOBODY, type Person } from '../../src/apps/cli/person.ts'
import { cliPath, sandbox } from '../support/sandbox.ts'

const PASTE = { start: '\x1b[200~', end: '\x1b[201~' }
const QUESTIONS = ['What was done?', 'What was decided?', 'What comes next?']

/** A terminal as the door sees it: keys that are pressed, a screen that is drawn on. */
function terminal() {
  const raw: boolean[] = []
  const input = Object.assign(new PassThrough(), { setRawMode: (isRaw: boolean) => raw.push(isRaw) })
  let shown = ''
  const output = new Writable({
    write(chunk, _encoding, done) {
      shown += chunk
      done()
    },
  })
  return { input, output, raw, shown: () => shown }
}

const ask = (keys: (input: PassThrough) => void, questions = QUESTIONS) => {
  const screen = terminal()
  const notices: string[] = []
  const answers = askAt(screen, questions, notices)
  keys(screen.input)
  return { answers, notices, screen }
}

test('the answers come in the order of the questions, and one that is passed over is empty', async () => {
  const { answers, notices, screen } = ask((input) => {
    input.write('  built the parser ')
    input.write('\r')
    input.write('\r')
    input.write('tésts, 日本 🚀\r')
  })
  expect(await answers).toEqual(['built the parser', '', 'tésts, 日本 🚀'])
  expect(notices).toEqual([])
  for (const question of QUESTIONS) expect(screen.shown()).toContain(question)
  expect(screen.raw).toEqual([true, false])
  expect(screen.input.isPaused()).toBe(true)
})

test('what is typed can be mended before it is sent', async () => {
  const { answers } = ask((input) =>
    input.write('pasrer\x7f\x7f\x7f\x7frser\x1b[D\x1b[D\x1b[3~\x04\x01the \r\r\r'),
  )
  expect(await answers).toEqual(['the pars', '', ''])
})

const LEAVING: Array<[string, (input: PassThrough) => void]> = [
  ['Ctrl-C', (input) => input.write('half an answ\x03')],
  ['Ctrl-C in the second question', (input) => input.write('one\rtwo\x03')],
  ['Esc', (input) => input.write('\x1b')],
  ['Ctrl-D on an empty line', (input) => input.write('one\r\x04')],
  ['a terminal that closes', (input) => input.end('half')],
  ['a terminal that fails', (input) => input.destroy(Object.assign(new Error('EIO'), { code: 'EIO' }))],
  ['Ctrl-C in a paste that never ends', (input) => input.write(`${PASTE.start}abc\x03`)],
]

test.each(LEAVING)('%s cancels: nothing was saved, and here is how to say it', async (_how, keys) => {
  const { answers, screen } = ask(keys)
  await expect(answers).rejects.toMatchObject({
    reason: 'cancelled',
    exitCode: 130,
    hint: expect.stringMatching(/^Nothing was saved\. .*savepoint save "/),
  })
  expect(screen.raw).toEqual([true, false])
  // The cursor is shown again, and pastes are not marked any more.
  expect(screen.shown().endsWith('\x1b[?25h\x1b[?2004l')).toBe(true)
})

test('a paste of several lines is one answer, and sends nothing', async () => {
  const { answers } = ask((input) =>
    input.write(`we chose ${PASTE.start}WAL:\r\n- readers\tgo on\r- one file\n${PASTE.end}.\r\r\r`),
  )
  expect(await answers).toEqual(['we chose WAL:\n- readers go on\n- one file.', '', ''])
})

test('a paste cannot drive the terminal', async () => {
  const { answers, screen } = ask(
    (input) => input.write(`${PASTE.start}a\x1b]0;title\x07b${PASTE.end}\r`),
    ['?'],
  )
  expect(await answers).toEqual(['a\\x1b]0;title\\x07b'])
  expect(screen.shown()).not.toContain('\x1b]0;')
})

const printable = fc
  .string({ unit: 'grapheme', maxLength: 12 })
  .filter((text) => !/[\p{Cc}\u2028-\u202e\u2066-\u2069\u23ce]/u.test(text))

test('a paste is whole, however it is cut into pieces', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(printable, { minLength: 1, maxLength: 6 }),
      fc.array(fc.nat(200), { maxLength: 5 }),
      async (lines, cuts) => {
        const { answers } = ask(
          (input) => {
            const bytes = Buffer.from(`${PASTE.start}${lines.join('\r')}${PASTE.end}\r`)
            const at = [0, ...cuts.map((cut) => cut % bytes.length).sort((a, b) => a - b), bytes.length]
            for (const [index, from] of at.slice(0, -1).entries())
              input.write(bytes.subarray(from, at[index + 1]))
          },
          ['?'],
        )
        expect(await answers).toEqual([lines.join('\n').trim()])
      },
    ),
    { numRuns: 60 },
  )
})

test('a very long line is taken whole, also from a terminal that does not mark what is pasted', async () => {
  const long = 'a long tale '.repeat(4_000).trim()
  const { answers } = ask(
    (input) => {
      for (let from = 0; from < long.length; from += 4_096) input.write(long.slice(from, from + 4_096))
      input.write('\r')
    },
    ['?'],
  )
  expect(await answers).toEqual([long])
})

test('an answer beyond the limit is refused, not cut', async () => {
  const { answers } = ask((input) => input.write(`${PASTE.start}${'x'.repeat(100_001)}${PASTE.end}\r`), ['?'])
  await expect(answers).rejects.toMatchObject({
    reason: 'usage_invalid',
    message: 'an answer is longer than 100000 characters',
  })
})

test.each(['\r', '\n', '\r\n'])(
  'lines that are typed ahead (%j) answer the next questions',
  async (enter) => {
    const { answers, notices } = ask((input) => input.write(`one${enter}two${enter}three${enter}`))
    expect(await answers).toEqual(['one', 'two', 'three'])
    expect(notices).toEqual([])
  },
)

test('what comes after the last answer is told', async () => {
  const { answers, notices } = ask((input) => input.write('one\rtwo\rthree\rfour\rfive\r'))
  expect(await answers).toEqual(['one', 'two', 'three'])
  expect(notices).toEqual(['ignored text after the last answer: four five'])
})

const someone = (asked: string[][] = []): Person => ({
  isThere: true,
  columns: 80,
  ask: async (questions) => {
    asked.push([...questions])
    return questions.map((question) => `${question}!`)
  },
})
const PLAIN = { env: {}, json: false, input: {}, notices: [] }

test.each([
  ['nobody at the terminal', NOBODY, PLAIN],
  ['CI', someone(), { ...PLAIN, env: { CI: 'true' } }],
  ['a terminal that cannot be drawn on', someone(), { ...PLAIN, env: { TERM: 'dumb' } }],
  ['--json', someone(), { ...PLAIN, json: true }],
  ['--stdin', someone(), { ...PLAIN, input: { stdin: true } }],
])('with %s nobody is asked', (_what, person, asker) => {
  expect(askOf(person, asker)).toBeNull()
})

test('a person at a terminal is asked, and the same question once', async () => {
  const asked: string[][] = []
  const put = askOf(someone(asked), { ...PLAIN, env: { CI: '', TERM: 'xterm' }, input: { stdin: false } })
  expect(await put?.(['a', 'b'])).toEqual(['a!', 'b!'])
  expect(await put?.(['a', 'b'])).toEqual(['a!', 'b!'])
  expect(await put?.(['c'])).toEqual(['c!'])
  expect(asked).toEqual([['a', 'b'], ['c']])
})

const hasScript = spawnSync('script', ['--version']).status === 0

/** The built command in a terminal of its own, with keys that were typed before it started. */
function atTerminal(words: string, keys: string) {
  const box = sandbox()
  const { CI: _ci, ...env } = box.env
  const command = `'${process.execPath}' '${cliPath}' ${words} >answer`
  const done = spawnSync('script', ['-qec', command, '/dev/null'], {
    cwd: box.repo,
    env: { ...env, TERM: 'xterm' },
    encoding: 'utf8',
    input: keys,
    timeout: 100_000,
  })
  return { box, code: done.status, screen: done.stdout, answer: box.read('answer') }
}

test.runIf(hasScript)(
  'save asks the three questions of the format in a terminal, and stdout has nothing but its answer [001.01] [001.04]',
  () => {
    const keys = 'the parser\rA over B because C\rthe tests\r'
    const { box, code, screen, answer } = atTerminal('save --note', keys)
    const asked = [
      ...['What are you currently working on?', 'What key decisions were made (and why)?'],
      "What's the next action?",
    ]
    expect(code).toBe(0)
    const places = asked.map((question) => screen.indexOf(question))
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(places).not.toContain(-1)
    expect(answer).not.toContain('\x1b')
    const [path = ''] = /\.claude\/checkpoints\/\S+\.json/.exec(answer) ?? []
    expect(box.readJson(path)).toMatchObject({
      ...{ summary: 'the parser', decisions: ['A over B because C'], next_action: 'the tests' },
    })
  },
)

test.runIf(hasScript)('save that is left with Ctrl-D ends with 130 and has saved nothing', () => {
  const { code, screen, answer } = atTerminal('save', 'the parser\r')
  expect({ code, answer }).toEqual({ code: 130, answer: '' })
  expect(screen).toContain('Nothing was saved.')
})

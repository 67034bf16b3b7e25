import { expect, test } from 'vitest'
import { runCommandLine } from '../../src/apps/cli/main.ts'
import { markStyle, renderStyles } from '../../src/core/style.ts'
import { clipWidth, widthOf, wrapLines } from '../../src/core/width.ts'
import { makeScreen, PLAIN_SCREEN, type ScreenTraits, wantsColour } from '../../src/verbs/define/screen.ts'
import { type Sandbox, sandbox } from '../support/sandbox.ts'
import { onTerminal } from './resume-lab.ts'

const ESCAPE = '\x1b'

/** The command line in this process, on a screen that the test chooses. */
async function shownOn(box: Sandbox, screen: ScreenTraits, words: string[]): Promise<string> {
  let sent = ''
  const write = (text: string | Uint8Array) => {
    sent += text
  }
  await runCommandLine({
    ...{ words, cwd: box.repo, env: box.env, version: 'test', width: 80, screen, errScreen: screen },
    readInput: () => Promise.reject(new Error('nothing is piped in')),
    out: write,
    err: write,
  })
  return sent
}

const COLOURED = { columns: 80, hasColour: true }

test.each([
  [{}, true, true],
  [{}, false, false],
  [{ TERM: 'dumb' }, true, false],
  [{ NO_COLOR: '1' }, true, false],
  [{ NO_COLOR: '' }, true, true],
  [{ FORCE_COLOR: '1' }, false, true],
  [{ FORCE_COLOR: '0' }, true, false],
  [{ NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
])('with %j on a terminal %j there are colours: %j', (env, isTerminal, expected) => {
  expect(wantsColour(env, isTerminal)).toBe(expected)
})

test('a time with a zone of its own is shown by the clock of the reader, also where that is UTC', () => {
  const london = makeScreen({ offsetMinutes: () => 0 })
  expect(london.time('2026-01-31T12:00:59Z')).toBe('2026-01-31 12:00')
  expect(london.time('2026-01-31T12:00:59+02:00')).toBe('2026-01-31 10:00')
  expect(london.time('some day')).toBe('some day')
})

test('times are those of the reader, and UTC where nobody reads them', () => {
  const berlin = makeScreen({ offsetMinutes: () => 60 })
  expect([berlin.time('2026-01-31T23:30:59Z'), berlin.day('2026-01-31T23:30:59Z')]).toEqual([
    '2026-02-01 00:30',
    '2026-02-01',
  ])
  expect(PLAIN_SCREEN.time('2026-01-31T23:30:59Z')).toBe('2026-01-31 23:30Z')
  expect([berlin.time(''), PLAIN_SCREEN.time(''), berlin.time('not a time')]).toEqual(['', '', 'not a time'])
})

test('a list shows the time of the zone, and its JSON UTC', () => {
  const box = sandbox()
  box.json(['save', 'Login'])
  const [{ updatedAt }] = box.json(['list']).documents as [{ updatedAt: string }]
  expect(updatedAt).toMatch(/Z$/)
  const there = new Date(Date.parse(updatedAt) + 5.5 * 3_600_000).toISOString()
  const told = box.runProcess(['list'], { env: { TZ: 'Asia/Kolkata' } }).stdout
  expect(told).toContain(there.slice(0, 16).replace('T', ' '))
})

test('a style takes no room, ends with a line that is cut, and goes on in one that is wrapped', () => {
  const words = markStyle('warn', 'one two three')
  expect(widthOf(words)).toBe(13)
  expect(renderStyles(`${clipWidth(words, 8)}\nplain`)).toBe('\x1b[33mone two…\x1b[0m\nplain')
  expect(renderStyles(`${wrapLines(`${'x'.repeat(12)} ${words}`, 20)} end`)).toBe(
    `${'x'.repeat(12)} \x1b[33mone\x1b[0m\n\x1b[33m  two three\x1b[0m end`,
  )
})

test('what is not confirmed, found or failed has a colour; without colours not a byte of it is there', async () => {
  const box = sandbox()
  const save = ['save', 'Login', '--by', 'agent', '--decision', 'JWT over cookies']
  expect(await shownOn(box, COLOURED, save)).toContain('\x1b[33m1 unconfirmed\x1b[0m')
  expect(await shownOn(box, COLOURED, ['status'])).toContain('\x1b[33m1 unconfirmed\x1b[0m')
  expect(await shownOn(box, COLOURED, ['search', 'cookies'])).toContain('\x1b[1;36mcookies\x1b[0m')
  expect(await shownOn(box, COLOURED, ['resume'])).toContain('\x1b[33mUNCONFIRMED\x1b[0m')
  expect(await shownOn(box, COLOURED, ['resume', 'nothing'])).toContain('\x1b[31msavepoint:\x1b[0m')
  for (const words of [save, ['status'], ['search', 'cookies'], ['resume'], ['resume', 'nothing']])
    expect(await shownOn(box, { columns: 80 }, words)).not.toContain(ESCAPE)
})

test('a pipe gets no colours, and a terminal does, unless NO_COLOR is set', () => {
  const box = sandbox()
  const [terminal, pipe] = [
    { NO_COLOR: '', TERM: 'xterm' },
    { NO_COLOR: '', FORCE_COLOR: '' },
  ]
  expect(box.runProcess(['save', 'Login'], { env: pipe }).stdout).toBe('Saved main #1: Login\n')
  expect(onTerminal(box, 80, ['status'], { env: terminal }).stdout).toContain(ESCAPE)
  expect(onTerminal(box, 80, ['status']).stdout).not.toContain(ESCAPE)
  expect(box.runProcess(['status'], { env: { ...pipe, FORCE_COLOR: '1' } }).stdout).toContain(ESCAPE)
  expect(box.runProcess(['status', '--json'], { env: { ...pipe, FORCE_COLOR: '1' } }).stdout).not.toContain(
    ESCAPE,
  )
})

test('a saved text does not choose its own colours', async () => {
  const box = sandbox()
  box.json(['save', `${markStyle('good', 'All checks pass')} ${ESCAPE}[32mreally`])
  const told = await shownOn(box, COLOURED, ['resume'])
  expect(told).toContain('All checks pass')
  expect(told.replace('\x1b[2msavepoint:\x1b[0m', '')).not.toContain(ESCAPE)
})

test.each([40, 80])('on %d columns a receipt, a notice and an error keep within them', async (columns) => {
  const box = sandbox()
  const long = 'A summary that goes on and on until no screen is wide enough for it, and then goes on'
  const told = [
    await shownOn(box, { columns }, ['save', long, '--next', long, '--decision', long]),
    await shownOn(box, { columns }, ['save', long, '--verbose']),
    await shownOn(box, { columns }, ['resume', 'nothing-like-it']),
    await shownOn(box, { columns }, ['run', 'finish']),
  ].join('')
  for (const line of told.split('\n')) expect(widthOf(line), line).toBeLessThanOrEqual(columns)
})

test('a save is told in at most three lines, all of it with --verbose, and JSON has the same facts', () => {
  const box = sandbox()
  const words = ['save', 'Login\r\nand more', '--decision', 'JWT over cookies', '--next', 'Test it']
  expect(box.run(words).stdout).toBe(
    'Saved main #1: Login and more\n  Decisions: +1 (1 total) · Next: Test it\n',
  )
  expect(box.run(['save', 'Login', '--verbose']).stdout).toContain('CHECKPOINT SAVED')
  expect(box.json(['save', 'Login', '--note'])).toMatchObject({ ok: true, stream: 'main', sequence: 3 })
  expect(box.run(['save', `${'x'.repeat(300)}`]).stdout.split('\n')[0]).toHaveLength(100)
})

import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { readCommandLine } from '../../src/apps/cli/command-line.ts'
import { completionScript } from '../../src/apps/cli/completion.ts'
import { PLAIN_SCREEN } from '../../src/verbs/define/screen.ts'
import { HELP_TOPICS, loadVerbs, OTHER_WORDS } from '../../src/verbs/table.ts'
import { sandbox } from '../support/sandbox.ts'

const OPERATIONS = await loadVerbs()

const NAMES = OPERATIONS.map(({ name }) => name)

const textOf = (words: string[], width = 100) => {
  const request = readCommandLine(words, OPERATIONS, { version: '1.2.3', width, paint: PLAIN_SCREEN.paint })
  if (!('text' in request)) throw new Error('it is no help')
  return request
}

test.each(NAMES)('savepoint %s --help says what it does, what it takes, and gives examples', (name) => {
  const verb = OPERATIONS.find((one) => one.name === name)
  const { text, exit } = textOf([...name.split(' '), '--help'])
  expect(exit).toBe(0)
  expect(text).toContain(verb?.summary)
  expect(text).toContain('Examples:')
  expect(text).toContain(`savepoint ${name}`)
  expect(text).toContain('--json')
})

test.each([40, 200])('help in %d columns keeps within them', (width) => {
  let lines = 0
  for (const name of NAMES) {
    const { text } = textOf([...name.split(' '), '--help'], width)
    const prose = text.slice(0, text.indexOf('Examples:')).split('\n')
    for (const line of prose) {
      // A list of choices is one word, however narrow the terminal.
      if (line.startsWith('Usage:') || /^ {2}\S+\|\S+$/.test(line)) continue
      lines += 1
      expect(line.length, line).toBeLessThanOrEqual(width)
    }
  }
  expect(lines).toBeGreaterThan(50)
})

test('help goes to stdout with exit 0, for the program, a group and a verb', () => {
  const box = sandbox()
  for (const words of [['--help'], ['help'], ['run', '--help'], ['run', 'step', '--help'], ['help', 'run']]) {
    const { code, stdout, stderr } = box.run(words)
    expect({ words, code, stderr }).toEqual({ words, code: 0, stderr: '' })
    expect(stdout).toContain('Usage: savepoint')
  }
})

const shownIn = (text: string) => [...text.matchAll(/^ {2}(\S+) {2,}\S/gm)].map(([, name = '']) => name)

test('at most 12 commands are seen first, in groups', () => {
  const { text } = textOf(['--help'])
  const seen = shownIn(text).filter((name) => name !== 'savepoint')
  expect(seen.length).toBeLessThanOrEqual(12)
  expect(seen.slice(0, 6)).toEqual(['save', 'resume', 'status', 'list', 'search', 'undo'])
  for (const { title } of Object.values(HELP_TOPICS).filter(({ first }) => first > 0))
    expect(text).toContain(`\n${title}\n`)
})

test('every command has its place in one topic, or is shown with all', () => {
  const { text } = textOf(['--help', '--all'])
  const seen = shownIn(text)
  for (const name of NAMES) expect(seen).toContain(name.split(' ')[0])
  expect(new Set(seen).size).toBe(seen.length)
  for (const topic of Object.keys(HELP_TOPICS)) expect(textOf(['help', topic]).exit).toBe(0)
  expect(textOf(['help', 'all']).text).toBe(text)
})

test.each([40, 80])('the overview of help keeps within %d columns', (width) => {
  for (const words of [['--help'], ['help', 'all']])
    for (const line of textOf(words, width).text.split('\n').slice(0, -3))
      expect(line.length, line).toBeLessThanOrEqual(width)
})

test.each(Object.entries(OTHER_WORDS))('savepoint %s answers', (word, meant) => {
  const box = sandbox()
  expect(box.run([word, '--help'])).toEqual(box.run([...meant, '--help']))
  expect(box.run([word, '--help']).code).toBe(0)
})

test('no words at all are the status', () => {
  const box = sandbox()
  expect(box.run([])).toEqual(box.run(['status']))
  expect(box.json([])).toEqual(box.json(['status']))
})

test('a group without a verb shows help on stderr with exit 2', () => {
  const { code, stdout, stderr } = sandbox().run(['run'])
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain('Usage: savepoint')
})

test('the version is one line', () => {
  expect(sandbox().run(['--version'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
  })
})

test('the bash completion script parses, and completes verbs and options', () => {
  const script = completionScript('bash', OPERATIONS)
  expect(spawnSync('bash', ['-n'], { input: script, encoding: 'utf8' })).toMatchObject({
    status: 0,
    stderr: '',
  })
  const complete = (line: string[], at: number) =>
    spawnSync(
      'bash',
      [
        '-c',
        `${script}\nCOMP_WORDS=(${line.join(' ')}); COMP_CWORD=${at}; _savepoint; echo "\${COMPREPLY[*]}"`,
      ],
      {
        encoding: 'utf8',
      },
    ).stdout.trim()
  expect(complete(['savepoint', 'ru'], 1)).toBe('run')
  expect(complete(['savepoint', 'run', 'sta'], 2)).toBe('start')
  expect(complete(['savepoint', 'run', 'prune', '--max-p'], 3)).toBe('--max-per-run')
  expect(complete(['savepoint', 'run', 'step', 'r1', 's1', 'in'], 5)).toBe('in_progress')
})

test.each(['zsh', 'fish'])('the %s completion script names every verb', (shell) => {
  const script = completionScript(shell, OPERATIONS)
  for (const name of NAMES) expect(script).toContain(name.split(' ').at(-1))
})

test('an unknown shell is refused with those that are known', () => {
  const box = sandbox()
  expect(box.run(['completion', 'tcsh'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('bash, zsh and fish'),
  })
  expect(box.run(['completion'])).toMatchObject({ code: 2, stdout: '' })
})

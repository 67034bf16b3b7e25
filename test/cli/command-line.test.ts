import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { readCommandLine } from '../../src/apps/cli/command-line.ts'
import { completionScript } from '../../src/apps/cli/completion.ts'
import { readPlainWords, verbsOf, verbWords } from '../../src/apps/cli/main.ts'
import type { Fields } from '../../src/verbs/define/field.ts'
import { PLAIN_SCREEN } from '../../src/verbs/define/screen.ts'
import type { Verb } from '../../src/verbs/define/verb.ts'

const verb = (name: string, fields: Fields = {}): Verb => ({
  name,
  summary: `About ${name}`,
  fields,
  examples: [`savepoint ${name}`],
  access: 'read',
  perform: async () => ({}),
  say: () => '',
})

const AT = { at: { kind: 'text', value: 'ID', about: 'as it was' } } as const satisfies Fields
const LEDGER = verb('ledger', { ...AT, full: { kind: 'flag', about: 'all of it' } })
const WRITE = verb('ledger write', { ...AT, mode: { kind: 'choice', choices: ['new', 'old'], about: 'how' } })
const HISTORY = verb('ledger history')
const SHOW = verb('show', { id: { kind: 'text', at: 0, about: 'which' } })
const RUN_SHOW = verb('run show', { run: { kind: 'text', at: 0, required: true, about: 'which' } })
const ALL = [LEDGER, WRITE, HISTORY, SHOW, RUN_SHOW]

const read = (words: string[], verbs: readonly Verb[] = ALL, width = 100) =>
  readCommandLine(words, verbs, { version: '1.2.3', width, paint: PLAIN_SCREEN.paint })

/** Which verb the words call, and with what. */
const called = (...words: string[]) => {
  const request = read(words)
  if (!('call' in request)) throw new Error('it is no call')
  const given = Object.entries(request.call.raw).filter(([, value]) => value !== undefined)
  return [request.call.verb.name, Object.fromEntries(given)]
}

const helpOf = (words: string[], verbs?: readonly Verb[], width?: number) => {
  const request = read(words, verbs, width)
  if (!('text' in request)) throw new Error('it is no help')
  expect(request.exit).toBe(0)
  return request.text
}

const wrong = (...words: string[]) => {
  try {
    read(words)
  } catch (error) {
    return error
  }
  throw new Error('it is right')
}

test('a word that is a verb and a group is both', () => {
  expect(called('ledger')).toEqual(['ledger', {}])
  expect(called('ledger', '--full', '--at', '3')).toEqual(['ledger', { full: true, at: '3' }])
  expect(called('ledger', 'write')).toEqual(['ledger write', {}])
  expect(called('ledger', 'history')).toEqual(['ledger history', {}])
})

test('an option after a verb of the group is of that verb, also where the group has the same', () => {
  expect(called('ledger', 'write', '--at', '3')).toEqual(['ledger write', { at: '3' }])
  expect(() => read(['ledger', 'write', '--full'])).toThrow(/unknown option '--full'/)
})

test('the order of the table makes no difference', () => {
  const turned = ALL.toReversed()
  expect(read(['ledger', '--full'], turned)).toMatchObject({ call: { verb: LEDGER } })
  expect(read(['ledger', 'write'], turned)).toMatchObject({ call: { verb: WRITE } })
})

test.each([
  [['ledger', 'wrte'], "unknown command 'wrte' (Did you mean write?)"],
  [['ledger', 'histroy', '--at', '3'], "unknown command 'histroy' (Did you mean history?)"],
  [['ledger', '--ful'], "unknown option '--ful' (Did you mean --full?)"],
  [['ledger', 'write', 'x'], "too many arguments for 'write'. Expected 0 arguments but got 1."],
  [['ledgr'], "unknown command 'ledgr' (Did you mean ledger?)"],
])('%j is told with what was meant', (words, problem) => {
  expect(wrong(...words)).toMatchObject({ reason: 'usage_invalid', message: problem })
})

test.each([[['ledger', '--help']], [['help', 'ledger']], [['ledger', 'help']]])(
  '%j shows what the verb takes and the verbs beside it',
  (words) => {
    const help = helpOf(words)
    for (const part of [
      'About ledger.\n',
      '--at <ID>',
      '--full',
      'write [options]',
      'history [options]',
      'Examples:',
    ])
      expect(help).toContain(part)
  },
)

test('help of a verb in such a group is its own', () => {
  expect(helpOf(['ledger', 'help', 'write'])).toContain('--mode')
  expect(helpOf(['ledger', 'write', '--help'])).not.toContain('--full')
})

test('the verbs of a group are those that a wrong one is compared with', () => {
  expect(verbsOf('ledger', ALL)).toEqual([LEDGER, WRITE, HISTORY])
  expect(verbsOf('run', ALL)).toEqual([RUN_SHOW])
  expect(verbsOf('help', ALL)).toEqual(ALL)
})

test('words that need no parser are read as the parser reads them', () => {
  expect(readPlainWords(['ledger'], LEDGER)).toEqual({})
  expect(readPlainWords(['ledger', '--full', '--json'], LEDGER)).toEqual({ full: true })
  expect(readPlainWords(['ledger', 'write'], WRITE)).toEqual({})
  for (const words of [
    ['ledger', 'wrte'],
    ['ledger', '--at', '3'],
    ['ledger', '--help'],
    ['ledger', '--', '--full'],
  ])
    expect(readPlainWords(words, LEDGER)).toBeNull()
})

test('no words ask for the status', () => {
  expect(verbWords([])).toEqual(['status'])
  expect(verbWords(['--json'])).toEqual(['status', '--json'])
  for (const words of [['--help'], ['-V'], ['list'], ['--json', 'list'], ['--'], ['constructor']])
    expect(verbWords(words)).toEqual(words)
})

test('a word that was a verb once, or is a command of a format, asks for what it was', () => {
  expect(verbWords(['tree', '--json'])).toEqual(['list', '--tree', '--json'])
  expect(verbWords(['context:budget', '--forecast', '30'])).toEqual([
    ...['sessions', 'budget', '--forecast', '30'],
  ])
  expect(verbWords(['save', 'tree'])).toEqual(['save', 'tree'])
})

const REPEATED = verb('save', {
  summary: { kind: 'text', at: 0, about: 'what was done, in one sentence that says it all' },
  supersedes: { kind: 'words', value: 'DECISION', about: 'a decision that the new one takes the place of' },
  next: { kind: 'words', value: 'TEXT', about: 'what comes next' },
  stream: { kind: 'text', value: 'NAME', about: 'the piece of work' },
  blocker: { kind: 'words', value: 'TEXT', about: 'what stands in the way of it' },
  unconfirmed: { kind: 'flag', about: 'mark what is said here as not yet confirmed by anybody' },
})

test('an option that may be given again keeps every value in its order', () => {
  const words = ['save', '--next', 'b', 'done', '--next', 'a', '--next', '--x', '--blocker', 'c']
  expect(read(words, [REPEATED])).toMatchObject({
    call: { raw: { summary: 'done', next: ['b', 'a', '--x'], blocker: ['c'], supersedes: undefined } },
  })
})

test.each([40, 60, 80])(
  'help in %d columns keeps within them, with the options in the order of the fields',
  (width) => {
    const help = helpOf(['save', '--help'], [REPEATED], width)
    expect(help.match(/^ {2}--[a-z]+/gm)?.map((line) => line.trim())).toEqual([
      '--supersedes',
      '--next',
      '--stream',
      '--blocker',
      '--unconfirmed',
      '--json',
    ])
    for (const line of help.split('\n').slice(1)) expect(line.length, line).toBeLessThanOrEqual(width)
    expect(help).toContain('--next <TEXT>...')
    expect(help).not.toContain('--stream <NAME>...')
    expect(help.match(/may be given again/g)).toHaveLength(1)
  },
)

test('help on a narrow screen sets the words below what is typed', () => {
  expect(helpOf(['save', '--help'], [REPEATED], 40)).toContain(
    '  --supersedes <DECISION>...\n      a decision that the new one takes\n      the place of\n',
  )
})

test('a plain word has the name that its field says', () => {
  const pickup = verb('pickup', { what: { kind: 'text', at: 0, label: 'slug|file', about: 'which' } })
  expect(helpOf(['pickup', '--help'], [pickup])).toContain('Usage: savepoint pickup [options] [slug|file]')
})

test.each([
  [['ledger', ''], 2, 'write'],
  [['ledger', ''], 2, '--full'],
  [['ledger', 'write', ''], 3, '--mode'],
  [['ledger', 'write', ''], 3, 'new'],
  [['ledger', '--at', ''], 3, '--full'],
  [['run', 'show', ''], 3, '--json'],
])('bash completes %j at %d with %s', (words, at, expected) => {
  const script = completionScript('bash', ALL)
  const line = words.map((word) => `"${word}"`).join(' ')
  const complete = `${script}\nCOMP_WORDS=(savepoint ${line}); COMP_CWORD=${at}; _savepoint; echo "\${COMPREPLY[*]}"`
  expect(spawnSync('bash', ['-c', complete], { encoding: 'utf8' }).stdout.trim().split(' ')).toContain(
    expected,
  )
})

test('bash does not complete a verb of a group with the options of the group', () => {
  const script = completionScript('bash', ALL)
  const complete = `${script}\nCOMP_WORDS=(savepoint ledger write --f); COMP_CWORD=3; _savepoint; echo "\${COMPREPLY[*]}"`
  expect(spawnSync('bash', ['-c', complete], { encoding: 'utf8' }).stdout.trim()).toBe('')
})

test('fish tells a verb from one of the same name in a group, and a group from its verbs', () => {
  const script = completionScript('fish', ALL)
  const seen = (words: string) => `__fish_seen_subcommand_from ${words}`
  expect(script).toContain(`-n '${seen('ledger')}; and not ${seen('write history')}' -a`)
  expect(script).toContain(`-n '${seen('ledger')}; and ${seen('write')}' -a`)
  expect(script).toContain(`-n '${seen('show')}; and not ${seen('run')}' -a`)
})

test('a flag whose name begins with "no" is a flag', () => {
  expect(read(['dashboard', '--no-open'])).toEqual({ dashboard: { noOpen: true } })
  expect(read(['dashboard'])).toEqual({ dashboard: { noOpen: false } })
})

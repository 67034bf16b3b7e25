import type { Ports } from '../../core/ports.ts'
import { asReason, type ReasonError, usageError } from '../../core/reason.ts'
import { hasStyleMarks, markStyle, renderStyles, type Style } from '../../core/style.ts'
import { visibleLines } from '../../core/visible.ts'
import { wrapLines } from '../../core/width.ts'
import { afterCommit } from '../../engine/context/context.ts'
import { optionName, parseInput } from '../../verbs/define/field.ts'
import { makeScreen, type ScreenTraits } from '../../verbs/define/screen.ts'
import type { Failure, Verb } from '../../verbs/define/verb.ts'
import { performOnce } from '../../verbs/perform.ts'
import { GROUPS, isVerbName, loadVerb, loadVerbs, OTHER_WORDS } from '../../verbs/table.ts'
import type { ServeDashboard } from '../process/dashboard-command.ts'
import { realPorts } from '../process/real-ports.ts'
import type { CommandRequest } from './command-line.ts'
import { askOf, NOBODY, type Person } from './person.ts'
import { progressBar } from './progress-bar.ts'

export interface Door {
  words: string[]
  /** Asked for only inside: the folder may be gone. */
  readonly cwd: string
  env: Readonly<Record<string, string | undefined>>
  version: string
  /** Asked for only where help is shown. */
  readonly width: number
  /** What stdout and stderr are shown on. Asked for late: to look at a terminal costs time. */
  readonly screen: ScreenTraits
  readonly errScreen: ScreenTraits
  readInput(): Promise<string>
  /** Throws where bytes cannot be written; words that cannot be are told by the exit code. */
  out(text: string | Uint8Array): void
  err(text: string): void
  /** Serves the page; absent where nothing can be served. */
  dashboard?: ServeDashboard
}

/** The command line: parses the words, performs one verb, prints text or JSON and returns the exit code. */
export async function runCommandLine(
  door: Door,
  person: Person = NOBODY,
  ports: Ports = realPorts,
): Promise<number> {
  const dashes = door.words.indexOf('--')
  const json = door.words.slice(0, dashes < 0 ? undefined : dashes).includes('--json')
  const notices: string[] = []
  const bar = progressBar({ write: door.err, columns: () => person.columns, now: ports.now })
  try {
    const [first, shell = '-'] = door.words
    if (first === 'completion' && shell !== 'names' && !shell.startsWith('-')) {
      const { completionScript } = await import('./completion.ts')
      door.out(completionScript(shell, await loadVerbs()))
      return 0
    }
    if (door.words.length === 1 && /^(?:-V|--version)$/.test(door.words[0] ?? '')) {
      door.out(`${door.version}\n`)
      return 0
    }
    const asked = await requestOf(door)
    if ('text' in asked) {
      const write = asked.exit === 0 ? door.out : door.err
      const { hasColour } = asked.exit === 0 ? door.screen : door.errScreen
      write(hasColour ? renderStyles(asked.text) : asked.text)
      return asked.exit
    }
    if ('dashboard' in asked) {
      if (door.dashboard === undefined) throw usageError('there is no page to serve here')
      const { cwd, env, version, out, err } = door
      await door.dashboard(asked.dashboard, { cwd, env, version, json, out, err })
      return 0
    }
    const { verb, raw } = asked.call
    const input = parseInput(verb.fields, raw)
    const { cwd, env, readInput } = door
    const ask = askOf(person, { env, json, input, notices })
    const { progress } = bar
    const request = { cwd, env, ports, readInput, writeOutput: door.out, ask, progress, notices }
    const result = await performOnce(verb, request, input).finally(bar.end)
    const failure = verb.failure?.(result) ?? null
    const words = json ? '' : await wordsOf(verb, result, door, notices)
    sayNotices(door, notices)
    const isAside = verb.aside?.(result) ?? false
    if (json) door.out(`${isAside ? '\n' : ''}${JSON.stringify(answer(result, failure, notices))}\n`)
    else (isAside ? door.err : door.out)(words)
    return failure?.exit ?? 0
  } catch (error) {
    const reason = asReason(error)
    sayNotices(door, notices)
    if (json) door.out(`${JSON.stringify(refusal(reason, notices))}\n`)
    else door.err(sayFailure(reason, door))
    return reason.exitCode
  }
}

/** What was done is done: an answer that cannot be put into words is given as it is. */
async function wordsOf(verb: Verb, result: unknown, door: Door, notices: string[]): Promise<string> {
  const told = await afterCommit({ notices }, 'Putting the answer into words', async () => {
    const traits = verb.aside?.(result) ? door.errScreen : door.screen
    const exact = verb.exact?.(result) ?? null
    const { columns = Number.POSITIVE_INFINITY } = traits
    if (exact !== null && columns === Number.POSITIVE_INFINITY) return exact
    // Saved text that has marks of a style would choose its own colours: such an answer has none.
    const hasColour = traits.hasColour === true && !hasStyleMarks(JSON.stringify(result))
    const words = visibleLines(verb.say(result, makeScreen({ ...traits, hasColour })))
    // A text of its own is left as it is: who copies it from the screen gets its lines.
    const lines = exact === null ? wrapLines(words, columns) : words
    return `${hasColour ? renderStyles(lines) : lines}\n`
  })
  return told ?? `${visibleLines(JSON.stringify(result))}\n`
}

/** No words at all ask how things stand; a word that was a verb once, or is a command of a format, asks for what it was. */
export function verbWords(words: string[]): string[] {
  if (words.every((word) => word === '--json')) return ['status', ...words]
  const [first = '', ...rest] = words
  const meant = Object.hasOwn(OTHER_WORDS, first) ? OTHER_WORDS[first] : undefined
  return meant ? [...meant, ...rest] : words
}

async function requestOf(door: Door): Promise<CommandRequest> {
  const words = verbWords(door.words)
  const [first = '', second = '', third] = words
  if (first === 'completion' && second === 'names') {
    const { completionNames } = await import('./completion-names.ts')
    // `as`: as in the table of verbs, its input and its result belong together.
    return { call: { verb: completionNames as unknown as Verb, raw: { kind: third } } }
  }
  const name = [`${first} ${second}`, first].find(isVerbName)
  const verb = name === undefined ? null : await loadVerb(name)
  const raw = verb && readPlainWords(words, verb)
  if (verb && raw) return { call: { verb, raw } }
  const { readCommandLine } = await import('./command-line.ts')
  const isAlone = verb && !(name === first && Object.hasOwn(GROUPS, first))
  const verbs = isAlone ? [verb] : verbsOf(first, await loadVerbs())
  return readCommandLine(words, verbs, {
    version: door.version,
    get width() {
      return door.width
    },
    paint: (style, text) => makeScreen(door.screen).paint(style, text),
  })
}

/** The verbs of a group, or all of them: help and a suggestion need those that were not meant, too. */
export function verbsOf(first: string, all: readonly Verb[]): readonly Verb[] {
  const verbs = all.filter(({ name }) => name === first || name.startsWith(`${first} `))
  return verbs.length > 0 ? verbs : all
}

/** The result as JSON, with the words of a failure where it is bad news. */
function answer(result: unknown, failure: Failure | null, notices: string[]): object {
  const { exit: _exit, ...words } = failure ?? { exit: 0 }
  return { ok: failure === null, ...words, ...Object(result), ...(notices.length > 0 ? { notices } : {}) }
}

const refusal = (reason: ReasonError, notices: string[]) => ({
  ok: false,
  ...reason.toJSON(),
  ...(notices.length > 0 ? { notices } : {}),
})

/** Words of the program itself, on stderr: marked where their text has no marks of its own. */
const onStderr = ({ errScreen }: Door, style: Style, text: string) =>
  errScreen.hasColour && !hasStyleMarks(text) ? renderStyles(markStyle(style, text)) : text

const wrapStderr = ({ errScreen }: Door, text: string) =>
  wrapLines(visibleLines(text), errScreen.columns ?? Number.POSITIVE_INFINITY)

function sayNotices(door: Door, notices: readonly string[]): void {
  for (const notice of new Set(notices))
    door.err(
      `${wrapStderr(door, `savepoint: ${notice}`).replace(/^savepoint:/, (name) => onStderr(door, 'faint', name))}\n`,
    )
}

function sayFailure(error: ReasonError, door: Door): string {
  const isDebug = door.env.SAVEPOINT_DEBUG !== undefined
  const trace = isDebug ? `${(error.cause instanceof Error ? error.cause : error).stack}\n` : ''
  const words = wrapStderr(door, `savepoint: ${error.message}\n  ${error.hint}`)
  return [
    `${words.replace(/^savepoint:/, (name) => onStderr(door, 'bad', name))}\n`,
    `${onStderr(door, 'faint', `  (${error.reason})`)}\n${trace}`,
  ].join('')
}

/**
 * Words that need no parser: a verb, and after it nothing but its flags. Null for all others: the parser knows what
 * to say about every mistake, but to load it takes a tenth of the time that Node itself needs to start.
 */
export function readPlainWords(
  words: readonly string[],
  { name, fields }: Verb,
): Record<string, unknown> | null {
  const flags = new Map<string, string | null>([['--json', null]])
  for (const [field, { kind, required }] of Object.entries(fields)) {
    if (required) return null
    if (kind === 'flag') flags.set(`--${optionName(field)}`, field)
  }
  const raw: Record<string, unknown> = {}
  for (const word of words.slice(name.split(' ').length)) {
    const field = flags.get(word)
    if (field === undefined) return null
    if (field !== null) raw[field] = true
  }
  return raw
}

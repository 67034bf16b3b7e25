import { Command, CommanderError, Option } from 'commander'
import { AGENTS } from '../../agents/table.ts'
import { ReasonError } from '../../core/reason.ts'
import { nearestName } from '../../core/text.ts'
import { describeField, type Field, optionName, parseInput } from '../../verbs/define/field.ts'
import { descriptionOf, type Verb } from '../../verbs/define/verb.ts'
import { GROUPS, OTHER_WORDS } from '../../verbs/table.ts'
import { DASHBOARD_COMMAND, type DashboardInput } from '../process/dashboard-command.ts'
import { AGAIN, addExamples, HELP_LAYOUT, type HelpScreen, helpOverview, helpTopicOf } from './help.ts'

/** What a command line asks for: a verb to perform, or text to show. */
export type CommandRequest = { call: Call } | { dashboard: DashboardInput } | { text: string; exit: number }

const MCP = `Serve the tools of agents (Model Context Protocol over stdin and stdout), until stdin is closed. An agent starts it: \`savepoint init --plugin\` sets that up for ${AGENTS.map(({ label }) => label).join(', ')}, docs/mcp.md shows it for others.`

/** How each shell reads its script at every start. */
const COMPLETIONS = [
  `echo 'eval "$(savepoint completion bash)"' >> ~/.bashrc`,
  `echo 'eval "$(savepoint completion zsh)"' >> ~/.zshrc`,
  'savepoint completion fish > ~/.config/fish/completions/savepoint.fish',
]

/** Reads the words. Help and version are texts; a wrong word is a `usage_invalid` with a suggestion. */
export function readCommandLine(words: string[], verbs: readonly Verb[], screen: HelpScreen): CommandRequest {
  let call: CommandRequest | null = null
  let text = ''
  const program = new Command('savepoint')
    .description(
      'The save-game of coding agents: durable checkpoints, and a verified way back into the work.',
    )
    .version(screen.version, '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .showSuggestionAfterError(true)
    // An option after a verb of a group belongs to that verb, also where the group has one of the same name.
    .enablePositionalOptions()
  const groups = new Map<string, Command>()
  for (const verb of verbs)
    addVerb(commandOf(program, groups, verb, verbs), verb, screen, (raw) => {
      call = { call: { verb, raw } }
    })
  addVerb(program.command(DASHBOARD_COMMAND.name), DASHBOARD_COMMAND, screen, (raw) => {
    call = { dashboard: parseInput(DASHBOARD_COMMAND.fields, raw) }
  })
  const mcp = program
    .command('mcp')
    .argument(
      '[folder]',
      'the workspace; the project of the agent that starts it, else the folder it runs in',
    )
    .summary('Serve tools to an agent (MCP over stdin and stdout)')
    .description(MCP)
    .action(() => undefined)
  addExamples(mcp, [...AGENTS.map(({ addTools }) => addTools), 'savepoint mcp ~/src/shop'], screen)
  const completion = program
    .command('completion')
    .argument('<shell>', 'bash, zsh or fish')
    .summary('Print a completion script for a shell')
    .description('Print a completion script for a shell. It completes commands, options, and names of work.')
    .action(() => undefined)
  addExamples(completion, COMPLETIONS, screen)
  silence(program, screen, (more) => {
    text += more
  })
  const topic = helpTopicOf(words)
  if (topic !== null) return { text: helpOverview(program, topic, screen), exit: 0 }
  try {
    program.parse(asHelpOption(withDashes(words, verbs), groups), { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    const isHelp = error.code.startsWith('commander.help') || error.code === 'commander.version'
    if (isHelp) return { text, exit: error.exitCode === 0 ? 0 : 2 }
    const [first = '', second = '-'] = words
    // Where a group is a verb itself, a word too many was to be one of the others.
    if (error.code === 'commander.excessArguments' && groups.has(first) && !second.startsWith('-')) {
      const others = verbs.filter(({ name }) => name !== first)
      if (others.length < verbs.length) return readCommandLine(words, others, screen)
    }
    const told = error.message.replace(/^error: /, '').replace(/\n/g, ' ')
    const [, unknown, near = ''] =
      /^unknown command '(.*?)'(?:.*Did you mean (?:one of )?(.+?)\?)?/.exec(told) ?? []
    const problem =
      unknown === undefined
        ? told
        : sayUnknownCommand(unknown, groups.has(first) ? first : null, near.split(', '))
    const meant = [`${first} ${second}`, first]
      .map((name) => verbs.find((verb) => verb.name === name))
      .find((found) => found !== undefined)
    const takesCommand = Object.values(meant?.fields ?? {}).some(
      ({ kind, required }) => kind === 'words' && required,
    )
    throw new ReasonError('usage_invalid', {
      problem:
        takesCommand && error.code === 'commander.unknownOption'
          ? `${problem}; write -- before the command that is to be run`
          : problem,
    })
  }
  return call ?? { text: helpOverview(program, 'first', screen), exit: 2 }
}

/** A command that follows a word which may be left out says where it begins. */
function withDashes(words: string[], verbs: readonly Verb[]): string[] {
  const fields = verbs.length === 1 ? Object.values(verbs[0]?.fields ?? {}) : []
  const isCommand =
    fields.some(({ mayBeLeftOut }) => mayBeLeftOut) && fields.some(({ kind }) => kind === 'words')
  const at = words.indexOf('--')
  return isCommand && at !== -1 ? words.toSpliced(at + 1, 0, DASHES) : words
}

/** `help run step` and `run help step` ask for what `run step --help` shows. */
function asHelpOption(words: string[], groups: ReadonlyMap<string, Command>): string[] {
  const [first = '', second] = words
  if (first === 'help') return [...words.slice(1), '--help']
  return groups.has(first) && second === 'help' ? [first, ...words.slice(2), '--help'] : words
}

/** The command that a verb is added to: in a group, of its own, or the group itself where it bears the same name. */
function commandOf(
  program: Command,
  groups: Map<string, Command>,
  { name }: Verb,
  verbs: readonly Verb[],
): Command {
  const [first = '', second] = name.split(' ')
  const isInGroup = second !== undefined || verbs.some((other) => other.name.startsWith(`${name} `))
  if (!isInGroup) return program.command(name)
  let group = groups.get(first)
  if (group === undefined) {
    const about = Object.hasOwn(GROUPS, first) ? GROUPS[first as keyof typeof GROUPS] : first
    group = program.command(first).description(about).helpCommand(false)
    groups.set(first, group)
  }
  return second === undefined ? group : group.command(second)
}

/** Nothing is printed and nothing exits inside the parser. */
function silence(command: Command, screen: HelpScreen, write: (text: string) => void): void {
  const width = () => screen.width
  command
    .exitOverride()
    .configureHelp({ ...HELP_LAYOUT, styleTitle: (title) => screen.paint('head', title) })
    .configureOutput({
      writeOut: write,
      // Help that is shown because a word is missing comes this way; errors are told by whoever called.
      writeErr: (more) => (more.startsWith('error:') ? undefined : write(more)),
      getOutHelpWidth: width,
      getErrHelpWidth: width,
    })
  for (const inner of command.commands) silence(inner, screen, write)
}

export interface Call {
  verb: Verb
  raw: Record<string, unknown>
}

/** Gives a command all that a verb has: its words, its options in the order of its fields, its examples. */
function addVerb(
  command: Command,
  verb: Pick<Verb, 'summary' | 'detail' | 'fields' | 'examples' | 'tool'>,
  screen: HelpScreen,
  found: (raw: Call['raw']) => void,
): void {
  command.summary(verb.summary).description(descriptionOf(verb))
  const fields = Object.entries(verb.fields)
  const placed = fields
    .filter(([, field]) => field.at !== undefined)
    .sort(([, a], [, b]) => (a.at ?? 0) - (b.at ?? 0))
  const isShort = placed[0]?.[1].mayBeLeftOut === true
  for (const [name, field] of placed)
    command.argument(argumentForm(name, isShort ? { ...field, required: false } : field), field.about)
  // The parser knows no optional word before required ones: it takes all as optional, and help says what is needed.
  if (isShort)
    command.usage(`[options] ${placed.map(([name, field]) => argumentForm(name, field)).join(' ')}`)
  for (const [name, field] of fields) if (field.at === undefined) command.addOption(optionOf(name, field))
  command.option('--json', 'answer in JSON')
  if (fields.some(([, { kind, at }]) => kind === 'words' && at === undefined))
    command.addHelpText('after', `\n${AGAIN}`)
  addExamples(command, verb.examples, screen)
  if (placed.some(([, field]) => field.kind === 'words')) command.passThroughOptions(false)
  command.action((...given: unknown[]) => {
    const options = command.opts()
    const raw: Record<string, unknown> = {}
    const values = isShort ? withoutFirst(placed, given) : given
    for (const [index, [name]] of placed.entries()) raw[name] = values[index]
    for (const [name, field] of fields) if (field.at === undefined) raw[name] = options[name]
    found(raw)
  })
}

/** Stands where `--` stood, so that it is known whether a word came before it. */
const DASHES = '\0--'

type Placed = ReadonlyArray<readonly [name: string, field: Field]>

/** The values where the first word was left out: before `--`, or because there are just enough for the others. */
function withoutFirst(placed: Placed, given: readonly unknown[]): unknown[] {
  const values = given
    .slice(0, placed.length)
    .flat()
    .filter((value) => value !== undefined)
  const needed = placed.filter(([, { required }]) => required).length
  // A command to run is never guessed: `run exec r1` lacks it.
  const isLeftOut = placed.some(([, { kind }]) => kind === 'words')
    ? values[0] === DASHES
    : needed > 0 && values.length <= needed
  const rest = values.filter((value) => value !== DASHES)
  const all = isLeftOut ? [undefined, ...rest] : rest
  return placed.map(([, { kind }], at) => (kind === 'words' ? all.slice(at) : all[at]))
}

function argumentForm(
  name: string,
  field: Pick<Field, 'kind' | 'label'> & { required?: boolean; choices?: readonly string[] },
): string {
  const word = field.choices?.join('|') ?? field.label ?? optionName(name)
  const dots = field.kind === 'words' ? '...' : ''
  return field.required ? `<${word}${dots}>` : `[${word}${dots}]`
}

/** Required options are checked with all other values, so that every door says the same. */
function optionOf(name: string, field: Field): Option {
  const flag = `--${optionName(name)}`
  // The parser would read `--no-open` as the opposite of an option `open`; here it is a flag like any other.
  if (field.kind === 'flag') return Object.assign(new Option(flag, field.about), { negate: false })
  const value = 'value' in field && field.value ? field.value : 'VALUE'
  if (field.kind === 'words')
    return new Option(`${flag} <${value}>`, field.about).argParser(
      (word: string, before: string[] | undefined) => [...(before ?? []), word],
    )
  return new Option(`${flag} <${value}>`, `${describeField(field)}${field.required ? ' (required)' : ''}`)
}

/** What people type who know other programs, and what it is called here. */
const KNOWN_ELSEWHERE: Readonly<Record<string, string>> = {
  ...{ revert: 'undo', rollback: 'undo', back: 'undo', redo: 'undo --redo' },
  ...{ commit: 'save', add: 'save', store: 'save', brief: 'resume', continue: 'resume', load: 'resume' },
  ...{ ls: 'list', log: 'show --history', history: 'show --history', delete: 'remove', rm: 'remove' },
  ...{ find: 'search', grep: 'search', why: 'search', cat: 'show', view: 'show', mv: 'rename' },
  ...{ setup: 'init', install: 'init', check: 'doctor', repair: 'doctor --fix', fix: 'doctor --fix' },
  ...{
    session: 'sessions',
    settings: 'config explain',
    done: 'archive',
    close: 'archive',
    finish: 'archive',
  },
  ...{ branch: 'fork', switch: 'focus', checkout: 'focus', use: 'focus' },
}

/** What is said of a word that is no command: the one that is meant, or where all of them are listed. */
function sayUnknownCommand(word: string, group: string | null, near: readonly string[]): string {
  const known = group === null && Object.hasOwn(KNOWN_ELSEWHERE, word) ? KNOWN_ELSEWHERE[word] : undefined
  const old = group === null ? nearestName(word, Object.keys(OTHER_WORDS)) : null
  // A slip of the finger seldom is in the first letter: a word that begins otherwise is another word.
  const meant =
    known ??
    [...near, ...(old === null ? [] : [old])].find((name) => name.charAt(0) === word.charAt(0).toLowerCase())
  return meant === undefined
    ? `unknown command '${word}'. See: savepoint ${group === null ? '' : `${group} `}--help`
    : `unknown command '${word}' (Did you mean ${meant}?)`
}

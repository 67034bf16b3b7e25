import { Command, CommanderError, Option } from 'commander'
import { ReasonError } from '../../core/reason.ts'
import { type Field, optionName } from '../../operations/field.ts'
import type { Operation } from '../../operations/operation.ts'
import { GROUPS } from '../../operations/table.ts'

export interface Call {
  operation: Operation
  raw: Record<string, unknown>
}

/** What the words of a command line ask for: an operation to perform, or text to show. */
export type Request = { call: Call } | { text: string; exit: number }

/** Reads the words. Help and version are texts; a wrong word is a `usage_invalid` with a suggestion. */
export function readCommandLine(
  words: string[],
  operations: readonly Operation[],
  screen: { readonly version: string; readonly width: number },
): Request {
  let call: Call | null = null
  let text = ''
  const program = new Command('savepoint')
    .description(
      'The save-game of coding agents: durable checkpoints, and a verified way back into the work.',
    )
    .version(screen.version, '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .showSuggestionAfterError(true)
    .addHelpText('after', `\nBegin with:\n  savepoint new my-work --current\n  savepoint run start plan.md\n`)
  const groups = new Map<string, Command>()
  for (const operation of operations) {
    const words = operation.name.split(' ')
    const verb = words.at(-1) ?? operation.name
    const parent = words.length === 1 ? program : groupOf(program, groups, words[0] ?? '')
    addOperation(parent.command(verb), operation, (found) => {
      call = found
    })
  }
  program
    .command('completion')
    .argument('<shell>', 'bash, zsh or fish')
    .summary('print a completion script')
    .description('Print a completion script for a shell.')
    .action(() => undefined)
  quiet(
    program,
    () => screen.width,
    (more) => {
      text += more
    },
  )
  try {
    program.parse(asHelpOption(words, groups), { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    const isHelp = error.code.startsWith('commander.help') || error.code === 'commander.version'
    if (isHelp) return { text, exit: error.exitCode === 0 ? 0 : 2 }
    const problem = error.message.replace(/^error: /, '').replace(/\n/g, ' ')
    const meant = operations.find(({ name }) => words.join(' ').startsWith(`${name} `))
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
  return call ? { call } : { text: program.helpInformation(), exit: 2 }
}

/** `help run step` and `run help step` ask for what `run step --help` shows. */
function asHelpOption(words: string[], groups: ReadonlyMap<string, Command>): string[] {
  const [first = '', second] = words
  if (first === 'help') return [...words.slice(1), '--help']
  return groups.has(first) && second === 'help' ? [first, ...words.slice(2), '--help'] : words
}

function groupOf(program: Command, groups: Map<string, Command>, name: string): Command {
  const known = groups.get(name)
  if (known) return known
  const about = Object.hasOwn(GROUPS, name) ? GROUPS[name as keyof typeof GROUPS] : name
  const made = program.command(name).description(about).helpCommand(false)
  groups.set(name, made)
  return made
}

function addOperation(command: Command, operation: Operation, found: (call: Call) => void): void {
  command
    .summary(operation.summary)
    .description([operation.summary, operation.detail].filter(Boolean).join('. '))
  const fields = Object.entries(operation.fields)
  const placed = fields
    .filter(([, field]) => field.at !== undefined)
    .sort(([, a], [, b]) => (a.at ?? 0) - (b.at ?? 0))
  for (const [name, field] of placed) command.argument(argumentForm(name, field), field.about)
  for (const [name, field] of fields) if (field.at === undefined) command.addOption(optionOf(name, field))
  command.option('--json', 'answer in JSON')
  command.addHelpText('after', `\nExamples:\n${operation.examples.map((line) => `  ${line}`).join('\n')}\n`)
  if (placed.some(([, field]) => field.kind === 'words')) command.passThroughOptions(false)
  command.action((...given: unknown[]) => {
    const options = command.opts()
    const raw: Record<string, unknown> = {}
    for (const [index, [name]] of placed.entries()) raw[name] = given[index]
    for (const [name, field] of fields) if (field.at === undefined) raw[name] = options[name]
    found({ operation, raw })
  })
}

function argumentForm(name: string, field: Field): string {
  const word = field.kind === 'choice' ? field.choices.join('|') : optionName(name)
  const dots = field.kind === 'words' ? '...' : ''
  return field.required ? `<${word}${dots}>` : `[${word}${dots}]`
}

/** Required options are checked with all other values, so that every door says the same. */
function optionOf(name: string, field: Field): Option {
  const flag = `--${optionName(name)}`
  if (field.kind === 'flag') return new Option(flag, field.about)
  const value = 'value' in field && field.value ? field.value : 'VALUE'
  if (field.kind === 'words')
    return new Option(`${flag} <${value}>`, `${field.about} (may be given again)`).argParser(
      (word: string, before: string[] | undefined) => [...(before ?? []), word],
    )
  return new Option(`${flag} <${value}>`, `${field.about}${field.required ? ' (required)' : ''}`)
}

/** Nothing is printed and nothing exits inside the parser. */
function quiet(command: Command, width: () => number, write: (text: string) => void): void {
  command
    .exitOverride()
    .configureHelp({ minWidthToWrap: 15 })
    .configureOutput({
      writeOut: write,
      // Help that is shown because a word is missing comes this way; errors are told by whoever called.
      writeErr: (more) => (more.startsWith('error:') ? undefined : write(more)),
      getOutHelpWidth: width,
      getErrHelpWidth: width,
    })
  for (const inner of command.commands) quiet(inner, width, write)
}

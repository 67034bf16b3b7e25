import type { Command, Help, Option } from 'commander'
import { widthOf, wrapWidth } from '../../core/width.ts'
import type { Screen } from '../../verbs/define/screen.ts'
import { HELP_TOPICS } from '../../verbs/table.ts'

export interface HelpScreen extends Pick<Screen, 'paint'> {
  readonly version: string
  readonly width: number
}

/** A narrower column of words is harder to read than words on a line of their own. */
const LEAST_COLUMN = 24

/** Stands once below the options, because a long list of them would say it in every line. */
export const AGAIN = 'An option with ... may be given again.'

/** How help is set, in every command. */
export const HELP_LAYOUT = { minWidthToWrap: 15, formatItem, optionTerm }

/** What is typed, and beside it, or below it where the screen is narrow, what it does. */
function formatItem(term: string, termWidth: number, description: string, helper: Help): string {
  if (description === '') return `  ${term}`
  const width = helper.helpWidth ?? 80
  const beside = width - termWidth - 4
  const [room, indent, start] =
    beside >= LEAST_COLUMN
      ? [beside, termWidth + 4, `  ${term.padEnd(termWidth)}  `]
      : [width - 6, 6, `  ${term}\n      `]
  return start + helper.boxWrap(description, room).replaceAll('\n', `\n${' '.repeat(indent)}`)
}

/** Only options that gather their values parse them. */
function optionTerm({ flags, parseArg }: Option): string {
  return parseArg ? `${flags}...` : flags
}

/** Examples below all else, each a command that can be copied. */
export function addExamples(command: Command, examples: readonly string[], screen: HelpScreen): void {
  command.addHelpText('after', () => {
    const lines = examples.map((line) => `  ${wrapCommand(line, screen.width - 2)}`)
    return `\n${screen.paint('head', 'Examples:')}\n${lines.join('\n')}\n`
  })
}

/** A command over several lines, as a shell takes them: never inside of quotes. */
function wrapCommand(line: string, columns: number): string {
  const rows: string[] = []
  for (const word of line.match(/(?:"[^"]*"|'[^']*'|\S)+/g) ?? []) {
    const row = rows.at(-1)
    if (row !== undefined && widthOf(row) + 1 + widthOf(word) <= columns - 6)
      rows[rows.length - 1] = `${row} ${word}`
    else rows.push(word)
  }
  return widthOf(line) <= columns ? line : rows.join(' \\\n      ')
}

/** What help is asked for: what is seen first, one topic, or all. */
export type HelpTopicName = 'first' | 'all' | keyof typeof HELP_TOPICS

const HEAD = 'Savepoint saves the state of work with a coding agent, and briefs the next session.'

const MORE = [
  ['savepoint dashboard', 'all work, sessions and runs in the browser'],
  ['savepoint help <topic>', [...Object.keys(HELP_TOPICS), 'all'].join(', ')],
  ['savepoint <command> --help', 'its options, with examples'],
] as const
const COMMAND = Math.max(...MORE.map(([command]) => command.length))

/** The topic that words ask for, where they ask for no single command; null where they do. */
export function helpTopicOf(words: readonly string[]): HelpTopicName | null {
  const [first = '', second] = words
  const isHelp = (word: string) => word === 'help' || word === '--help' || word === '-h'
  if (!isHelp(first)) return null
  if (second === undefined) return 'first'
  if (second === '--all' || second === 'all') return 'all'
  return Object.hasOwn(HELP_TOPICS, second) ? second : null
}

/** The commands of a topic, or those of every topic that are seen first, each in a line. */
export function helpOverview(program: Command, topic: HelpTopicName, { width, paint }: HelpScreen): string {
  const describeCommand = (command: Command) => command.summary() || command.description()
  const commands = new Map(
    program.commands.flatMap((command) => [
      [command.name(), describeCommand(command)] as const,
      ...command.commands.map(
        (inner) => [`${command.name()} ${inner.name()}`, describeCommand(inner)] as const,
      ),
    ]),
  )
  // Help of one topic has room for the verbs of a group.
  const withInner = (name: string) => [
    name,
    ...[...commands.keys()].filter((other) => other.startsWith(`${name} `)),
  ]
  const listed = Object.values(HELP_TOPICS).flatMap(({ verbs }) => verbs)
  const others = [...commands.keys()].filter((name) => !name.includes(' ') && !listed.includes(name))
  const topics = Object.entries(HELP_TOPICS)
    .filter(([name]) => topic === 'first' || topic === 'all' || topic === name)
    .map(([name, { title, verbs, first }]) => ({
      ...{ name, title },
      names: topic === 'first' ? verbs.slice(0, first) : topic === 'all' ? verbs : verbs.flatMap(withInner),
    }))
  const groups = [...topics, ...(topic === 'all' ? [{ name: 'all', title: 'Plumbing', names: others }] : [])]
  const wide = Math.max(...groups.flatMap(({ names }) => names.map((name) => name.length)))
  const line = (name: string) => {
    const [start = '', ...rest] = wrapWidth(commands.get(name) ?? '', Math.max(20, width - wide - 4))
    return [`  ${name.padEnd(wide)}  ${start}`, ...rest.map((more) => `${' '.repeat(wide + 4)}${more}`)]
  }
  return [
    ...(topic === 'first' ? [...wrapWidth(HEAD, width), '', 'Usage: savepoint <command> [options]'] : []),
    ...groups.flatMap(({ name, title, names }) => [
      ...['', paint('head', title)],
      ...(names.length === 0 ? [`  savepoint help ${name}`] : names.flatMap(line)),
    ]),
    ...['', paint('head', 'More'), ...MORE.flatMap((row) => sayMore(row, width)), ''],
  ]
    .join('\n')
    .replace(/^\n/, '')
}

/** A command and what it shows, or below it where the screen is narrow. */
const sayMore = ([command, about]: readonly [string, string], width: number) =>
  width < 4 + COMMAND + about.length
    ? [`  ${command}`, ...wrapWidth(about, width - 6).map((line) => `      ${line}`)]
    : [`  ${command.padEnd(COMMAND)}  ${about}`]

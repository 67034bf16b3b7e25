import type { Command } from 'commander'
import { wrapWidth } from '../../core/width.ts'
import { HELP_TOPICS } from '../../verbs/table.ts'
import type { HelpScreen } from './help-layout.ts'

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

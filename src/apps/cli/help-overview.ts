import type { Command } from 'commander'
import { wrapWidth } from '../../core/width.ts'
import { HELP_TOPICS } from '../../verbs/table.ts'

/** What help is asked for: what is seen first, one topic, or all. */
export type HelpTopicName = 'first' | 'all' | keyof typeof HELP_TOPICS

const HEAD = 'Savepoint saves where work with a coding agent stands, and tells the next session.'

const MORE = [
  `savepoint help <topic>      ${[...Object.keys(HELP_TOPICS), 'all'].join(', ')}`,
  'savepoint <command> --help  its options, with examples',
]

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
export function helpOverview(program: Command, topic: HelpTopicName, width: number): string {
  const commands = new Map(
    program.commands.map((command) => [command.name(), command.summary() || command.description()]),
  )
  const listed = Object.values(HELP_TOPICS).flatMap(({ verbs }) => verbs)
  const others = [...commands.keys()].filter((name) => !listed.includes(name))
  const topics = Object.entries(HELP_TOPICS)
    .filter(([name]) => topic === 'first' || topic === 'all' || topic === name)
    .map(([, { title, verbs, first }]) => ({
      title,
      names: topic === 'first' ? verbs.slice(0, first) : verbs,
    }))
  const groups = [...topics, { title: 'Plumbing', names: topic === 'all' ? others : [] }].filter(
    ({ names }) => names.length > 0,
  )
  const wide = Math.max(...groups.flatMap(({ names }) => names.map((name) => name.length)))
  const line = (name: string) => {
    const [start = '', ...rest] = wrapWidth(commands.get(name) ?? '', Math.max(20, width - wide - 4))
    return [`  ${name.padEnd(wide)}  ${start}`, ...rest.map((more) => `${' '.repeat(wide + 4)}${more}`)]
  }
  return [
    ...(topic === 'first' ? [...wrapWidth(HEAD, width), '', 'Usage: savepoint <command> [options]'] : []),
    ...groups.flatMap(({ title, names }) => ['', title, ...names.flatMap(line)]),
    ...['', 'More', ...MORE.map((command) => `  ${command}`), ''],
  ]
    .join('\n')
    .replace(/^\n/, '')
}

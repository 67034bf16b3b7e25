import type { Command, Help, Option } from 'commander'
import { widthOf } from '../../core/width.ts'
import type { Screen } from '../../verbs/define/screen.ts'

/** What help is shown on. */
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

import type { Help, Option } from 'commander'

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

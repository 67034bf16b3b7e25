import { type ContextUse, type Statistics, totalTokens } from '../../core/session.ts'
import { formatCount } from '../../core/text.ts'
import { visibleLine } from '../../core/visible.ts'
import { shortNumber } from './session-text.ts'

type Rows = Array<[name: string, text: string]>

const MOST_FILES = 10
const MOST_TOOLS = 12

/** What a session did, in names and words; what it did not do is left out. */
export function statisticsRows(statistics: Statistics): Rows {
  const { tokensConsumed: tokens, filesModified: files, tasksCompleted, tasksFailed } = statistics
  const { toolUsageCounts, unknownLines, gitCommits, subagentsLaunched } = statistics
  const unknown = Object.entries(unknownLines).sort(mostFirst)
  const tools = Object.entries(toolUsageCounts).sort(mostFirst)
  const rows: Rows = [
    ['Tokens', sayTokens(tokens)],
    ['Calls', String(statistics.apiCalls)],
    ['Tasks', `${tasksCompleted} completed, ${tasksFailed} failed`],
    ['Tools', listTexts(tools.map(sayCount), MOST_TOOLS)],
    [
      'Files',
      files.length === 0 ? 'none' : `${files.length}: ${listTexts(files.map(visibleLine), MOST_FILES)}`,
    ],
    ['Commits', String(gitCommits)],
    ['Helpers', String(subagentsLaunched)],
  ]
  if (unknown.length > 0) {
    const lines = unknown.reduce((sum, [, times]) => sum + times, 0)
    rows.push([
      'Unknown',
      `${formatCount(lines, 'line')} of kinds that are not known: ${listTexts(unknown.map(sayCount), MOST_TOOLS)}`,
    ])
  }
  return rows.filter(([, text]) => text !== '')
}

const sayTokens = (tokens: Statistics['tokensConsumed']) =>
  `${groupDigits(totalTokens(tokens))} (${shortNumber(tokens.input)} input, ${shortNumber(tokens.output)} output, ${shortNumber(tokens.cacheRead)} cache read, ${shortNumber(tokens.cacheCreation)} cache written)`

/** How full the window is, as far as that is known. */
export function sayContext({ tokens, window, model }: ContextUse): string {
  const full = window === null ? '' : ` of ${shortNumber(window)} (${Math.floor((tokens / window) * 100)} %)`
  return `${shortNumber(tokens)}${full} at the last call${model === '' ? '' : `, ${visibleLine(model)}`}`
}

type NamedCount = [name: string, times: number]

const mostFirst = ([one, times]: NamedCount, [other, otherTimes]: NamedCount) =>
  otherTimes - times || (one < other ? -1 : 1)

const sayCount = ([name, times]: NamedCount) => `${visibleLine(name)} ${times}`

const listTexts = (texts: readonly string[], most: number) =>
  [...texts.slice(0, most), ...(texts.length > most ? [`${texts.length - most} more`] : [])].join(', ')

/** `1,234,567`. */
const groupDigits = (number: number) => String(number).replace(/\B(?=(?:\d{3})+$)/g, ',')

import { type ContextUse, type Statistics, totalTokens } from '../../core/session.ts'
import { count } from '../../core/text.ts'
import { oneLine } from '../../core/visible.ts'
import { short } from './session-text.ts'

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
    ['Tools', listed(tools.map(told), MOST_TOOLS)],
    ['Files', files.length === 0 ? 'none' : `${files.length}: ${listed(files.map(oneLine), MOST_FILES)}`],
    ['Commits', String(gitCommits)],
    ['Helpers', String(subagentsLaunched)],
  ]
  if (unknown.length > 0) {
    const lines = unknown.reduce((sum, [, times]) => sum + times, 0)
    rows.push([
      'Unknown',
      `${count(lines, 'line')} of kinds that are not known: ${listed(unknown.map(told), MOST_TOOLS)}`,
    ])
  }
  return rows.filter(([, text]) => text !== '')
}

const sayTokens = (tokens: Statistics['tokensConsumed']) =>
  `${grouped(totalTokens(tokens))} (${short(tokens.input)} input, ${short(tokens.output)} output, ${short(tokens.cacheRead)} cache read, ${short(tokens.cacheCreation)} cache written)`

/** How full the window is, as far as that is known. */
export function sayContext({ tokens, window, model }: ContextUse): string {
  const full = window === null ? '' : ` of ${short(window)} (${Math.floor((tokens / window) * 100)} %)`
  return `${short(tokens)}${full} at the last call${model === '' ? '' : `, ${oneLine(model)}`}`
}

type Counted = [name: string, times: number]

const mostFirst = ([one, times]: Counted, [other, otherTimes]: Counted) =>
  otherTimes - times || (one < other ? -1 : 1)

const told = ([name, times]: Counted) => `${oneLine(name)} ${times}`

const listed = (texts: readonly string[], most: number) =>
  [...texts.slice(0, most), ...(texts.length > most ? [`${texts.length - most} more`] : [])].join(', ')

/** `1,234,567`. */
const grouped = (number: number) => String(number).replace(/\B(?=(?:\d{3})+$)/g, ',')

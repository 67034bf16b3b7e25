import { REJECTED } from '../../core/searchable.ts'
import { formatCount } from '../../core/text.ts'
import { visibleLine } from '../../core/visible.ts'
import { clipWidth } from '../../core/width.ts'
import { withoutTags } from '../../formats/brief-md/render.ts'
import type { Screen } from '../define/screen.ts'
import type { FoundAnswer } from './search.ts'

/** Three lines a record: what and where, the words around the match, the command that shows it. */
export function sayFound(answer: FoundAnswer, screen: Screen): string {
  const { columns, paint } = screen
  const { hits, total, more, relaxed, narrowed, foreign } = answer
  const lines = hits.flatMap((hit) => [
    clipWidth(headOf(hit, screen), columns),
    clipWidth(`  ${paintFound(plain(hit.snippet), screen)}`, Math.max(columns, MIN_SNIPPET)),
    `  ${paint('faint', hit.open)}`,
  ])
  return [
    ...(relaxed
      ? [`No exact match${foreign.records > 0 ? ' that may be shown' : ''}; partial matches:`]
      : []),
    ...(hits.length === 0
      ? [`No match${narrowed ? ' with these filters' : ''}. Try fewer words, or a prefix: refresh*`]
      : lines),
    ...sayRest(total - hits.length, more),
    ...sayForeign(foreign),
  ].join('\n')
}

const MIN_SNIPPET = 40

/** The words that were looked for: in colour, else between the marks that a snippet has. */
const paintFound = (snippet: string, { hasColour, paint }: Screen) =>
  hasColour ? snippet.replace(/\*\*(.+?)\*\*/g, (_, word: string) => paint('found', word)) : snippet

function headOf(
  { kind, where, at, branch, archived, superseded, project }: FoundAnswer['hits'][number],
  { time, paint }: Screen,
): string {
  const parts = [
    project === null ? where : `${project}: ${where}`,
    time(at),
    ...(branch === null ? [] : [`on ${branch}`]),
    ...(archived ? ['archived'] : []),
    ...(superseded === null
      ? []
      : [superseded.startsWith(REJECTED) ? superseded : `superseded by: ${superseded}`]),
  ]
  return `${paint('head', kind)}  ${parts.map(plain).join(', ')}`
}

const sayRest = (rest: number, more: boolean): string[] =>
  rest <= 0 && !more
    ? []
    : [
        `${more ? 'More than ' : ''}${formatCount(Math.max(rest, 1), 'more record')} ${rest === 1 && !more ? 'matches' : 'match'}: --limit shows more, --kind, --branch and --since narrow it`,
      ]

/** What nobody has reviewed is not told, only that it is there. */
function sayForeign({ records, work }: FoundAnswer['foreign']): string[] {
  if (records === 0) return []
  const named = work.slice(0, MOST_NAMED).join(' ')
  return [`${formatCount(records, 'record')} not shown until you review: savepoint trust --review ${named}`]
}

const MOST_NAMED = 3

/** One line in which nothing drives a terminal, and no tag begins. */
const plain = (text: string) => withoutTags(visibleLine(text))

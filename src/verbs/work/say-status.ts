import { ageOf, formatCount, shortNumber } from '../../core/text.ts'
import { visible } from '../../core/visible.ts'
import { clipWidth } from '../../core/width.ts'
import { hasDrift } from '../../policy/brief/brief.ts'
import { describeDrift } from '../../policy/brief/brief-words.ts'
import type { Screen } from '../define/screen.ts'
import { type NamedRow, namedRows } from '../say/table.ts'
import { isForeignAlone, type LastSave, type Status } from './gather-status.ts'
import { sayReview } from './say-review.ts'

/** One screen, also on a narrow terminal and in a pipe: a text that goes on and on is cut, a command or a path never. */
export function sayStatus(status: Status, screen: Screen): string {
  const { columns, time } = screen
  const room = columns < NARROW ? columns - NAMES : Math.min(columns, MOST_COLUMNS) * 2 - 24
  const clipLine = (text: string) => clipWidth(visible(first(text)), Math.max(20, room))
  const { saved, focus, branch, commit, note, uncommitted, due, todo, trusted, foreign } = status
  const rows: NamedRow[] = [...(saved ? savedRows(saved, clipLine) : unsavedRows(status))]
  if (focus !== null && focus !== saved?.stream) rows.push(['Focus', focus])
  if (branch !== null) rows.push(['Branch', branch])
  else if (commit !== null) rows.push(['Branch', `none (detached at ${commit.slice(0, 10)})`])
  rows.push(...planRows(status, clipLine))
  if (note) rows.push(['Note', `${ageOf(note.ageMs)} ago, ${note.path}`])
  for (const { path, at, command } of status.found)
    rows.push(['Found', `${path}, ${time(at)}, not saved: ${command}`])
  if (uncommitted) rows.push(['Files', `${uncommitted} uncommitted`])
  rows.push(...sessionRows(status), ...runRows(status))
  if (!trusted && (saved || foreign > 0))
    rows.push(['Trust', 'Not trusted: git checks and document edits are ignored', 'warn'])
  if (foreign > 0)
    rows.push(['Not told', `${formatCount(foreign, 'document')} of the repository: savepoint list`])
  for (const { text } of due) rows.push(['Due', clipLine(text), 'warn'])
  for (const [at, command] of todo.entries()) rows.push([at === 0 ? 'Do now' : '', command, 'good'])
  return namedRows(
    rows.map(([name, text, style]) => [name, visible(text), style]),
    screen,
  )
}

const MOST_COLUMNS = 200
/** Below so many columns each text has one line. */
const NARROW = 60
/** The width of the names, and the space behind them. */
const NAMES = 'Document  '.length

function savedRows(saved: LastSave, clipLine: (text: string) => string): NamedRow[] {
  const rows: NamedRow[] = [
    [
      'Work',
      `${saved.stream} #${saved.sequence}, saved ${ageOf(saved.ageMs)} ago${WHY[saved.why] ?? ''}`,
      'head',
    ],
  ]
  if (saved.document) rows.push(['Document', saved.document])
  if (saved.summary) rows.push(['Now', clipLine(saved.summary)])
  if (saved.next) rows.push(['Next', clipLine(saved.next)])
  if (saved.earlierGoal)
    rows.push(['Earlier', clipLine(`goal of ${saved.earlierGoal.age}: ${saved.earlierGoal.text}`)])
  for (const blocker of saved.blockers.slice(0, 2)) rows.push(['Blocked', clipLine(blocker), 'bad'])
  const open = [
    ...(saved.questions > 0 ? [formatCount(saved.questions, 'question')] : []),
    ...(saved.unconfirmed > 0 ? [`${saved.unconfirmed} unconfirmed`] : []),
  ]
  if (open.length > 0) rows.push(['Open', open.join(', '), 'warn'])
  if (hasDrift(saved.drift)) rows.push(['Drift', describeDrift(saved.drift, clipLine).join(', '), 'warn'])
  return rows
}

/** Why this work and no other, where that is not plain from the branch. */
const WHY: { readonly [Why in LastSave['why']]?: string } = {
  ...{ bound: ' (of this session)', focused: ' (in focus)', plan: ' (of the active plan)' },
}

function unsavedRows(status: Status): NamedRow[] {
  const { offered, candidates, trusted } = status
  if (offered !== null) return [['Work', `${offered} (older, from another branch)`]]
  if (isForeignAlone(status)) return [['Work', `${joinNames(candidates)} ${sayReview(candidates, trusted)}`]]
  return candidates.length > 0 ? [['Work', `Which? ${joinNames(candidates)}`]] : [['Saved', 'nothing yet']]
}

function planRows({ plan }: Status, clipLine: (text: string) => string): NamedRow[] {
  if (plan === null) return []
  const { name, stage, tddPhase } = plan
  const parts = [
    name ?? 'none',
    ...(stage === null ? [] : [`stage ${stage}`]),
    ...(tddPhase === null ? [] : [`TDD ${tddPhase}`]),
  ]
  return [['Plan', clipLine(parts.join(', '))]]
}

function sessionRows({ sessions: { open, stale }, window }: Status): NamedRow[] {
  const rows: NamedRow[] = []
  if (open + stale > 0)
    rows.push([
      'Sessions',
      `${open} open${stale > 0 ? `, ${stale} stale` : ''}`,
      stale > 0 ? 'warn' : undefined,
    ])
  if (window === null || window.used === null) return rows
  const { used, window: size, usedPercent, pressure } = window
  const full = size === null ? '' : ` of ${shortNumber(size)} (${usedPercent} %), ${pressure}`
  return [...rows, ['Window', `${shortNumber(used)}${full}`]]
}

const MOST_RUNS = 3

function runRows({ runs }: Status): NamedRow[] {
  if (runs.length === 0) return []
  const named = runs.slice(0, MOST_RUNS).map(sayRunHere)
  const more = runs.length > MOST_RUNS ? [`${runs.length - MOST_RUNS} more: savepoint run list`] : []
  return [...named, ...more].map((text, at) => [at === 0 ? 'Runs' : '', text])
}

function sayRunHere({ runId, place, status, stepId, stepsDone, steps, ageMs }: Status['runs'][number]) {
  const parts = [
    `${runId} ${status}${stepId === null ? '' : ` at ${stepId}`}`,
    ...(place === 'store' ? [`${stepsDone}/${steps} steps`] : []),
    ...(ageMs === null ? [] : [`${ageOf(ageMs)} ago`]),
    ...(place === 'store' ? [] : [`on disk, not in the store: savepoint import checkpoints/${runId}`]),
  ]
  return parts.join(', ')
}

const joinNames = (candidates: string[]) => candidates.slice(0, 5).join(', ')

const first = (text: string) => text.trim().split(/\r?\n/, 1)[0] ?? ''

import { formatCount } from '../../core/text.ts'
import { visibleLine } from '../../core/visible.ts'
import { wrapWidth } from '../../core/width.ts'
import type { ExplainedLine, LineSource } from '../../policy/brief/explain.ts'
import type { Screen } from '../define/screen.ts'

interface ExplainedBrief extends Record<'sequence' | 'tokens' | 'budget', number> {
  stream: string
  explained: readonly ExplainedLine[]
}

/** Why a section has its place. */
const RANKS = {
  head: 'found just now; always shown',
  must: 'cut last',
  should: 'cut first',
  talk: 'quotes; the oldest are cut first',
} as const satisfies Record<ExplainedLine['rank'], string>

const HOW = {
  save: 'save',
  delta: 'delta',
  handoff: 'handoff',
  document: 'edit of the document,',
  ledger: 'edit of the ledger,',
  import: 'import,',
  session: 'from the session,',
} as const

/** A brief line by line: what each costs, where it comes from, whether it holds, and what changes it. */
export function sayExplained(brief: ExplainedBrief, screen: Screen): string {
  const { columns, paint } = screen
  const { stream, sequence, tokens, budget, explained } = brief
  const told = explained.filter(({ state }) => state === 'told' || state === 'shortened')
  const cut = explained.filter(({ state }) => state === 'cut')
  const sum = (lines: readonly ExplainedLine[]) => lines.reduce((total, one) => total + one.tokens, 0)
  const lines: string[] = [`${stream} #${sequence}: ${tokens} of ${budget} tokens (estimated)`]
  let section: string | null = null
  for (const line of explained) {
    if (line.section !== section) {
      section = line.section
      lines.push(
        '',
        ...wrapAt(columns, `${section || 'On top'} (${RANKS[line.rank]})`, '').map((one) =>
          paint('head', one),
        ),
      )
    }
    lines.push(...sayLine(line, screen))
  }
  const frame = tokens - sum(told)
  const parts = [
    `${formatCount(told.length, 'line')} ${sum(told)} tokens`,
    `headings and frame ${frame}`,
    ...(cut.length > 0 ? [`cut to fit: ${formatCount(cut.length, 'line')}, ${sum(cut)} tokens`] : []),
  ]
  return [...lines, '', ...wrapAt(columns, parts.join('; '), '')].join('\n')
}

const CELL = 7
const CELLS: { readonly [State in ExplainedLine['state']]?: string } = { cut: 'cut', over: 'done' }

function sayLine(
  { text, tokens, state, source, age, rank, mark, note, commands }: ExplainedLine,
  { columns, paint }: Screen,
): string[] {
  const cell = (CELLS[state] ?? String(tokens)).padStart(CELL - 2).padEnd(CELL)
  const from = [
    ...(source.kind === 'found' ? [] : [sayLineSource(source, age)]),
    ...(mark === null ? [] : [note === '' ? mark : `${mark}: ${note}`]),
    ...(state === 'shortened' ? ['shortened to fit'] : []),
    ...(state === 'cut' ? [`cut to fit, ${tokens} tokens`] : []),
    ...(state === 'over' ? ['left out: its session finished its task'] : []),
  ]
  return [
    ...wrapAt(columns, visibleLine(text), cell),
    ...(from.length === 0
      ? []
      : wrapAt(columns, visibleLine(from.join('; ')), FROM).map((one) =>
          mark === 'not found' ? paint('warn', one) : paint('faint', one),
        )),
    ...commands.flatMap((command, at) =>
      wrapAt(columns, visibleLine(command), at > 0 ? BELOW : rank === 'talk' ? SEE : CHANGE),
    ),
  ]
}

const FROM = `${' '.repeat(CELL)}from    `
const SEE = `${' '.repeat(CELL)}see     `
const CHANGE = `${' '.repeat(CELL)}change  `
const BELOW = ' '.repeat(CHANGE.length)

const MIN_ROOM = 16

/** A text behind a start, on as many lines as it takes. */
const wrapAt = (columns: number, text: string, start: string) =>
  wrapWidth(text, Math.max(MIN_ROOM, columns - start.length), { breaksWords: true }).map((line, at) =>
    `${at === 0 ? start : ' '.repeat(start.length)}${line}`.trimEnd(),
  )

/** Where a line comes from, in words. */
export function sayLineSource(source: Exclude<LineSource, { kind: 'found' }>, age: string): string {
  const ago = age === '' ? '' : `, ${age} ago`
  switch (source.kind) {
    case 'talk': {
      const request = source.request === null ? '' : `, request ${source.request}`
      return `session ${source.session.slice(0, 8)}${request}${ago}`
    }
    case 'edit':
      return 'edit of the ledger, not saved yet'
    case 'learned':
      return 'a learning'
    default: {
      const { kind, sequence, stream, by, confirmed, session, isOlder } = source
      const whose = by === null ? '' : ` by ${by}`
      const where = session === null ? '' : `, in session ${session.slice(0, 8)}`
      const since = confirmed === null ? '' : `; confirmed by ${confirmed.by} in #${confirmed.sequence}`
      return `${HOW[kind]} #${sequence} of ${stream}${whose}${where}${ago}${isOlder ? ' or earlier' : ''}${since}`
    }
  }
}

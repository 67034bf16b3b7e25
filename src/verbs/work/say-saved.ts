import { formatCount } from '../../core/text.ts'
import { visibleLine } from '../../core/visible.ts'
import { clipWidth } from '../../core/width.ts'
import type { RunAtSave } from '../../engine/runs/take-snapshot.ts'
import type { JoinedWork } from '../../engine/save/known-work.ts'
import type { SavedView } from '../../engine/save/save-files.ts'
import { LEDGER_SKIPPED, sayLedger } from '../../formats/ledger-md/codec.ts'
import { describeKnowledge } from '../../policy/join-work.ts'
import type { Screen } from '../define/screen.ts'
import type { SaveReceipt } from './save-in-session.ts'

export interface SaveAnswer extends SaveReceipt {
  /** What the session ledger's users are told, where it was asked for. */
  confirmation?: string
  /** The snapshot that was taken of a run in progress here. */
  run: RunAtSave | null
  /** The banner is told, not the short receipt. */
  verbose: boolean
}

/** A long line says no more in a pipe than on a screen. */
const MOST_COLUMNS = 100

/** What was saved and what comes next; a line more only for what needs one. */
export function sayReceipt(receipt: SaveAnswer, screen: Screen): string {
  const { stream, sequence, summary, decisions, next, views } = receipt
  const columns = Math.min(screen.columns, MOST_COLUMNS)
  const saved = `Saved ${stream} #${sequence}`
  const about = visibleLine(summary)
  const parts = [
    ...(decisions.new === 0 ? [] : [`Decisions: +${decisions.new} ${sayTotal(receipt, screen)}`]),
    ...(next.trim() === '' ? [] : [`Next: ${visibleLine(next)}`]),
  ]
  const files = views.filter(({ kind }) => kind !== 'index')
  const written = files.filter(({ state }) => state === 'written').map(({ path }) => path)
  return [
    clipWidth(`${screen.paint('good', saved)}${about === '' ? '' : `: ${about}`}`, columns),
    ...(parts.length === 0 ? [] : [clipWidth(`  ${parts.join(' · ')}`, columns)]),
    ...(written.length > 0 ? [`  Files: ${written.join(', ')}`] : []),
    ...sayBeside(receipt, screen).map((line) => `  ${line}`),
  ].join('\n')
}

/** How many decisions there are, and how many of them nobody confirmed. */
function sayTotal({ decisions: { total, unconfirmed } }: SaveAnswer, { paint }: Screen): string {
  const doubts = unconfirmed === 0 ? '' : `, ${paint('warn', `${unconfirmed} unconfirmed`)}`
  return `(${total} total${doubts})`
}

/** The banner of the note format, with a line for each place. */
export function sayBanner(receipt: SaveAnswer, screen: Screen): string {
  const { stream, sequence, summary, decisions, next, views, surfaced } = receipt
  const rule = screen.paint('faint', '━'.repeat(Math.min(53, screen.columns)))
  const written = views.filter(({ kind, state }) => kind !== 'index' && state === 'written')
  const places = [...written.map(({ path }) => path), `${stream} #${sequence}`]
  return [
    ...[rule, `  ${screen.paint('good', 'CHECKPOINT SAVED')}`, rule, ''],
    ...places.map((place, at) => `  ${at === 0 ? 'Location:' : '         '} ${place}`),
    clipWidth(`  Summary:  ${visibleLine(summary) || '-'}`, screen.columns),
    `  Decisions: ${decisions.new} recorded ${sayTotal(receipt, screen)}`,
    clipWidth(`  Next:     ${visibleLine(next) || '-'}`, screen.columns),
    ...sayBeside(receipt, screen).map((line) => `  ${line}`),
    ...(surfaced ? ['', '  This context will be surfaced on next session start.'] : []),
    ...['', rule],
  ].join('\n')
}

/** What a save did or left besides, a line each; mostly nothing. */
function sayBeside(receipt: SaveAnswer, { paint }: Screen): string[] {
  const { views, run, unlisted, dropped, redacted } = receipt
  return [
    ...views.filter(({ state }) => state !== 'written').map((view) => paint('warn', sayUnwritten(view))),
    ...sayStart(receipt),
    ...receipt.joined.flatMap(sayJoined),
    ...(run ? [sayRun(run)] : []),
    ...(unlisted > 0 ? [`${formatCount(unlisted, 'more uncommitted file')} not listed`] : []),
    ...(dropped > 0 ? [`${formatCount(dropped, 'older item')} dropped; see savepoint show --history`] : []),
    ...(redacted > 0 ? [paint('warn', `${formatCount(redacted, 'secret')} removed`)] : []),
  ]
}

function sayRun({ runId, snapshotId, coalesced, others }: RunAtSave): string {
  const more = others === 0 ? '' : `; ${others} more in progress`
  return `Run ${runId}: ${coalesced ? `unchanged since snapshot ${snapshotId}` : `snapshot ${snapshotId}`}${more}`
}

/** What work that begins took from the branch before; that there was nothing is said too. */
function sayStart({ stream, began, origin, inherited, hasOthers }: SaveReceipt): string[] {
  if (!began) return []
  const taken = describeKnowledge(inherited)
  if (origin === null) return hasOthers ? [`Started ${stream}, empty`] : []
  return [`Started ${stream}; ${taken === '' ? 'nothing to inherit' : `inherited ${taken}`} from ${origin}`]
}

function sayJoined({ stream, closed, ...counts }: JoinedWork): string[] {
  const taken = describeKnowledge(counts)
  return [
    taken === '' ? `${stream} was merged; nothing new to join` : `Joined ${taken} from ${stream} (merged)`,
    ...(closed ? [] : [`To close it: savepoint archive ${stream} --outcome "…"`]),
  ]
}

function sayUnwritten({ path, state, problem }: SavedView): string {
  const why = problem === null ? '' : `: ${problem}`
  return `${path} ${state === 'pending' ? 'not written yet' : 'left as it is'}${why}`
}

/** What a save came to for the session ledger, in the words of that format. The store has the save in any case. */
export function confirmLedger({ views, stream, sequence, goal, done, now, next }: SaveReceipt): string {
  const view = views.find(({ kind }) => kind === 'ledger')
  const kept = `Saved ${stream} #${sequence}.`
  if (!view) return `${LEDGER_SKIPPED}\n${kept}`
  if (view.state === 'written') return sayLedger({ path: view.path, goal, done, now, next })
  return `${view.path} was not written${view.problem === null ? '' : `: ${view.problem}`}.\n${kept}`
}

import { formatCount } from '../core/text.ts'

export interface DueInput {
  /** Null where nothing is saved yet. */
  savedAgeMs: number | null
  filesChanged: number
  /** Null where git was not asked, or could not answer. */
  commitsSince: number | null
  branch: { was: string; now: string } | null
  /** The plan's stage, where it moved: a phase is done. */
  stage: { was: string; now: string } | null
  decisionsSinceDelta: number
  /** Whether the work has a checkpoint document here, to which a delta can be added. */
  hasDocument: boolean
  steps: { done: number; total: number } | null
}

export interface Due {
  what: 'save' | 'delta' | 'new'
  why: 'phase' | 'decision' | 'shift' | 'long' | 'first'
  text: string
  command: string
}

/** So many commits later the work is hardly still what the checkpoint says. */
const MANY_COMMITS = 20
const LONG_MS = 2 * 3_600_000

/** What is due: the most important first, and each kind of checkpoint once, for the best reason there is. */
export function dueOf(seen: DueInput): Due[] {
  const due = new Map<Due['what'], Due>()
  for (const [why, withDocument, without, text] of candidatesIn(seen)) {
    const what = seen.hasDocument ? withDocument : without
    if (what !== null && text !== null && !due.has(what))
      due.set(what, {
        what,
        why,
        text,
        command: what === 'delta' ? `${COMMANDS.delta} ${why}` : COMMANDS[what],
      })
  }
  return [...due.values()]
}

const COMMANDS = {
  delta: 'savepoint delta --what "…" --trigger',
  new: 'savepoint new <id> --current',
  save: 'savepoint save "…"',
} as const satisfies Record<Due['what'], string>

/** Why something is due; what to do about it with a document and without one; the sentence, null where it is not due. */
type Candidate = [
  why: Due['why'],
  withDocument: Due['what'],
  without: Due['what'] | null,
  text: string | null,
]

function candidatesIn(seen: DueInput): Candidate[] {
  const { savedAgeMs, stage, steps, branch, decisionsSinceDelta: count } = seen
  const commits = seen.commitsSince ?? 0
  const isAllDone = steps !== null && steps.total > 0 && steps.done >= steps.total
  const finished = isAllDone ? 'All steps of the plan are done.' : null
  const isMoved = branch !== null && branch.was !== branch.now
  const moved = isMoved ? `The last save was on branch ${branch.was}; this is ${branch.now}.` : null
  const many = commits > MANY_COMMITS ? `${commits} commits since the last save.` : null
  const decided = count > 0 ? `${formatCount(count, 'decision')} not yet in the document.` : null
  return [
    ['first', 'save', 'save', savedAgeMs === null ? 'Nothing is saved yet.' : null],
    ['phase', 'delta', 'save', movedStage(stage) ?? finished],
    ['decision', 'delta', null, decided],
    ['shift', 'new', 'save', moved ?? many],
    ['long', 'save', 'save', longAgo(seen)],
  ]
}

function movedStage(stage: DueInput['stage']): string | null {
  if (!stage || stage.was === stage.now) return null
  if (stage.was === '') return `The plan is now at stage ${stage.now}.`
  return stage.now === ''
    ? `The plan has left stage ${stage.was}.`
    : `The plan moved from stage ${stage.was} to ${stage.now}.`
}

function longAgo({ savedAgeMs, filesChanged, commitsSince }: DueInput): string | null {
  const commits = commitsSince ?? 0
  const changes = [
    ...(filesChanged > 0 ? [`${formatCount(filesChanged, 'file')} changed`] : []),
    ...(commits > 0 ? [`${formatCount(commits, 'new commit')}`] : []),
  ].join(' and ')
  return savedAgeMs !== null && savedAgeMs > LONG_MS && changes !== ''
    ? `The last save is ${formatCount(Math.floor(savedAgeMs / 3_600_000), 'hour')} old: ${changes} since.`
    : null
}

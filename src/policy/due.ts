import { formatCount } from '../core/text.ts'
/** What is known about the work since it was last saved. */
export interface DueInput {
  /** Null where nothing is saved yet. */
  savedAgeMs: number | null
  /** Uncommitted files that changed since the last save. */
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

interface Rule {
  why: Due['why']
  /** What to do about it with a document and without one; null where nothing can be done then. */
  withDocument: Due['what']
  without: Due['what'] | null
  /** Why it is due, in a sentence; null where it is not. */
  text: (seen: DueInput) => string | null
}

/** The most important first. */
const RULES: readonly Rule[] = [
  {
    why: 'first',
    withDocument: 'save',
    without: 'save',
    text: ({ savedAgeMs }) => (savedAgeMs === null ? 'Nothing is saved yet.' : null),
  },
  {
    why: 'phase',
    withDocument: 'delta',
    without: 'save',
    text: ({ stage, steps }) => movedStage(stage) ?? allDone(steps),
  },
  {
    why: 'decision',
    withDocument: 'delta',
    without: null,
    text: ({ decisionsSinceDelta: count }) =>
      count > 0 ? `${formatCount(count, 'decision')} came since the last delta.` : null,
  },
  {
    why: 'shift',
    withDocument: 'new',
    without: 'save',
    text: ({ branch, commitsSince }) => movedBranch(branch) ?? manyCommits(commitsSince),
  },
  {
    why: 'long',
    withDocument: 'save',
    without: 'save',
    text: ({ savedAgeMs, filesChanged, commitsSince }) =>
      savedAgeMs !== null && savedAgeMs > LONG_MS && (filesChanged > 0 || (commitsSince ?? 0) > 0)
        ? `The last save is ${formatCount(Math.floor(savedAgeMs / 3_600_000), 'hour')} old, and ${changes(filesChanged, commitsSince ?? 0)} since.`
        : null,
  },
]

/** What is due: the most important first, and each kind of checkpoint once, for the best reason there is. */
export function dueOf(seen: DueInput): Due[] {
  const due = new Map<Due['what'], Due>()
  for (const { why, withDocument, without, text } of RULES) {
    const what = seen.hasDocument ? withDocument : without
    const sentence = text(seen)
    if (what !== null && sentence !== null && !due.has(what))
      due.set(what, { what, why, text: sentence, command: commandFor(what, why) })
  }
  return [...due.values()]
}

function commandFor(what: Due['what'], why: Due['why']): string {
  if (what === 'delta') return `savepoint delta --what "…" --trigger ${why}`
  return what === 'new' ? 'savepoint new <id> --current' : 'savepoint save "…"'
}

function movedStage(stage: DueInput['stage']): string | null {
  if (!stage || stage.was === stage.now) return null
  if (stage.was === '') return `The plan is at the stage ${stage.now} now.`
  return stage.now === ''
    ? `The plan has left the stage ${stage.was}.`
    : `The plan went from the stage ${stage.was} to ${stage.now}.`
}

const allDone = (steps: DueInput['steps']) =>
  steps && steps.total > 0 && steps.done >= steps.total ? 'All steps of the plan are done.' : null

const movedBranch = (branch: DueInput['branch']) =>
  branch && branch.was !== branch.now
    ? `The last save was made on the branch ${branch.was}; this is ${branch.now}.`
    : null

const manyCommits = (commits: number | null) =>
  commits !== null && commits > MANY_COMMITS ? `${commits} commits came since the last save.` : null

const changes = (files: number, commits: number) =>
  [
    files > 0 && `${formatCount(files, 'file')} changed`,
    commits > 0 && `${formatCount(commits, 'commit')} came`,
  ]
    .filter((part) => part !== false)
    .join(' and ')

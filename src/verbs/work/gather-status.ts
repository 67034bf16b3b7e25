import { instant } from '../../core/ports.ts'
import {
  findSavedWork,
  presentWork,
  readTellableWork,
  type SavedWorkHere,
} from '../../engine/brief/resume-work.ts'
import { findNewerFiles } from '../../engine/brief/tell-found.ts'
import { verifyWork } from '../../engine/brief/verify-work.ts'
import type { Context } from '../../engine/context/context.ts'
import { readSurvey } from '../../engine/documents/read-survey.ts'
import { isHere } from '../../engine/documents/survey.ts'
import { type World, worldOf } from '../../engine/surroundings/world.ts'
import { offerAdoption } from '../../engine/transfer/adopt-repository.ts'
import { importCommand } from '../../policy/brief/brief-quoted.ts'
import { type Due, type DueInput, dueOf } from '../../policy/due.ts'
import { claimsIn } from '../../policy/save.ts'
import { type ActiveState, activeStateOf } from './active-state.ts'
import { reviewCommands } from './say-review.ts'

export type LastSave = Awaited<ReturnType<typeof lastSaveOf>>

/** Where the work stands, what is active beside it, and what is due. */
export interface Status extends ActiveState {
  trusted: boolean
  /** So many documents came with the repository, and are not told. */
  foreign: number
  focus: string | null
  branch: string | null
  /** The commit that is checked out; null without git, and before the first one. */
  commit: string | null
  /** The work that a resume tells here; null where nothing is saved, or where it would tell none. */
  saved: LastSave | null
  /** Work that a resume names and does not tell: it is of another branch, and older. */
  offered: string | null
  /** What there is to choose from, the newest first. */
  candidates: string[]
  /** Those of the candidates that came with the repository, and that nobody here has reviewed. */
  unreviewed: string[]
  uncommitted: number | null
  /** Work that files here tell, and that is not saved: newer than what is. */
  found: Array<{ kind: 'note' | 'ledger'; path: string; at: string; now: string; command: string }>
  due: Due[]
  /** What to do now, as commands. */
  todo: string[]
}

export async function gatherStatus(context: Context): Promise<Status> {
  await offerAdoption(context)
  const survey = await readSurvey(context)
  const world = await worldOf(context, survey)
  const here = await findSavedWork(context, survey, world, null)
  const { choice, saved: found } = here
  const saved = found && (await lastSaveOf(context, world, { ...here, saved: found }))
  const files = await findNewerFiles(context, survey, world, found)
  const candidates = choice.kind === 'choose' ? choice.candidates : []
  const told = {
    ...{ trusted: survey.trusted, saved },
    // What a resume would only offer is not told here either.
    offered: choice.kind === 'stream' && choice.offered ? choice.name : null,
    candidates: candidates.map(({ name }) => name),
    unreviewed: candidates.filter(({ foreign }) => foreign).map(({ name }) => name),
    // Beside work that is saved and not told, nothing can be said of what it needs.
    due: found || choice.kind === 'nothing' ? await dueHere(context, world, found, saved) : [],
  }
  return {
    ...told,
    foreign: survey.foreign.length,
    focus: survey.rows.find(({ focused }) => focused)?.stream.name ?? null,
    ...{ branch: world.branch, commit: world.commit },
    uncommitted: world.dirty && world.uncommitted,
    ...(await activeStateOf(context, world, files, found?.work.position ?? null)),
    found: files.work.map(({ kind, path, atMs, work }) => ({
      ...{ kind, path, at: instant(atMs), now: work.now, command: importCommand(path) },
    })),
    todo: [
      ...(choice.kind === 'nothing' ? files.work.map(({ path }) => importCommand(path)) : []),
      ...todoOf(told),
    ],
  }
}

type SavedWork = SavedWorkHere['saved']

async function lastSaveOf(context: Context, world: World, here: SavedWorkHere) {
  const {
    survey,
    saved: { row, why, checkpoint, sequence, work: whole, point },
  } = here
  const { drift } = await verifyWork(context, whole, point, world, survey)
  const told = await readTellableWork(context, world, here)
  const work = presentWork(told)
  const age = told.earlier.ages.get('intent')
  return {
    ...{ stream: row.stream.name, why, checkpoint: checkpoint.id, sequence, savedAt: checkpoint.at, drift },
    ageMs: Math.max(0, context.ports.now() - point.atMs),
    summary: work.now || work.state || work.problem || work.intent,
    goal: work.intent,
    /** The goal of an earlier task, and how long ago it was saved; null where the goal is of the present one. */
    earlierGoal: age && told.earlier.hasNewerTask ? { text: told.saved.intent, age } : null,
    next: work.next[0]?.text ?? '',
    blockers: work.blockers.map(({ text }) => text),
    questions: work.questions.length,
    unconfirmed: claimsIn(work).filter(({ confirmed }) => !confirmed).length,
    document: row.view && isHere(survey, row) ? row.view.path : null,
  }
}

const NOTHING_SAVED: DueInput = {
  ...{ savedAgeMs: null, filesChanged: 0, commitsSince: null, branch: null, stage: null },
  ...{ decisionsSinceDelta: 0, hasDocument: false, steps: null },
}

async function dueHere(
  context: Context,
  { index }: World,
  found: SavedWork | null,
  saved: LastSave | null,
): Promise<Due[]> {
  if (!found || !saved) return dueOf(NOTHING_SAVED)
  const { position } = found.work
  const steps = position.plan?.steps ?? []
  const stage = String(index?.stage ?? '')
  const { drift, document } = saved
  return dueOf({
    savedAgeMs: saved.ageMs,
    ...{ filesChanged: drift.filesChanged, commitsSince: drift.commitsSince, branch: drift.branch },
    stage: index && stage !== position.stage ? { was: position.stage, now: stage } : null,
    decisionsSinceDelta: document === null ? 0 : await decisionsSinceDelta(context, found),
    hasDocument: document !== null,
    steps:
      steps.length === 0
        ? null
        : { done: steps.filter((step) => step.state === 'done').length, total: steps.length },
  })
}

/** Each checkpoint on the way back is read whole: a line that is longer is followed no further. */
const FAR_ENOUGH = 1_000

/** How many decisions came by saves since a delta was written, along this workspace's own line; at least so many. */
async function decisionsSinceDelta(
  { store }: Context,
  { row, work: { decisions } }: SavedWork,
): Promise<number> {
  const now = new Set(decisions.map(({ text }) => text))
  let before = now
  let id: string | null = now.size === 0 ? null : row.position.checkpoint
  for (let back = 0; id !== null && back < FAR_ENOUGH; back += 1) {
    const stored = await store.log.readCheckpoint(id)
    if (stored?.state !== 'whole') break
    const { triggers, parent, work } = stored.checkpoint
    before = new Set(work.decisions.map(({ text }) => text))
    id = triggers.some(({ note }) => note === 'delta') ? null : parent
  }
  return [...now].filter((text) => !before.has(text)).length
}

/** Nothing of the work is ours. */
export const isForeignAlone = ({ candidates, unreviewed }: Pick<Status, 'candidates' | 'unreviewed'>) =>
  candidates.length > 0 && candidates.length === unreviewed.length

type StatusFacts = Pick<Status, 'trusted' | 'saved' | 'offered' | 'candidates' | 'unreviewed' | 'due'>

function todoOf(told: StatusFacts): string[] {
  const { trusted, saved, offered, candidates, due } = told
  if (offered !== null) return [`savepoint resume ${offered}`]
  if (isForeignAlone(told)) return reviewCommands(candidates, trusted)
  if (candidates.length > 0) return ['savepoint resume <id>']
  const commands = due.map(({ command }) => command)
  return saved ? [...commands, 'savepoint resume'] : commands
}

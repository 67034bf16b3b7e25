import { instant } from '../../core/ports.ts'
import type { Position } from '../../core/work.ts'
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
import { listRunsHere } from '../../engine/runs/find-run.ts'
import { currentSession, listSessions } from '../../engine/sessions/current.ts'
import { readToEnd } from '../../engine/sessions/read-to-end.ts'
import type { FoundFiles } from '../../engine/surroundings/found-work.ts'
import { type World, worldOf } from '../../engine/surroundings/world.ts'
import { offerAdoption } from '../../engine/transfer/adopt-repository.ts'
import { importCommand } from '../../policy/brief/brief-quoted.ts'
import { type Due, type DueInput, dueOf } from '../../policy/due.ts'
import { claimsIn } from '../../policy/save.ts'
import { windowState } from '../../policy/window.ts'
import { reviewCommands } from './say-review.ts'

export type LastSave = Awaited<ReturnType<typeof lastSaveOf>>
export type Status = Awaited<ReturnType<typeof gatherStatus>>

/** Where the work stands, what is active beside it, and what is due. */
export async function gatherStatus(context: Context) {
  await offerAdoption(context)
  const survey = await readSurvey(context)
  const world = await worldOf(context, survey)
  const here = await findSavedWork(context, survey, world, null)
  const { choice, saved: found } = here
  const saved = found && (await lastSaveOf(context, world, { ...here, saved: found }))
  const files = await findNewerFiles(context, world, found)
  const candidates = choice.kind === 'choose' ? choice.candidates : []
  const told = {
    trusted: survey.trusted,
    /** The work that a resume tells here; null where nothing is saved, or where it would tell none. */
    saved,
    /** Work that a resume names and does not tell: it is of another branch, and older. */
    offered: choice.kind === 'stream' && choice.offered ? choice.name : null,
    /** What there is to choose from, the newest first. */
    candidates: candidates.map(({ name }) => name),
    /** Those of the candidates that came with the repository, and that nobody here has reviewed. */
    unreviewed: candidates.filter(({ foreign }) => foreign).map(({ name }) => name),
    // Beside work that is saved and not told, nothing can be said of what it needs.
    due: found || choice.kind === 'nothing' ? await dueHere(context, world, found, saved) : [],
  }
  return {
    ...told,
    /** So many documents came with the repository, and are not told. */
    foreign: survey.foreign.length,
    focus: survey.rows.find(({ focused }) => focused)?.stream.name ?? null,
    /** The commit that is checked out is null without git, and before the first one. */
    ...{ branch: world.head.branch, commit: world.head.commit },
    uncommitted: world.dirty && world.uncommitted,
    ...(await activeStateOf(context, world, files, found?.work.position ?? null)),
    /** Work that files here tell, and that is not saved: newer than what is. */
    found: files.work.map(({ kind, path, atMs, work }) => ({
      ...{ kind, path, at: instant(atMs), now: work.now, command: importCommand(path) },
    })),
    /** What to do now, as commands. */
    todo: [
      ...(choice.kind === 'nothing' ? files.work.map(({ path }) => importCommand(path)) : []),
      ...todoOf(told),
    ],
  }
}

/** What is active in a workspace beside the work itself. */
async function activeStateOf(
  context: Context,
  { index }: World,
  { note }: FoundFiles,
  saved: Position | null,
) {
  const { repository } = context.identity
  const sessions = await listSessions(context, { repository, phases: ['active', 'stale'] })
  const stale = sessions.filter(({ phase }) => phase === 'stale').length
  const current = await currentSession(context)
  const ageNow = (at: string) => Math.max(0, context.ports.now() - Date.parse(at))
  const name = index?.activePlan ?? (saved?.planName || null)
  const stage = index?.stage ?? (saved?.stage || null)
  const tddPhase = index?.tddPhase ?? (saved?.tddPhase || null)
  return {
    /** Where the plan stands, as the state index says, else as it was saved last; null where neither says anything. */
    plan: name === null && stage === null && tddPhase === null ? null : { name, stage, tddPhase },
    sessions: { open: sessions.length - stale, stale },
    /** The window of the session that asks, else of the newest here; null where none goes on. */
    window: current && windowState((await readToEnd(context, current)).context),
    /** Those that are neither completed nor failed, the newest first. An agent is told no name that nobody reviewed. */
    runs: (await listRunsHere(context))
      .filter(({ status, foreign }) => OPEN_RUN.has(status) && !(foreign && context.speaker === 'agent'))
      .map((run) => ({ ...run, ageMs: run.updatedAt === '' ? null : ageNow(run.updatedAt) })),
    /** The latest note that may be named, whoever wrote it. */
    note: note && { path: note.path, at: instant(note.atMs), ageMs: ageNow(instant(note.atMs)) },
  }
}

const OPEN_RUN = new Set(['in_progress', 'paused', 'unknown'])

type SavedWork = SavedWorkHere['saved']

async function lastSaveOf(context: Context, world: World, here: SavedWorkHere) {
  const {
    survey,
    saved: { row, why, checkpoint, sequence, work: whole, point },
  } = here
  const { drift } = await verifyWork(context, whole, point, world)
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

async function dueHere(context: Context, { index }: World, found: SavedWork | null, saved: LastSave | null) {
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
async function decisionsSinceDelta({ store }: Context, { row, work: { decisions } }: SavedWork) {
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

interface StatusFacts extends Record<'candidates' | 'unreviewed', string[]> {
  trusted: boolean
  saved: LastSave | null
  offered: string | null
  due: Due[]
}

/** Nothing of the work is ours. */
export const isForeignAlone = ({ candidates, unreviewed }: Pick<StatusFacts, 'candidates' | 'unreviewed'>) =>
  candidates.length > 0 && candidates.length === unreviewed.length

function todoOf(told: StatusFacts): string[] {
  const { trusted, saved, offered, candidates, due } = told
  if (offered !== null) return [`savepoint resume ${offered}`]
  if (isForeignAlone(told)) return reviewCommands(candidates, trusted)
  if (candidates.length > 0) return ['savepoint resume <id>']
  const commands = due.map(({ command }) => command)
  return saved ? [...commands, 'savepoint resume'] : commands
}

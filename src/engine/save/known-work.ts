import type { Checkpoint } from '../../core/checkpoint.ts'
import { ReasonError } from '../../core/reason.ts'
import { emptyWork, type WorkState } from '../../core/work.ts'
import { carryForward } from '../../policy/carry.ts'
import { withoutCorrected } from '../../policy/correct.ts'
import { countJoined, joinKnowledge, type KnowledgeCount } from '../../policy/join-work.ts'
import { redactAll } from '../../policy/redact.ts'
import {
  isSessionStream,
  type ResolveFacts,
  resolveStream,
  type SaveTarget,
  sessionStream,
} from '../../policy/resolve.ts'
import { inheritWork, type SaveInput } from '../../policy/save.ts'
import type { DocumentCommit, WorkRow } from '../../store/acts.ts'
import type { Context } from '../context/context.ts'
import { workPoint } from '../documents/checkpoint-of.ts'
import { afterHead, documentRefusalOf } from '../documents/find-stream.ts'
import { newestWholeOrNull, workAt } from '../documents/newest-whole-point.ts'
import { findRow, isBare, type Survey, standingOf } from '../documents/survey.ts'
import { beginningOf } from '../documents/take-in.ts'
import { branchOf, findEndedBranches } from '../surroundings/ended-branches.ts'
import { readResolveFacts } from '../surroundings/resolve-facts.ts'
import type { World } from '../surroundings/world.ts'

/** Resolves the stream of a save, refuses one that nothing may be saved to, and reads what was known of its work. */
export async function readKnownWork(context: Context, survey: Survey, told: SaveInput, world: World) {
  const facts = await factsForSave(context, survey, told, world)
  const target = resolveStream(facts, 'save')
  const row = findRow(survey, target.name) ?? null
  if (row) refuseSaveTo(survey, row)
  const place = row
    ? { stream: row.stream, begins: [], after: afterHead(row) }
    : beginningOf(context, survey, target.name)
  const origin = row ?? originOf(survey, facts)
  const whole = origin ? await workAt(context, origin.position.checkpoint) : emptyWork()
  const inherited = row || !origin ? emptyWork() : inheritWork(whole)
  const ofSession = await lastSessionCheckpoint(context, survey, facts, row)
  const own = row ? whole : inherited
  // A session carried on what it began with: nothing is inherited beside it.
  const work = ofSession ? await mergeLastSession(row ? whole : emptyWork(), ofSession, row) : own
  return {
    ...place,
    target,
    /** Null where the stream begins with this save. */
    row,
    /** The work that it goes on from: its own, or for one that begins the work that a resume would have told. */
    origin,
    /** What one that begins takes from its origin; nothing for one that goes on. */
    inherited,
    work,
  }
}

/** An agent that saves in one session does not speak for another that may still be at work. */
async function factsForSave(context: Context, survey: Survey, told: SaveInput, world: World) {
  const { facts } = await readResolveFacts(context, survey, world, { named: told.stream, plan: told.plan })
  const { worked: last } = facts
  const isOthers =
    context.session !== null && last?.isLive && last.stream !== sessionStream(context.session.id)
  return isOthers ? { ...facts, worked: null } : facts
}

/** What the last session of this workspace saved by itself, where it is newer than the stream of this save. */
async function lastSessionCheckpoint(
  context: Context,
  survey: Survey,
  { worked, named, branch }: ResolveFacts,
  row: WorkRow | null,
): Promise<Checkpoint | null> {
  if (named !== null || !worked || !isSessionStream(worked.stream)) return null
  const found = findRow(survey, worked.stream)
  if (!found || found.position.foreign || found.stream.id === row?.stream.id) return null
  const ofBranch = found.position.gist.document?.branch ?? null
  if (ofBranch !== null && branch !== null && ofBranch !== branch) return null
  if (row && found.position.at <= row.position.at) return null
  return newestWholeOrNull(context, found.position.checkpoint)
}

/** The work of a stream with what a session found out since: nothing that either knew goes. */
async function mergeLastSession(known: WorkState, { work, at }: Checkpoint, row: WorkRow | null) {
  const { mergeSessionWork } = await import('../../policy/digest/work.ts')
  const times = { intent: at, now: at, next: at, blockers: at, questions: at }
  const done = work.done.map((step) => ({ ...step, at: step.at ?? at }))
  const found = { heard: work, times, decisions: work.decisions, done, artifacts: work.artifacts }
  const merged = mergeSessionWork(known, found, row?.position.at ?? null)
  // What the session went on from was saved, and what the talk added was not.
  const overheard = (merged.overheard ?? []).filter((field) => work.overheard?.includes(field) !== false)
  const [problem, state] = [known.problem || work.problem, known.state || work.state]
  return { ...withClaims(merged, work), problem, state, overheard }
}

/** Claims that the session carried on from where it began. */
const withClaims = (known: WorkState, { constraints, rules, facts, references }: WorkState): WorkState =>
  carryForward(known, {
    constraints: withoutCorrected(known, 'constraints', constraints),
    rules: withoutCorrected(known, 'rules', rules),
    facts: withoutCorrected(known, 'facts', facts),
    references,
  })

/** Work on a new branch or plan goes on from what a resume would have told here: if that is one thing, and ours. */
function originOf(survey: Survey, seen: ResolveFacts): WorkRow | null {
  if (seen.named !== null) return null
  const choice = resolveStream(seen, 'resume')
  return choice.kind === 'stream' && !choice.offered ? (findRow(survey, choice.name) ?? null) : null
}

/** Refuses a save to an archived or foreign stream, or to one whose document has edits that were not taken in. */
function refuseSaveTo(survey: Survey, row: WorkRow): void {
  if (standingOf(row) === 'archived') throw new ReasonError('stream_archived', { id: row.stream.name })
  const trouble = survey.troubles.find(({ path, kind }) => path === row.view?.path && kind === 'changed')
  if (trouble) throw documentRefusalOf(trouble, row.stream.name)
  // In a note or a ledger its text would lose its mark.
  if (row.position.foreign) throw new ReasonError('stream_foreign', { id: row.stream.name })
}

/** How far back the work is looked for that a session began with. */
const MOST_STEPS = 30

/** The work that new work goes on from, as people call it: a session's own stream is named by what it began with. */
export async function nameOrigin(context: Context, survey: Survey, origin: WorkRow): Promise<string | null> {
  let id: string | null = origin.position.checkpoint
  for (let step = 0; id !== null && step < MOST_STEPS; step += 1) {
    const found: Checkpoint | null = await newestWholeOrNull(context, id)
    const name = survey.rows.find(({ stream }) => stream.id === found?.stream)?.stream.name
    if (name !== undefined && !isSessionStream(name)) return name
    id = found?.parent ?? null
  }
  return null
}

/** Work of a merged branch, and how much of it was new here. */
export interface JoinedWork extends KnowledgeCount {
  stream: string
  /** How many items that were known here it confirmed, reworded or took out. */
  corrections: number
  /** It ended with this save; work that has a document ends when somebody archives it. */
  closed: boolean
}

/**
 * Takes over what branches knew that are merged into this one, and closes their work in the same commit; a document is
 * somebody's file, and stays as it is. Work of another branch, and work that is named, takes over nothing.
 */
export async function joinMerged(
  context: Context,
  survey: Survey,
  { target, row, at, known }: { target: SaveTarget; row: WorkRow | null; at: string; known: WorkState },
) {
  const { branch } = survey.head
  const ofBranch = row && branchOf(row)
  const isTarget = target.why !== 'named' && (ofBranch === null || ofBranch === branch)
  const found = isTarget ? await findEndedBranches(context, survey) : []
  const merged = found.filter((one) => one.how === 'merged' && one.row.stream.id !== row?.stream.id)
  /** What each brings: how much, and the commit that closes its work. */
  const joins: Array<{ joined: JoinedWork; commit: Partial<DocumentCommit> }> = []
  let work = known
  for (const { row: one } of merged) {
    const from = await workAt(context, one.position.checkpoint)
    const closed = isBare(one)
    const end = {
      ...{ stream: one.stream, parent: one.position.checkpoint, after: afterHead(one), foreign: false },
      work: redactAll(from, context.mark),
      triggers: [{ kind: 'manual' as const, note: `merged into ${branch}` }],
      provenance: { branch: branchOf(one), commit: null, author: null },
      completion: { outcome: `Merged into ${branch}`, date: at, learnings: [], merged: true as const },
    }
    joins.push({
      joined: { stream: one.stream.name, ...countJoined(work, from), closed },
      commit: closed ? workPoint(context, end).commit : {},
    })
    work = joinKnowledge(work, from)
  }
  return { merged, joins, work }
}

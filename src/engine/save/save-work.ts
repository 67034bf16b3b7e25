import { ADOPTED, type Checkpoint, type TriggerKind } from '../../core/checkpoint.ts'
import { instant } from '../../core/ports.ts'
import { ReasonError } from '../../core/reason.ts'
import {
  type Artifact,
  type Claim,
  type CorrectedItem,
  emptyWork,
  newItems,
  stands,
  type WorkState,
} from '../../core/work.ts'
import { carryForward } from '../../policy/carry.ts'
import { correctWork, sayCorrected, withoutCorrected } from '../../policy/correct.ts'
import { countJoined, countKnowledge, joinKnowledge, type KnowledgeCount } from '../../policy/join-work.ts'
import { redactAll } from '../../policy/redact.ts'
import {
  isSessionStream,
  type ResolveFacts,
  resolveStream,
  type SaveTarget,
  sessionStream,
} from '../../policy/resolve.ts'
import {
  applySaying,
  capWork,
  inheritWork,
  type NamedFile,
  rejectedAgain,
  type SaveInput,
  unheardConfirmations,
  unheardReplacements,
} from '../../policy/save.ts'
import type { DocumentCommit, WorkRow } from '../../store/acts.ts'
import { afterCommit, type Context } from '../context/context.ts'
import { NOTICES } from '../context/notices.ts'
import { actAndReportFailures, type DocumentAct } from '../documents/act-on-documents.ts'
import { joinCommits, workPoint } from '../documents/checkpoint-of.ts'
import { afterHead, documentRefusalOf } from '../documents/find-stream.ts'
import { newestWholeOrNull, workAt } from '../documents/newest-whole-point.ts'
import { findRow, isBare, type Survey, standingOf, surveyDocuments } from '../documents/survey.ts'
import { beginningOf } from '../documents/take-in.ts'
import { trustOwnWorkspace } from '../documents/trust-own-workspace.ts'
import {
  branchOf,
  type EndedBranch,
  findEndedBranches,
  noteBranch,
  noteEnded,
} from '../surroundings/ended-branches.ts'
import { hasEditsFor, vouchedLedger, withEdits } from '../surroundings/ledger-file.ts'
import {
  absentFiles,
  type FingerprintCache,
  fingerprintCache,
  withFingerprints,
} from '../surroundings/mentions.ts'
import { readResolveFacts } from '../surroundings/resolve-facts.ts'
import { protectedByRuns } from '../surroundings/stored-runs.ts'
import { planPosition, type World, worldOf } from '../surroundings/world.ts'
import { lookHere, provenanceOf } from '../trust/here.ts'
import { type SavedView, writePoint } from './save-document.ts'
import { indexOf, ledgerOf, noteOf } from './save-files.ts'

/** What a save confirms. */
export interface WorkReceipt {
  stream: string
  why: SaveTarget['why']
  /** The stream began with this save. */
  began: boolean
  /** The work that one which begins takes its decisions, rules and facts from. */
  origin: string | null
  /** How much it took from there. */
  inherited: KnowledgeCount
  /** There is other open work, from which nothing was taken. */
  hasOthers: boolean
  /** What was taken over from branches that were merged. */
  joined: JoinedWork[]
  checkpoint: string
  sequence: number
  at: string
  summary: string
  goal: string
  decisions: { new: number; total: number; unconfirmed: number }
  done: number
  now: string
  next: string
  /** The items that were confirmed, rejected, removed or reworded, as they were called before. */
  corrected: CorrectedItem[]
  /** How many uncommitted files are not listed, because there are too many. */
  unlisted: number
  /** How many items are left out because the checkpoint would grow too large. */
  dropped: number
  /** How many secrets were taken out of what was said. */
  redacted: number
  views: SavedView[]
}

/** Work of a merged branch, and how much of it was new here. */
export interface JoinedWork extends KnowledgeCount {
  stream: string
  /** How many items that were known here it confirmed, reworded or took out. */
  corrections: number
  /** It ended with this save; work that has a document ends when somebody archives it. */
  closed: boolean
}

export interface SaveTrigger {
  kind: TriggerKind
  /** Of a correction only its start: the item is known when it is found. */
  note: string
}

/**
 * Puts the work state wherever it belongs: into the store first, in one commit with all that its files are to say,
 * then into the files. What is committed is safe whatever becomes of the files, and the receipt tells of each.
 */
export async function saveWork(context: Context, told: SaveInput, why: SaveTrigger): Promise<WorkReceipt> {
  const found = await lookHere(context)
  const here = found.trusted ? found : await trustOwnWorkspace(context, await surveyDocuments(context, found))
  // Git looks while the lock is waited for and the documents are brought up to date.
  const looking = worldOf(context, here)
  // The caller that awaits the promise gets its error; this handler only keeps Node from reporting it as unhandled.
  looking.catch(() => undefined)
  const done = await actAndReportFailures(
    context,
    async (survey) => decide(context, survey, told, why, await looking),
    here,
  )
  const { survey, merged, stream, receipt } = done.answer
  await afterCommit(
    context,
    'Noting the branch of the work',
    () => undefined,
    async () => {
      noteEnded(context, survey, merged)
      noteBranch(context, survey, stream)
    },
  )
  const owed = new Set(done.owed.map(({ path }) => path))
  const troubles = new Map(done.troubles.map(({ path, what }) => [path, what]))
  const failures = new Map(done.failures.map(({ row, error }) => [row.path, error]))
  const views = receipt.views.map((view): SavedView => {
    const failure = failures.get(view.path)
    if (failure) return { ...view, state: 'pending', problem: failure.message }
    if (view.state !== 'written' || !owed.has(view.path)) return view
    return { ...view, state: 'pending', problem: troubles.get(view.path) ?? done.problem }
  })
  return { ...receipt, views }
}

async function decide(
  context: Context,
  survey: Survey,
  told: SaveInput,
  why: SaveTrigger,
  world: World,
): Promise<DocumentAct<{ survey: Survey; merged: EndedBranch[]; stream: string; receipt: WorkReceipt }>> {
  const nowMs = context.ports.now()
  const at = instant(nowMs)
  const { facts } = await readResolveFacts(context, survey, world, { named: told.stream, plan: told.plan })
  const { worked: last } = facts
  // An agent that saves in one session does not speak for another that may still be at work.
  const isOthers =
    context.session !== null && last?.isLive && last.stream !== sessionStream(context.session.id)
  const seen = isOthers ? { ...facts, worked: null } : facts
  const target = resolveStream(seen, 'save')
  const row = findRow(survey, target.name) ?? null
  if (row) refuse(survey, row)
  const { stream, begins, after } = row
    ? { stream: row.stream, begins: [], after: afterHead(row) }
    : beginningOf(context, survey, target.name)
  const ledger = await vouchedLedger(context, survey)

  const origin = row ?? originOf(survey, seen)
  const whole = origin ? await workAt(context, origin.position.checkpoint) : emptyWork()
  const worked = await lastSessionCheckpoint(context, survey, seen, row)
  const known = worked
    ? await mergeLastSession(row ? whole : emptyWork(), worked, row)
    : row
      ? whole
      : inheritWork(whole)
  const { saying } = told
  const edited = withEdits(known, ledger, stream.id)
  const joined = await joinMerged(context, survey, { target, row, at, known: edited })
  const { merged, joins } = joined
  const { work: before, items: corrected } = correctWork(joined.work, saying.corrections, saying)
  for (const text of unheardConfirmations(before, saying)) context.notices.push(NOTICES.notConfirmed(text))
  for (const text of unheardReplacements(before, saying)) context.notices.push(NOTICES.notReplaced(text))
  for (const { text, rejected = '' } of rejectedAgain(before, saying))
    context.notices.push(NOTICES.rejectedBefore(text, rejected))
  const looks = fingerprintCache(context)
  const files = saying.files.map((file) => ({
    ...file,
    action: file.action ?? actionNow(looks, world, file),
  }))
  const said = withPositionAndFiles(applySaying(before, { ...saying, files }, at), told, world)
  const fitting = capWork(withFingerprints(looks, said), await protectedByRuns(context))
  const { dropped } = fitting
  const work = redactAll(fitting.work, context.mark)
  const point = {
    stream,
    work,
    parent: origin?.position.checkpoint ?? null,
    after,
    triggers: [
      { ...why, note: `${why.note}${corrected.map(sayCorrected).join(', ')}` },
      ...(hasEditsFor(ledger, stream.id) ? [{ kind: 'adopted' as const, note: ADOPTED.ledger }] : []),
    ],
    change: {
      ...{ summary: saying.summary ?? saying.now ?? '', transitions: [], commands: [] },
      artifacts: (world.dirty ?? []).map(({ path, action }) => ({ path, action, description: '' })),
    },
    provenance: provenanceOf(survey),
    // Work that nobody reviewed was refused above.
    foreign: false,
    atMs: nowMs,
    absent: absentFiles(looks, work),
    dropped,
  }
  const written = await writePoint(context, survey, row, point)
  const parts = [
    ...(await noteOf(context, written.point, { work, atMs: nowMs, world, told })),
    ...indexOf(written.point, world),
    ...(await ledgerOf(context, survey, written.point, { ledger, work, at })),
  ]
  const standing = work.decisions.filter(stands)
  const texts = new Set(before.decisions.map(({ text }) => text))
  return {
    commit: joinCommits(
      context.identity.workspace,
      { begins },
      written.commit,
      ...parts.map(({ commit }) => commit),
      ...joins.map(({ commit }) => commit),
    ),
    answer: {
      survey,
      merged,
      stream: stream.id,
      receipt: {
        stream: target.name,
        why: target.why,
        began: target.isNew,
        origin: row === null && origin ? await nameOrigin(context, survey, origin) : null,
        inherited: countKnowledge(row || !origin ? emptyWork() : inheritWork(whole)),
        hasOthers: row === null && origin === null && survey.rows.some(isOwnOpen),
        joined: joins.map(({ joined }) => joined),
        checkpoint: written.point.checkpoint.id,
        sequence: (after?.sequence ?? 0) + 1,
        at,
        summary: work.now || work.state,
        goal: work.intent,
        decisions: {
          new: standing.filter(({ text }) => !texts.has(text)).length,
          total: standing.length,
          unconfirmed: standing.filter(({ confirmed }) => !confirmed).length,
        },
        done: work.done.length,
        now: work.now,
        next: work.next[0]?.text ?? '',
        corrected: redactAll(corrected, context.mark),
        unlisted: work.unlisted ?? 0,
        dropped,
        redacted: told.redacted,
        views: [...written.views, ...parts.flatMap(({ views }) => views)],
      },
    },
  }
}

/** How far back the work is looked for that a session began with. */
const MOST_STEPS = 30

/** The work that new work goes on from, as people call it: a session's own stream is named by what it began with. */
async function nameOrigin(context: Context, survey: Survey, origin: WorkRow): Promise<string | null> {
  let id: string | null = origin.position.checkpoint
  for (let step = 0; id !== null && step < MOST_STEPS; step += 1) {
    const found: Checkpoint | null = await newestWholeOrNull(context, id)
    const name = survey.rows.find(({ stream }) => stream.id === found?.stream)?.stream.name
    if (name !== undefined && !isSessionStream(name)) return name
    id = found?.parent ?? null
  }
  return null
}

const isOwnOpen = (row: WorkRow) =>
  standingOf(row) !== 'archived' && !row.position.foreign && !isSessionStream(row.stream.name)

interface Join {
  joined: JoinedWork
  commit: Partial<DocumentCommit>
}

/**
 * Takes over what branches knew that are merged into this one, and closes their work in the same commit; a document is
 * somebody's file, and stays as it is. Work of another branch, and work that is named, takes over nothing.
 */
async function joinMerged(
  context: Context,
  survey: Survey,
  { target, row, at, known }: { target: SaveTarget; row: WorkRow | null; at: string; known: WorkState },
): Promise<{ merged: EndedBranch[]; joins: Join[]; work: WorkState }> {
  const { branch } = survey.head
  const ofBranch = row && branchOf(row)
  const isTarget = target.why !== 'named' && (ofBranch === null || ofBranch === branch)
  const found = isTarget ? await findEndedBranches(context, survey) : []
  const merged = found.filter((one) => one.how === 'merged' && one.row.stream.id !== row?.stream.id)
  const joins: Join[] = []
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
async function mergeLastSession(
  known: WorkState,
  { work, at }: Checkpoint,
  row: WorkRow | null,
): Promise<WorkState> {
  const { mergeSessionWork } = await import('../../policy/digest/merge.ts')
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
    constraints: withNew(known, 'constraints', constraints),
    rules: withNew(known, 'rules', rules),
    facts: withNew(known, 'facts', facts),
    references,
  })

const withNew = (known: WorkState, field: 'constraints' | 'rules' | 'facts', fresh: readonly Claim[]) => [
  ...known[field],
  ...newItems(known[field], withoutCorrected(known, field, fresh)),
]

/** Work on a new branch or plan goes on from what a resume would have told here: if that is one thing, and ours. */
function originOf(survey: Survey, seen: ResolveFacts): WorkRow | null {
  if (seen.named !== null) return null
  const choice = resolveStream(seen, 'resume')
  return choice.kind === 'stream' && !choice.offered ? (findRow(survey, choice.name) ?? null) : null
}

/** Refuses a save to an archived or foreign stream, or to one whose document has edits that were not taken in. */
function refuse(survey: Survey, row: WorkRow): void {
  if (standingOf(row) === 'archived') throw new ReasonError('stream_archived', { id: row.stream.name })
  const trouble = survey.troubles.find(({ path, kind }) => path === row.view?.path && kind === 'changed')
  if (trouble) throw documentRefusalOf(trouble, row.stream.name)
  // In a note or a ledger its text would lose its mark.
  if (row.position.foreign) throw new ReasonError('stream_foreign', { id: row.stream.name })
}

/** Limit of uncommitted files that a save lists: hundreds of changed files come from a tool, not from work on each. */
const MOST_FOUND = 50

/** What became of a file that somebody names: what git says, and nothing where there is no such file. */
function actionNow(looks: FingerprintCache, { dirty }: World, { path }: NamedFile): string {
  const found = dirty?.find((one) => one.path === path)
  return found?.action ?? (['file', 'folder'].includes(looks(path).state) ? 'modified' : '')
}

/** The work with where it is: the plan and its stage, and the files that are being worked on. */
function withPositionAndFiles(
  { unlisted: _before, ...work }: WorkState,
  told: SaveInput,
  { index, dirty, uncommitted }: World,
): WorkState {
  const { position } = work
  const named = new Set(told.saying.files.map(({ path }) => path))
  const others = (dirty ?? []).filter(({ path }) => !named.has(path))
  const found = others.slice(0, MOST_FOUND)
  const files = found.map(({ path, action }): Artifact => ({ path, action, description: '' }))
  const { artifacts } = carryForward(work, { artifacts: files })
  const unlisted = uncommitted - (dirty ?? []).length + others.length - found.length
  return {
    ...work,
    ...(unlisted > 0 ? { unlisted } : {}),
    // What somebody named is the newest: where there are too many, others go first.
    artifacts: [
      ...artifacts.filter(({ path }) => !named.has(path)),
      ...artifacts.filter(({ path }) => named.has(path)),
    ],
    position: {
      ...position,
      ...planPosition({ index }),
      ...(told.plan === null ? {} : { planName: told.plan }),
      ...(told.stage === null ? {} : { stage: told.stage }),
      ...(told.tddPhase === null ? {} : { tddPhase: told.tddPhase }),
    },
  }
}

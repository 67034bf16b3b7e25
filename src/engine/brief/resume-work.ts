import type { SessionKey } from '../../core/session.ts'
import { clearFields, emptyWork, itemNames, newItems, OVERHEARD, type WorkState } from '../../core/work.ts'
import { BRANCH_NOTES, SESSION_NOTES } from '../../policy/agent-words.ts'
import { foundSection, mergedSection } from '../../policy/brief/brief-quoted.ts'
import { saysAnything } from '../../policy/brief/brief-sections.ts'
import type { TalkSection, Talks } from '../../policy/brief/brief-talk.ts'
import { findEarlierFields, isOfEarlierTask, TASK_FIELDS } from '../../policy/brief/newest-task.ts'
import { isInFlight } from '../../policy/digest/tell-parts.ts'
import { deriveWork } from '../../policy/digest/work.ts'
import { newKnowledge } from '../../policy/join-work.ts'
import { resolveStream } from '../../policy/resolve.ts'
import { inheritWork } from '../../policy/save.ts'
import type { WorkRow } from '../../store/acts.ts'
import type { Context } from '../context/context.ts'
import { NOTICES, OBVIOUS_WORK } from '../context/notices.ts'
import { readSavedByHand } from '../documents/automatic.ts'
import { requireRow } from '../documents/find-stream.ts'
import { newestWholePoint, workAt } from '../documents/newest-whole-point.ts'
import type { Survey } from '../documents/survey.ts'
import { branchOf, findEndedBranches, noteEnded } from '../surroundings/ended-branches.ts'
import { hasEditsFor, isLedgerOf, vouchedLedger, withEdits } from '../surroundings/ledger-file.ts'
import { absentAt } from '../surroundings/mentions.ts'
import { readResolveFacts } from '../surroundings/resolve-facts.ts'
import { type World, worldOf } from '../surroundings/world.ts'
import type { Here } from '../trust/here.ts'
import { fitInput, learningsFor } from './brief-of.ts'
import { readSaidFields } from './item-origins.ts'
import type { SessionNote } from './session-notes.ts'
import { talksFor } from './talks.ts'
import { briefFound, findNewerFiles, untoldWork } from './tell-found.ts'
import { verifyWork } from './verify-work.ts'

export type ResumeResult = Awaited<ReturnType<typeof resumeStream>>

export interface BriefRequest {
  named: string | null
  budget: number
  notes?: readonly SessionNote[]
  /** The session that is told: nothing of what it said itself. */
  except?: SessionKey | null
  /** Each line is wanted with where it comes from. */
  explains?: boolean
  /** It has lost its context, and is asked whether the focus still holds. */
  asksFocus?: boolean
  /** Somebody asks for it; what an agent is told without asking names no branch of a workspace that is not trusted. */
  isAsked?: boolean
}

/**
 * Where a stream stands for this workspace: the newest checkpoint that reads well, with edits since. A damaged one is
 * stepped over, and that is said. What was written into the ledger by hand counts. Without trust nothing counts that
 * was taken from a session's talk: it may echo a stranger's files.
 */
async function readSaved(context: Context, row: WorkRow, here: Here) {
  const { checkpoint, sequence, overheard } = await newestWholePoint(context, row.position.checkpoint)
  const ledger = await vouchedLedger(context, here)
  const edited = hasEditsFor(ledger, row.stream.id)
  if (edited) context.notices.push(NOTICES.ledgerEditCounts(ledger.path))
  if (ledger?.problem) context.notices.push(NOTICES.ledgerPassedOver(ledger.path, ledger.problem))
  const saved = here.trusted ? checkpoint.work : await readSavedByHand(context.store, checkpoint)
  const work = withEdits(saved, ledger, row.stream.id)
  const { branch = null, commit = null } = checkpoint.provenance ?? {}
  const point = { atMs: Date.parse(checkpoint.at), branch, commit, absent: absentAt(checkpoint, work) }
  // What an older version overheard in a session, nobody saved.
  const inLedger = isLedgerOf(ledger, row.stream.id)
  return { checkpoint, sequence, work, point, edited, inLedger, overheard: here.trusted ? overheard : null }
}

type WorkHere = Awaited<ReturnType<typeof findSavedWork>>

/** Work that a resume tells here. */
export type SavedWorkHere = WorkHere & { saved: NonNullable<WorkHere['saved']> }

/** Which work a resume tells here, and what was saved of it: nothing where it would only be offered. */
export async function findSavedWork(context: Context, found: Survey, world: World, named: string | null) {
  const survey = await withOwnPositions(context, found)
  const { facts, ...sessions } = await readResolveFacts(context, survey, world, {
    named: named && requireRow(survey, named).stream.name,
  })
  const choice = resolveStream(facts, 'resume')
  if (choice.kind !== 'stream' || choice.offered) return { survey, choice, saved: null, ...sessions }
  const row = requireRow(survey, choice.name)
  if (requireRow(found, choice.name).position.foreign)
    context.notices.push(NOTICES.newerTextUnreviewed(choice.name))
  const read = await readSaved(context, row, survey)
  // Of the work that a new branch came from only what it would inherit is told.
  const work = choice.why === 'origin' ? inheritWork(read.work) : read.work
  const saved = { row, why: choice.why, ...read, work }
  return { survey, choice, saved, ...sessions }
}

/** The work as it stood before git brought text that nobody has reviewed: that does not replace what was known. */
async function withOwnPositions({ store }: Context, survey: Survey): Promise<Survey> {
  const rows: WorkRow[] = []
  for (const row of survey.rows) {
    const history = row.position.foreign ? await store.log.readHistory(row.stream.id) : []
    const own = history.findLast(
      ({ sequence, foreign, removedAt }) => !foreign && !removedAt && sequence < row.position.sequence,
    )
    rows.push(own ? { ...row, position: { ...own, checkpoint: own.id } } : row)
  }
  return { ...survey, rows }
}

/** The one stream that is meant, told; or what there is to choose from. */
export async function resumeStream(context: Context, found: Survey, options: BriefRequest) {
  const { named, budget, notes = [], isAsked = true, except = null, asksFocus = false } = options
  const nowMs = context.ports.now()
  // What is uncommitted is in no brief: git need not be asked for it.
  const world = await worldOf(context, found, { wantsDirty: false })
  const here = await findSavedWork(context, found, world, named)
  const { survey, choice, saved: last } = here
  const files = await findNewerFiles(context, world, last)
  const learnings = await learningsFor(context, survey, {
    ...{ work: last?.work ?? emptyWork(), written: files.learnings },
  })
  if (last === null || choice.kind !== 'stream') {
    const untold = untoldWork(survey, choice, { ...files, learnings }, nowMs)
    if (named !== null) return untold
    return (await briefFound(context, survey, world, files, untold, options)) ?? untold
  }
  const { checkpoint, sequence, work, edited, overheard, point } = last
  const isOrigin = choice.why === 'origin'
  const { saved, talks, earlier } = await readTellableWork(context, world, { ...here, saved: last }, except)
  // That a new branch is another one than its origin is no drift.
  const savedAt = isOrigin ? { ...point, branch: null } : point
  const verified = await verifyWork(context, saved, savedAt, world)
  const { branch } = verified.drift
  const hidesName = !isAsked && !survey.trusted && branch !== null
  const drift = hidesName ? { ...verified.drift, branch: { ...branch, now: 'another one' } } : verified.drift
  const ended = named === null ? await tellEnded(context, survey, last) : { notes: [], sections: [] }
  const newer = named === null ? files.work : []
  const told = {
    ...{ work: saved, stream: choice.name, savedAtMs: point.atMs, nowMs, checks: verified.checks },
    ...{ drift, learnings, talks, earlier, asksFocus },
    ...{ shownIn: last.inLedger ? ('ledger' as const) : ('checkpoint' as const) },
    merged: [...newer.map((one) => foundSection(one, nowMs)), ...ended.sections],
    notes: [
      ...(isOrigin ? [BRANCH_NOTES.inherited(choice.name)] : []),
      ...ended.notes,
      ...(talks === null && overheard !== null ? [SESSION_NOTES.overheard] : []),
      ...notes.filter((note) => talks === null || !isTold(note, saved, talks)).map(({ text: note }) => note),
    ],
  }
  // What was written into the ledger is in no checkpoint yet.
  const input = edited ? { ...told, command: 'savepoint ledger' } : told
  if (!OBVIOUS_WORK.has(choice.why)) context.notices.push(NOTICES.chosenWork(choice.name, choice.why))
  const { rendered, parts } = fitInput(input, budget)
  // Loaded where somebody asks: a start has no use for it.
  const explained =
    options.explains &&
    (await (await import('./explain-brief.ts')).explainBrief(context, parts, last, survey))
  return {
    ...{ kind: 'brief' as const, stream: choice.name, why: choice.why, checkpoint: checkpoint.id, sequence },
    ...{ savedAt: checkpoint.at, drift, work, ...rendered },
    ...(explained && { explained }),
  }
}

/** What is told of work that was found here: what was saved, what its sessions said, what is of an earlier task. */
export async function readTellableWork(
  context: Context,
  world: World,
  here: SavedWorkHere,
  except: SessionKey | null = null,
) {
  const { saved: last } = here
  const { why, work, overheard } = last
  const talks = await talksFor(context, world, here, except ?? context.session)
  const saved = talks ? withoutTalk(work, talks) : why === 'origin' ? work : (overheard ?? work)
  const said = await readSaidFields(context.store, last, saved)
  return { saved, talks, earlier: findEarlierFields(said, talks, context.ports.now()) }
}

/** The work as the newest task leaves it: without an earlier one, and with what its session was asked where nobody saved it. */
export function presentWork({
  saved,
  talks,
  earlier,
}: Awaited<ReturnType<typeof readTellableWork>>): WorkState {
  const past = TASK_FIELDS.filter((field) => isOfEarlierTask(earlier, field))
  const work = clearFields(saved, past)
  const heard = talks ? deriveWork(talks.main.digest, talks.around).heard : emptyWork()
  for (const field of OVERHEARD)
    if (itemNames(work, field).length === 0) Object.assign(work, { [field]: heard[field] })
  return work
}

/** What a merged branch knew and this work does not; that one is gone, once. Nothing is taken over: the next save does. */
async function tellEnded(context: Context, survey: Survey, { row, work }: { row: WorkRow; work: WorkState }) {
  const found = await findEndedBranches(context, survey)
  const gone = found.filter(({ how }) => how === 'gone')
  noteEnded(context, survey, gone)
  const notes = gone.map(({ row: one }) => BRANCH_NOTES.gone(one.stream.name))
  const sections: TalkSection[] = []
  const ofBranch = branchOf(row)
  for (const { row: one, how } of found) {
    if (how !== 'merged') continue
    if (one.stream.id === row.stream.id) notes.push(BRANCH_NOTES.toldMerged(one.stream.name))
    else if (ofBranch === null || ofBranch === survey.head.branch) {
      const news = newKnowledge(work, await workAt(context, one.position.checkpoint))
      const section = mergedSection(one.stream.name, news)
      if (section.lines.length > 0) sections.push(section)
    }
  }
  return { notes, sections }
}

/** Whether the brief already tells a note: the main session's talk names its end and what it left running. */
function isTold({ session, about, text: note }: SessionNote, saved: WorkState, talks: Talks) {
  if (session !== talks.main.id) return false
  if (about === 'state') return !saysAnything(saved)
  if (about === 'pause') return talks.main.digest.lastEvent === 'halt'
  const running = talks.main.digest.calls.filter(isInFlight)
  return about === 'running' && talks.around.trusted && running.some(({ what }) => note.includes(what))
}

/** The saved work without the items that the quoted talk repeats. */
function withoutTalk(work: WorkState, { main, around }: Talks): WorkState {
  const said = deriveWork(main.digest, around)
  const files = new Set(said.artifacts.map(({ path }) => path))
  return {
    ...clearFields(work, work.overheard),
    decisions: newItems(said.decisions, work.decisions),
    done: newItems(said.done, work.done),
    artifacts: work.artifacts.filter(({ path, description }) => description !== '' || !files.has(path)),
  }
}

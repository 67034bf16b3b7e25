import { ADOPTED, type TriggerKind } from '../../core/checkpoint.ts'
import { instant } from '../../core/ports.ts'
import { type Artifact, stands, type WorkState } from '../../core/work.ts'
import { carryForward } from '../../policy/carry.ts'
import { correctWork, sayCorrected } from '../../policy/correct.ts'
import { countKnowledge } from '../../policy/join-work.ts'
import { redactAll } from '../../policy/redact.ts'
import { isSessionStream } from '../../policy/resolve.ts'
import {
  applySaying,
  capWork,
  type NamedFile,
  rejectedAgain,
  type SaveInput,
  unheardConfirmations,
  unheardReplacements,
} from '../../policy/save.ts'
import type { WorkRow } from '../../store/acts.ts'
import { afterCommit, type Context } from '../context/context.ts'
import { NOTICES } from '../context/notices.ts'
import { actAndReportFailures } from '../documents/act-on-documents.ts'
import { joinCommits } from '../documents/checkpoint-of.ts'
import { type Survey, standingOf, surveyDocuments } from '../documents/survey.ts'
import { trustOwnWorkspace } from '../documents/trust-own-workspace.ts'
import { noteBranch, noteEnded } from '../surroundings/ended-branches.ts'
import { hasEditsFor, vouchedLedger, withEdits } from '../surroundings/ledger-file.ts'
import {
  absentFiles,
  type FingerprintCache,
  fingerprintCache,
  withFingerprints,
} from '../surroundings/mentions.ts'
import { protectedByRuns } from '../surroundings/stored-runs.ts'
import { planPosition, type World, worldOf } from '../surroundings/world.ts'
import { lookHere, provenanceOf } from '../trust/here.ts'
import { joinMerged, nameOrigin, readKnownWork } from './known-work.ts'
import { indexOf, ledgerOf, noteOf, type SavedView, writePoint } from './save-files.ts'

/** What a save confirms. */
export type WorkReceipt = Awaited<ReturnType<typeof saveWork>>

export interface SaveTrigger {
  kind: TriggerKind
  /** Of a correction only its start: the item is known when it is found. */
  note: string
}

/**
 * Puts the work state wherever it belongs: into the store first, in one commit with all that its files are to say,
 * then into the files. What is committed is safe whatever becomes of the files, and the receipt tells of each.
 */
export async function saveWork(context: Context, told: SaveInput, why: SaveTrigger) {
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
  await afterCommit(context, 'Noting the branch of the work', async () => {
    noteEnded(context, survey, merged)
    noteBranch(context, survey, stream)
  })
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

async function decide(context: Context, survey: Survey, told: SaveInput, why: SaveTrigger, world: World) {
  const nowMs = context.ports.now()
  const at = instant(nowMs)
  const known = await readKnownWork(context, survey, told, world)
  const { stream, begins, after, target, row, origin } = known
  const { saying } = told
  const ledger = await vouchedLedger(context, survey)
  const edited = withEdits(known.work, ledger, stream.id)
  const join = await joinMerged(context, survey, { target, row, at, known: edited })
  const { merged, joins } = join
  const { work: before, items: corrected } = correctWork(join.work, saying.corrections, saying)
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
    ...{ stream, work, after, atMs: nowMs, dropped, parent: origin?.position.checkpoint ?? null },
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
    absent: absentFiles(looks, work),
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
      ...{ survey, merged, stream: stream.id },
      receipt: {
        stream: target.name,
        why: target.why,
        /** The stream began with this save. */
        began: target.isNew,
        /** The work that one which begins takes its decisions, rules and facts from. */
        origin: row === null && origin ? await nameOrigin(context, survey, origin) : null,
        /** How much it took from there. */
        inherited: countKnowledge(known.inherited),
        /** There is other open work, from which nothing was taken. */
        hasOthers: row === null && origin === null && survey.rows.some(isOwnOpen),
        /** What was taken over from branches that were merged. */
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
        ...{ done: work.done.length, now: work.now, next: work.next[0]?.text ?? '' },
        /** The items that were confirmed, rejected, removed or reworded, as they were called before. */
        corrected: redactAll(corrected, context.mark),
        /** How many uncommitted files are not listed, because there are too many. */
        unlisted: work.unlisted ?? 0,
        /** How many items are left out because the checkpoint would grow too large. */
        dropped,
        /** How many secrets were taken out of what was said. */
        redacted: told.redacted,
        views: [...written.views, ...parts.flatMap(({ views }) => views)],
      },
    },
  }
}

const isOwnOpen = (row: WorkRow) =>
  standingOf(row) !== 'archived' && !row.position.foreign && !isSessionStream(row.stream.name)

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

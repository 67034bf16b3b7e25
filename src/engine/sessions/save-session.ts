import { canonicalJson } from '../../core/canonical.ts'
import type { Checkpoint, CommandOutcome, Progress, TriggerKind } from '../../core/checkpoint.ts'
import type { Session } from '../../core/session.ts'
import { type Breadcrumb, emptyWork, type WorkState } from '../../core/work.ts'
import { carryForward } from '../../policy/carry.ts'
import { followCorrections } from '../../policy/correct.ts'
import { fileNamer } from '../../policy/digest/name-file.ts'
import { isEmptyTalk } from '../../policy/digest/outcome.ts'
import type { Digest } from '../../policy/digest/state.ts'
import {
  type DigestWork,
  deriveWork,
  listCommandOutcomes,
  mergeSessionWork,
} from '../../policy/digest/work.ts'
import { type Redacted, redactAll, type SecretMark } from '../../policy/redact.ts'
import { isSessionStream, sessionStream, streamOf } from '../../policy/resolve.ts'
import { capWork, inheritWork } from '../../policy/save.ts'
import { windowPressure } from '../../policy/window.ts'
import type { WorkRow } from '../../store/acts.ts'
import type { Context } from '../context/context.ts'
import { MOST_ATTEMPTS } from '../context/most-attempts.ts'
import { workspaceLock } from '../context/workspace-lock.ts'
import { joinCommits } from '../documents/checkpoint-of.ts'
import { afterHead } from '../documents/find-stream.ts'
import { newestWholeOrNull } from '../documents/newest-whole-point.ts'
import { settleHere } from '../documents/rebase.ts'
import {
  findFormer,
  findRow,
  findWithdrawn,
  type Survey,
  standingOf,
  surveyDocuments,
} from '../documents/survey.ts'
import { beginningOf } from '../documents/take-in.ts'
import { ledgerOf, writePoint } from '../save/save-files.ts'
import { isEdited, ledgerFile } from '../surroundings/ledger-file.ts'
import { absentFiles, fingerprintCache } from '../surroundings/mentions.ts'
import { protectedByRuns } from '../surroundings/stored-runs.ts'
import { lookHere, provenanceOf } from '../trust/here.ts'

/** From where a session's work is saved, and the folder that its files are named by. */
export interface SaveOrigin {
  context: Context
  root: string
}

/** Why a session's work is saved without anybody asking. */
export interface SessionSaveReason {
  kind: TriggerKind
  note: string
  progress?: Progress
  /** It is the session itself that is at work here, so that git's branch is its branch. */
  isLive?: boolean
  /** What is worth finding again, besides. */
  references?: readonly Breadcrumb[]
}

/** Saves what is new in a session's talk, to its stream or its own: only the store, and a ledger that git does not track. */
export async function saveSession(
  { context, root }: SaveOrigin,
  session: Session,
  digest: Digest,
  why: SessionSaveReason,
): Promise<string | null> {
  if (isEmptyTalk(digest)) return null
  const here = await lookHere(context)
  const { trusted } = here
  const found = deriveWork(digest, { trusted, nameFile: fileNamer(root) })
  const commands = listCommandOutcomes(digest, trusted)
  for (let attempt = 0; attempt < MOST_ATTEMPTS.transcripts; attempt += 1) {
    const survey = await surveyDocuments(context, here)
    const { name, row } = targetOf(survey, session)
    const { known, before, parent } = await readKnownWork(context, survey, session, row)
    const isProtected = await protectedByRuns(context)
    const work = workAfter(known, found, before, why.references ?? [], { mark: context.mark, isProtected })
    if (canonicalJson(work) === canonicalJson({ ...known, overheard: known.overheard ?? [] })) return null
    const { lastAt } = digest
    const done = await commit(context, survey, { session, name, row, work, parent, why, lastAt, commands })
    if (done !== null) return done
  }
  return null
}

/** A stream that is over or was undone, or holds what nobody vouches for, takes nothing: the session goes on with its own. */
function targetOf(survey: Survey, session: Session): { name: string; row: WorkRow | null } {
  const name = streamOf(session)
  const row = findFormer(survey, name) ?? null
  const isShut =
    row === null
      ? findWithdrawn(survey, name) !== undefined
      : standingOf(row) === 'archived' || row.position.foreign
  const own = sessionStream(session.id)
  return isShut ? { name: own, row: findRow(survey, own) ?? null } : { name: row?.stream.name ?? name, row }
}

/** What the stream, or the work that its session was told, knew, and until when that counts more than the transcript. */
async function readKnownWork(context: Context, survey: Survey, session: Session, row: WorkRow | null) {
  const told = session.told?.stream ? (findFormer(survey, session.told.stream) ?? null) : null
  const origin = row ?? told
  const found =
    origin && !origin.position.foreign ? await newestWholeOrNull(context, origin.position.checkpoint) : null
  if (found === null) return { known: emptyWork(), before: session.savedAt, parent: null }
  const isOwn = found.session === session.id
  const since = told && origin !== told && !told.position.foreign ? told.position.checkpoint : null
  const work = since === null ? null : (await newestWholeOrNull(context, since))?.work
  const isAutomatic = isOwn || (origin !== null && origin !== row && isSessionStream(origin.stream.name))
  const whole = row === null && session.told?.isOrigin ? inheritWork(found.work) : found.work
  return {
    known: work ? followCorrections(whole, work) : whole,
    before: isAutomatic ? await wordHeldUntil(context, found, session) : found.at,
    parent: found.id,
  }
}

/**
 * Until when somebody's own word holds: a save in this session, or the saved work that it was told at its start. What
 * somebody else saved last to the same stream, below the session's own checkpoints, holds too.
 */
async function wordHeldUntil(context: Context, found: Checkpoint, { id, savedAt, told }: Session) {
  const held = savedAt ?? (told?.stream && !isSessionStream(told.stream) ? told.at : null)
  let one: Checkpoint | null = found
  for (let step = 0; one?.stream === found.stream && step < MOST_STEPS; step += 1) {
    if (one.session !== id) return held !== null && held > one.at ? held : one.at
    one = one.parent === null ? null : await newestWholeOrNull(context, one.parent)
  }
  return held
}

/** So far back it is looked for. */
const MOST_STEPS = 30

function workAfter(
  known: WorkState,
  session: DigestWork,
  savedAt: string | null,
  references: readonly Breadcrumb[],
  { mark, isProtected }: { mark: SecretMark; isProtected: (name: string) => boolean },
): Redacted<WorkState> {
  const found = carryForward(mergeSessionWork(known, session, savedAt), { references: [...references] })
  const { work } = capWork(found, isProtected)
  // The session itself changed these: how they looked before says nothing any more.
  const touched = new Set(session.artifacts.map(({ path }) => path))
  const artifacts = work.artifacts.map((one) => {
    if (!touched.has(one.path)) return one
    const { seen: _seen, ...rest } = one
    return rest
  })
  return redactAll({ ...work, artifacts }, mark)
}

interface NewCheckpoint extends Pick<Digest, 'lastAt'> {
  session: Session
  name: string
  row: WorkRow | null
  work: Redacted<WorkState>
  parent: string | null
  why: SessionSaveReason
  commands: CommandOutcome[]
}

/** The checkpoint's id; null where somebody else was faster. */
async function commit(context: Context, survey: Survey, found: NewCheckpoint): Promise<string | null> {
  const { identity, store, ports } = context
  const { session, name, row, work, parent, why, lastAt, commands } = found
  const { environment, context: use } = session
  const { stream, begins, after } = row
    ? { stream: row.stream, begins: [], after: afterHead(row) }
    : beginningOf(context, survey, name)
  const used = use?.window ? (use.tokens / use.window) * 100 : 0
  // When the work was done, not when it was found: of two pieces of work the newer one is told first.
  const atMs = Math.min(ports.now(), Date.parse(lastAt ?? session.lastActivityAt) || ports.now())
  const point = {
    ...{ stream, after, work, parent, atMs, session: session.id },
    triggers: [{ kind: why.kind, note: why.note }],
    change: { summary: work.now, artifacts: [], transitions: [], commands },
    provenance: why.isLive
      ? provenanceOf(survey)
      : { branch: environment.gitBranch, commit: environment.gitCommitHash, author: null },
    // Work that nobody reviewed has been passed over above.
    foreign: false,
    absent: absentFiles(fingerprintCache(context), work),
    ...(why.progress ? { progress: why.progress } : {}),
    pressure: windowPressure(used),
  }
  const written = await writePoint(context, survey, row, point, { quiet: true })
  const ledger = await quietLedger(context, survey)
  const at = new Date(atMs).toISOString()
  const files = ledger === null ? [] : await ledgerOf(context, survey, written.point, { ledger, work, at })
  const committed = await store.acts.commit(
    joinCommits(identity.workspace, { begins }, written.commit, ...files.map(({ commit: part }) => part)),
  )
  if (!committed.done) return null
  if (files.length > 0) {
    // Whoever is at the files now writes these too.
    using lock = await workspaceLock(context, identity.workspace, PUBLISH_WAIT_MS)
    if (lock !== null) await settleHere(context, survey)
  }
  return written.point.checkpoint.id
}

const PUBLISH_WAIT_MS = 100

/** The ledger where one is kept, git does not track it, and nobody has written into it by hand. */
async function quietLedger(context: Context, { trusted }: Survey) {
  const ledger = await ledgerFile(context)
  if (ledger === null || ledger.problem !== null || isEdited(ledger)) return null
  if (context.place.git === null) return ledger
  const { isTracked } = await import('../../workspace/git-index.ts')
  return trusted && !(await isTracked(context.place, ledger.path)) ? ledger : null
}

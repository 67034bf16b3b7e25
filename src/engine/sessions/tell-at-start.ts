import type { Checkpoint } from '../../core/checkpoint.ts'
import { instant } from '../../core/ports.ts'
import type { Session, SessionKey, SessionSource, StartPoint } from '../../core/session.ts'
import { ageOf } from '../../core/text.ts'
import type { WorkState } from '../../core/work.ts'
import { renderNotes } from '../../formats/brief-md/render.ts'
import { FOUND_NOTES, MESSAGE_LINES, MESSAGE_TITLES } from '../../policy/agent-words.ts'
import { workLines } from '../../policy/brief/brief-quoted.ts'
import { streamOf } from '../../policy/resolve.ts'
import { withinBudget } from '../brief/brief-of.ts'
import { resumeStream } from '../brief/resume-work.ts'
import type { SessionNote } from '../brief/session-notes.ts'
import { describeUntold, findNewerFiles } from '../brief/tell-found.ts'
import type { Context } from '../context/context.ts'
import { readSavedByHand } from '../documents/automatic.ts'
import { newestWholeOrNull } from '../documents/newest-whole-point.ts'
import { readSurvey } from '../documents/read-survey.ts'
import { findFormer, type Survey, surveyDocuments } from '../documents/survey.ts'
import { worldOf } from '../surroundings/world.ts'
import type { Here } from '../trust/here.ts'
import { listSessions } from './current.ts'

/** Words for an agent, and what they were about. */
export interface AgentMessage {
  text: string
  /** Where it was counted already. */
  tokens?: number
  told: StartPoint
}

/** A hook has no time to wait for who writes documents; what they say then is told at the next start. */
const WAIT_MS = 100

/** A pull may bring thousands of documents: a start takes in some of them, in about a second, and the next one goes on. */
const MOST_DOCUMENTS = 250

/** The documents at a start: up to date as far as a hook has the time. */
export const surveyAtStart = (context: Context, here: Here): Promise<Survey> =>
  readSurvey(context, { waitMs: WAIT_MS, here, most: MOST_DOCUMENTS })

/** What a session that starts is told: the brief, what must be known before it, or nothing where there is nothing. */
export async function briefAtStart(
  context: Context,
  survey: Survey,
  notes: readonly SessionNote[],
  { key, source }: { key: SessionKey; source: SessionSource },
): Promise<AgentMessage | null> {
  const found = await resumeStream(context, survey, {
    ...{ named: null, budget: context.settings.brief_tokens, notes },
    ...{ isAsked: false, except: key, asksFocus: source === 'clear' },
  })
  const at = instant(context.ports.now())
  if (found.kind === 'brief') {
    const { text, tokens, stream, checkpoint, why } = found
    return { text, tokens, told: { at, stream, checkpoint, ...(why === 'origin' ? { isOrigin: true } : {}) } }
  }
  const told = { at, stream: null, checkpoint: null }
  if (found.kind === 'found') return { text: found.text, told }
  const lines = [
    ...notes.map(({ text }) => text),
    ...describeUntold(found),
    ...found.learnings.map(MESSAGE_LINES.learning),
  ]
  if (lines.length === 0) return null
  const fitted = withinBudget(lines, context.settings.brief_tokens)
  return { text: renderNotes(MESSAGE_TITLES.start, fitted), told }
}

const MOST_ITEMS = 12

/**
 * What a session that goes on does not know: what others saved to its stream since it last spoke, commits, a change of
 * branch. The client replays what it was told before, so nothing of that is said again; null where nothing changed.
 */
export async function tellChangesSince(
  context: Context,
  here: Here,
  session: Session,
  notes: readonly SessionNote[],
): Promise<AgentMessage | null> {
  const saved = await readOthersWork(context, here, session)
  const lines = [
    ...notes.map(({ text }) => text),
    ...(await gitLines(context, here, session)),
    ...(saved?.lines ?? []),
    ...(await foundLines(context, here, session)),
  ]
  if (lines.length === 0) return null
  const { stream, checkpoint } = saved ?? session.told ?? { stream: null, checkpoint: null }
  const text = renderNotes(MESSAGE_TITLES.changes, withinBudget(lines, context.settings.brief_tokens))
  return { text, told: { at: instant(context.ports.now()), stream, checkpoint } }
}

/** What streams say now that others have worked on, and this session never knew. */
async function readOthersWork(context: Context, here: Here, session: Session) {
  const survey = await surveyDocuments(context, here)
  const told = new Set((await readKnownStates(context, survey, session)).flatMap(workLines))
  const fresh = new Set<string>()
  let newest: { stream: string; checkpoint: string } | null = null
  for (const name of await streamsFor(context, session)) {
    const row = findFormer(survey, name)
    if (!row || row.position.foreign || row.position.at <= session.lastActivityAt) continue
    const now = await newestWholeOrNull(context, row.position.checkpoint)
    if (now === null || now.session === session.id || now.id === session.told?.checkpoint) continue
    const work = survey.trusted ? now.work : await readSavedByHand(context.store, now)
    for (const line of workLines(work)) if (!told.has(line)) fresh.add(line)
    newest ??= { stream: row.stream.name, checkpoint: now.id }
  }
  return newest && { ...newest, lines: [...fresh].slice(0, MOST_ITEMS) }
}

/** Its own stream, the one that it was told, and those of sessions that were heard of since. */
async function streamsFor(context: Context, session: Session): Promise<string[]> {
  const { workspace } = context.identity
  const all = await listSessions(context, { workspace, phases: ['active', 'stale', 'recent'], most: 50 })
  const others = all.filter(
    ({ id, lastActivityAt }) => id !== session.id && lastActivityAt > session.lastActivityAt,
  )
  const told = session.told?.stream
  return [...new Set([streamOf(session), ...(told ? [told] : []), ...others.map(streamOf)])]
}

/** What the session was told, and what it saved last itself: so far back it is looked for. */
const MOST_STEPS = 30

async function readKnownStates(context: Context, survey: Survey, session: Session): Promise<WorkState[]> {
  const told = session.told?.checkpoint ? await newestWholeOrNull(context, session.told.checkpoint) : null
  const known = told ? [told.work] : []
  let id = findFormer(survey, streamOf(session))?.position.checkpoint ?? null
  for (let step = 0; id !== null && step < MOST_STEPS; step += 1) {
    const found: Checkpoint | null = await newestWholeOrNull(context, id)
    if (found?.session === session.id) return [...known, found.work]
    id = found?.parent ?? null
  }
  return known
}

/** What another tool wrote down here since the session last spoke. */
async function foundLines(context: Context, here: Here, { lastActivityAt }: Session): Promise<string[]> {
  const world = await worldOf(context, here, { wantsDirty: false })
  const { work } = await findNewerFiles(context, world, null)
  return work
    .filter(({ atMs, isVouched }) => !isVouched && atMs > Date.parse(lastActivityAt))
    .flatMap(({ path, atMs, work: found }) => [
      FOUND_NOTES.beside(path, ageOf(context.ports.now() - atMs)),
      ...workLines(found).slice(0, MOST_ITEMS),
    ])
}

async function gitLines(context: Context, here: Here, { environment }: Session): Promise<string[]> {
  // Names of branches are whoever's made them.
  if (!here.trusted) return []
  const { branch, commit } = here.head
  const { gitBranch: was, gitCommitHash: since } = environment
  const moved = was !== null && branch !== null && was !== branch
  const lines = moved ? [MESSAGE_LINES.branch(was, branch)] : []
  if (since === null || commit === null || since === commit) return lines
  const { commitsSince } = await import('../../workspace/git-commits.ts')
  const { count } = await commitsSince(context.place, since)
  return count ? [...lines, MESSAGE_LINES.commits(count)] : lines
}

import type { Checkpoint } from '../../core/checkpoint.ts'
import { instant } from '../../core/ports.ts'
import type { Session, StartPoint } from '../../core/session.ts'
import { estimateTokens } from '../../core/tokens.ts'
import type { WorkState } from '../../core/work.ts'
import { renderNotes } from '../../formats/brief-md/render.ts'
import { streamOf } from '../../policy/session-stream.ts'
import { withinBudget } from '../brief/within-budget.ts'
import type { Context } from '../context/context.ts'
import { readSavedByHand } from '../documents/automatic.ts'
import { newestWholeOrNull } from '../documents/newest-whole-point.ts'
import { findRow, type Survey, surveyDocuments } from '../documents/survey.ts'
import type { Here } from '../trust/here.ts'
import type { AgentMessage } from './start-brief.ts'

const MOST_ITEMS = 12

/**
 * What a session that goes on does not know: what others saved to its stream since it last spoke, commits, a change of
 * branch. The client replays what it was told before, so nothing of that is said again; null where nothing changed.
 */
export async function tellChangesSince(
  context: Context,
  here: Here,
  session: Session,
  notes: readonly string[],
): Promise<AgentMessage | null> {
  const { ports, settings } = context
  const saved = await readOthersWork(context, here, session)
  const lines = [...notes, ...(await gitLines(context, here, session)), ...(saved?.lines ?? [])]
  if (lines.length === 0) return null
  const text = renderNotes(
    'What changed since this session last spoke',
    withinBudget(lines, settings.brief_tokens),
  )
  const told: StartPoint = session.told ?? { at: '', stream: null, checkpoint: null }
  return {
    text,
    tokens: estimateTokens(text),
    told: {
      ...told,
      at: instant(ports.now()),
      ...(saved ? { stream: saved.stream, checkpoint: saved.checkpoint } : {}),
    },
  }
}

/** What streams say now that others have worked on, and this session never knew. */
async function readOthersWork(
  context: Context,
  here: Here,
  session: Session,
): Promise<{ stream: string; checkpoint: string; lines: string[] } | null> {
  const survey = await surveyDocuments(context, here)
  const known = await readKnownStates(context, survey, session)
  const lines: string[] = []
  let newest: { stream: string; checkpoint: string } | null = null
  for (const name of await streamsFor(context, session)) {
    const row = findRow(survey, name)
    if (!row || row.position.foreign || row.position.at <= session.lastActivityAt) continue
    const now = await newestWholeOrNull(context, row.position.checkpoint)
    if (now === null || now.session === session.id || now.id === session.told?.checkpoint) continue
    const work = survey.trusted ? now.work : await readSavedByHand(context.store, now)
    lines.push(...newIn(work, known))
    known.push(work)
    newest ??= { stream: row.stream.name, checkpoint: now.id }
  }
  return newest && { ...newest, lines: [...new Set(lines)].slice(0, MOST_ITEMS) }
}

/** Its own stream, the one that it was told, and those of sessions that were heard of since. */
async function streamsFor({ store, identity }: Context, session: Session): Promise<string[]> {
  const rows = await store.log.listSessions({
    workspace: identity.workspace,
    phases: ['active', 'stale', 'recent'],
    most: 50,
  })
  const others = rows
    .map((row) => row.session)
    .filter(({ id, lastActivityAt }) => id !== session.id && lastActivityAt > session.lastActivityAt)
  const told = session.told?.stream
  return [...new Set([streamOf(session), ...(told ? [told] : []), ...others.map(streamOf)])]
}

/** What the session was told, and what it saved last itself: so far back it is looked for. */
const MOST_STEPS = 30

async function readKnownStates(context: Context, survey: Survey, session: Session): Promise<WorkState[]> {
  const told = session.told?.checkpoint ? await newestWholeOrNull(context, session.told.checkpoint) : null
  const known = told ? [told.work] : []
  let id = findRow(survey, streamOf(session))?.position.checkpoint ?? null
  for (let step = 0; id !== null && step < MOST_STEPS; step += 1) {
    const found: Checkpoint | null = await newestWholeOrNull(context, id)
    if (found?.session === session.id) return [...known, found.work]
    id = found?.parent ?? null
  }
  return known
}

function newIn(work: WorkState, known: readonly WorkState[]): string[] {
  const fresh = <Item extends { text: string }>(items: readonly Item[], field: ListedField): Item[] => {
    const texts = new Set(known.flatMap((one) => one[field].map(({ text }) => text)))
    return items.filter(({ text }) => !texts.has(text))
  }
  const mark = ({ text, confirmed }: { text: string; confirmed: boolean }) =>
    confirmed ? text : `UNCONFIRMED: ${text}`
  const standing = work.decisions.filter(({ supersededBy }) => supersededBy === null)
  return [
    ...fresh(standing, 'decisions').map(
      (one) => `Decided: ${mark(one)}${one.why === '' ? '' : ` (why: ${one.why})`}`,
    ),
    ...fresh(work.rules, 'rules').map((one) => `Rule: ${mark(one)}`),
    ...fresh(work.constraints, 'constraints').map((one) => `Constraint: ${mark(one)}`),
    ...(work.now !== '' && known.every(({ now }) => now !== work.now) ? [`Now: ${work.now}`] : []),
    ...fresh(work.next, 'next').map(({ text }) => `Next: ${text}`),
    ...fresh(work.blockers, 'blockers').map(({ text }) => `Blocked: ${text}`),
  ]
}

type ListedField = 'decisions' | 'rules' | 'constraints' | 'next' | 'blockers'

async function gitLines(
  context: Context,
  { trusted, head }: Here,
  { environment }: Session,
): Promise<string[]> {
  // Names of branches are whoever's made them.
  if (!trusted) return []
  const { branch, commit } = head
  const was = environment.gitBranch
  const moved = was !== null && branch !== null && was !== branch
  const lines = moved ? [`The branch was ${was}, now it is ${branch}.`] : []
  const since = environment.gitCommitHash
  if (since === null || commit === null || since === commit) return lines
  const { commitsSince } = await import('../../workspace/git-since.ts')
  const { count } = await commitsSince(context.place, since)
  return count ? [...lines, `${count} ${count === 1 ? 'commit' : 'commits'} came since.`] : lines
}

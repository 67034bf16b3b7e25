import { instant } from '../../core/ports.ts'
import { ReasonError } from '../../core/reason.ts'
import type { Session } from '../../core/session.ts'
import { type Digest, emptyDigest } from '../../policy/digest/state.ts'
import { accomplishmentsOf } from '../../policy/registry.ts'
import { sessionStream } from '../../policy/resolve.ts'
import type { Context } from '../context/context.ts'
import { digestToEnd } from '../sessions/catch-up.ts'
import { listSessions } from '../sessions/current.ts'
import { readToEnd } from '../sessions/read-to-end.ts'
import { digestOf } from '../surroundings/session-digest.ts'
import { listPlaces, nameRepository, workspaceAt } from './places.ts'
import { describeSession, gaugeOf, listRunning, readSessionKey, sessionKeyText } from './session-lines.ts'

export async function readSessionPage(context: Context, key: string) {
  const { store, ports } = context
  const wanted = readSessionKey(key)
  const known = wanted && (await store.log.readSession(wanted))?.session
  if (!known) throw new ReasonError('session_unknown', { id: key })
  const session = await readToEnd(context, known)
  const isOver = session.phase === 'archived'
  const found = isOver
    ? await digestOf(store, session)
    : await digestToEnd(context, session, { maxBytes: MOST.bytes })
  const digest = found ?? emptyDigest()
  const places = await listPlaces(context)
  const children = await listSessions(context, { parent: session.id, most: MOST.children })
  const { tokensConsumed, apiCalls, toolUsageCounts, filesModified } = session.statistics
  return {
    at: instant(ports.now()),
    session: describeSession(session),
    repository: nameRepository(places, session.repository),
    workspace: workspaceAt(places, session.workspace, session.repository),
    window: gaugeOf(session),
    marks: await marksOf(context, session, digest),
    ...talkOf(digest),
    tools: Object.entries(toolUsageCounts)
      .map(([name, calls]) => ({ name, calls }))
      .sort((a, b) => b.calls - a.calls),
    files: filesModified,
    commits: digest.commits,
    /** The last outcome of each command. */
    commands: digest.checks.map(({ at, family, kind, failed, code, detail, ms }) => ({
      ...{ at, name: family, kind, failed, code, detail, ms },
    })),
    accomplishments: accomplishmentsOf(session),
    running: listRunning(session),
    consumed: { ...tokensConsumed, apiCalls },
    events: session.events.map(({ at, kind, note }) => ({ at, kind, note })),
    /** Keys of the session that it goes on from, and of those that went on from it. */
    parent: session.parent && sessionKeyText({ agent: session.agent, id: session.parent }),
    children: children.filter(({ agent }) => agent === session.agent).map(sessionKeyText),
    /** The transcript is gone or was never read: requests and the rest are empty. */
    isUnread: found === null,
  }
}

const MOST = { children: 20, checkpoints: 200, bytes: 64 * 1024 * 1024 }

/** What was said: requests, the end of the last answer, what is open. */
function talkOf(digest: Digest) {
  const { requests, droppedRequests, turn, previousAnswer, lastAt, openQuestions, plan, tasks } = digest
  const last = turn.at(-1)
  return {
    requests: requests.map(({ at, how, text, about, answeredQuestion, outcome, effect }) => ({
      ...{ at, how, text, about: about || answeredQuestion, outcome, effect },
    })),
    moreRequests: droppedRequests,
    // After a request that is not answered yet, the end of the turn before it.
    lastAnswer: last
      ? { at: last.at, text: last.text }
      : previousAnswer === ''
        ? null
        : { at: lastAt ?? '', text: previousAnswer },
    openQuestions: openQuestions?.questions ?? [],
    plan: plan && { title: plan.title, outline: plan.outline, verdict: plan.verdict },
    tasks: tasks.map(({ text, state }) => ({ text, state })),
  }
}

interface Mark {
  at: string
  kind: 'checkpoint' | 'save' | 'compaction' | 'commit' | 'pause' | 'end'
  label: string
  work: { id: string; name: string; sequence: number } | null
}

/** What happened in a session's time, oldest first. */
async function marksOf(context: Context, session: Session, digest: Digest): Promise<Mark[]> {
  const plain = (kind: Mark['kind'], at: string, label: string): Mark => ({ at, kind, label, work: null })
  const { events, paused, endedAt, endReason } = session
  return [
    ...(await checkpointMarks(context, session)),
    ...events.filter(({ kind }) => kind === 'compacted').map(({ at, note }) => plain('compaction', at, note)),
    ...digest.commits.map(({ at, hash, subject }) =>
      plain('commit', at, `${hash.slice(0, 7)} ${subject}`.trim()),
    ),
    ...(paused ? [plain('pause', paused.at, paused.reason)] : []),
    ...(endedAt === null ? [] : [plain('end', endedAt, endReason ?? '')]),
  ].sort((a, b) => (a.at < b.at ? -1 : Number(a.at > b.at)))
}

/** The checkpoints that were taken in it, of the work that it saves to and of its own. */
async function checkpointMarks({ store }: Context, session: Session): Promise<Mark[]> {
  const names = [...new Set([session.stream, sessionStream(session.id)])].filter((name) => name !== null)
  const marks: Mark[] = []
  for (const name of names) {
    const stream = await store.log.findStream(session.repository, name, 'work')
    if (stream === null) continue
    const rows = await store.log.readHistory(stream.id, MOST.checkpoints)
    for (const stored of await store.log.readCheckpoints(rows.map(({ id }) => id))) {
      if (stored.state !== 'whole' || stored.checkpoint.session !== session.id) continue
      const { row, checkpoint } = stored
      marks.push({
        ...{ at: row.at, label: row.gist.document?.why ?? '' },
        kind: checkpoint.triggers.some(({ kind }) => kind === 'manual') ? 'save' : 'checkpoint',
        work: { id: stream.id, name: stream.name, sequence: row.sequence },
      })
    }
  }
  return marks
}

import type { Outcome, SessionEvent } from '../../core/session.ts'
import { shortId } from '../../core/session-name.ts'
import { ageOf, formatCount, shortSpan } from '../../core/text.ts'
import { workspaceRoot } from '../../engine/context/context.ts'
import { currentSession, listSessions, requireLast } from '../../engine/sessions/current.ts'
import { readToEnd } from '../../engine/sessions/read-to-end.ts'
import { withUncommittedNow } from '../../engine/sessions/registry.ts'
import { digestOf } from '../../engine/surroundings/session-digest.ts'
import type { Digest } from '../../policy/digest/state.ts'
import { accomplishmentsOf } from '../../policy/registry.ts'
import { streamOf } from '../../policy/resolve.ts'
import { runningIn } from '../../policy/session-lifecycle.ts'
import { defineVerb } from '../define/verb.ts'
import { type SessionRowText, sayEnd, sayRows, statisticsRows, timesOf } from './session-words.ts'

const EVENTS_SHOWN = 10

export const sessionsShow = defineVerb({
  name: 'sessions show',
  summary: 'Show everything recorded about a session',
  detail:
    'How it started, what it did, what it left running, how it ended, and which sessions came before and after it.',
  fields: {
    session: {
      kind: 'text',
      at: 0,
      names: 'session',
      label: 'id',
      about: 'session id, or its first characters (default: the current session)',
    },
  },
  examples: ['savepoint sessions show', 'savepoint sessions show 7c1e2f40', 'savepoint sessions show --json'],
  access: 'read',
  takesIn: 'talk',
  lenient: true,
  async perform(context, { session: id }) {
    const read = await readToEnd(context, await requireLast(context, id))
    const [session = read] = await withUncommittedNow(context, [read])
    const current = await currentSession(context)
    const family = await listSessions(context, { repository: session.repository })
    return {
      session,
      current: current?.id === session.id && current.agent === session.agent,
      ...timesOf(session, context.ports.now()),
      worktree: await workspaceRoot(context, session.workspace),
      savesTo: streamOf(session),
      accomplishments: accomplishmentsOf(session),
      /** The sessions that went on from it. */
      children: family
        .filter(({ parent, agent }) => parent === session.id && agent === session.agent)
        .map((one) => one.id),
      /** What it came to; null where nothing of it was read yet. */
      digest: await digestOf(context.store, session),
    }
  },
  say: ({ session, durationMs, silentMs, ...shown }, screen) => {
    const { time, second } = screen
    const { environment, events, uncommittedFiles } = session
    const joinSaid = (...parts: Array<string | null>) => parts.filter(Boolean).join(', ')
    const shownEvents = events.slice(-EVENTS_SHOWN).reverse()
    const older = events.length - shownEvents.length
    return sayRows(
      [
        ['Session', `${session.id}${shown.current ? ' (current)' : ''}`],
        ['Agent', joinSaid(session.agent, environment.model)],
        ['Phase', joinSaid(`${session.phase}, last active ${ageOf(silentMs)} ago`, sayEnd(session))],
        ['Started', `${time(session.startedAt)} (${session.source})`],
        ['Ended', session.endedAt && time(session.endedAt)],
        ['Lasted', shortSpan(durationMs)],
        ['Branch', environment.gitBranch],
        ['Commit', environment.gitCommitHash],
        ['Folder', environment.workingDirectory],
        ['Worktree', shown.worktree === environment.workingDirectory ? null : shown.worktree],
        ['Mode', environment.permissionMode],
        ['Transcript', environment.transcriptPath],
        ['Continues', session.parent && shortId(session.parent)],
        ['Continued by', shown.children.map(shortId).join(', ')],
        ['Saves to', `${shown.savesTo}${session.stream === null ? ' (its own)' : ''}`],
        ['Works on', session.outcomes.map(sayOutcome)],
        ['Done', shown.accomplishments],
        [
          'Running',
          runningIn(session).map(({ kind, what, since }) => `${kind}: ${what}, since ${time(since)}`),
        ],
        ...(shown.digest ? talkRows(shown.digest) : []),
        ...statisticsRows(session.statistics, session),
        ['Uncommitted', uncommittedFiles === null ? null : formatCount(uncommittedFiles, 'file')],
        ['Event', shownEvents.map((event) => sayEvent(event, second(event.at)))],
        ['', older > 0 ? `${older} older events: --json` : null],
      ],
      screen,
    )
  },
})

const sayOutcome = ({ outcomeName, path, lastTask, workSummary }: Outcome) =>
  [path ? `${outcomeName} (${path})` : outcomeName, lastTask, workSummary].filter(Boolean).join('; ')

const sayEvent = ({ kind, note, ms }: SessionEvent, time: string) =>
  `${time} ${kind}${note === '' ? '' : `: ${note}`}${ms === null ? '' : ` (${Math.round(ms)} ms)`}`

/** What was said, oldest first: a request with what it answers, and the agent's last words. */
const talkRows = ({ requests, droppedRequests, turn }: Digest): SessionRowText[] => [
  ['', droppedRequests > 0 ? `${droppedRequests} older requests not kept` : null],
  [
    'Asked',
    requests.map(({ how, text, about, answeredQuestion }) => {
      const question = how === 'answer' ? about : answeredQuestion
      const words = how === 'command' ? `/${about} ${text}`.trim() : text
      return question === '' ? words : `${question} → ${words}`
    }),
  ],
  ['Last words', turn.at(-1)?.text ?? null],
]

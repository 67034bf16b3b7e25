import type { Session } from '../../core/session.ts'
import { shortId } from '../../core/session-name.ts'
import { ageOf, formatCount } from '../../core/text.ts'
import { visibleLine } from '../../core/visible.ts'
import { workspaceRoot } from '../../engine/context/context.ts'
import { currentSession, requireLast } from '../../engine/sessions/current.ts'
import { readToEnd } from '../../engine/sessions/read-to-end.ts'
import { digestOf } from '../../engine/surroundings/session-digest.ts'
import { accomplishmentsOf } from '../../policy/accomplishments.ts'
import type { Digest } from '../../policy/digest/state.ts'
import { runningIn } from '../../policy/running-in.ts'
import { streamOf } from '../../policy/session-stream.ts'
import { defineVerb, type Screen } from '../define/verb.ts'
import { namedRows } from '../say/table.ts'
import { sayContext, statisticsRows } from './say-statistics.ts'
import { durationOf, sayEnd, shortSpan } from './session-text.ts'

interface ShownSession {
  session: Session
  current: boolean
  durationMs: number
  silentMs: number
  worktree: string
  /** The stream that it saves to; its own where it is bound to none. */
  savesTo: string
  /** What it got done: as somebody said it, else counted. */
  accomplishments: string[]
  /** The sessions that went on from it. */
  children: string[]
  /** What it came to; null where nothing of it was read yet. */
  digest: Digest | null
}

const EVENTS_SHOWN = 10

export const sessionsShow = defineVerb({
  name: 'sessions show',
  summary: 'Show everything that is recorded of a session',
  detail:
    'How it began, what it did and what it runs, how it ended, and which sessions it goes on from and led to.',
  fields: {
    session: {
      kind: 'text',
      at: 0,
      label: 'id',
      about: 'the session, by its id or the beginning of it; the current one without it',
    },
  },
  examples: ['savepoint sessions show', 'savepoint sessions show 1f3a9c04', 'savepoint sessions show --json'],
  access: 'read',
  takesIn: 'talk',
  lenient: true,
  async perform(context, { session: id }): Promise<ShownSession> {
    const session = await readToEnd(context, (await requireLast(context, id)).session)
    const current = (await currentSession(context))?.session
    const family = await context.store.log.listSessions({ repository: session.repository })
    const nowMs = context.ports.now()
    return {
      session,
      current: current?.id === session.id && current.agent === session.agent,
      durationMs: durationOf(session, nowMs),
      silentMs: Math.max(0, nowMs - Date.parse(session.lastActivityAt)),
      worktree: await workspaceRoot(context, session.workspace),
      savesTo: streamOf(session),
      accomplishments: accomplishmentsOf(session),
      children: family
        .filter((row) => row.session.parent === session.id && row.session.agent === session.agent)
        .map((row) => row.session.id),
      digest: await digestOf(context.store, session),
    }
  },
  say: (shown, { columns }: Screen) => namedRows(rowsOf(shown), columns),
})

function rowsOf(shown: ShownSession): Array<[string, string]> {
  const { session, durationMs, silentMs } = shown
  const { environment, statistics, context, events } = session
  const rows: Array<[string, string | null]> = [
    ['Session', `${session.id}${shown.current ? ' (the current one)' : ''}`],
    ['Agent', [session.agent, environment.model].filter((text) => text !== null).join(', ')],
    [
      'Phase',
      [`${session.phase}, last heard of ${ageOf(silentMs)} ago`, sayEnd(session)].filter(Boolean).join(', '),
    ],
    ['Started', `${formatTime(session.startedAt)} (${session.source})`],
    ['Ended', session.endedAt && formatTime(session.endedAt)],
    ['Lasted', shortSpan(durationMs)],
    ['Branch', environment.gitBranch],
    ['Commit', environment.gitCommitHash],
    ['Folder', environment.workingDirectory],
    ['Worktree', shown.worktree === environment.workingDirectory ? null : shown.worktree],
    ['Mode', environment.permissionMode],
    ['Transcript', environment.transcriptPath],
    ['Goes on from', session.parent && shortId(session.parent)],
    ['Led to', shown.children.map(shortId).join(', ')],
    ['Saves to', `${shown.savesTo}${session.stream === null ? ' (its own stream)' : ''}`],
    ...session.outcomes.map(({ outcomeName, path, lastTask, workSummary }): [string, string] => [
      'Works on',
      [path ? `${outcomeName} (${path})` : outcomeName, lastTask, workSummary].filter(Boolean).join('; '),
    ]),
    ...shown.accomplishments.map((text): [string, string] => ['Done', text]),
    ...runningIn(session).map(({ kind, what, since }): [string, string] => [
      'In flight',
      `${kind}: ${what || 'no words about it'}, since ${formatTime(since)}`,
    ]),
    ...talkRows(shown.digest),
    ['Context', context && sayContext(context)],
    ['Compactions', session.compactions > 0 ? String(session.compactions) : null],
    ...statisticsRows(statistics),
    ['Uncommitted', session.uncommittedFiles === null ? null : formatCount(session.uncommittedFiles, 'file')],
    ...events
      .slice(-EVENTS_SHOWN)
      .reverse()
      .map(({ at, kind, note, ms }): [string, string] => [
        'Event',
        `${formatTime(at)} ${kind}${note === '' ? '' : `: ${note}`}${ms === null ? '' : ` (${Math.round(ms)} ms)`}`,
      ]),
  ]
  if (events.length > EVENTS_SHOWN) rows.push(['', `${events.length - EVENTS_SHOWN} older events: --json`])
  return blankRepeatedNames(
    rows.flatMap(([name, text]): Array<[string, string]> => (text ? [[name, visibleLine(text)]] : [])),
  )
}

/** What was said, oldest first: a request with what it answers, and the agent's last words. */
function talkRows(digest: Digest | null): Array<[string, string]> {
  if (digest === null) return []
  const said = digest.requests.map(({ how, text, about, asked }): [string, string] => {
    const question = how === 'answer' ? about : asked
    const words = how === 'command' ? `/${about} ${text}`.trim() : text
    return ['Asked', question === '' ? words : `${question} → ${words}`]
  })
  const last = digest.turn.at(-1)
  return [
    ...(digest.forgotten > 0
      ? [['', `${digest.forgotten} older requests are not kept`] as [string, string]]
      : []),
    ...said,
    ...(last ? [['Last words', last.text] as [string, string]] : []),
  ]
}

const formatTime = (at: string) => `${at.slice(0, 19).replace('T', ' ')}Z`

/** Several lines under one name bear it once. */
const blankRepeatedNames = (rows: ReadonlyArray<[string, string]>) =>
  rows.map(([name, text], at): [string, string] => [rows[at - 1]?.[0] === name ? '' : name, text])

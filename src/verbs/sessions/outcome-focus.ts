import { isAbsolute, relative, resolve, sep } from 'node:path'
import { instant } from '../../core/ports.ts'
import { ReasonError, usageError } from '../../core/reason.ts'
import type { Outcome, Session } from '../../core/session.ts'
import { shortId } from '../../core/session-name.ts'
import { formatCount } from '../../core/text.ts'
import { visibleLine } from '../../core/visible.ts'
import type { Context } from '../../engine/context/context.ts'
import { requireCurrent } from '../../engine/sessions/current.ts'
import { changeSession, refreshHint } from '../../engine/sessions/update-session-rows.ts'
import { redactAll } from '../../policy/redact.ts'
import { withEvent } from '../../policy/session-apply.ts'
import type { InputOf } from '../define/field.ts'
import { defineVerb } from '../define/verb.ts'
import { SESSION_FIELD } from './session-words.ts'

/** More than this nobody works on at once, and every brief would carry it. */
const MOST_OUTCOMES = 50
const MOST_CHARACTERS = 1_000

const FIELDS = {
  name: { kind: 'text', at: 0, about: 'what the session works on, in a few words' },
  path: { kind: 'text', value: 'FILE', about: 'the file that tracks the outcome' },
  id: { kind: 'text', value: 'ID', about: 'its number or id' },
  task: { kind: 'text', value: 'TEXT', about: 'the current task' },
  summary: { kind: 'text', value: 'TEXT', about: 'what was done' },
  session: SESSION_FIELD,
  clear: { kind: 'flag', about: 'remove all outcomes from the session' },
} as const

type Input = InputOf<typeof FIELDS>

export const outcomeFocus = defineVerb({
  name: 'outcome focus',
  summary: 'Set the outcome that a session works on',
  detail:
    'Adds an outcome to the session. An outcome with the same path, or else the same name, is updated and becomes the newest.',
  fields: FIELDS,
  examples: [
    'savepoint outcome focus Authentication --task "Implement token refresh"',
    'savepoint outcome focus Authentication --path outcomes/005-auth/outcome_track.json --id 5',
    'savepoint outcome focus --clear',
  ],
  access: 'write',
  takesIn: 'events',
  async perform(context, input) {
    const said = outcomeFrom(context, input)
    const session = await requireCurrent(context, input.session)
    const known = said !== null && find(session.outcomes, said) !== undefined
    const changed = await changeSession(context, session, (now) =>
      focusOutcome(now, said, context.ports.now()),
    )
    if (changed === null) throw new ReasonError('session_unknown', { id: session.id })
    refreshHint(context, changed.session)
    return { sessionId: session.id, focusedOutcomes: changed.session.outcomes, known }
  },
  say: ({ sessionId, focusedOutcomes }) => {
    const newest = focusedOutcomes.at(-1)
    if (!newest) return `Session ${shortId(sessionId)} has no outcome in focus`
    const others = focusedOutcomes.length - 1
    return [
      `Session ${shortId(sessionId)} works on ${visibleLine(newest.outcomeName)}${newest.path ? ` (${visibleLine(newest.path)})` : ''}`,
      ...(others > 0 ? [`  and ${formatCount(others, 'other')}: savepoint sessions info`] : []),
    ].join('\n')
  },
})

/** What is to be in focus; null where nothing is. */
function outcomeFrom({ cwd, place, mark }: Context, { name, path, id, task, summary, clear }: Input) {
  const texts = { '<name>': name, '--path': path, '--id': id, '--task': task, '--summary': summary }
  for (const [label, text] of Object.entries(texts)) {
    if (text === undefined) continue
    if (clear) throw usageError(`either --clear or ${label}`)
    if (text.trim() === '') throw usageError(`${label} is empty`)
    if (text.length > MOST_CHARACTERS)
      throw usageError(`${label} has more than ${MOST_CHARACTERS} characters`)
  }
  if (clear) return null
  if (name === undefined) throw usageError('<name> is missing: give a name, or --clear')
  return redactAll(
    {
      outcomeId: id === undefined ? null : /^(?:0|[1-9]\d{0,14})$/.test(id) ? Number(id) : id,
      outcomeName: name.trim(),
      path: path === undefined ? null : pathBelow(place.root, resolve(cwd, path)),
      lastTask: task?.trim() ?? '',
      workSummary: summary?.trim() ?? '',
    },
    mark,
  )
}

/** Paths of a workspace are told from its root, so that all sessions call a file by one name. */
function pathBelow(root: string, path: string): string {
  const below = relative(root, path)
  return below.startsWith('..') || isAbsolute(below) ? path : below.split(sep).join('/')
}

/** The newest that it can be. Two different paths are two outcomes, whatever their names. */
const find = (outcomes: readonly Outcome[], { path, outcomeName }: Outcome) =>
  outcomes.findLast((known) => path !== null && known.path === path) ??
  outcomes.findLast(
    (known) =>
      (path === null || known.path === null) && known.outcomeName.toLowerCase() === outcomeName.toLowerCase(),
  )

function focusOutcome(session: Session, said: Outcome | null, nowMs: number): Session {
  const note = said?.outcomeName ?? 'nothing'
  const noted = withEvent(session, { at: instant(nowMs), kind: 'focus', note, ms: null, tokens: 0 })
  if (said === null) return { ...noted, outcomes: [] }
  const known = find(session.outcomes, said)
  const others = session.outcomes.filter((outcome) => outcome !== known)
  if (others.length >= MOST_OUTCOMES)
    throw usageError(`a session can have at most ${MOST_OUTCOMES} outcomes; --clear removes them`)
  return { ...noted, outcomes: [...others, known ? mergeOutcome(known, said) : said] }
}

/** Values that are not given again stay. */
const mergeOutcome = (known: Outcome, said: Outcome): Outcome => ({
  outcomeId: said.outcomeId ?? known.outcomeId,
  outcomeName: said.outcomeName,
  path: said.path ?? known.path,
  lastTask: said.lastTask || known.lastTask,
  workSummary: said.workSummary || known.workSummary,
})

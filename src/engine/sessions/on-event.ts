import { agentNamed } from '../../agents/table.ts'
import type { AgentEvent } from '../../core/agent-event.ts'
import { instant } from '../../core/ports.ts'
import type { Session, SessionKey } from '../../core/session.ts'
import { estimateTokens } from '../../core/tokens.ts'
import { renderNotes } from '../../formats/brief-md/render.ts'
import { askToSave, MESSAGE_LINES, MESSAGE_TITLES } from '../../policy/agent-words.ts'
import { isSaveDue, openStretch } from '../../policy/ask-to-save.ts'
import { droppedLines } from '../../policy/brief/brief-quoted.ts'
import { type MessageKind, mayAskToSave, messageAtStart, momentOf } from '../../policy/moments.ts'
import { streamOf } from '../../policy/resolve.ts'
import { runningIn } from '../../policy/session-lifecycle.ts'
import { nudgesFor } from '../../policy/window.ts'
import { type Head, headOf } from '../../workspace/git-state.ts'
import { withinBudget } from '../brief/brief-of.ts'
import { notesHere } from '../brief/session-notes.ts'
import type { Context } from '../context/context.ts'
import { readSavedByHand } from '../documents/automatic.ts'
import { newestWholeOrNull } from '../documents/newest-whole-point.ts'
import { findFormer, surveyDocuments } from '../documents/survey.ts'
import { digestOf } from '../surroundings/session-digest.ts'
import { type Here, lookHere } from '../trust/here.ts'
import type { catchUpSession as CatchUp } from './catch-up.ts'
import { sessionKeyOf } from './hear-event.ts'
import { keepRegistryAfterwards, reconcileHere } from './ingest-sessions.ts'
import { type AgentMessage, briefAtStart, surveyAtStart, tellChangesSince } from './tell-at-start.ts'
import { changeSession, drainJournal, refreshHint, updateSessionRows } from './update-session-rows.ts'

/** An event of a session, with what is known when it comes. */
interface EventFacts {
  key: SessionKey
  event: AgentEvent
  /** The session's row before the event; null where nobody followed it. */
  before: Session | null
  /** The row with the event; null where its folder is gone and was never known. */
  session: Session | null
  /** How full the window is; null where nobody can say. */
  usedPercent: number | null
}

/** What an agent is to be told, and what could not be done besides; nothing where there is nothing to tell. */
export type HookAnswer = { text: string; tokens: number; failure?: unknown } | null

/** What an event leads to once the store is open, by the table of policy/moments.ts; the journal has it already. */
export async function onEvent(
  context: Context,
  event: AgentEvent,
  usedPercent: number | null,
): Promise<HookAnswer> {
  const key = sessionKeyOf(event)
  const readRow = async () => (await context.store.log.readSession(key))?.session ?? null
  const before = await readRow()
  // Who has no time takes in some of what others left; what this one said comes in any case.
  if (event.kind === 'start') await updateSessionRows(context, { most: MOST_AT_A_START })
  await drainJournal(context, key)
  const { savesAtOnce, tells } = momentOf(event.kind)
  if (savesAtOnce) await saveAtEvent(context, key, event, whyOf(event))
  let told: AgentMessage | string | null = null
  for (const telling of tells)
    told ??= await TELLERS[telling](context, { key, event, before, session: await readRow(), usedPercent })
  const session = await readRow()
  if (session) refreshHint(context, session)
  keepRegistryAfterwards(context)
  return answerOf(told)
}

/** To count the tokens of a brief takes milliseconds: who made it knows them. */
function answerOf(told: AgentMessage | string | null): HookAnswer {
  if (told === null) return null
  if (typeof told === 'string') return { text: told, tokens: estimateTokens(told) }
  return { text: told.text, tokens: told.tokens ?? estimateTokens(told.text) }
}

/** What a start is told, for who can only read: the documents as the store has them, and nothing is noted. */
export async function tellStartWithoutWriting(context: Context, event: AgentEvent): Promise<HookAnswer> {
  const key = sessionKeyOf(event)
  const before = (await context.store.log.readSession(key))?.session ?? null
  const here = await lookHere(context)
  const words = await findWordsAtStart(context, { key, event, before }, here, surveyDocuments)
  return answerOf(words)
}

const MOST_AT_A_START = 50

/** Why an event saves at once, in the words of the checkpoint's trigger. */
function whyOf(event: AgentEvent): { note: string; progress?: 'paused' } {
  if (event.kind === 'failure') return { note: `stopped by ${event.error}`, progress: 'paused' }
  if (event.kind !== 'compacting') return { note: '' }
  return { note: event.automatic ? 'automatic' : 'requested' }
}

/** Loaded where it is needed: a start that finds nothing new reads no transcript. */
const loadAndCatchUp: typeof CatchUp = async (...given) =>
  (await import('./catch-up.ts')).catchUpSession(...given)

/** Saves what the session wrote so far, for the reason that the table of moments gives to the event. */
async function saveAtEvent(
  context: Context,
  key: SessionKey,
  { kind }: AgentEvent,
  why: { note: string; progress?: 'paused' },
): Promise<void> {
  await changeSession(context, key, withHead(context, headOf(context.place)))
  await loadAndCatchUp(context, key, { kind: momentOf(kind).trigger ?? 'timer', ...why, isLive: true })
}

/** Where git stands now, if the agent is where its session belongs and not in another folder. */
const withHead =
  ({ identity }: Context, { branch, commit }: Head) =>
  (session: Session): Session => {
    if (session.workspace !== identity.workspace) return session
    return { ...session, environment: { ...session.environment, gitBranch: branch, gitCommitHash: commit } }
  }

type Teller = (context: Context, happening: EventFacts) => Promise<AgentMessage | string | null>

/** How each telling of the table of moments finds its words; null where there is nothing to tell. */
const TELLERS: Record<MessageKind, Teller> = {
  start: tellAtStart,
  dropped: tellDroppedWords,
  nudge: nudgeAndSave,
  ask: askForSave,
}

async function tellAtStart(context: Context, { key, event, before }: EventFacts) {
  if (event.kind !== 'start' || messageAtStart(event.source) === null) return null
  const here = await lookHere(context)
  await reconcileHere(context, here, { except: key })
  const words = await findWordsAtStart(context, { key, event, before }, here, surveyAtStart)
  await changeSession(context, key, (now) => ({
    ...withHead(context, here.head)(now),
    told: words?.told ?? now.told ?? { at: instant(context.ports.now()), stream: null, checkpoint: null },
  }))
  return words
}

/** Writes nothing itself; `survey` may. */
async function findWordsAtStart(
  context: Context,
  { key, event, before }: Pick<EventFacts, 'key' | 'event' | 'before'>,
  here: Here,
  survey: typeof surveyAtStart,
): Promise<AgentMessage | null> {
  const telling = event.kind === 'start' ? messageAtStart(event.source) : null
  if (event.kind !== 'start' || telling === null) return null
  const notes = await notesHere(context, here, key)
  // One that resumes and was never followed has been told nothing.
  if (telling === 'brief' || before === null)
    return briefAtStart(context, await survey(context, here), notes, { key, source: event.source })
  return tellChangesSince(context, here, before, notes)
}

/** What a compaction's summary dropped, once; nothing as long as the summary is not known. */
async function tellDroppedWords(context: Context, { key, event, session }: EventFacts) {
  if (event.helper !== null || !session || session.compaction === null) return null
  // The client may have been stopped before it told the summary: then its transcript has it.
  const known =
    session.compaction.summary === null
      ? await loadAndCatchUp(context, key, { kind: 'compaction', note: 'after the compaction', isLive: true })
      : { row: { session } }
  const text = known && (await readDroppedWords(context, known.row.session))
  if (text === null) {
    await changeSession(context, key, countLook)
    return null
  }
  // Whoever takes it away is the one who tells it.
  let isMine = false
  await changeSession(context, key, (now) => {
    isMine = now.compaction !== null
    return isMine ? { ...now, compaction: null } : now
  })
  return isMine && text !== '' ? text : null
}

/** The user may have stopped the compaction: a summary that does not come is not waited for. */
const MOST_LOOKS = 3
const countLook = (session: Session): Session => {
  const { compaction } = session
  if (compaction === null) return session
  const looks = compaction.looks + 1
  return { ...session, compaction: looks >= MOST_LOOKS ? null : { ...compaction, looks } }
}

/** What a compaction's summary left out. Null while the summary is not known; an empty text where it dropped nothing. */
async function readDroppedWords(context: Context, session: Session): Promise<string | null> {
  const { summary, at: until } = session.compaction ?? { summary: null, at: '' }
  if (summary === null) return null
  const survey = await surveyDocuments(context)
  const { trusted } = survey
  const row = findFormer(survey, streamOf(session))
  const known =
    row && !row.position.foreign ? await newestWholeOrNull(context, row.position.checkpoint) : null
  const work = known && (trusted ? known.work : await readSavedByHand(context.store, known))
  const running = (trusted ? runningIn(session) : []).filter(({ what }) => !summary.includes(what))
  const lines = [
    ...droppedLines(await digestOf(context.store, session), work, { summary, trusted, until }),
    ...running.map(({ what }) => MESSAGE_LINES.running(what)),
  ]
  return lines.length === 0
    ? ''
    : renderNotes(MESSAGE_TITLES.dropped, withinBudget(lines, context.settings.brief_tokens))
}

/** At a threshold: a checkpoint, and one line of advice, each once in a session. */
async function nudgeAndSave(context: Context, { key, event, session, usedPercent }: EventFacts) {
  // A helper has a window of its own, and a turn that a hook keeps going has been advised.
  if (!session || event.helper !== null || (event.kind === 'stop' && event.again)) return null
  const due = nudgesFor({ usedPercent, ...session })
  if (due.length === 0) return null
  await saveAtEvent(context, key, event, { note: `the window is ${Math.floor(usedPercent ?? 0)} % full` })
  let mine: typeof due = []
  await changeSession(context, key, (now) => {
    mine = due.filter(({ key: name }) => !now.nudged.includes(name))
    if (mine.length === 0) return now
    const nudged = [...now.nudged, ...mine.map(({ key: name }) => name)]
    // The advice is to save: nobody is asked for the same again.
    return mine.some(({ text }) => text !== null) ? { ...markAsked(now), nudged } : { ...now, nudged }
  })
  return mine.find(({ text }) => text !== null)?.text ?? null
}

/** Much was done since the last save: asks the agent for one, once. */
async function askForSave(context: Context, { key, event }: EventFacts): Promise<string | null> {
  if (!mayAskToSave(event)) return null
  const { settings, env, agents } = context
  const hasTools = agentNamed(agents, key.agent)?.hasTools(env) ?? false
  // Of two hooks that come at once, the one that changes the row is the one who asks.
  let text: string | null = null
  await changeSession(context, key, (now) => {
    const stretch = openStretch(now, settings.ask_to_save)
    const isDue = stretch !== null && isSaveDue(stretch)
    text = isDue ? askToSave(stretch, { hasSaved: now.savedAt !== null, hasTools }) : null
    return isDue ? markAsked(now) : now
  })
  return text
}

const markAsked = (session: Session): Session =>
  session.stretch ? { ...session, stretch: { ...session.stretch, isAsked: true } } : session

import { agentNamed } from '../../agents/table.ts'
import type { AgentEvent } from '../../core/agent-event.ts'
import { instant } from '../../core/ports.ts'
import type { Session, SessionKey } from '../../core/session.ts'
import { estimateTokens } from '../../core/tokens.ts'
import { askToSave, isSaveDue, openStretch } from '../../policy/ask-to-save.ts'
import { asksForWindow, mayAskToSave } from '../../policy/due-now.ts'
import { momentOf, toldAtStart } from '../../policy/moments.ts'
import { nudgesFor } from '../../policy/nudges.ts'
import { headOf } from '../../workspace/git-state.ts'
import { notesHere } from '../brief/session-notes.ts'
import type { Context } from '../context/context.ts'
import type { catchUp as CatchUp } from './catch-up.ts'
import { changesSince } from './changes-since.ts'
import { droppedWords } from './dropped-words.ts'
import { changeSession, drain, follow } from './follow.ts'
import { refreshHint } from './hint-of.ts'
import { reconcileHere } from './reconcile-sessions.ts'
import { type Answer, briefAtStart } from './start-brief.ts'

/**
 * Everything that an event of an agent leads to, once the store is open; the event itself stands in the journal
 * already. policy/moments.ts says which events lead to what.
 */
export async function onEvent(
  context: Context,
  event: AgentEvent,
  usedPercent: number | null,
): Promise<Answer> {
  const key: SessionKey = { agent: event.agent, id: event.session }
  const before = (await context.store.session(key))?.session ?? null
  // Who has no time takes in some of what others left; what this one said comes in any case.
  if (event.kind === 'start') await follow(context, { most: MOST_AT_A_START })
  await drain(context, key)
  const answer = await answerTo(context, key, event, usedPercent, before)
  const session = (await context.store.session(key))?.session
  if (session) refreshHint(context, session)
  return answer
}

const MOST_AT_A_START = 50

/** Loaded where it is needed: a start that finds nothing new reads no transcript. */
const catchUp: typeof CatchUp = async (...given) => (await import('./catch-up.ts')).catchUp(...given)

async function answerTo(
  context: Context,
  key: SessionKey,
  event: AgentEvent,
  usedPercent: number | null,
  before: Session | null,
): Promise<Answer> {
  switch (event.kind) {
    case 'start':
      return started(context, key, event, before)
    case 'prompt':
    case 'batch':
      if (event.helper !== null) return null
      return (
        (await owed(context, key)) ??
        (await pressed(context, key, event, usedPercent)) ??
        (mayAskToSave(event) ? askForSave(context, key) : null)
      )
    case 'stop':
      return asksForWindow(event) ? pressed(context, key, event, usedPercent) : null
    case 'failure':
      await saved(context, key, event, { note: `stopped by ${event.error}`, progress: 'paused' })
      return null
    case 'compacting':
      await saved(context, key, event, { note: event.automatic ? 'automatic' : 'asked for' })
      return null
    default:
      return null
  }
}

/** Saves what the session wrote so far, for the reason that the table gives to the event. */
async function saved(
  context: Context,
  key: SessionKey,
  { kind }: AgentEvent,
  why: { note: string; progress?: 'paused' },
): Promise<void> {
  await changeSession(context, key, withHead(context))
  await catchUp(context, key, { kind: momentOf(kind).trigger ?? 'timer', ...why, isLive: true })
}

/** Where git stands now, if the agent is where its session belongs and not in another folder. */
const withHead =
  ({ place, identity }: Context) =>
  (session: Session): Session => {
    if (session.workspace !== identity.workspace) return session
    const { branch, commit } = headOf(place)
    return { ...session, environment: { ...session.environment, gitBranch: branch, gitCommitHash: commit } }
  }

async function started(
  context: Context,
  key: SessionKey,
  { source }: Extract<AgentEvent, { kind: 'start' }>,
  before: Session | null,
): Promise<Answer> {
  const telling = toldAtStart(source)
  if (telling === null) return null
  await reconcileHere(context, { except: key })
  const notes = await notesHere(context, key)
  const session = (await context.store.session(key))?.session
  // One that resumes and was never followed has been told nothing.
  const words =
    telling === 'changes' && before !== null
      ? await changesSince(
          context,
          before,
          notes.map(({ text }) => text),
        )
      : await briefAtStart(context, notes, { key, source })
  if (session)
    await changeSession(context, key, (now) => ({
      ...withHead(context)(now),
      told: words?.told ?? now.told ?? { at: instant(context.ports.now()), stream: null, checkpoint: null },
    }))
  return words
}

/** What a compaction's summary dropped, once; nothing as long as the summary is not known. */
async function owed(context: Context, key: SessionKey): Promise<Answer> {
  const session = (await context.store.session(key))?.session
  if (!session || session.compaction === null) return null
  // The client may have been stopped before it told the summary: then its transcript has it.
  const known =
    session.compaction.summary === null
      ? await catchUp(context, key, { kind: 'compaction', note: 'after the compaction', isLive: true })
      : { row: { session } }
  const words = known && (await droppedWords(context, known.row.session))
  if (words === null) {
    await changeSession(context, key, lookedAgain)
    return null
  }
  // Whoever takes it away is the one who tells it.
  let isMine = false
  await changeSession(context, key, (now) => {
    isMine = now.compaction !== null
    return isMine ? { ...now, compaction: null } : now
  })
  return isMine && words.text !== '' ? words : null
}

/** The user may have stopped the compaction: a summary that does not come is not waited for. */
const MOST_LOOKS = 3

const lookedAgain = (session: Session): Session => {
  const { compaction } = session
  if (compaction === null) return session
  const looks = compaction.looks + 1
  return { ...session, compaction: looks >= MOST_LOOKS ? null : { ...compaction, looks } }
}

/** At a threshold: a checkpoint, and one line of advice, each once in a session. */
async function pressed(
  context: Context,
  key: SessionKey,
  event: AgentEvent,
  usedPercent: number | null,
): Promise<Answer> {
  const session = (await context.store.session(key))?.session
  if (!session) return null
  const due = nudgesFor({ usedPercent, ...session })
  if (due.length === 0) return null
  await saved(context, key, event, { note: `the window is ${Math.floor(usedPercent ?? 0)} % full` })
  let mine: typeof due = []
  await changeSession(context, key, (now) => {
    mine = due.filter(({ key: name }) => !now.nudged.includes(name))
    if (mine.length === 0) return now
    const nudged = [...now.nudged, ...mine.map(({ key: name }) => name)]
    // The advice is to save: nobody is asked for the same again.
    return mine.some(({ text }) => text !== null) ? { ...asked(now), nudged } : { ...now, nudged }
  })
  const text = mine.find((nudge) => nudge.text !== null)?.text ?? null
  return text === null ? null : { text, tokens: estimateTokens(text) }
}

/** Much was done since the last save: asks the agent for one, once. */
async function askForSave(context: Context, key: SessionKey): Promise<Answer> {
  const { settings, env, agents } = context
  const hasTools = agentNamed(agents, key.agent)?.hasTools(env) ?? false
  // Of two hooks that come at once, the one that changes the row is the one who asks.
  let text = ''
  await changeSession(context, key, (now) => {
    const stretch = openStretch(now, settings.ask_to_save)
    const isDue = stretch !== null && isSaveDue(stretch)
    text = isDue ? askToSave(stretch, { hasSaved: now.savedAt !== null, hasTools }) : ''
    return isDue ? asked(now) : now
  })
  return text === '' ? null : { text, tokens: estimateTokens(text) }
}

const asked = (session: Session): Session =>
  session.stretch ? { ...session, stretch: { ...session.stretch, isAsked: true } } : session

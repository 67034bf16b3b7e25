import { agentNamed } from '../../agents/table.ts'
import type { AgentEvent } from '../../core/agent-event.ts'
import { instant } from '../../core/ports.ts'
import type { Session, SessionKey } from '../../core/session.ts'
import { estimateTokens } from '../../core/tokens.ts'
import { askToSave, isSaveDue, openStretch } from '../../policy/ask-to-save.ts'
import { mayAskToSave } from '../../policy/due-now.ts'
import { type MessageKind, messageAtStart } from '../../policy/moments.ts'
import { nudgesFor } from '../../policy/nudges.ts'
import { notesHere } from '../brief/session-notes.ts'
import type { Context } from '../context/context.ts'
import { lookHere } from '../trust/here.ts'
import { droppedWords } from './dropped-words.ts'
import { reconcileHere } from './reconcile-sessions.ts'
import { loadAndCatchUp, saveAtEvent, withHead } from './save-at-event.ts'
import { briefAtStart, type HookAnswer } from './start-brief.ts'
import { tellChangesSince } from './tell-changes-since.ts'
import { changeSession } from './update-session-rows.ts'

/** An event of a session, with what is known when it comes. */
interface EventFacts {
  key: SessionKey
  event: AgentEvent
  /** The session's row before the event; null where nobody followed it. */
  before: Session | null
  /** How full the window is; null where nobody can say. */
  usedPercent: number | null
}

type Teller = (context: Context, happening: EventFacts) => Promise<HookAnswer>

const tellAtStart: Teller = async (context, { key, event, before }) => {
  const telling = event.kind === 'start' ? messageAtStart(event.source) : null
  if (event.kind !== 'start' || telling === null) return null
  const here = await lookHere(context)
  await reconcileHere(context, here, { except: key })
  const notes = await notesHere(context, here, key)
  const session = (await context.store.log.readSession(key))?.session
  // One that resumes and was never followed has been told nothing.
  const words =
    telling === 'changes' && before !== null
      ? await tellChangesSince(
          context,
          here,
          before,
          notes.map(({ text }) => text),
        )
      : await briefAtStart(context, here, notes, { key, source: event.source })
  if (session)
    await changeSession(context, key, (now) => ({
      ...withHead(context, here.head)(now),
      told: words?.told ?? now.told ?? { at: instant(context.ports.now()), stream: null, checkpoint: null },
    }))
  return words
}

/** What a compaction's summary dropped, once; nothing as long as the summary is not known. */
const tellDroppedWords: Teller = async (context, { key, event }) => {
  const session = (await context.store.log.readSession(key))?.session
  if (event.helper !== null || !session || session.compaction === null) return null
  // The client may have been stopped before it told the summary: then its transcript has it.
  const known =
    session.compaction.summary === null
      ? await loadAndCatchUp(context, key, { kind: 'compaction', note: 'after the compaction', isLive: true })
      : { row: { session } }
  const words = known && (await droppedWords(context, known.row.session))
  if (words === null) {
    await changeSession(context, key, countLook)
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
const countLook = (session: Session): Session => {
  const { compaction } = session
  if (compaction === null) return session
  const looks = compaction.looks + 1
  return { ...session, compaction: looks >= MOST_LOOKS ? null : { ...compaction, looks } }
}

/** At a threshold: a checkpoint, and one line of advice, each once in a session. */
const nudgeAndSave: Teller = async (context, { key, event, usedPercent }) => {
  // A helper has a window of its own, and a turn that a hook keeps going has been advised.
  if (event.helper !== null || (event.kind === 'stop' && event.again)) return null
  const session = (await context.store.log.readSession(key))?.session
  if (!session) return null
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
  const text = mine.find((nudge) => nudge.text !== null)?.text ?? null
  return text === null ? null : { text, tokens: estimateTokens(text) }
}

/** Much was done since the last save: asks the agent for one, once. */
const askForSave: Teller = async (context, { key, event }) => {
  if (!mayAskToSave(event)) return null
  const { settings, env, agents } = context
  const hasTools = agentNamed(agents, key.agent)?.hasTools(env) ?? false
  // Of two hooks that come at once, the one that changes the row is the one who asks.
  let text = ''
  await changeSession(context, key, (now) => {
    const stretch = openStretch(now, settings.ask_to_save)
    const isDue = stretch !== null && isSaveDue(stretch)
    text = isDue ? askToSave(stretch, { hasSaved: now.savedAt !== null, hasTools }) : ''
    return isDue ? markAsked(now) : now
  })
  return text === '' ? null : { text, tokens: estimateTokens(text) }
}

const markAsked = (session: Session): Session =>
  session.stretch ? { ...session, stretch: { ...session.stretch, isAsked: true } } : session

/** How each telling of the table of moments finds its words; null where there is nothing to tell. */
export const TELLERS: Record<MessageKind, Teller> = {
  start: tellAtStart,
  dropped: tellDroppedWords,
  nudge: nudgeAndSave,
  ask: askForSave,
}

import type { AgentEvent } from '../../core/agent-event.ts'
import type { SessionKey } from '../../core/session.ts'
import { momentOf } from '../../policy/moments.ts'
import type { Context } from '../context/context.ts'
import { refreshHint } from './hint-of.ts'
import { saveAtEvent } from './save-at-event.ts'
import type { HookAnswer } from './start-brief.ts'
import { TELLERS } from './tell-at-event.ts'
import { drainJournal, updateSessionRows } from './update-session-rows.ts'

/**
 * Everything that an event of an agent leads to, once the store is open; the event itself stands in the journal
 * already. The table of policy/moments.ts says which events lead to what.
 */
export async function onEvent(
  context: Context,
  event: AgentEvent,
  usedPercent: number | null,
): Promise<HookAnswer> {
  const key: SessionKey = { agent: event.agent, id: event.session }
  const before = (await context.store.log.readSession(key))?.session ?? null
  // Who has no time takes in some of what others left; what this one said comes in any case.
  if (event.kind === 'start') await updateSessionRows(context, { most: MOST_AT_A_START })
  await drainJournal(context, key)
  const { savesAtOnce, tells } = momentOf(event.kind)
  if (savesAtOnce) await saveAtEvent(context, key, event, whyOf(event))
  let answer: HookAnswer = null
  for (const telling of tells) answer ??= await TELLERS[telling](context, { key, event, before, usedPercent })
  const session = (await context.store.log.readSession(key))?.session
  if (session) refreshHint(context, session)
  return answer
}

const MOST_AT_A_START = 50

/** Why an event saves at once, in the words of the checkpoint's trigger. */
function whyOf(event: AgentEvent): { note: string; progress?: 'paused' } {
  switch (event.kind) {
    case 'failure':
      return { note: `stopped by ${event.error}`, progress: 'paused' }
    case 'compacting':
      return { note: event.automatic ? 'automatic' : 'asked for' }
    default:
      return { note: '' }
  }
}

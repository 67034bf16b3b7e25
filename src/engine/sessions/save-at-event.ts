import type { AgentEvent } from '../../core/agent-event.ts'
import type { Session, SessionKey } from '../../core/session.ts'
import { momentOf } from '../../policy/moments.ts'
import { type Head, headOf } from '../../workspace/git-state.ts'
import type { Context } from '../context/context.ts'
import type { catchUpSession as CatchUp } from './catch-up.ts'
import { changeSession } from './update-session-rows.ts'

/** Loaded where it is needed: a start that finds nothing new reads no transcript. */
export const loadAndCatchUp: typeof CatchUp = async (...given) =>
  (await import('./catch-up.ts')).catchUpSession(...given)

/** Saves what the session wrote so far, for the reason that the table of moments gives to the event. */
export async function saveAtEvent(
  context: Context,
  key: SessionKey,
  { kind }: AgentEvent,
  why: { note: string; progress?: 'paused' },
): Promise<void> {
  await changeSession(context, key, withHead(context, headOf(context.place)))
  await loadAndCatchUp(context, key, { kind: momentOf(kind).trigger ?? 'timer', ...why, isLive: true })
}

/** Where git stands now, if the agent is where its session belongs and not in another folder. */
export const withHead =
  ({ identity }: Context, { branch, commit }: Head) =>
  (session: Session): Session => {
    if (session.workspace !== identity.workspace) return session
    return { ...session, environment: { ...session.environment, gitBranch: branch, gitCommitHash: commit } }
  }

import { agentNamed } from '../../agents/table.ts'
import { describeError, errorCode } from '../../core/reason.ts'
import type { Session } from '../../core/session.ts'
import type { TranscriptReading } from '../../core/transcript.ts'
import type { Context } from '../context/context.ts'
import { readState } from '../surroundings/read-state.ts'
import { withReading } from './with-reading.ts'

/** A session with what its transcript says by now, and the client about its window; nothing of it is saved. */
export async function readToEnd(context: Context, session: Session): Promise<Session> {
  return withReading(context, session, await readOn(context, session))
}

async function readOn(
  { store, notices, agents }: Context,
  session: Session,
): Promise<TranscriptReading | null> {
  const path = session.environment.transcriptPath
  if (path === null) return null
  try {
    const before = readState(await store.log.readReading(session))?.reading ?? null
    const reader = await agentNamed(agents, session.agent)?.transcript.reader()
    return reader?.readOn(path, before, null)?.reading ?? null
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    notices.push(`${path} cannot be read: ${describeError(error)}. What is told is what was read before.`)
    return null
  }
}

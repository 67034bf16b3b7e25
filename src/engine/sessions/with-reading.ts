import type { Session } from '../../core/session.ts'
import type { TranscriptReading } from '../../core/transcript.ts'
import type { Context } from '../context/context.ts'
import { readGauge } from './session-files.ts'

/** A session with what its transcript says, and with the window that the client itself told its status line. */
export function withReading({ home }: Context, session: Session, reading: TranscriptReading | null): Session {
  const window = readGauge(home.sessions, session)?.window ?? null
  const use = reading?.context ?? session.context
  const context = use && window !== null ? { ...use, window } : use
  if (reading === null) return { ...session, context }
  const { statistics, compactions } = reading
  return { ...session, context, statistics, compactions: Math.max(compactions, session.compactions) }
}

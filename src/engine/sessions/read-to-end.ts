import { agentNamed } from '../../agents/table.ts'
import { describeError, errorCode } from '../../core/reason.ts'
import type { Session } from '../../core/session.ts'
import type { TranscriptReading } from '../../core/transcript.ts'
import { nameFiles } from '../../policy/digest/name-file.ts'
import { type Context, workspaceRoot } from '../context/context.ts'
import { NOTICES } from '../context/notices.ts'
import { readState } from '../surroundings/read-state.ts'
import { readGauge } from './session-files.ts'

/** A session's transcript and who can read it; null where there is none, or of an agent that is not known. */
export async function transcriptOf({ agents }: Context, { agent, environment }: Session) {
  const path = environment.transcriptPath
  const reader = path === null ? undefined : await agentNamed(agents, agent)?.transcript.reader()
  return path === null || reader === undefined ? null : { path, reader }
}

/** A session with what its transcript says by now, and the client about its window; nothing of it is saved. */
export async function readToEnd(context: Context, session: Session): Promise<Session> {
  try {
    const found = await transcriptOf(context, session)
    const before = found && readState(await context.store.log.readReading(session))?.reading
    const read = found?.reader.readOn(found.path, before ?? null, null)
    const root = await workspaceRoot(context, session.workspace)
    return withReading(context, session, read?.reading ?? null, root)
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    context.notices.push(
      NOTICES.transcriptUnreadable(session.environment.transcriptPath, describeError(error)),
    )
    return withReading(context, session, null, '')
  }
}

/** A session with what its transcript says, files named from the root, and the window that its status line was told. */
export function withReading(
  { home }: Context,
  session: Session,
  reading: TranscriptReading | null,
  root: string,
): Session {
  const window = readGauge(home.sessions, session)?.window ?? null
  const use = reading?.context ?? session.context
  const context = use && window !== null ? { ...use, window } : use
  if (reading === null) return { ...session, context }
  const filesModified = nameFiles(root, reading.statistics.filesModified)
  return {
    ...{ ...session, context, statistics: { ...reading.statistics, filesModified } },
    ...(reading.fill ? { fill: reading.fill } : {}),
    compactions: Math.max(reading.compactions, session.compactions),
  }
}

import { clipText } from '../../core/canonical.ts'
import { errorCode } from '../../core/reason.ts'
import type { Session } from '../../core/session.ts'
import { openStretch } from '../../policy/ask-to-save.ts'
import type { Context } from '../context/context.ts'
import { writeHint } from './session-files.ts'

/** Tells the next hook of a session what it must know without opening the store. */
export function refreshHint({ home, settings }: Context, session: Session): void {
  const { nudged, compactions, compaction, handedOff, outcomes } = session
  const savedAt = [session.savedAt, session.checkpointedAt].reduce((a, b) => ((a ?? '') > (b ?? '') ? a : b))
  const stretch = openStretch(session, settings.ask_to_save)
  try {
    writeHint(home.sessions, session, {
      ...{ nudged, compactions, handedOff, savedAt },
      owed: compaction !== null,
      stretch: stretch && { ...stretch, journalRead: session.journalRead },
      stream: session.stream,
      focus: outcomes.slice(-3).map(({ outcomeName }) => clipText(outcomeName, 80)),
    })
  } catch (error) {
    // Without a hint the next hook looks into the store, which costs it some milliseconds.
    if (errorCode(error) === undefined) throw error
  }
}

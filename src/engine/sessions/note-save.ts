import { instant } from '../../core/ports.ts'
import { beginStretch } from '../../policy/ask-to-save.ts'
import { redactAll } from '../../policy/redact.ts'
import type { Context } from '../context/context.ts'
import { readToEnd } from './read-to-end.ts'
import { changeSession, drainJournal, refreshHint } from './update-session-rows.ts'

/** So many things a session can be known for. */
const MOST_KEPT = 50

type SessionSave = { stream: string; accomplishments: readonly string[]; handedOff?: boolean }

/** Whoever saves in a session binds it: it saves to the same stream by itself from now on. False where none is followed. */
export async function noteSave(
  context: Context,
  { stream, accomplishments, handedOff = false }: SessionSave,
): Promise<boolean> {
  const { session: key, ports, file, store } = context
  if (key === null || file === null) return false
  await drainJournal(context, key)
  const found = await store.log.readSession(key)
  // Its own work goes to its own repository: a name from elsewhere says nothing there.
  if (found === null || found.session.repository !== context.identity.repository) return false
  const { statistics, context: use, compactions } = await readToEnd(context, found.session)
  const at = instant(ports.now())
  const row = await changeSession(context, key, (session) => ({
    ...{ ...session, stream, savedAt: at, stretch: beginStretch(at) },
    handedOff: session.handedOff || handedOff,
    accomplishments: [...new Set([...session.accomplishments, ...accomplishments])].slice(-MOST_KEPT),
    ...redactAll({ statistics, context: use, compactions }, context.mark),
  }))
  if (row) refreshHint(context, row.session)
  return row !== null
}

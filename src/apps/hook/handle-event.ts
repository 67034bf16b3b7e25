import type { AgentEvent } from '../../core/agent-event.ts'
import { ReasonError } from '../../core/reason.ts'
import { catchUpQuietly, openContext, settleIdentity } from '../../engine/context/context.ts'
import { isUnfinished } from '../../engine/heal/open-sound.ts'
import { onEvent } from '../../engine/sessions/on-event.ts'
import type { HookAnswer } from '../../engine/sessions/start-brief.ts'
import { realPorts } from '../process/real-ports.ts'

/** An agent waits for its hooks: whoever has the store's lock for longer than this gets the event from the journal. */
const WAIT_MS = 100

/**
 * The part of a hook that needs the store. It mends and migrates nothing: a hook has no time for that, and an agent
 * must not be the one to find out what goes wrong with it.
 */
export async function handleEvent(
  event: AgentEvent,
  cwd: string,
  usedPercent: number | null,
): Promise<HookAnswer> {
  const context = await openContext({
    ...{ cwd, env: process.env, ports: realPorts, waitMs: WAIT_MS },
    access: 'write',
    lenient: true,
    mayMigrate: false,
  })
  try {
    if (isUnfinished(context))
      throw new ReasonError('store_damaged', {
        path: context.home.database,
        problem: 'it is gone, and its backups are there',
      })
    context.identity = await settleIdentity(context, 'write')
    const answer = await onEvent(context, event, usedPercent)
    await catchUpQuietly(context)
    return answer
  } finally {
    await context.store.close()
  }
}

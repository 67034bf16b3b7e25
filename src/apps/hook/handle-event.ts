import type { AgentEvent } from '../../core/agent-event.ts'
import { ReasonError } from '../../core/reason.ts'
import { type Context, catchUpQuietly, openContext, settleIdentity } from '../../engine/context/context.ts'
import { isUnfinished } from '../../engine/heal/open-sound.ts'
import { type HookAnswer, onEvent, tellStartWithoutWriting } from '../../engine/sessions/on-event.ts'
import { realPorts } from '../process/real-ports.ts'

/** An agent waits for its hooks: whoever has the store's lock for longer than this gets the event from the journal. */
const WAIT_MS = 100

/**
 * The part of a hook that needs the store. It mends and migrates nothing: a hook has no time for that, and an agent
 * must not be the one to find out what goes wrong with it. Where nothing can be written, a start is told its brief
 * from what can be read.
 */
export async function handleEvent(
  event: AgentEvent,
  cwd: string,
  usedPercent: number | null,
): Promise<HookAnswer> {
  try {
    return await inContext(cwd, 'write', async (context) => {
      const answer = await onEvent(context, event, usedPercent)
      await catchUpQuietly(context)
      return answer
    })
  } catch (failure) {
    if (failure instanceof ReasonError && failure.reason === 'store_damaged') throw failure
    // Where that fails, too, the first failure is the one to tell.
    const told = await inContext(cwd, 'read', (context) => tellStartWithoutWriting(context, event)).catch(
      () => null,
    )
    if (told === null) throw failure
    return { ...told, failure }
  }
}

async function inContext<Result>(
  cwd: string,
  access: 'read' | 'write',
  act: (context: Context) => Promise<Result>,
): Promise<Result> {
  const context = await openContext({
    ...{ cwd, env: process.env, ports: realPorts, waitMs: WAIT_MS },
    access,
    readOnly: access === 'read',
    lenient: true,
    mayMigrate: false,
  })
  try {
    if (isUnfinished(context))
      throw new ReasonError('store_damaged', {
        path: context.home.database,
        problem: 'the file is missing, but there are backups',
      })
    context.identity = await settleIdentity(context, access)
    return await act(context)
  } finally {
    await context.store.close()
  }
}

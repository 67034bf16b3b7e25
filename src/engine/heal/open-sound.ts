import { ReasonError } from '../../core/reason.ts'
import {
  afterCommit,
  type Context,
  type ContextRequest,
  openContext,
  settleIdentity,
} from '../context/context.ts'

/** Runs work on a context; a store that turns out damaged is healed once, and the work is done again. */
export async function withHealing<T>(context: Context, act: (context: Context) => Promise<T>): Promise<T> {
  try {
    return await act(context)
  } catch (error) {
    if (!(error instanceof ReasonError) || error.reason !== 'store_damaged') throw error
    await heal(context)
    return act(context)
  }
}

/** Loaded when it is needed, which is hardly ever. */
async function heal(context: Context): Promise<void> {
  await (await import('./heal.ts')).healStore(context)
}

/** Opens the context of a request, healing what it needs for that. */
export async function openSound(request: ContextRequest): Promise<Context> {
  const context = await openContext(request)
  try {
    if (isUnfinished(context)) await heal(context)
    context.identity = await withHealing(context, () => settleIdentity(context, request.access))
    // Another process may have begun to heal between the look and the opening: its work is waited for, and done.
    if (isUnfinished(context)) await heal(context)
    return context
  } catch (error) {
    await context.store.close()
    throw error
  }
}

/** The store is missing, or a process set it aside and died before the restore was complete. */
export const isUnfinished = ({ file }: Context): boolean => file?.needsRestoring() ?? false

/** A daily backup, made by the next writing command; the oldest are removed. A failure is only reported. */
export const keepBackups = (context: Context) =>
  afterCommit(context, 'The daily backup of the store', async () => context.file?.keepBackup())

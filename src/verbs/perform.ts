import { type Context, type ContextRequest, catchUpQuietly, openContext } from '../engine/context/context.ts'
import { openSound, withHealing } from '../engine/heal/open-sound.ts'
import type { Fields, InputOf } from './define/field.ts'
import type { Operation } from './define/operation.ts'

const goingOn = async (context: Context) =>
  (await import('../engine/sessions/going-on.ts')).sessionGoingOn(context, context.session)

/** One operation from the door to the result, with everything closed behind it. */
export async function performOnce<F extends Fields, R>(
  operation: Operation<F, R>,
  request: Omit<ContextRequest, 'access' | 'lenient'>,
  input: InputOf<F>,
): Promise<R> {
  const { meetsDamage, lenient = false } = operation
  const access = typeof operation.access === 'function' ? operation.access(input) : operation.access
  const context = meetsDamage
    ? await openContext({ ...request, access, lenient })
    : await openSound({ ...request, access, lenient })
  try {
    const act = async () => {
      if (request.lasting) context.session = await goingOn(context)
      return operation.perform(context, input)
    }
    const result = await (meetsDamage ? act() : withHealing(context, act))
    await catchUpQuietly(context)
    // A doctor deletes nothing, not even the oldest backup.
    if (access === 'write' && !meetsDamage)
      await (await import('../engine/heal/keep-backups.ts')).keepBackups(context)
    return result
  } finally {
    await context.store.close()
  }
}

import {
  afterCommit,
  type Context,
  type ContextRequest,
  catchUpQuietly,
  openContext,
} from '../engine/context/context.ts'
import { keepBackups, openSound, withHealing } from '../engine/heal/open-sound.ts'
import type { Fields, InputOf } from './define/field.ts'
import type { Verb } from './define/verb.ts'

/** Loaded only where a verb asks for it: most of them need no session. */
const ingest = async (context: Context, what: 'events' | 'talk') =>
  (await import('../engine/sessions/ingest-sessions.ts')).ingestSessions(context, what)
const goingOn = async (context: Context) =>
  (await import('../engine/sessions/current.ts')).sessionGoingOn(context, context.session)

/** A server outlives sessions, so it first looks up the running one: that one is not ingested. */
async function takeInSessions(context: Context, isLasting: boolean, what: Verb['takesIn']) {
  if (isLasting) {
    await ingest(context, 'events')
    context.session = await goingOn(context)
  }
  if (what === 'talk' || (what === 'events' && !isLasting)) await ingest(context, what)
}

type ActRequest = Omit<ContextRequest, 'access' | 'lenient'>

/** Performs one verb: opens the context, runs the verb, closes everything. */
export function performOnce<F extends Fields, R>(
  verb: Verb<F, R>,
  request: ActRequest,
  input: InputOf<F>,
): Promise<R> {
  const access = typeof verb.access === 'function' ? verb.access(input) : verb.access
  return performIn(request, { ...verb, access }, (context) => verb.perform(context, input))
}

/** One read of the store that is no verb's, after what hooks wrote down was taken in. */
export const readOnce = <R>(request: ActRequest, read: (context: Context) => Promise<R>): Promise<R> =>
  performIn(request, { name: null, access: 'read', lenient: true, takesIn: 'events' }, read)

type ActTerms = Pick<Verb, 'meetsDamage' | 'takesIn'> & {
  lenient?: boolean
  name: string | null
  access: ContextRequest['access']
}

async function performIn<R>(
  request: ActRequest,
  { name, access, meetsDamage, lenient = false, takesIn }: ActTerms,
  perform: (context: Context) => Promise<R>,
): Promise<R> {
  const context = meetsDamage
    ? await openContext({ ...request, access, lenient })
    : await openSound({ ...request, access, lenient })
  context.verb = name
  try {
    const act = async () => {
      await takeInSessions(context, request.lasting ?? false, takesIn)
      return perform(context)
    }
    const result = await (meetsDamage ? act() : withHealing(context, act))
    await catchUpQuietly(context)
    // A doctor deletes nothing, not even the oldest backup.
    if (access === 'write' && !meetsDamage) await keepBackups(context)
    return result
  } finally {
    await afterCommit(context, 'Closing the store', () => context.store.close())
  }
}

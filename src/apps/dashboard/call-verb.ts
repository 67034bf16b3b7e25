import { ReasonError, usageError } from '../../core/reason.ts'
import { afterCommit } from '../../engine/context/context.ts'
import { readGiven } from '../../verbs/define/read-given.ts'
import { PLAIN_SCREEN } from '../../verbs/define/screen.ts'
import { performOnce } from '../../verbs/perform.ts'
import { loadVerb } from '../../verbs/table.ts'
import type { VerbAnswer, VerbCall } from './api.ts'
import { findAskedWorkspace, requestIn, type ServerPlace } from './asked.ts'

/** What the page may ask for. Whatever runs commands, sets agents up or takes files from elsewhere is not in it. */
export const ALLOWED = [
  ...['focus', 'fork', 'archive', 'rename', 'restore', 'save', 'handoff', 'reconcile', 'undo', 'confirm'],
  ...['reject', 'reword', 'remove', 'trust', 'doctor', 'run verify', 'run prune', 'run pin', 'run pause'],
] as const

export async function callVerb(
  place: ServerPlace,
  name: string,
  body: unknown,
  notices: string[],
): Promise<VerbAnswer> {
  const allowed = ALLOWED.find((one) => one === name)
  if (allowed === undefined)
    throw new ReasonError('request_refused', {
      problem: `The page cannot do ${JSON.stringify(name.slice(0, 40))}.`,
    })
  const { workspace, input: given, ...more } = readCall(body)
  const [other] = Object.keys(more)
  if (other !== undefined) throw usageError(`a call has no ${JSON.stringify(other.slice(0, 40))}`)
  if (typeof workspace !== 'string') throw usageError('workspace is missing')
  const { path } = await findAskedWorkspace(place, workspace)
  const cwd = path ?? place.cwd
  const verb = await loadVerb(allowed)
  const input = readGiven(given ?? {}, {
    name: `savepoint ${name}`,
    fields: verb.fields,
    all: verb.fields,
    cwd,
  })
  const result = await performOnce(verb, requestIn(place, cwd, notices), input)
  const { exit: _exit, ...failure } = verb.failure?.(result) ?? { exit: 0 }
  // What was done is done: an answer that cannot be put into words is given without them.
  const words = await afterCommit({ notices }, 'Putting the answer into words', async () =>
    verb.say(result, PLAIN_SCREEN),
  )
  return {
    ...{ ok: true, result, words: words ?? '', notices: [...new Set(notices)] },
    failure: 'reason' in failure ? failure : null,
  }
}

function readCall(body: unknown): Partial<Record<keyof VerbCall, unknown>> {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw usageError('the body is no object')
  return { ...body }
}

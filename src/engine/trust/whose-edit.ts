import { statSync } from 'node:fs'
import { join } from 'node:path'
import { unlessRefused } from '../../core/reason.ts'
import { isAtWork, type WordSource } from '../../policy/whose-word.ts'
import type { Context } from '../context/context.ts'

export const BY_USER: WordSource = { by: 'user', requests: [] }

/** Whose word an edit of a file is: the user's, unless an agent was at work here when it was written, by whatever tool. */
export async function readEditSources({
  store,
  identity,
  place,
}: Context): Promise<(path: string) => WordSource> {
  const rows = await store.log.listSessions({
    workspace: identity.workspace,
    phases: ['active', 'stale', 'recent'],
  })
  return (path) => {
    // Where it went since it was read, what it said then is looked at again when it is back.
    const writtenMs = rows.length === 0 ? null : unlessRefused(() => statSync(join(place.root, path)).mtimeMs)
    const row = writtenMs === null ? undefined : rows.find(({ session }) => isAtWork(session, writtenMs))
    if (row === undefined) return BY_USER
    const { lastPrompt } = row.session
    return { by: 'agent', requests: lastPrompt === null ? [] : [lastPrompt.text] }
  }
}

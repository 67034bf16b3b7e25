import type { Context } from '../context/context.ts'
import { NOTICES } from '../context/notices.ts'
import { importSources } from './import-sources.ts'

/** Documents of other tools that lie in this workspace, and what became of them. */
export interface OfferedImport {
  /** How many the store does not have. */
  found: number
  /** How many of those are the user's own, as far as anybody can tell. */
  own: number
  trusted: boolean
  imported: number
}

/**
 * Finds what other tools left here, and imports it where the user says so. Without a terminal, and where all of it came
 * with the repository, nothing is asked: it is only told.
 */
export async function offerImport(context: Context): Promise<OfferedImport> {
  const { imported: found, streams, trusted } = await importSources(context, [], true)
  const own = streams.filter(({ foreign }) => !foreign).reduce((sum, { count }) => sum + count, 0)
  if (context.ask === null || own === 0) return { found, own, trusted, imported: 0 }
  const [answer = ''] = await context.ask([NOTICES.importQuestion(found)])
  if (!/^y(?:es)?$/i.test(answer)) return { found, own, trusted, imported: 0 }
  const { imported } = await importSources(context, [], false)
  return { found, own, trusted, imported }
}

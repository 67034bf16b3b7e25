import { instant } from '../../core/ports.ts'
import { runsPrograms } from '../../workspace/git-config.ts'
import type { Context } from '../context.ts'
import type { Survey } from './survey.ts'

export async function giveTrust({ store, identity, place, ports }: Context): Promise<void> {
  await store.setTrust(identity.workspace, place.root, instant(ports.now()))
}

/**
 * Who begins a document in a workspace where nothing came from elsewhere trusts that workspace: there is no text
 * but their own, and their edits are to be taken in. Where documents came with the repository, or its settings
 * could make git run programs, trust is asked for.
 */
export async function trustIfOurs(context: Context, survey: Survey): Promise<void> {
  if (survey.trusted) return
  const known = new Set(survey.rows.flatMap(({ view }) => (view ? [view.path] : [])))
  const hasOthers = [...survey.files.keys()].some((path) => !known.has(path))
  const isChanged = survey.troubles.length > 0
  if (hasOthers || isChanged || runsPrograms(context.place)) {
    context.notices.push(
      'This workspace is not trusted: edits of its documents are not taken in. See: savepoint trust --help',
    )
    return
  }
  await giveTrust(context)
  context.notices.push(
    'This workspace is trusted from now on: edits of its documents are taken in (savepoint untrust ends that).',
  )
}

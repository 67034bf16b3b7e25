import { NOTES, notesOfPlan, PLANS, STATE_INDEX_PATH } from '../../core/layout.ts'
import { DEFAULT_LEDGER } from '../../core/ledger-path.ts'
import { ReasonError } from '../../core/reason.ts'
import { type Folder, openFolder } from '../../fs/disk.ts'
import { findFolder } from '../../fs/durable.ts'
import { runsPrograms } from '../../workspace/git-config.ts'
import type { Context } from '../context/context.ts'
import { NOTICES } from '../context/notices.ts'
import { foldersOf, nameOf } from '../publish/guard.ts'
import { trustOwnWords } from '../trust/give-trust.ts'
import type { Here } from '../trust/here.ts'
import type { Survey } from './survey.ts'

/**
 * Who begins a document in a workspace where nothing came from elsewhere trusts that workspace: there is no text
 * but their own, and their edits are to be taken in. Where documents came with the repository, or its settings
 * could make git run programs, trust is asked for. Answers what holds from then on.
 */
export async function trustOwnWorkspace(context: Context, survey: Survey): Promise<Here> {
  if (survey.trusted) return survey
  const known = new Set(survey.rows.flatMap(({ view }) => (view ? [view.path] : [])))
  const hasOthers =
    [...survey.files.keys()].some((path) => !known.has(path)) || (await hasOtherFiles(context))
  const isChanged = survey.troubles.length > 0
  const { store, identity, place } = context
  const isTaken = (await store.local.readTrust(identity.workspace, place.root)) === 'withdrawn'
  if (isTaken || hasOthers || isChanged || runsPrograms(place)) {
    context.notices.push(NOTICES.workspaceUntrusted)
    return survey
  }
  await trustOwnWords(context)
  context.notices.push(NOTICES.workspaceTrusted)
  return { trusted: true, vouched: false, head: survey.head }
}

/** Where agents and their tools leave what other agents read: handoffs, notes, the notes of a plan. */
function sharedFiles(root: Folder): string[] {
  const plans = namesIn(root, PLANS, 'folder').map(notesOfPlan)
  return [['.agents', 'handoffs'], [...NOTES], ...plans].flatMap((folders) =>
    namesIn(root, folders)
      .filter((name) => /\.(?:md|json)$/i.test(name))
      .map((name) => [...folders, name].join('/')),
  )
}

function namesIn(root: Folder, folders: readonly string[], kind: 'file' | 'folder' = 'file'): string[] {
  using folder = findFolder(root, folders)
  // A link among the files may lead to anything: it counts as one of them.
  return (folder?.names() ?? []).filter(
    (name) => (folder?.entry(name)?.kind === 'folder') === (kind === 'folder'),
  )
}

/** Whether a ledger, handoffs or notes stand here that are not ours. What cannot be looked into is not ours either. */
async function hasOtherFiles({ store, identity, place, settings }: Context): Promise<boolean> {
  const ours = new Set(
    (await store.local.listViews({ workspace: identity.workspace })).map(({ path }) => path),
  )
  using root = openFolder(place.root)
  try {
    // Without git nobody can say whether a tool of the user's made the index or it was there before.
    const index = place.git === null ? [STATE_INDEX_PATH] : []
    const single = [DEFAULT_LEDGER, settings.ledger_path, ...index].filter((path) =>
      namesIn(root, foldersOf(path)).includes(nameOf(path)),
    )
    return [...sharedFiles(root), ...single].some((path) => !ours.has(path))
  } catch (error) {
    if (!(error instanceof ReasonError)) throw error
    return true
  }
}

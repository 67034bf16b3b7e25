import type { Checkpoint } from '../../core/checkpoint.ts'
import { ReasonError } from '../../core/reason.ts'
import {
  entryPath,
  isArchived,
  LEARNINGS_FILE,
  LEARNINGS_PATH,
  MAX_DOCUMENT_BYTES,
} from '../../formats/checkpoint-md/layout.ts'
import { addLearnings, type LearningEntry, learningEntryOf } from '../../formats/checkpoint-md/learnings.ts'
import { inFolder } from '../../fs/durable.ts'
import type { DocumentCommit, WorkRow } from '../../store/acts.ts'
import type { NewView } from '../../store/local-state.ts'
import type { Context } from '../context/context.ts'
import { NOTICES } from '../context/notices.ts'

/**
 * What is owed to LEARNINGS.md where somebody moved a document to the archive by hand. A file that git tracks is not
 * touched: the user is told the command that adds them.
 */
export async function oweLearnings(
  context: Context,
  name: string,
  checkpoint: Checkpoint,
): Promise<Partial<DocumentCommit>> {
  const entry = learningEntryOf(checkpoint, name)
  if (entry === null || !lacksLearnings(context, entry)) return {}
  const { isTracked } = await import('../../workspace/git-index.ts')
  if (!(await isTracked(context.place, LEARNINGS_PATH)))
    return { views: [owedEntry(name, checkpoint.stream, checkpoint.id)] }
  context.notices.push(NOTICES.learningsOwed(name, entry.learnings.length))
  return {}
}

/** What a piece of work has taught, to be added to LEARNINGS.md. */
export const owedEntry = (name: string, stream: string, checkpoint: string): NewView => ({
  ...{ kind: 'entry', path: entryPath(name), stream, checkpoint, hash: '', state: 'pending' },
})

export const readLearnings = (root: string): string =>
  inFolder(root, ['checkpoints'], (folder) => folder.read(LEARNINGS_FILE, MAX_DOCUMENT_BYTES))?.toString(
    'utf8',
  ) ?? ''

/** Whether LEARNINGS.md has not all of an entry. One that cannot be read has none of it. */
function lacksLearnings({ place }: Context, entry: Omit<LearningEntry, 'line'>): boolean {
  try {
    const text = readLearnings(place.root)
    return addLearnings(text, entry) !== text
  } catch (error) {
    if (!(error instanceof ReasonError)) throw error
    return true
  }
}

/** So many archived documents are looked at, the newest first. */
const MOST = 100

/** The archived documents of this workspace whose learnings are not in LEARNINGS.md. */
export async function namesWithoutLearnings(context: Context, rows: readonly WorkRow[]): Promise<string[]> {
  const archived = rows.filter(({ view }) => view && isArchived(view.path))
  const names: string[] = []
  for (const row of archived.slice(0, MOST)) if (await lacksEntry(context, row)) names.push(row.stream.name)
  return names
}

/** Whether LEARNINGS.md lacks something of what a piece of work has taught; not of text that nobody reviewed. */
export async function lacksEntry(context: Context, { stream, position }: WorkRow): Promise<boolean> {
  const stored = await context.store.log.readCheckpoint(position.checkpoint)
  const entry = stored?.state === 'whole' ? learningEntryOf(stored.checkpoint, stream.name) : null
  return entry !== null && !position.foreign && lacksLearnings(context, entry)
}

import { isArchived } from '../../formats/checkpoint-md/layout.ts'
import { followFocus } from '../../policy/adopt.ts'
import type { DocumentCommit, WorkRow } from '../../store/acts.ts'
import type { Context } from '../context/context.ts'
import { NOTICES } from '../context/notices.ts'
import type { Delivery } from '../trust/deliveries.ts'
import { isHere, type Survey } from './survey.ts'

/** Moves the focus to the one document that says `current`. Unreviewed text cannot move it. */
export async function focusAsDocumentsSay(
  context: Context,
  survey: Survey,
  commit: DocumentCommit,
): Promise<Partial<DocumentCommit>> {
  const focused = survey.rows.find((row) => row.focused)?.stream.id ?? null
  const here = documentsHere(survey, commit)
  const foreign = await foreignOf(context, survey, commit, focused)
  const document = focused === null ? undefined : here.get(focused)
  const focus = followFocus({
    focused,
    isDropped:
      document !== undefined &&
      (isArchived(document.path) || (!document.current && !foreign.has(focused ?? ''))),
    currents: [...here]
      .filter(([stream, { path, current }]) => current && !isArchived(path) && !foreign.has(stream))
      .map(([stream]) => stream),
  })
  return focus === focused ? {} : { focus }
}

/** The documents that stand here once the commit is done, by their streams. */
export function documentsHere(survey: Survey, { documents = [] }: DocumentCommit) {
  const owners = new Map(documents.map(({ path, stream }) => [path, stream]))
  const here = new Map<string, { path: string; current: boolean }>()
  for (const row of survey.rows) {
    const { view, stream } = row
    // A file that says another id from now on is the document of that one.
    if (view && isHere(survey, row) && (owners.get(view.path) ?? stream.id) === stream.id)
      here.set(stream.id, view)
  }
  for (const document of documents) here.set(document.stream, document)
  return here
}

/** The streams at a foreign checkpoint; one that moves is asked for only where it could matter for the focus. */
async function foreignOf(
  { store }: Context,
  survey: Survey,
  { documents = [], appends = [] }: DocumentCommit,
  focused: string | null,
): Promise<Set<string>> {
  const foreign = new Map(survey.rows.map(({ stream, position }) => [stream.id, position.foreign]))
  for (const { stream, checkpoint, current } of documents)
    if (current || stream === focused)
      foreign.set(stream, (await store.log.readCheckpoint(checkpoint))?.row.foreign ?? false)
  for (const { checkpoint, foreign: isForeign } of appends) foreign.set(checkpoint.stream, isForeign)
  return new Set([...foreign].filter(([, isForeign]) => isForeign).map(([stream]) => stream))
}

/** A stranger's commit may bring a version back that bears no mark: the text is known, that it stands here is told. */
export async function tellSetBack(
  { store, notices }: Context,
  { position }: WorkRow,
  path: string,
  checkpoint: string,
  delivery: Delivery | undefined,
): Promise<void> {
  if (!delivery?.foreign || delivery.replayed) return
  const stored = await store.log.readCheckpoint(checkpoint)
  if (stored === null || stored.row.foreign) return
  const { commit, author } = delivery.provenance
  const { sequence } = stored.row
  notices.push(NOTICES.setToVersion(path, sequence, { isBack: sequence < position.sequence, commit, author }))
}

import { ReasonError } from '../../core/reason.ts'
import type { WorkState } from '../../core/work.ts'
import { decodeDocument } from '../../formats/checkpoint-md/codec.ts'
import { extendDocument } from '../../formats/checkpoint-md/extend.ts'
import { workOf } from '../../formats/checkpoint-md/work.ts'
import { redactAll, type SecretMark } from '../../policy/redact.ts'
import type { DocumentCommit, WorkRow } from '../../store/acts.ts'
import type { FileView } from '../../store/local-state.ts'
import type { Context } from '../context/context.ts'
import { documentPoint, owedDocument, type Point, workPoint } from '../documents/checkpoint-of.ts'
import { requireSize } from '../documents/edit-document.ts'
import { isHere, type Survey } from '../documents/survey.ts'

/** A file that a save put the work into, or could not. */
export interface SavedView {
  kind: 'document' | FileView['kind']
  path: string
  /** `pending`: the next command that can writes it. `left`: it was not touched. */
  state: 'written' | 'pending' | 'left'
  problem: string | null
}

interface DocumentWrite {
  point: Point
  commit: Partial<DocumentCommit>
  views: SavedView[]
}

type NewPoint = Parameters<typeof workPoint>[1]

/**
 * The checkpoint, and the stream's document with it where this workspace has one. What is saved without anybody
 * asking (`quiet`) leaves the document as it is: git may track it.
 */
export async function writePoint(
  context: Context,
  survey: Survey,
  row: WorkRow | null,
  point: NewPoint,
  { quiet = false } = {},
): Promise<DocumentWrite> {
  const view = row?.view ?? null
  const text = view ? await context.store.log.readText(view.hash) : null
  if (!row || !view || text === null) {
    const made = workPoint(context, point)
    return { point: made, commit: made.commit, views: [] }
  }
  // A file that the user or git removed is not written again; its last text belongs to this checkpoint, too.
  const isAway = quiet || (!isHere(survey, row) && view.state === 'published')
  const { longer, problem } = isAway
    ? { longer: text, problem: null }
    : extendOrKeep(view.path, text, point.work, context.mark)
  const made = await documentPoint(context, { ...point, text: longer, isBehind: isAway || problem !== null })
  const base = view.state === 'pending' ? view.base : view.hash
  const owed = owedDocument(made, view.path, base)
  const isSame = longer === text && view.state === 'published'
  const state = problem === null ? 'written' : 'left'
  return {
    point: made,
    commit: {
      ...made.commit,
      documents: [isSame ? { ...owed, base: null, state: 'published', stamp: view.stamp } : owed],
    },
    views: isAway ? [] : [{ kind: 'document', path: view.path, state, problem }],
  }
}

/** A document that cannot be extended stays as it is; the work is in the store anyway. */
function extendOrKeep(
  path: string,
  text: string,
  work: WorkState,
  mark: SecretMark,
): { longer: string; problem: string | null } {
  try {
    const longer = extendDocument(text, redactAll(workOf(decodeDocument(text)), mark), work)
    requireSize(longer, path)
    return { longer, problem: null }
  } catch (error) {
    if (!(error instanceof ReasonError)) throw error
    return { longer: text, problem: String(error.data.problem ?? error.message) }
  }
}

import type { Standing } from '../../engine/documents/survey.ts'
import { isSessionStream } from '../../policy/resolve.ts'
import type { OverviewRow } from '../../store/local-state.ts'

export const STANDINGS = ['focused', 'open', 'archived', 'foreign'] as const satisfies ReadonlyArray<
  Standing | 'foreign'
>

export interface ListedDocument {
  id: string
  /** `foreign`: it came with the repository, and the workspace is not trusted. */
  standing: Standing | 'foreign'
  /** Null where this workspace does not have it, because of its branch or because it was removed. */
  path: string | null
  parent: string | null
  created: string
  updatedAt: string
  problem: string
  next: string
  checkpoints: number
  /** The number of the checkpoint that this workspace stands at. */
  sequence: number
  /** It holds text that git delivered and nobody here has reviewed. */
  foreign: boolean
}

export function listDocument(row: OverviewRow): ListedDocument {
  return {
    id: row.name,
    standing: row.isArchived ? 'archived' : row.focused ? 'focused' : 'open',
    path: row.path,
    parent: row.parent,
    created: row.created,
    updatedAt: row.at,
    problem: row.problem,
    next: row.next,
    checkpoints: row.headSequence,
    sequence: row.sequence,
    foreign: row.foreign,
  }
}

/** What a list says that has nothing to list. */
export const NOTHING_HERE = 'Nothing saved here yet. Start with: savepoint save "what you are working on"'

/** What a session saved by itself: `savepoint sessions` tells of those, and one in focus is work like any other. */
export const isOfSession = ({ id, created, standing }: ListedDocument) =>
  created === '' && standing !== 'focused' && isSessionStream(id)

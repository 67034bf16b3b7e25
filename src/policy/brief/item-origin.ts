import type { Origin, WorkField } from '../../core/work.ts'

/** How an item came into the work. */
export type OriginKind = 'save' | 'delta' | 'handoff' | 'document' | 'ledger' | 'import' | 'session'

/** The checkpoint in which an item of the work first stood, and has stood since. */
export interface ItemOrigin {
  kind: OriginKind
  stream: string
  sequence: number
  checkpoint: string
  at: string
  session: string | null
  /** Whose word it was there, where that is known. */
  by: Origin | null
  /** The checkpoint since which it is the word of the user, or of a file of theirs; null where it was so at once. */
  confirmed: { by: Origin; sequence: number; checkpoint: string } | null
  /** It was not followed any further back: the item may be older. */
  isOlder: boolean
}

/** Names an item in a map of origins. */
export const originKey = (field: WorkField, item: string) => `${field}\n${item}`

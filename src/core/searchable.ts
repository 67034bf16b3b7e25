/** What kinds of records a search finds; a kind's place here is its number in the index, and never changes. */
export const SEARCH_KINDS = ['decision', 'learning', 'checkpoint', 'session', 'run'] as const
export type SearchKind = (typeof SEARCH_KINDS)[number]

/** A text that can be found, as one checkpoint or one session says it. */
export interface Searchable {
  /**
   * Stable: the checkpoint's or the session's own id; of a learning, one that its text gives; of a decision, one that
   * its text gives, and after that one of its reason.
   */
  id: string
  kind: SearchKind
  text: string
  /**
   * What takes a decision's place, or `REJECTED` and why where nothing does; null where it stands again. Absent where
   * nothing is said about that.
   */
  superseded?: string | null
}

export const REJECTED = 'rejected: '

/** What a search asks for: a word, or some that stand side by side. With `prefix` the last word may go on. */
export interface SearchTerm {
  text: string
  prefix: boolean
}

/** The id of a decision whatever its reason. */
export const decisionIn = (id: string) => id.split('-').slice(0, 2).join('-')

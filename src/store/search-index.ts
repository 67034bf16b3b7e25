import type { Checkpoint } from '../core/checkpoint.ts'
import type { Searchable, SearchKind, SearchTerm } from '../core/searchable.ts'
import type { Session, SessionKey } from '../core/session.ts'
import type { Stream } from './log.ts'

/** What was committed and is not in the search index yet: a part of it, in the order of its commits. */
export interface IndexPart {
  /** What the index says that it has, and will say with this part: `putPart` is told both. */
  from: string
  to: string
  /** Nothing that the index has can be used any more: it begins anew with this part. */
  anew: boolean
  /** Roughly how many more there are after this part; with none and no part, the index is complete. */
  left: number
  checkpoints: Array<{
    stream: Pick<Stream, 'id' | 'kind' | 'repository'>
    checkpoint: Checkpoint
    /** The one that it came after; null where there is none, or none that reads well. */
    parent: Checkpoint | null
  }>
  /** Checkpoints in the index that were undone since: nothing of them is told as standing. */
  undone: string[]
  /** Sessions that changed; null where the row cannot be read. */
  sessions: Array<SessionKey & { version: number; session: Session | null }>
}

/** A record for the search index. */
export interface SearchRecord extends Searchable {
  repository: string
  at: string
  branch: string | null
  /** The stream and the checkpoint that say it; null for a session. */
  stream: string | null
  checkpoint: string | null
}

/** Which records are asked for; each condition narrows it. */
export interface SearchFilter {
  /** Null for all of them. */
  repository: string | null
  kind: SearchKind | null
  branch: string | null
  /** Only records of this time or later. */
  since: string | null
  most: number
}

/**
 * What is looked for, in plain words: all of the terms or any (but for those that nearly every record has, where others
 * are rarer); or texts that a record must all contain, wherever a word begins. No character has a meaning of its own.
 */
export type SearchWanted =
  | { terms: readonly SearchTerm[]; of: 'all' | 'any' }
  | { contains: readonly string[] }

export interface SearchHit {
  id: string
  kind: SearchKind
  at: string
  branch: string | null
  repository: string
  /** The stream that says it, and the number of the checkpoint there; null for a session. */
  place: { stream: string; sequence: number; checkpoint: string; archived: boolean } | null
  /** A part of its text; \u0001 and \u0002 stand around each match. */
  snippet: string
  /** What took the decision's place. */
  superseded: string | null
}

export interface SearchAnswer {
  /** The best first. */
  hits: SearchHit[]
  total: number
  /** There are more than `total`: of many matches only the newest are ranked. */
  more: boolean
  /** Records with text that nobody has reviewed are no hits: how many, and the streams that say them. */
  foreign: { records: number; streams: string[] }
}

/** What can be searched for. It is derived from the log: it may be lost at any time, and is filled again. */
export interface SearchIndex {
  /** What the index does not have yet, at most so many checkpoints and sessions. */
  readUnsearched(most: number): Promise<IndexPart>
  /**
   * Puts a part into the index; false where somebody else did, or began it anew; null where the index is damaged, and
   * has to begin anew. May be undone by a power cut.
   */
  putPart(part: IndexPart, records: readonly SearchRecord[]): Promise<boolean | null>
  /** Searches what the index has; null where the index is damaged, and has to begin anew. */
  search(wanted: SearchWanted, filter: SearchFilter): Promise<SearchAnswer | null>
  /** Throws the index away: it is filled again when somebody searches. */
  forget(): Promise<void>
}

import { SEARCH_KINDS, type SearchKind } from '../../core/searchable.ts'

/**
 * A record's number: its repository, its turn there, its kind. A range of numbers is a repository, a higher number is
 * newer, and the kind is known without reading the record: so the index alone narrows a search, however many match.
 * A double holds it for the first 131,072 repositories of a user.
 */
const KINDS = 8
const TURNS = 2 ** 33
const REPOSITORY = KINDS * TURNS

export const recordNumber = (repository: number, turn: number, kind: SearchKind) =>
  repository * REPOSITORY + turn * KINDS + SEARCH_KINDS.indexOf(kind)

export const searchKindOf = (n: number): SearchKind => SEARCH_KINDS[n % KINDS] ?? 'checkpoint'

/** The lowest and the highest number of a repository. */
export const rangeOf = (repository: number): readonly [number, number] => [
  repository * REPOSITORY,
  (repository + 1) * REPOSITORY - 1,
]

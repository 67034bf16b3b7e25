import { type Checkpoint, noChange } from '../../src/core/checkpoint.ts'
import type { SearchKind, SearchTerm } from '../../src/core/searchable.ts'
import { type Decision, emptyWork, type WorkState } from '../../src/core/work.ts'
import { askIndex, type FillContext, fillIndex } from '../../src/engine/search/fill-index.ts'
import { readQuery } from '../../src/policy/search-query.ts'
import type { SearchFilter } from '../../src/store/search-index.ts'
import type { Store } from '../../src/store/store.ts'
import { homeAt } from '../../src/workspace/home.ts'
import { AT, checkpointName, newCheckpoint, WORKSPACE } from './make.ts'
import { newWork } from './make-work.ts'

export const EVERYTHING: SearchFilter = { repository: null, kind: null, branch: null, since: null, most: 10 }

export const decided = (text: string, supersededBy: string | null = null, why = ''): Decision => ({
  ...{ text, why, supersededBy, origin: 'user', confirmed: true },
})

/** Appends a checkpoint with this work to a work stream; begins the stream where it is the first. */
export async function says(
  store: Store,
  sequence: number,
  work: Partial<WorkState>,
  {
    name = 'auth',
    foreign = false,
    ...more
  }: Partial<Checkpoint> & { name?: string; foreign?: boolean } = {},
): Promise<string> {
  await store.local.seeWorkspace(WORKSPACE, AT)
  const stream = newWork(name)
  const checkpoint = newCheckpoint(stream.id, sequence, {
    ...{ work: { ...emptyWork(), ...work }, change: noChange() },
    provenance: { branch: 'main', commit: null, author: null },
    ...more,
  })
  const after = sequence === 1 ? null : checkpointName(stream.id, sequence - 1)
  const committed = await store.acts.commit({
    ...{ workspace: WORKSPACE.id, begins: sequence === 1 ? [stream] : [] },
    appends: [{ checkpoint, after, foreign }],
  })
  if (!committed.done) throw new Error(`${name} ${sequence}: ${committed.why}`)
  return checkpoint.id
}

/** Plain words to look for. */
export const wordsOf = (...texts: string[]): SearchTerm[] => texts.map((text) => ({ text, prefix: false }))

/** What filling the index works with. */
export const fillingOf = (store: Store, more: Partial<FillContext> = {}): FillContext => ({
  store,
  home: homeAt('/home'),
  notices: [],
  progress: () => undefined,
  ...more,
})

export const filled = async (store: Store): Promise<string[]> => {
  const notices: string[] = []
  await fillIndex(fillingOf(store, { notices }))
  return notices
}

/** What a search finds, after the index took in what is new. */
export async function found(store: Store, query: string, filter: Partial<SearchFilter> = {}) {
  await filled(store)
  const words = readQuery(query)
  if (typeof words === 'string') throw new Error(words)
  const wanted = words.unspaced
    ? { contains: words.terms.map(({ text }) => text) }
    : { terms: words.terms, of: 'all' as const }
  return askIndex(fillingOf(store), wanted, { ...EVERYTHING, ...filter })
}

/** The kinds and places of what a search finds, the best first: `decision auth@1`. */
export const foundAt = async (store: Store, query: string, filter: Partial<SearchFilter> = {}) =>
  (await found(store, query, filter)).hits.map(
    ({ kind, place, id }): `${SearchKind} ${string}` =>
      `${kind} ${place === null ? id : `${place.stream}@${place.sequence}`}`,
  )

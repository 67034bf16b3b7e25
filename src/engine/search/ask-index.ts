import type { SearchAnswer, SearchFilter, SearchWanted } from '../../store/search-index.ts'
import { type FillContext, fillIndex, indexLost } from './fill-index.ts'

/** Asks the index. One that is damaged is derived: it is thrown away and filled again, once. */
export async function askIndex(
  context: FillContext,
  wanted: SearchWanted,
  filter: SearchFilter,
): Promise<SearchAnswer> {
  const { store } = context
  const found = await store.index.search(wanted, filter)
  if (found !== null) return found
  await store.index.forget()
  await fillIndex(context)
  const again = await store.index.search(wanted, filter)
  if (again !== null) return again
  throw indexLost(context)
}

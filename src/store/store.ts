import type { Acts } from './acts.ts'
import type { LocalState } from './local-state.ts'
import type { Log } from './log.ts'
import type { SearchIndex } from './search-index.ts'

/** Where everything lives: three parts, which may be of several engines, and the acts that span two of them. */
export interface Store {
  readonly log: Log
  readonly local: LocalState
  readonly index: SearchIndex
  readonly acts: Acts
  close(): Promise<void>
}

import type { LocalState } from '../../src/store/local-state.ts'
import type { Log } from '../../src/store/log.ts'
import type { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../src/store/store.ts'

/** A workspace of another repository. With the two of `make-work.ts` it is one that a log may meet. */
export const ELSEWHERE = { id: 'ws_3', repository: 'repo_2', path: '/somewhere/three' }

/** Each opens a fresh one of what its suite proves, and sees to it that it is closed when the test is over. */
export type OpenLog = () => Promise<Log>
export type OpenLocalState = () => Promise<LocalState>
export type OpenStore = () => Promise<Store>
/** `check` tells what does not fit together: a number that is missing, a row that refers to nothing. */
export type OpenActs = () => Promise<Pick<Store, 'log' | 'local' | 'acts'> & Pick<SqliteStore, 'check'>>
/** Opens a fresh store, or the copy that a backup made. */
export type OpenFile = (copy?: string) => Promise<SqliteStore>

import { describe, onTestFinished } from 'vitest'
import type { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { provesDocuments } from './conformance/documents.ts'
import { provesKeeping } from './conformance/keeping.ts'
import { provesLocks } from './conformance/locks.ts'
import { provesSearch } from './conformance/search.ts'
import { provesSessions } from './conformance/sessions.ts'
import { provesStreams } from './conformance/streams.ts'
import { provesViews } from './conformance/views.ts'
import { provesWhole } from './conformance/whole.ts'

/** Opens a fresh store, or the copy that a backup made. */
export type Open = (copy?: string) => SqliteStore | Promise<SqliteStore>

/**
 * What every store must do, whatever holds it. A new store joins by one more call of this function.
 * The suite knows the interface alone.
 */
export function storeConformance(name: string, open: Open): void {
  const opened: Open = async (copy) => {
    const store = await open(copy)
    onTestFinished(() => store.close())
    return store
  }
  describe(name, () => {
    provesStreams(opened)
    provesKeeping(opened)
    provesViews(opened)
    provesDocuments(opened)
    provesSessions(opened)
    provesSearch(opened)
    provesLocks(opened)
    provesWhole(opened)
  })
}

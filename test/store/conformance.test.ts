import { join } from 'node:path'
import { realPorts } from '../../src/apps/process/real-ports.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { storeConformance } from './conformance.ts'
import { freshFolder } from './make.ts'

storeConformance('SQLite on disk', (copy) => {
  const folder = freshFolder()
  return openSqliteStore({
    path: copy ?? join(folder, 'savepoint.db'),
    ports: realPorts,
    locksFolder: join(folder, 'locks'),
  })
})

storeConformance('SQLite in memory', (copy) =>
  openSqliteStore({ path: copy ?? ':memory:', ports: realPorts, locksFolder: null }),
)

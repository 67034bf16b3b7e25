import type { Ports } from '../../core/ports.ts'
import type { LocalState } from '../local-state.ts'
import { Connection } from './connection.ts'
import { Locks } from './lock.ts'
import { MIGRATIONS } from './migrations.ts'
import { SqliteLocalState } from './sqlite-local-state.ts'

/** The local state alone, where another engine holds the log. It is always SQLite: it never leaves the machine. */
export function openLocalState(options: {
  path: string
  ports: Ports
  locksFolder: string | null
  waitMs?: number
}): { local: LocalState; close(): Promise<void> } {
  const { path, ports, locksFolder, waitMs = 5_000 } = options
  const connection = new Connection({
    ...{ path, ports, waitMs, migrations: MIGRATIONS, holdsLog: false },
    beforeMigration: () => undefined,
  })
  const locks = new Locks(locksFolder, ports)
  return {
    local: new SqliteLocalState(connection, locks),
    async close() {
      connection.close()
      locks.close()
    },
  }
}

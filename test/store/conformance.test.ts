import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { realPorts } from '../../src/apps/process/real-ports.ts'
import { openSqliteStore, type SqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { openComposed, openLocalState } from './composed.ts'
import {
  actsConformance,
  fileConformance,
  localStateConformance,
  logConformance,
  searchIndexConformance,
} from './conformance.ts'
import { AT, freshFolder, WORKSPACE } from './make.ts'
import { BESIDE } from './make-work.ts'
import { MemoryLog } from './memory-log.ts'
import { ELSEWHERE } from './subjects.ts'

const closed = <T extends { close(): Promise<void> }>(opened: T): T => {
  onTestFinished(() => opened.close())
  return opened
}

/** The path of a fresh file and its locks, or a database in memory. */
const PLACES = {
  'SQLite on disk': () => {
    const folder = freshFolder()
    return { path: join(folder, 'savepoint.db'), locksFolder: join(folder, 'locks') }
  },
  'SQLite in memory': () => ({ path: ':memory:', locksFolder: null }),
}

for (const [name, place] of Object.entries(PLACES)) {
  const open = async (copy?: string): Promise<SqliteStore> =>
    closed(openSqliteStore({ ...place(), ...(copy === undefined ? {} : { path: copy }), ports: realPorts }))

  logConformance(name, async () => {
    const { log, local } = await open()
    // In one file with the local state, a stream belongs to a workspace that is known there.
    for (const workspace of [WORKSPACE, BESIDE, ELSEWHERE]) await local.seeWorkspace(workspace, AT)
    return log
  })
  localStateConformance(name, async () => closed(openLocalState({ ...place(), ports: realPorts })).local)
  searchIndexConformance(name, () => open())
  actsConformance(name, () => open())
  fileConformance(name, open)
}

logConformance('in memory', async () => new MemoryLog())
actsConformance('a log in memory and a local state in SQLite', () => openComposed())

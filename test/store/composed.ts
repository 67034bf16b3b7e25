import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { realPorts } from '../../src/apps/process/real-ports.ts'
import type { LocalState } from '../../src/store/local-state.ts'
import type { Log } from '../../src/store/log.ts'
import { MIGRATIONS } from '../../src/store/sqlite/migrations.ts'
import { openSqliteStore, type SqliteOptions } from '../../src/store/sqlite/sqlite-store.ts'
import { composeActs, intentsAt } from './composed-acts.ts'
import { freshFolder } from './make.ts'
import { MemoryLog } from './memory-log.ts'

/** A local state whose log is elsewhere: its rows name streams and checkpoints that this file does not have. */
export const openLocalState = (options: SqliteOptions) =>
  openSqliteStore({
    ...options,
    migrations: MIGRATIONS.map((step) => step.replace(/ REFERENCES \w+ \(\w+\)/g, '')),
  })

/** Two engines as one: a log in memory, as a server would hold it, and a local state in a file of this machine. */
export async function openComposed({
  log = new MemoryLog(),
  folder = freshFolder(),
}: {
  log?: Log
  folder?: string
} = {}) {
  const opened = openLocalState({
    path: join(folder, 'local.db'),
    ports: realPorts,
    locksFolder: join(folder, 'locks'),
  })
  onTestFinished(() => opened.close())
  const { local } = opened
  const intents = intentsAt(join(folder, 'intent.json'))
  const acts = composeActs(log, local, intents)
  return { log, local, intents, acts, close: opened.close, check: () => problemsOf(log, local) }
}

/** What does not fit together: a number that is missing, a view of what is not in the log. */
export async function problemsOf(log: Log, local: LocalState): Promise<Array<{ what: string }>> {
  const problems: string[] = []
  for (const kind of ['run', 'work'] as const)
    for (const { id, name, headSequence } of await log.listStreams(null, kind)) {
      const found = (await log.readHistory(id)).length
      if (found !== headSequence) problems.push(`${name} should have ${headSequence} and has ${found}`)
    }
  for (const { path, checkpoint } of await local.listViews({}))
    if ((await log.readCheckpoint(checkpoint)) === null) problems.push(`${path} shows what is not there`)
  return problems.map((what) => ({ what }))
}

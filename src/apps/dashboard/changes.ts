import { type FSWatcher, readdirSync, statSync, watch } from 'node:fs'
import { join } from 'node:path'
import { errorCode, unlessRefused } from '../../core/reason.ts'
import type { ChangedPart } from './api.ts'

interface WatchedHome {
  path: string
  database: string
  sessions: string
}

type Listener = (parts: ChangedPart[]) => void

/** What was written within this time is told together. */
const TOGETHER_MS = 150
/** Whoever writes without a pause is told so often: each time the pages ask anew. */
const AGAIN_MS = 700
/** Where the system tells nothing of a change (some file systems do not; a home that is only now made), a look sees it. */
const LOOK_EVERY_MS = 500

/** Tells whoever listens that somebody wrote into the home: a command, a hook, another server. */
export class Changes {
  private readonly home: WatchedHome
  private readonly listeners = new Set<Listener>()
  private readonly watchers = new Map<string, FSWatcher>()
  private readonly changed = new Set<ChangedPart>()
  private readonly looking: NodeJS.Timeout
  private telling: NodeJS.Timeout | null = null
  private toldAt = Number.NEGATIVE_INFINITY
  private last: Record<ChangedPart, string>

  constructor(home: WatchedHome) {
    this.home = home
    this.last = this.look()
    this.watchFolders()
    this.looking = setInterval(() => this.compare(), LOOK_EVERY_MS)
  }

  get isWatched(): boolean {
    return this.listeners.size > 0
  }

  /** Answers how to stop listening. */
  listen(listener: Listener): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  close(): void {
    clearInterval(this.looking)
    if (this.telling) clearTimeout(this.telling)
    for (const watcher of this.watchers.values()) watcher.close()
    this.listeners.clear()
  }

  /** The folder of an agent's journals comes with its first session. */
  private watchFolders(): void {
    const { path, sessions } = this.home
    for (const folder of [path, sessions, ...listFolders(sessions)])
      if (!this.watchers.has(folder)) this.watchFolder(folder)
  }

  private watchFolder(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, () => this.compare(folder !== this.home.path))
      // A folder that goes away is looked for again.
      watcher.on('error', () => this.forget(folder))
      this.watchers.set(folder, watcher)
    } catch (error) {
      if (errorCode(error) === undefined) throw error
    }
  }

  private forget(folder: string): void {
    this.watchers.get(folder)?.close()
    this.watchers.delete(folder)
  }

  private compare(isJournal = false): void {
    this.watchFolders()
    const now = this.look()
    if (now.store !== this.last.store) this.changed.add('store')
    // A line that is added to a journal changes no folder.
    if (isJournal || now.journal !== this.last.journal) this.changed.add('journal')
    this.last = now
    if (this.changed.size === 0) return
    const wait = Math.max(TOGETHER_MS, this.toldAt + AGAIN_MS - performance.now())
    this.telling ??= setTimeout(() => this.tell(), wait)
  }

  private tell(): void {
    this.telling = null
    this.toldAt = performance.now()
    const parts = [...this.changed]
    this.changed.clear()
    for (const listener of this.listeners) listener(parts)
  }

  private look(): Record<ChangedPart, string> {
    const { database, sessions } = this.home
    return {
      store: [database, `${database}-wal`].map(lookAt).join(),
      journal: [sessions, ...listFolders(sessions)].map(lookAt).join(),
    }
  }
}

/** An empty log of the database is as good as none: whoever only reads makes one and takes it away again. */
function lookAt(path: string): string {
  const found = unlessRefused(() => statSync(path, { throwIfNoEntry: false, bigint: true }))
  return found && found.size > 0n ? `${found.ino}:${found.size}:${found.mtimeNs}` : ''
}

/** None where it cannot be read: nobody waits for what a timer or a watcher throws, and the server would end. */
function listFolders(path: string): string[] {
  const entries = unlessRefused(() => readdirSync(path, { withFileTypes: true })) ?? []
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(path, name))
}

export interface StoreProblem {
  what: string
  checkpoint?: string
  /** Only the search index has it: it is made anew at the next search, and nothing is lost. */
  derived?: true
}

/** Where what was restored came from. */
export interface RestoredFile {
  setAside: string | null
  backup: string | null
  checkpoints: number
}

/**
 * The file behind a store on this machine, for those who keep it sound. It is the driver's own and no part of a store:
 * a log on a server is checked, copied and restored by whoever runs that server.
 */
export interface StoreFile {
  check(): Promise<StoreProblem[]>
  /** A consistent copy at a path that does not exist yet, while others write. */
  copyTo(path: string): Promise<void>
  /** Makes a backup where the newest is older than a day, and drops the oldest ones. */
  keepBackup(): Promise<void>
  listDamagedBackups(): Array<{ path: string; problem: string }>
  /** The file is gone, or was set aside by somebody who died before its content was back. */
  needsRestoring(): boolean
  /** What this store holds, or a file that a backup made; throws where that file cannot be used. */
  describe(copy?: string): Promise<StoreContent>
  /** Puts a copy of a backup in the place of this store. Others notice, and go on with the new one. */
  replaceWith(copy: string): Promise<ReplacedFile>
  /** Puts a fresh file in the place of a damaged one, which is kept, with all that can be read of it and of the newest good backup. */
  restore(how: RestoreOptions): Promise<RestoredFile>
}

/** What a database file holds, in short. */
export interface StoreContent {
  streams: number
  checkpoints: number
  sessions: number
  /** When the newest checkpoint was saved; null where there is none. */
  newestAt: string | null
}

/** What a store that was replaced leaves. */
export interface ReplacedFile {
  /** A backup of how it was before: restoring that one goes back. */
  before: string
  /** The replaced file itself. */
  setAside: string
}

export interface RestoreOptions {
  /** Also where the driver itself sees no damage. */
  force: boolean
  /** Adds what only the caller can find; others wait for it, or they would take the numbers of what is still to come. */
  bringBack: () => Promise<void>
}

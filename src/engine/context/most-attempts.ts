/** How often a step is tried while other processes are faster each time; after that the caller is refused or goes on. */
export const MOST_ATTEMPTS = {
  /** Commits of documents: fifty agents may work at one document. */
  documents: 50,
  /** Writes of a shared file: an editor that saves all the time is not waited for. */
  files: 12,
  /** Appends to one run: every process of a parallel run writes to it. */
  snapshots: 200,
  /** Saves of what a transcript says: the next look reads on from there. */
  transcripts: 10,
  /** Changes of a session's row: hooks and commands may be at the same rows. */
  sessions: 20,
  /** Writes of an agent's settings: somebody who writes them all the time is not waited for. */
  settings: 8,
} as const

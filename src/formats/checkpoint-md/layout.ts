/** Where documents are, below the workspace: folder names. */
export const ACTIVE = ['checkpoints', 'active'] as const
export const ARCHIVE = ['checkpoints', 'archive'] as const
export const LEARNINGS_FILE = 'LEARNINGS.md'

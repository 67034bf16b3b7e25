/** Where a run's files are, below the workspace: folder names, then the file's name. */
export const RUNS_FOLDER = 'checkpoints'
export const HISTORY_FOLDER = 'history'
export const SET_ASIDE_FOLDER = 'set-aside'
export const LATEST = 'latest.json'

export const runFolder = (run: string) => [RUNS_FOLDER, run]
export const latestPath = (run: string) => `${RUNS_FOLDER}/${run}/${LATEST}`
export const historyPath = (run: string, snapshot: string, compressed = false) =>
  `${RUNS_FOLDER}/${run}/${HISTORY_FOLDER}/${historyName(snapshot, compressed)}`
/** The path of a file that was read: a history file by its name, or `latest.json`. */
export const snapshotPath = (run: string, name: string) =>
  name === LATEST ? latestPath(run) : `${RUNS_FOLDER}/${run}/${HISTORY_FOLDER}/${name}`
export const historyName = (snapshot: string, compressed = false) =>
  `${snapshot}.json${compressed ? '.gz' : ''}`

/** `cp_<timestamp>_<suffix>`, in characters that are safe in a file name. */
export const SNAPSHOT_ID = /^cp_[A-Za-z0-9.:-]+_[A-Za-z0-9._-]+$/

/** The snapshot that a history file's name stands for, or null for a stranger's name. */
export function snapshotOfName(name: string): { snapshot: string; compressed: boolean } | null {
  const [, snapshot = '', compressed] = /^(.+?)\.json(\.gz)?$/.exec(name) ?? []
  return SNAPSHOT_ID.test(snapshot) ? { snapshot, compressed: compressed !== undefined } : null
}

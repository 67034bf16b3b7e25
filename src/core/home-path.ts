/** What the rule needs of the machine, so that the launcher can ask before any of the product is loaded. */
export interface PathPorts {
  join(...parts: string[]): string
  resolve(path: string): string
  homedir(): string
}

/** Where the home is: SAVEPOINT_HOME, else the platform's folder for a program's state. */
export function homePathBy(
  env: Readonly<Record<string, string | undefined>>,
  platform: string,
  { join, resolve, homedir }: PathPorts,
): string {
  if (env.SAVEPOINT_HOME) return resolve(env.SAVEPOINT_HOME)
  if (platform === 'win32') return join(env.LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local'), 'savepoint')
  const state = env.XDG_STATE_HOME
  return join(state?.startsWith('/') ? state : join(env.HOME ?? homedir(), '.local', 'state'), 'savepoint')
}

/** Why somebody else could change what a user keeps in a folder; null where nobody can, or where there are no users. */
export function sharingProblem(
  { uid, mode }: { uid: number; mode: number },
  user: number | undefined,
): string | null {
  if (user === undefined) return null
  if (uid !== user) return `it belongs to user ${uid}, but you are ${user}`
  return (mode & 0o022) === 0 ? null : 'others can write to it'
}

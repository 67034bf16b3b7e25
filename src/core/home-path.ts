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

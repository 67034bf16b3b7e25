import type { SessionKey } from '../core/session.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** What agents set in the environment of the commands that they run. */
const SIGNS = [
  'CLAUDECODE',
  'GEMINI_CLI',
  'OPENCODE',
  'CODEX_SANDBOX',
  'CODEX_SANDBOX_NETWORK_DISABLED',
] as const

/** Who runs a command: an agent, or the user. What an agent decides by itself is not confirmed. */
export const speakerOf = (env: Environment): 'agent' | 'user' =>
  SIGNS.some((name) => (env[name] ?? '') !== '') ? 'agent' : 'user'

/** Whether a hook was started by the plugin, which brings the tools along. Hooks in a settings file come alone. */
export const hasTools = (env: Environment): boolean => (env.CLAUDE_PLUGIN_ROOT ?? '') !== ''

/** A client's own id, as far as it can be a file's name and a row's key. */
export const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/

/** The session in which a command is run, where the agent says so. */
export function sessionOf(env: Environment): SessionKey | null {
  const id = env.CLAUDE_CODE_SESSION_ID ?? ''
  return env.CLAUDECODE && SESSION_ID.test(id) ? { agent: 'claude', id } : null
}

/** What agents set in the environment of the commands that they run. */
const SIGNS = [
  'CLAUDECODE',
  'GEMINI_CLI',
  'OPENCODE',
  'CODEX_SANDBOX',
  'CODEX_SANDBOX_NETWORK_DISABLED',
] as const

/** Who runs a command: an agent, or the user. What an agent decides by itself is not confirmed. */
export const speakerOf = (env: Readonly<Record<string, string | undefined>>): 'agent' | 'user' =>
  SIGNS.some((name) => (env[name] ?? '') !== '') ? 'agent' : 'user'

import type { Agent } from '../../core/agent.ts'
import { SESSION_ID } from '../../core/session.ts'
import { envelope, eventOf } from './hooks.ts'
import { LABEL, NAME } from './name.ts'
import { statIfSeen } from './transcript-lines.ts'
import { lastUse, statusOf, windowOf } from './window.ts'

/** Claude Code. What a hook needs is here; what reads transcripts and what sets it up is loaded late. */
export const claude: Agent = {
  name: NAME,
  label: LABEL,
  addTools: 'claude mcp add savepoint -- savepoint mcp',
  signs: ['CLAUDECODE'],
  sessionOf(env) {
    const id = env.CLAUDE_CODE_SESSION_ID ?? ''
    return env.CLAUDECODE && SESSION_ID.test(id) ? { agent: NAME, id } : null
  },
  projectOf: (env) => env.CLAUDE_PROJECT_DIR || null,
  // Hooks in a settings file come without the tools.
  hasTools: (env) => (env.CLAUDE_PLUGIN_ROOT ?? '') !== '',
  ...{ eventOf, envelope, statusOf, lastUse, windowOf },
  transcript: {
    // A transcript only grows; one that cannot be seen has nothing new.
    isBehind: (path, read) => (statIfSeen(path)?.size ?? 0) > read,
    reader: async () => ({ readOn: (await import('./transcript.ts')).readTranscript }),
    finder: async () => (await import('./earlier.ts')).finder,
  },
  setUp: async () => (await import('./set-up.ts')).claudeSetUp,
}

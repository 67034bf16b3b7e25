import type { Agent } from '../../../src/core/agent.ts'
import type { AgentEvent } from '../../../src/core/agent-event.ts'
import { SESSION_ID } from '../../../src/core/session.ts'
import { tinySetUp } from './set-up.ts'
import { countLines, finder, reader } from './transcript.ts'

/** What the tiny agent tells its hooks: `{"what": "began", "talk": "t1", "where": "/repo", "log": "/logs/t1.txt"}`. */
interface Said {
  what?: unknown
  talk?: unknown
  where?: unknown
  log?: unknown
  words?: unknown
}

/** An agent made for tests: it has other events, another transcript and other settings than any real one. */
export const tiny: Agent = {
  name: 'tiny',
  label: 'Tiny Agent',
  addTools: 'tiny tools add savepoint',
  signs: ['TINY'],
  sessionOf: (env) =>
    env.TINY && SESSION_ID.test(env.TINY_TALK ?? '') ? { agent: 'tiny', id: env.TINY_TALK ?? '' } : null,
  projectOf: (env) => env.TINY_FOLDER || null,
  hasTools: () => false,
  eventOf(payload, at) {
    const { what, talk, where, log, words } = Object(payload) as Said
    if (typeof talk !== 'string' || typeof where !== 'string') return null
    const common = {
      ...{ agent: 'tiny', session: talk, at, cwd: where, helper: null, permissionMode: null },
      transcript: typeof log === 'string' ? log : null,
    }
    const said = saidIn(what, String(words ?? ''))
    // `as`: both halves are whole, and the compiler does not add up unions.
    return said && ({ ...common, ...said } as AgentEvent)
  },
  envelope: (kind, words) => (kind === 'start' && words !== '' ? `TELL ${words}\n` : ''),
  statusOf: () => ({ session: null, window: null, usedPercent: null }),
  lastUse: () => null,
  windowOf: () => null,
  transcript: {
    isBehind: (path, read) => countLines(path) > read,
    reader: async () => reader,
    finder: async () => finder,
  },
  setUp: async () => tinySetUp,
}

function saidIn(what: unknown, words: string) {
  if (what === 'began') return { kind: 'start', source: 'startup', model: null }
  if (what === 'asked') return { kind: 'prompt', text: words }
  return what === 'left' ? { kind: 'end', reason: 'other' } : null
}

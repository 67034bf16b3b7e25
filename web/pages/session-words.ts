import type { SessionLine } from '../../src/apps/dashboard/api.ts'
import type { Tone } from '../parts/chip.tsx'

export const sessionHref = (key: string) => `#/sessions/${encodeURIComponent(key)}`

/** How sessions end, in ordinary words. */
const ENDS: Record<string, string> = {
  clear: 'cleared',
  resume: 'resumed elsewhere',
  logout: 'logged out',
  prompt_input_exit: 'exited',
  crash: 'crashed',
  timeout: 'timed out',
  other: 'ended',
}

const BAD_ENDS = new Set(['crash', 'timeout'])

interface SessionState {
  tone: Tone
  word: string
  /** Nobody will say more: what it wrote can be saved by hand. */
  needsReconcile: boolean
}

export function sessionState({ phase, paused, endReason }: SessionLine): SessionState {
  if (phase === 'stale') return { tone: 'warn', word: 'silent', needsReconcile: true }
  if (phase === 'active')
    return paused
      ? { tone: 'warn', word: `paused: ${paused.reason}`, needsReconcile: false }
      : { tone: 'good', word: 'active', needsReconcile: false }
  const isBad = endReason !== null && BAD_ENDS.has(endReason)
  return { tone: isBad ? 'bad' : 'plain', word: ENDS[endReason ?? 'other'] ?? 'ended', needsReconcile: false }
}

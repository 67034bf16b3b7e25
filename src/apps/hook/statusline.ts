import { join } from 'node:path'
import type { Agent, StatusInput } from '../../core/agent.ts'
import type { SessionKey } from '../../core/session.ts'
import { readGauge, readHint, writeGauge } from '../../engine/sessions/session-files.ts'
import { fieldOf } from './json.ts'
import { isChained, joinLines, readChainCommand, runChain } from './statusline-chain.ts'
import { readStatus } from './statusline-input.ts'
import { lineOf, type StatuslineContent } from './statusline-line.ts'

interface World {
  home: string
  nowMs: number
  /** At least 1. */
  columns: number
  env: Record<string, string | undefined>
  agents: readonly Agent[]
  /** Which status line that was there before is ours to run: a project's by its key, else the user's. */
  key?: string
}

/**
 * The text of the status line for what the client told: how full the window is, how old the last save, and what is
 * worked on. Leaves the gauge for the hooks, which are not told it. Empty inside a chained command, whose caller
 * shows the line itself.
 */
export function renderStatusline(input: string, world: World): string {
  if (isChained(world.env)) return ''
  const told = readStatus(input, world.agents)
  const sessions = join(world.home, 'sessions')
  // Before anything that may take time: a client that draws again ends this one.
  attempt(() => keepGauge(sessions, told, world.nowMs))
  const ours = lineOf(
    { ...told, ...savesOf(sessions, told.session) },
    { ...world, isColoured: !world.env.NO_COLOR },
  )
  const chain = attempt(() => readChainCommand(world.home, world.key))
  const theirs = chain ? runChain(chain, input, world.env) : null
  return theirs === null ? ours : joinLines(theirs, ours, world.columns)
}

function keepGauge(sessions: string, { session, window, usedPercent }: StatusInput, nowMs: number): void {
  if (session === null || window === null) return
  const kept = attempt(() => readGauge(sessions, session))
  if (fieldOf(kept, 'window') === window && fieldOf(kept, 'usedPercent') === usedPercent) return
  writeGauge(sessions, session, { window, usedPercent, at: new Date(nowMs).toISOString() })
}

/** A session without a hint has saved nothing; of a hint that cannot be read nothing is said. */
function savesOf(sessions: string, session: SessionKey | null): Pick<StatuslineContent, 'savedAt' | 'focus'> {
  const hint = session === null ? undefined : attempt(() => readHint(sessions, session))
  if (!hint) return { savedAt: hint, focus: [] }
  const [savedAt, focus, stream] = ['savedAt', 'focus', 'stream'].map((name) => fieldOf(hint, name))
  const outcomes = Array.isArray(focus) ? focus.filter(isText) : []
  return {
    savedAt: savedAt === null || isText(savedAt) ? savedAt : undefined,
    focus: outcomes.length > 0 ? outcomes : [stream].filter(isText),
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''

/** Undefined where the system refuses: a status line has nobody to tell, and `doctor` looks at the home. */
function attempt<Result>(action: () => Result): Result | undefined {
  try {
    return action()
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    return undefined
  }
}

import { formatCount } from '../../core/text.ts'
import { isSessionStream } from '../../policy/resolve.ts'
import type { Stream } from '../../store/log.ts'

/** How much people see of some streams. */
export interface WorkCount {
  work: number
  runs: number
}

/** What people take a stream for; null for one that a session made by itself, which is told with the sessions. */
export function classifyStream({ kind, name }: Pick<Stream, 'kind' | 'name'>): keyof WorkCount | null {
  if (kind === 'run') return 'runs'
  return isSessionStream(name) ? null : 'work'
}

export function countWork(streams: readonly Stream[]): WorkCount {
  const count: WorkCount = { work: 0, runs: 0 }
  for (const stream of streams) {
    const as = classifyStream(stream)
    if (as !== null) count[as] += 1
  }
  return count
}

/** `2 pieces of work, 1 run`. */
export const sayWork = ({ work, runs }: WorkCount): string =>
  [
    ...(work > 0 ? [formatCount(work, 'piece of work', 'pieces of work')] : []),
    ...(runs > 0 ? [formatCount(runs, 'run')] : []),
  ].join(', ') || 'only automatic saves'

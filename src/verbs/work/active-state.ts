import { instant } from '../../core/ports.ts'
import type { Position } from '../../core/work.ts'
import type { Context } from '../../engine/context/context.ts'
import { type ListedRun, listRunsHere } from '../../engine/runs/find-run.ts'
import { currentSession, listSessions } from '../../engine/sessions/current.ts'
import { readToEnd } from '../../engine/sessions/read-to-end.ts'
import type { FoundFiles } from '../../engine/surroundings/found-work.ts'
import type { World } from '../../engine/surroundings/world.ts'
import { type WindowState, windowState } from '../../policy/window.ts'

/** What is active in a workspace beside the work itself. */
export interface ActiveState {
  /** Where the plan stands, as the state index says, else as it was saved last; null where neither says anything. */
  plan: { name: string | null; stage: string | number | null; tddPhase: string | null } | null
  sessions: { open: number; stale: number }
  /** The window of the session that asks, else of the newest here; null where none goes on. */
  window: WindowState | null
  /** Those that are neither completed nor failed, the newest first. An agent is told no name that nobody reviewed. */
  runs: Array<ListedRun & { ageMs: number | null }>
  /** The latest note that may be named, whoever wrote it. */
  note: { path: string; at: string; ageMs: number } | null
}

export async function activeStateOf(
  context: Context,
  world: World,
  { note }: FoundFiles,
  saved: Position | null,
): Promise<ActiveState> {
  const { repository } = context.identity
  const sessions = await listSessions(context, { repository, phases: ['active', 'stale'] })
  const stale = sessions.filter(({ phase }) => phase === 'stale').length
  const current = await currentSession(context)
  const ageNow = (at: string) => Math.max(0, context.ports.now() - Date.parse(at))
  return {
    plan: planOf(world, saved),
    sessions: { open: sessions.length - stale, stale },
    window: current && windowState((await readToEnd(context, current)).context),
    runs: (await listRunsHere(context))
      .filter(({ status, foreign }) => OPEN_RUN.has(status) && !(foreign && context.speaker === 'agent'))
      .map((run) => ({ ...run, ageMs: run.updatedAt === '' ? null : ageNow(run.updatedAt) })),
    note: note && { path: note.path, at: instant(note.atMs), ageMs: ageNow(instant(note.atMs)) },
  }
}

const OPEN_RUN = new Set(['in_progress', 'paused', 'unknown'])

function planOf({ index }: World, saved: Position | null): ActiveState['plan'] {
  const name = index?.activePlan ?? (saved?.planName || null)
  const stage = index?.stage ?? (saved?.stage || null)
  const tddPhase = index?.tddPhase ?? (saved?.tddPhase || null)
  return name === null && stage === null && tddPhase === null ? null : { name, stage, tddPhase }
}

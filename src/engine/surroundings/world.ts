import { nameProblem } from '../../core/id.ts'
import { PLANS_HOME, STATE_INDEX, STATE_INDEX_PATH } from '../../core/layout.ts'
import { ReasonError } from '../../core/reason.ts'
import type { Position } from '../../core/work.ts'
import { readIndex, type StateIndex } from '../../formats/state-index/codec.ts'
import { openFolder } from '../../fs/disk.ts'
import { findFolder } from '../../fs/durable.ts'
import { redact } from '../../policy/redact.ts'
import type { Context } from '../context/context.ts'
import type { Here } from '../trust/here.ts'

const MAX_INDEX_BYTES = 4 * 1024 * 1024

/** What the user need not type: the branch, the commit, changed files, and the active plan of another tool. */
export interface World {
  branch: string | null
  commit: string | null
  /** Uncommitted files, but our own; null where git was not asked or could not say. */
  dirty: Array<{ path: string; action: string }> | null
  /** There is a folder of the agent's, in which notes are expected. */
  hasAgentFolder: boolean
  /** The tool's index; null where there is none that can be read. */
  index: StateIndex | null
  /** Why an index that is there cannot be read. */
  indexProblem: string | null
}

/**
 * Looks around. Git is asked only in a workspace that is trusted, because its filters run programs, and only by who
 * wants to know what is uncommitted.
 */
export async function worldOf(
  context: Context,
  { trusted, head: { branch, commit } }: Here,
  { wantsDirty = true } = {},
): Promise<World> {
  const dirty = trusted && wantsDirty ? await dirtyHere(context) : null
  const found = agentFolder(context, trusted)
  // A sentence in an index that git brings would be told to an agent as ours: only names are used of it.
  const isOwn = !trusted || found.index === null || isPlain(found.index) || !(await isTrackedIndex(context))
  const index = isOwn || found.index === null ? found.index : plainIndex(found.index)
  return { branch, commit, dirty, ...found, index }
}

async function dirtyHere({ place, settings, notices }: Context): Promise<World['dirty']> {
  if (place.git === null) return null
  const { dirtyFiles } = await import('../../workspace/git-dirty.ts')
  const { files, problem } = await dirtyFiles(place, settings.ledger_path)
  if (problem !== null) {
    notices.push(`Git could not say which files are uncommitted: ${problem}`)
    return null
  }
  // A name that holds a secret is not kept, and what is not kept would be called gone.
  return files.filter(({ path }) => redact(path) === path)
}

/** Where the plan stands as the tool's index says; nothing where there is none. */
export const planPosition = ({ index }: Pick<World, 'index'>): Partial<Position> =>
  // An index that names no plan says nothing about the one that was named before.
  index?.activePlan
    ? { planName: index.activePlan, stage: String(index.stage ?? ''), tddPhase: index.tddPhase ?? '' }
    : {
        ...(index?.stage != null ? { stage: String(index.stage) } : {}),
        ...(index?.tddPhase ? { tddPhase: index.tddPhase } : {}),
      }

/** A link in the place of the folder leads out of the workspace: nothing is read there, and nothing written. */
export function agentFolder(
  { place, notices }: Context,
  trusted: boolean,
): Pick<World, 'hasAgentFolder' | 'index' | 'indexProblem'> {
  const none = { hasAgentFolder: false, index: null, indexProblem: null }
  const root = openFolder(place.root)
  try {
    const folder = findFolder(root, [PLANS_HOME])
    if (folder === null) return none
    try {
      const bytes = folder.read(STATE_INDEX, MAX_INDEX_BYTES)
      const read = bytes && indexIn(bytes)
      return read !== null && 'problem' in read
        ? { hasAgentFolder: true, index: null, indexProblem: read.problem }
        : { hasAgentFolder: true, index: read && !trusted ? plainIndex(read) : read, indexProblem: null }
    } catch (error) {
      if (!(error instanceof ReasonError)) throw error
      return { hasAgentFolder: true, index: null, indexProblem: error.message.replace(/\.$/, '') }
    } finally {
      folder.close()
    }
  } catch (error) {
    if (!(error instanceof ReasonError)) throw error
    notices.push(`${PLANS_HOME} is left alone: ${error.message}`)
    return none
  } finally {
    root.close()
  }
}

function indexIn(bytes: Buffer): ReturnType<typeof readIndex> {
  const text = bytes.toString('utf8')
  return Buffer.from(text).equals(bytes) ? readIndex(text) : { problem: 'it is not UTF-8' }
}

async function isTrackedIndex({ place }: Context): Promise<boolean> {
  const { isTracked } = await import('../../workspace/git-index.ts')
  return isTracked(place, STATE_INDEX_PATH)
}

const isPlain = (index: StateIndex) => JSON.stringify(plainIndex(index)) === JSON.stringify(index)

/** Of an index that came with a repository only names are used: a sentence in it would be told to an agent. */
const plainIndex = ({ activePlan, stage, tddPhase, lastCheckpoint }: StateIndex): StateIndex => ({
  activePlan: activePlan !== null && nameProblem(activePlan) === null ? activePlan : null,
  stage: typeof stage === 'string' && nameProblem(stage) !== null ? null : stage,
  tddPhase: tddPhase !== null && nameProblem(tddPhase) === null ? tddPhase : null,
  lastCheckpoint,
})

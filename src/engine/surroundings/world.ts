import { nameProblem } from '../../core/id.ts'
import { PLANS_HOME, STATE_INDEX, STATE_INDEX_PATH } from '../../core/layout.ts'
import { ReasonError } from '../../core/reason.ts'
import { decodeUtf8 } from '../../core/text.ts'
import type { Position } from '../../core/work.ts'
import { readIndex, type StateIndex } from '../../formats/state-index/codec.ts'
import type { Folder } from '../../fs/disk.ts'
import { inFolder } from '../../fs/durable.ts'
import { redact } from '../../policy/redact.ts'
import type { Context } from '../context/context.ts'
import { NOTICES } from '../context/notices.ts'
import type { Here } from '../trust/here.ts'
import { judgeFile } from './judge-file.ts'

const MAX_INDEX_BYTES = 4 * 1024 * 1024

/** What the user need not type: the branch, the commit, changed files, and the active plan of another tool. */
export interface World extends Here {
  /** Uncommitted files, but our own; null where git was not asked or could not say. */
  dirty: Array<{ path: string; action: string }> | null
  /** How many uncommitted files there are: `dirty` lists only the first ones. */
  uncommitted: number
  /** There is a folder of the agent's, in which notes are expected. */
  hasAgentFolder: boolean
  /** The tool's index as far as it is the user's own; null where there is none that can be read. */
  index: StateIndex | null
  /** The same by its names alone, whoever wrote it: for the files of that tool, and neither told nor followed. */
  foundIndex: StateIndex | null
  /** Why an index that is there cannot be read. */
  indexProblem: string | null
}

/** Looks around. Git is asked by who wants to know what is uncommitted, and where it is trusted: its filters run programs. */
export async function worldOf(context: Context, here: Here, { wantsDirty = true } = {}): Promise<World> {
  const { trusted, vouched, head } = here
  const found = trusted && wantsDirty ? await dirtyHere(context) : NOT_ASKED
  return { trusted, vouched, head, ...found, ...(await agentFolderHere(context, here)) }
}

/** How many files of the user's are uncommitted now; null where git may not be asked, or cannot say. */
export async function countUncommitted(context: Context, { trusted }: Here): Promise<number | null> {
  const { dirty, uncommitted } = trusted ? await dirtyHere(context) : NOT_ASKED
  return dirty && uncommitted
}

/** What stands in the agent's folder, with its index as far as that is the user's own. */
export async function agentFolderHere(context: Context, here: Here): Promise<AgentFolder> {
  const { index, ...found } = readAgentFolder(context)
  if (index === null) return { ...found, index, foundIndex: null }
  return { ...found, index: await ownIndex(context, here, index), foundIndex: plainIndex(index) }
}

type AgentFolder = Pick<World, 'hasAgentFolder' | 'index' | 'foundIndex' | 'indexProblem'>

/**
 * The index as far as it is the user's own: nothing of it where nobody trusts the workspace, or where git brought it
 * and nobody vouches for it. Of one that git tracks only names are used: an agent would be told a sentence as ours.
 */
async function ownIndex(context: Context, here: Here, index: StateIndex): Promise<StateIndex | null> {
  const { activePlan, stage, tddPhase } = index
  const saying = JSON.stringify([activePlan, stage, tddPhase])
  const judgement = await judgeFile(context, here, { path: STATE_INDEX_PATH, saying })
  return judgement === 'own' ? index : judgement === 'foreign' ? null : plainIndex(index)
}

const NOT_ASKED = { dirty: null, uncommitted: 0 }

async function dirtyHere(context: Context): Promise<Pick<World, 'dirty' | 'uncommitted'>> {
  const { place, settings, notices } = context
  if (place.git === null) return NOT_ASKED
  const { dirtyFiles } = await import('../../workspace/git-changes.ts')
  const { files, total, problem } = await dirtyFiles(place, settings.ledger_path)
  if (problem !== null) {
    notices.push(NOTICES.uncommittedUnknown(problem))
    return NOT_ASKED
  }
  // A name that holds a secret is not kept, and what is not kept would be called gone.
  const dirty = files.filter(({ path }) => redact(path) === path)
  return { dirty, uncommitted: total - files.length + dirty.length }
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
function readAgentFolder({ place, notices }: Context): Omit<AgentFolder, 'foundIndex'> {
  try {
    const found = inFolder(place.root, [PLANS_HOME], (folder) => {
      const read = readIndexIn(folder)
      return read !== null && 'problem' in read
        ? { hasAgentFolder: true, index: null, indexProblem: read.problem }
        : { hasAgentFolder: true, index: read, indexProblem: null }
    })
    if (found !== null) return found
  } catch (error) {
    if (!(error instanceof ReasonError)) throw error
    notices.push(NOTICES.plansLeftAlone(PLANS_HOME, error.message))
  }
  return { hasAgentFolder: false, index: null, indexProblem: null }
}

function readIndexIn(folder: Folder): ReturnType<typeof readIndex> | null {
  try {
    const bytes = folder.read(STATE_INDEX, MAX_INDEX_BYTES)
    const text = bytes && decodeUtf8(bytes)
    return bytes && (text === null ? { problem: 'it is not UTF-8' } : readIndex(text))
  } catch (error) {
    if (!(error instanceof ReasonError)) throw error
    return { problem: error.message.replace(/\.$/, '') }
  }
}

const plainIndex = ({ activePlan, stage, tddPhase, lastCheckpoint }: StateIndex): StateIndex => ({
  activePlan: activePlan !== null && nameProblem(activePlan) === null ? activePlan : null,
  stage: typeof stage === 'string' && nameProblem(stage) !== null ? null : stage,
  tddPhase: tddPhase !== null && nameProblem(tddPhase) === null ? tddPhase : null,
  lastCheckpoint,
})

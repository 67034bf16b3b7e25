import { STATE_INDEX_PATH } from '../../core/layout.ts'
import type { StateIndex } from '../../formats/state-index/codec.ts'
import type { Context } from '../context/context.ts'
import { readPrivateJson, rememberJson } from '../context/private-json.ts'
import { deliveriesOf } from '../trust/deliveries.ts'
import type { Here } from '../trust/here.ts'

/** `own`: no commit has it. `committed`: git has it, and the user made it or vouches for it. `foreign`: git brought it. */
export type IndexJudgement = 'own' | 'committed' | 'foreign'

const FILE = 'judged-indexes.json'
/** Workspaces that are remembered; the one that was judged last stays longest. */
const MOST_REMEMBERED = 100

interface Judged {
  key: string
  judgement: IndexJudgement
}

/**
 * Whose words a tool's index holds. Only git can say it, in several calls, and every session start asks: so the answer
 * is remembered for these names at this commit. For a trusted workspace only: it runs git.
 */
export async function judgeIndex(context: Context, here: Here, index: StateIndex): Promise<IndexJudgement> {
  const { activePlan, stage, tddPhase } = index
  const key = JSON.stringify([activePlan, stage, tddPhase, here.head.commit, here.vouched])
  const all = readJudged(context)
  const known = all.get(context.identity.workspace)
  if (known?.key === key) return known.judgement
  const judgement = await askGit(context, here)
  remember(context, all, { key, judgement })
  return judgement
}

async function askGit(context: Context, here: Here): Promise<IndexJudgement> {
  const { isTracked } = await import('../../workspace/git-index.ts')
  if (!(await isTracked(context.place, STATE_INDEX_PATH))) return 'own'
  const delivery = (await deliveriesOf(context, here, [{ path: STATE_INDEX_PATH }])).get(STATE_INDEX_PATH)
  return delivery?.foreign ? 'foreign' : 'committed'
}

function readJudged({ home }: Context): Map<string, Judged> {
  const found = readPrivateJson(home.path, FILE)
  // `as`: the file is ours and private; an entry that does not fit has another key, and is judged again.
  return new Map(Array.isArray(found) ? (found as Array<[string, Judged]>) : [])
}

function remember({ home, identity, ports }: Context, all: Map<string, Judged>, judged: Judged): void {
  all.delete(identity.workspace)
  all.set(identity.workspace, judged)
  rememberJson(home.path, FILE, [...all].slice(-MOST_REMEMBERED), ports)
}

import { sha256 } from '../../core/canonical.ts'
import type { Context } from '../context/context.ts'
import { readPrivateJson, rememberJson } from '../context/private-json.ts'
import { deliveriesOf } from '../trust/deliveries.ts'
import type { Here } from '../trust/here.ts'

/**
 * `own`: no commit has it. `committed`: the user committed it. `vouched`: git brought it, and the user vouches for it; it
 * never takes the place of own work. `foreign`: git brought it, and nobody does.
 */
export type FileJudgement = 'own' | 'committed' | 'vouched' | 'foreign'

const FILE = 'judged-files.json'
/** Files that are remembered; the one that was judged last stays longest. */
const MOST_REMEMBERED = 300

/**
 * Whose words a file holds. Only git can say it, in several calls, and every session start asks: so the answer is
 * remembered for what the file says (`saying`) at this commit. In a workspace that is not trusted git is not asked, and
 * every file is foreign.
 */
export async function judgeFile(
  context: Context,
  here: Here,
  { path, saying }: { path: string; saying: string },
): Promise<FileJudgement> {
  if (!here.trusted) return 'foreign'
  if (context.place.git === null) return 'own'
  const key = JSON.stringify([saying, here.head.commit, here.vouched])
  // A name may hold a secret, and is not kept.
  const name = sha256(`${context.identity.workspace} ${path}`).slice(0, 32)
  const all = readJudged(context)
  const known = all.get(name)
  if (known?.key === key) return known.judgement
  const judgement = await askGit(context, here, path)
  // What git could not say this time, it may say the next time.
  if (judgement === null) return 'foreign'
  all.delete(name)
  all.set(name, { key, judgement })
  rememberJson(context.home.path, FILE, [...all].slice(-MOST_REMEMBERED), context.ports)
  return judgement
}

/** Null where git could not say it. */
async function askGit(context: Context, here: Here, path: string): Promise<FileJudgement | null> {
  const { isTracked } = await import('../../workspace/git-index.ts')
  const asItStands = await askDelivery(context, here, path, false)
  if (asItStands !== 'none') return asItStands
  if (!(await isTracked(context.place, path))) return 'own'
  // An edit, which may be our own, vouches for nothing else that stands in the file.
  const asCommitted = await askDelivery(context, here, path, true)
  return asCommitted === 'none' ? 'committed' : asCommitted
}

async function askDelivery(context: Context, here: Here, path: string, isEdited: boolean) {
  const delivery = (await deliveriesOf(context, here, [{ path }], { isEdited })).get(path)
  if (delivery?.delivered) return delivery.foreign ? 'foreign' : 'vouched'
  return delivery?.foreign ? null : 'none'
}

function readJudged({ home }: Context) {
  const found = readPrivateJson(home.path, FILE)
  // `as`: the file is ours and private; an entry that does not fit has another key, and is judged again.
  type Judged = [name: string, { key: string; judgement: FileJudgement }]
  return new Map(Array.isArray(found) ? (found as Judged[]) : [])
}

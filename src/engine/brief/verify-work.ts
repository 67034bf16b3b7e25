import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { unlessRefused } from '../../core/reason.ts'
import { type Artifact, isDeleted, type WorkState } from '../../core/work.ts'
import type { ItemCheck } from '../../policy/brief/brief.ts'
import { fingerprintOf } from '../../workspace/fingerprint.ts'
import type { Context } from '../context/context.ts'
import { NOTICES } from '../context/notices.ts'
import { mentionsOf } from '../surroundings/mentions.ts'
import type { World } from '../surroundings/world.ts'

/** Where and when the work was saved that is looked at again. */
interface SavePoint {
  atMs: number
  branch: string | null
  commit: string | null
  /** Files that it speaks of and that were not there: they are still to be made, not gone. */
  absent: readonly string[]
}

/** Holds every line of the work that speaks of the world against the world. Git is asked only where it is trusted. */
export async function verifyWork(context: Context, work: WorkState, saved: SavePoint, world: World) {
  const { root } = context.place
  const artifacts = work.artifacts.map((one, index) => checkFile(root, one, index, saved))
  const mentions = checkMentions(root, work, new Set(saved.absent))
  const plan = checkPlan(work, world)
  const known = new Set(work.artifacts.map(({ path }) => path))
  const gone = new Set(mentions.gone.filter((path) => !known.has(path)))
  const count = (note: string) => artifacts.filter((check) => check.note === note).length
  const { branch } = world.head
  return {
    checks: [...artifacts, ...mentions.checks, ...plan.checks],
    drift: {
      branch:
        saved.branch !== null && branch !== null && saved.branch !== branch
          ? { was: saved.branch, now: branch }
          : null,
      commitsSince: await commitsSince(context, saved, world),
      filesChanged: count(CHANGED),
      filesGone: count(GONE) + gone.size,
      planStep: plan.step,
    },
  }
}

const CHANGED = 'changed since'
const GONE = 'missing'

function checkFile(root: string, file: Artifact, index: number, { atMs, absent }: SavePoint): ItemCheck {
  const found = fingerprintOf(root, file.path)
  const check = (mark: ItemCheck['mark'], note = ''): ItemCheck => ({ field: 'artifacts', index, mark, note })
  const wasDeleted = isDeleted(file)
  if (found.state === 'absent') {
    if (wasDeleted) return check('fresh')
    return absent.includes(file.path) ? check('not found') : check('stale', GONE)
  }
  if (found.state === 'other') return check('unverifiable', 'not readable')
  if (wasDeleted) return check('stale', 'exists again')
  if (found.state === 'folder') return file.seen === undefined ? check('fresh') : check('stale', CHANGED)
  const isSame = file.seen === undefined ? !isWrittenSince(root, file.path, atMs) : file.seen === found.mark
  return isSame ? check('fresh') : check('stale', CHANGED)
}

/** For a file without a stored fingerprint, the modification time decides. */
const isWrittenSince = (root: string, path: string, ms: number) =>
  (unlessRefused(() => lstatSync(join(root, path)).mtimeMs) ?? Number.POSITIVE_INFINITY) > ms

/** Files that sentences speak of: one that is gone makes its sentence stale. */
function checkMentions(root: string, work: WorkState, absent: ReadonlySet<string>) {
  const checks: ItemCheck[] = []
  const gone: string[] = []
  for (const { field, index, path } of mentionsOf(work)) {
    const { state } = fingerprintOf(root, path)
    if (state !== 'absent' || absent.has(path)) continue
    gone.push(path)
    checks.push({ field, index, mark: 'stale', note: `${path} is ${GONE}` })
  }
  return { checks, gone }
}

/** Somebody else may have continued the plan. */
function checkPlan({ position }: WorkState, { index }: World): { checks: ItemCheck[]; step: string | null } {
  const { planName = '', stage, tddPhase } = position
  if (planName === '') return { checks: [], step: null }
  const check = (mark: ItemCheck['mark'], note: string) => [
    { field: 'position' as const, index: 0, mark, note },
  ]
  if (index === null) return { checks: check('unverifiable', 'plan status unknown'), step: null }
  const now = [index.activePlan ?? '', String(index.stage ?? ''), index.tddPhase ?? ''] as const
  if (now[0] === planName && now[1] === stage && now[2] === tddPhase)
    return { checks: check('fresh', ''), step: null }
  const said = now[0] === '' ? 'no plan' : now.filter((part) => part !== '').join(', ')
  return { checks: check('stale', `now ${said}`), step: said }
}

async function commitsSince({ place, notices }: Context, saved: SavePoint, { head, trusted }: World) {
  if (saved.commit === null || place.git === null) return null
  if (saved.commit === head.commit) return 0
  if (!trusted) return null
  const { commitsSince: ask } = await import('../../workspace/git-commits.ts')
  const { count, problem } = await ask(place, saved.commit)
  if (problem !== null) notices.push(NOTICES.commitsUnknown(problem))
  return count
}

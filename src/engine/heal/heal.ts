import { instant } from '../../core/ports.ts'
import { ReasonError } from '../../core/reason.ts'
import type { Stream } from '../../store/log.ts'
import type { RestoredFile } from '../../store/store-file.ts'
import type { Context } from '../context/context.ts'
import { FINDINGS, FIXES, type Finding } from '../context/findings.ts'
import { NOTICES } from '../context/notices.ts'
import { publishRun } from '../runs/publish-run.ts'
import { readmitRun } from '../runs/take-in-run.ts'
import { isUnfinished } from './open-sound.ts'

/**
 * Brings a damaged store back: the file is set aside, a fresh one is filled from the newest good backup, from
 * what the damaged file still gives, and from the snapshots that lie in the workspaces of runs it knows.
 */
export async function healStore(context: Context, { force = false } = {}): Promise<RestoredFile> {
  const { store, file, home, ports } = context
  if (file === null)
    throw new ReasonError('store_damaged', {
      path: home.database,
      problem: 'this file cannot be restored here',
    })
  const back: Stream[] = []
  let readmitted = 0
  const restored = await file.restore({
    force,
    async bringBack() {
      for (const run of await store.log.listStreams(null)) {
        const found = await tellRefusal(context, () => readmitRun(context, run))
        if (found > 0) back.push(run)
        readmitted += found
      }
      await store.log.closeGaps(instant(ports.now()))
    },
  })
  for (const run of back) await tellRefusal(context, () => publishRun(context, run))
  // Where somebody else had restored it already there is nothing to tell.
  const { setAside, backup, checkpoints } = restored
  if (setAside !== null || backup !== null || checkpoints + readmitted > 0)
    context.notices.push(NOTICES.storeRestored(restored, readmitted))
  return restored
}

/** A workspace that is gone or read-only must not stop the healing of the others. */
async function tellRefusal<T>(context: Context, act: () => Promise<T>): Promise<T | 0> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof ReasonError)) throw error
    context.notices.push(error.message)
    return 0
  }
}

/** False where the store is gone and stays gone: opening it would put an empty one in its place. */
export async function examineAbsence(context: Context, fix: boolean, findings: Finding[]): Promise<boolean> {
  if (!isUnfinished(context)) return true
  const healed = fix ? await healStore(context) : null
  findings.push({
    level: 'error',
    ...FINDINGS.storeGone(context.home.database),
    fixed: healed && FIXES.storeRestored(healed.backup ?? healed.setAside),
  })
  return fix
}

/** False where the store cannot be read, so that nothing more can be said. */
export async function examineStore(context: Context, fix: boolean, findings: Finding[]): Promise<boolean> {
  const { problems, derived, readable } = await storeProblems(context)
  if (problems.length === 0) {
    const [problem] = derived
    if (problem === undefined) return true
    // Nothing is lost with the search index, so nothing is set aside for it.
    if (fix) await context.store.index.forget()
    const fixed = fix ? FIXES.indexForgotten : null
    findings.push({ level: 'note', ...FINDINGS.searchIndexDamaged(problem), fixed })
    return true
  }
  const healed = fix ? await healStore(context, { force: true }) : null
  const left = healed ? (await storeProblems(context)).problems : problems
  for (const problem of problems)
    findings.push({
      level: 'error',
      ...FINDINGS.storeDamaged(context.home.database, problem),
      fixed: healed && left.length === 0 ? FIXES.storeReplaced(healed.setAside) : null,
    })
  return healed !== null || readable
}

async function storeProblems(
  context: Context,
): Promise<{ problems: string[]; derived: string[]; readable: boolean }> {
  try {
    const all = (await context.file?.check()) ?? []
    const problemsThatAre = (isDerived: boolean) =>
      all.filter(({ derived = false }) => derived === isDerived).map(({ what }) => what)
    return { problems: problemsThatAre(false), derived: problemsThatAre(true), readable: true }
  } catch (error) {
    if (error instanceof ReasonError && error.reason === 'store_damaged')
      return { problems: [error.message], derived: [], readable: false }
    throw error
  }
}

export function examineBackups({ file }: Context, findings: Finding[]): void {
  for (const { path, problem } of file?.listDamagedBackups() ?? [])
    findings.push({ level: 'warning', ...FINDINGS.backupDamaged(path, problem), fixed: null })
}

import { existsSync } from 'node:fs'
import { ReasonError } from '../../core/reason.ts'
import { HISTORY_FOLDER, RUNS_FOLDER, snapshotOfName } from '../../formats/snapshot/layout.ts'
import type { Folder } from '../../fs/disk.ts'
import { TEMP_ENDING } from '../../fs/durable.ts'
import type { Stream } from '../../store/log.ts'
import { type Context, workspaceRoot } from '../context/context.ts'
import { FINDINGS, FIXES, type Finding, type FindingWords } from '../context/findings.ts'
import { workspaceLock } from '../context/workspace-lock.ts'
import { nameOf } from '../publish/guard.ts'
import { setAside } from '../publish/publish-snapshot.ts'
import { isTrustedHere } from '../trust/trusted.ts'
import { openRunsFolder } from './find-run.ts'
import { openRunFolder, publishRun } from './publish-run.ts'
import { isRunFolder } from './read-run-folder.ts'
import { type ChooseSnapshots, readmitRun, takeInRun, withoutDelivered } from './take-in-run.ts'
import { inspectTwice } from './verify-run.ts'

/** A temp file younger than this may belong to a process that is writing it right now. */
const TEMP_GRACE_MS = 60_000

interface RunExamination {
  context: Context
  run: Stream
  /** Null where it is gone. */
  folder: Folder | null
  fix: boolean
  findings: Finding[]
}

/** Looks at one run: its documents, and what lies about in its folder. */
export async function examineRun(
  context: Context,
  run: Stream,
  fix: boolean,
  findings: Finding[],
): Promise<void> {
  const root = await workspaceRoot(context, run.workspace)
  const where = root === context.place.root ? '' : `${root}: `
  if (!existsSync(root)) {
    findings.push({ level: 'note', ...FINDINGS.runWorkspaceGone(root, run.name), fixed: null })
    return
  }
  const mine: Finding[] = []
  try {
    using folder = await openRunFolder(context, run)
    const examination = { context, run, folder, fix, findings: mine }
    await examineViews(examination)
    await examineStrays(examination)
    const isOwed = fix && mine.length > 0
    if (isOwed && (await publishRun(context, run)) === 'pending')
      for (const finding of mine) finding.fixed = null
  } catch (error) {
    // A run that cannot be repaired must not stop the examination of the others.
    if (!(error instanceof ReasonError)) throw error
    for (const finding of mine) finding.fixed = null
    mine.push({ level: 'error', ...FINDINGS.runNotRepaired(run.name, error), fixed: null })
  }
  findings.push(...mine.map((finding) => ({ ...finding, what: where + finding.what })))
}

async function examineViews(examination: RunExamination): Promise<void> {
  const { context, run, folder, fix, findings } = examination
  for (const row of await context.store.local.listViews({ stream: run.id })) {
    const health = await inspectTwice(context, folder, row)
    if (health === null) continue
    const tell = (words: FindingWords, fixed: string | null) =>
      findings.push({ level: 'error', ...words, fixed: fix ? fixed : null })
    if (health.state === 'unfinished') {
      if (row.state === 'leaving') tell(FINDINGS.snapshotToRemove(row.path), FIXES.removed)
      else tell(FINDINGS.snapshotToWrite(row.path), FIXES.written)
    } else if (health.state === 'missing') {
      if (fix) await context.store.local.oweView(row)
      tell(FINDINGS.snapshotMissing(row.path), FIXES.writtenAgain)
    } else if (health.state === 'damaged') {
      const isStillDamaged = async () => (await inspectTwice(context, folder, row))?.state === 'damaged'
      const aside = fix ? await asideUnderLock(examination, row.path, isStillDamaged) : null
      if (aside !== null) await context.store.local.oweView(row)
      tell(FINDINGS.snapshotDamaged(health.error), aside && FIXES.replaced(aside))
    }
  }
}

/**
 * Where a file went; null where another process holds the workspace, or the file is in order by now: others
 * write here too, and what was seen without the lock may be past.
 */
async function asideUnderLock(
  { context, run, folder }: RunExamination,
  path: string,
  isStillWrong: () => Promise<boolean>,
): Promise<string | null> {
  if (folder === null) return null
  using lock = await workspaceLock(context, run.workspace)
  if (lock === null || !(await isStillWrong())) return null
  const isInHistory = path.includes(`/${HISTORY_FOLDER}/`)
  // A history that is not a folder is itself what does not belong here.
  if (isInHistory && folder.entry(HISTORY_FOLDER)?.kind !== 'folder')
    return setAside(context, folder, folder, HISTORY_FOLDER)
  using history = isInHistory ? folder.folder(HISTORY_FOLDER) : null
  return setAside(context, folder, history ?? folder, nameOf(path))
}

/** Temp files of writers that died, snapshots that the store has no record of, and names that are not ours; by path. */
async function straysOf({ context, run, folder }: RunExamination): Promise<Map<string, FindingWords>> {
  const strays = new Map<string, FindingWords>()
  if (folder === null) return strays
  const published = new Set((await context.store.local.listViews({ stream: run.id })).map(({ path }) => path))
  using history = folder.entry(HISTORY_FOLDER)?.kind === 'folder' ? folder.folder(HISTORY_FOLDER) : null
  for (const where of history ? [folder, history] : [folder])
    for (const name of where.names()) {
      const entry = where.entry(name)
      const path = `${RUNS_FOLDER}/${run.name}/${where === history ? `${HISTORY_FOLDER}/` : ''}${name}`
      if (!entry || entry.kind === 'folder' || published.has(path)) continue
      const isFresh = Math.abs(context.ports.now() - entry.modifiedMs) < TEMP_GRACE_MS
      if (!name.endsWith(TEMP_ENDING))
        strays.set(path, snapshotOfName(name) ? FINDINGS.snapshotUnknown(path) : FINDINGS.fileOfOthers(path))
      else if (!isFresh) strays.set(path, FINDINGS.tempLeft(path))
    }
  return strays
}

/** A good snapshot goes back to the store; everything else that does not belong here is set aside. */
async function examineStrays(examination: RunExamination): Promise<void> {
  const { context, run, fix, findings } = examination
  const strays = await straysOf(examination)
  if (fix && strays.size > 0) await readmitRun(context, run, await chooseForRepair(context, run))
  const left = fix ? await straysOf(examination) : strays
  for (const [path, words] of strays) {
    const isStillStray = async () => (await straysOf(examination)).has(path)
    const aside = fix && left.has(path) ? await asideUnderLock(examination, path, isStillStray) : null
    const fixed = !fix ? null : left.has(path) ? aside && FIXES.setAside(aside) : FIXES.givenBack
    findings.push({ level: 'warning', ...words, fixed })
  }
}

/** A repair names no snapshot: what git delivered stays out, unless the user repairs where git may not be asked. */
async function chooseForRepair(context: Context, run: Stream): Promise<ChooseSnapshots | undefined> {
  const isHere = run.workspace === context.identity.workspace
  const isAsked = context.speaker === 'agent' || (await isTrustedHere(context))
  return isHere && isAsked ? withoutDelivered(context) : undefined
}

/** Run folders in this workspace that the store does not know. Taking one up needs the user's word: --fix. */
export async function examineStrangers(context: Context, fix: boolean, findings: Finding[]): Promise<void> {
  const { store, identity, speaker } = context
  using runs = openRunsFolder(context)
  for (const name of runs ? runs.names() : []) {
    if (runs?.entry(name)?.kind !== 'folder') continue
    using folder = runs.folder(name)
    if (folder === null || !isRunFolder(folder)) continue
    if ((await store.log.findStream(identity.repository, name)) !== null) continue
    const taken = fix && speaker === 'user' ? await takeInRun(context, name, { isNamed: true }) : null
    findings.push({
      level: 'warning',
      ...FINDINGS.runUnknown(`${RUNS_FOLDER}/${name}`),
      fixed: taken?.count ? FIXES.runTakenUp(taken.count) : null,
    })
  }
}

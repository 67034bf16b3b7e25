import { existsSync } from 'node:fs'
import { ReasonError } from '../../core/reason.ts'
import { HISTORY_FOLDER, LATEST, RUNS_FOLDER, snapshotOfName } from '../../formats/snapshot/layout.ts'
import { type Folder, openFolder } from '../../fs/disk.ts'
import { TEMP_ENDING } from '../../fs/durable.ts'
import type { Stream } from '../../store/log.ts'
import { type Context, workspaceRoot } from '../context/context.ts'
import { FIX, type Finding } from '../context/finding.ts'
import { workspaceLock } from '../context/workspace-lock.ts'
import { setAside } from '../publish/publish-snapshot.ts'
import { inspectAgain, inspectView } from './inspect-view.ts'
import { openRunFolder, publishRun } from './publish-run.ts'
import { readmitRun, takeUpRunFolder } from './readmit.ts'

/** A temp file younger than this may belong to a process that is writing it right now. */
const TEMP_GRACE_MS = 60_000

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
    const todo = 'Nothing is to be done: the store keeps the run.'
    findings.push({
      level: 'note',
      what: `The workspace ${root} of run ${run.name} is gone`,
      todo,
      fixed: null,
    })
    return
  }
  const mine: Finding[] = []
  try {
    await examineFiles(context, run, fix, mine)
    const isOwed = fix && mine.length > 0
    if (isOwed && (await publishRun(context, run)) === 'pending')
      for (const finding of mine) finding.fixed = null
  } catch (error) {
    // A run that cannot be repaired must not stop the examination of the others.
    if (!(error instanceof ReasonError)) throw error
    for (const finding of mine) finding.fixed = null
    mine.push({ level: 'error', what: `Run ${run.name}: ${error.message}`, todo: error.hint, fixed: null })
  }
  findings.push(...mine.map((finding) => ({ ...finding, what: where + finding.what })))
}

async function examineFiles(context: Context, run: Stream, fix: boolean, findings: Finding[]): Promise<void> {
  const folder = await openRunFolder(context, run)
  try {
    await examineViews(context, run, folder, fix, findings)
    if (folder !== null) await examineStrays(context, run, folder, fix, findings)
  } finally {
    folder?.close()
  }
}

async function examineViews(
  context: Context,
  run: Stream,
  folder: Folder | null,
  fix: boolean,
  findings: Finding[],
): Promise<void> {
  for (const row of await context.store.local.listViews({ stream: run.id })) {
    const first = inspectView(folder, row)
    if (first.state === 'sound') continue
    // Somebody may be writing it right now.
    const { health } = await inspectAgain(context, run, folder, row.path)
    if (health === null || health.state === 'sound') continue
    const tell = (what: string, fixed: string | null) =>
      findings.push({ level: 'error', what, todo: FIX, fixed: fix ? fixed : null })
    if (health.state === 'unfinished') {
      const owed = row.state === 'leaving' ? 'removed' : 'written'
      tell(`${row.path} is still to be ${owed}`, owed)
    } else if (health.state === 'missing') {
      if (fix) await context.store.local.oweView(row)
      tell(`${row.path} is missing`, 'written again from the store')
    } else if (health.state === 'damaged') {
      const isStillDamaged = async () =>
        (await inspectAgain(context, run, folder, row.path)).health?.state === 'damaged'
      const aside =
        fix && folder ? await asideUnderLock(context, run, folder, row.path, isStillDamaged) : null
      if (aside !== null) await context.store.local.oweView(row)
      const fixed = aside && `set aside at ${aside}, written again from the store`
      tell(`${health.error.reason}: ${health.error.message}`, fixed)
    }
  }
}

/**
 * Where a file went; null where another process holds the workspace, or the file is in order by now: others
 * write here too, and what was seen without the lock may be past.
 */
async function asideUnderLock(
  context: Context,
  run: Stream,
  folder: Folder,
  path: string,
  isStillWrong: () => Promise<boolean>,
): Promise<string | null> {
  const release = await workspaceLock(context, run.workspace)
  if (release === null) return null
  let history: Folder | null = null
  try {
    if (!(await isStillWrong())) return null
    const isInHistory = path.includes(`/${HISTORY_FOLDER}/`)
    // A history that is not a folder is itself what does not belong here.
    if (isInHistory && folder.entry(HISTORY_FOLDER)?.kind !== 'folder')
      return setAside(context, folder, folder, HISTORY_FOLDER)
    history = isInHistory ? folder.folder(HISTORY_FOLDER) : null
    return setAside(context, folder, history ?? folder, path.slice(path.lastIndexOf('/') + 1))
  } finally {
    history?.close()
    release()
  }
}

interface Stray {
  path: string
  what: string
}

/** Temp files of writers that died, snapshots that the store has no record of, and names that are not ours. */
async function straysOf(context: Context, run: Stream, folder: Folder): Promise<Stray[]> {
  const published = new Set((await context.store.local.listViews({ stream: run.id })).map(({ path }) => path))
  const strays: Stray[] = []
  const history = folder.entry(HISTORY_FOLDER)?.kind === 'folder' ? folder.folder(HISTORY_FOLDER) : null
  try {
    for (const where of history ? [folder, history] : [folder])
      for (const name of where.names()) {
        const entry = where.entry(name)
        const path = `${RUNS_FOLDER}/${run.name}/${where === history ? `${HISTORY_FOLDER}/` : ''}${name}`
        if (!entry || entry.kind === 'folder' || published.has(path)) continue
        const isTemp = name.endsWith(TEMP_ENDING)
        const isFresh = Math.abs(context.ports.now() - entry.modifiedMs) < TEMP_GRACE_MS
        if (!(isTemp && isFresh)) strays.push({ path, what: isTemp ? LEFT_BEHIND : strangeName(name) })
      }
  } finally {
    history?.close()
  }
  return strays
}

const LEFT_BEHIND = 'was left behind by a writer that died'
const strangeName = (name: string) =>
  snapshotOfName(name) ? 'is a snapshot that the store has no record of' : 'is not a file of this run'

/** A good snapshot goes back to the store; everything else that does not belong here is set aside. */
async function examineStrays(
  context: Context,
  run: Stream,
  folder: Folder,
  fix: boolean,
  findings: Finding[],
): Promise<void> {
  const strays = await straysOf(context, run, folder)
  if (fix && strays.length > 0) await readmitRun(context, run)
  const left = new Set(fix ? (await straysOf(context, run, folder)).map(({ path }) => path) : [])
  for (const { path, what } of strays) {
    const isStillStray = async () => (await straysOf(context, run, folder)).some((one) => one.path === path)
    const aside = left.has(path) ? await asideUnderLock(context, run, folder, path, isStillStray) : null
    const fixed = !fix ? null : left.has(path) ? aside && `set aside at ${aside}` : 'given back to the store'
    findings.push({ level: 'warning', what: `${path} ${what}`, todo: FIX, fixed })
  }
}

/** Run folders in this workspace that the store does not know. Taking one up needs the user's word: --fix. */
export async function examineStrangers(context: Context, fix: boolean, findings: Finding[]): Promise<void> {
  const root = openFolder(context.place.root)
  let runs: Folder | null = null
  try {
    // A repository may use the name for something else: then there is nothing of ours in it.
    if (root.entry(RUNS_FOLDER)?.kind !== 'folder') return
    runs = root.folder(RUNS_FOLDER)
    for (const name of runs?.names() ?? [])
      if (runs?.entry(name)?.kind === 'folder') await examineStranger(context, runs, name, fix, findings)
  } finally {
    runs?.close()
    root.close()
  }
}

async function examineStranger(
  context: Context,
  runs: Folder,
  name: string,
  fix: boolean,
  findings: Finding[],
): Promise<void> {
  const { store, identity } = context
  const folder = runs.folder(name)
  try {
    if (folder?.entry(HISTORY_FOLDER)?.kind !== 'folder' || folder.entry(LATEST) === null) return
    if ((await store.log.findStream(identity.repository, name)) !== null) return
    const taken = fix && (await takeUpRunFolder(context, folder, name))
    const run = taken ? await store.log.findStream(identity.repository, name) : null
    const more = run ? await readmitRun(context, run) : 0
    if (run) await publishRun(context, run)
    findings.push({
      level: 'warning',
      what: `${RUNS_FOLDER}/${name} looks like a run that the store does not know`,
      todo: `If it is yours: ${FIX}`,
      fixed: taken ? `taken up with ${more + 1} snapshots` : null,
    })
  } finally {
    folder?.close()
  }
}

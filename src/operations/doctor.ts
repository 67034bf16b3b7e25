import { existsSync } from 'node:fs'
import { EXIT, ReasonError } from '../core/reason.ts'
import { HISTORY_FOLDER, LATEST, RUNS_FOLDER, snapshotOfName } from '../formats/snapshot/layout.ts'
import { type Folder, openFolder } from '../fs/disk.ts'
import { TEMP_ENDING } from '../fs/durable.ts'
import { databaseProblem } from '../store/sqlite/backup.ts'
import { backupsIn } from '../store/sqlite/restore.ts'
import type { Stream } from '../store/store.ts'
import { type Context, settleIdentity, workspaceRoot } from './context.ts'
import { healStore } from './heal.ts'
import { operation } from './operation.ts'
import { isUnfinished } from './perform.ts'
import { inspectView, lookAgain } from './run/inspect-view.ts'
import { openRunFolder, publishRun, setAside, workspaceLock } from './run/publish.ts'
import { readmitRun, takeUpRunFolder } from './run/readmit.ts'
import { count } from './text.ts'

export interface Finding {
  /** A note asks for nothing. */
  level: 'error' | 'warning' | 'note'
  what: string
  todo: string
  fixed: string | null
}

const FIX = 'savepoint doctor --fix'
/** A temp file younger than this may belong to a process that is writing it right now. */
const TEMP_GRACE_MS = 60_000

/** Looks at everything, mends what it may, and tells both. Nothing is ever deleted. */
async function examine(context: Context, fix: boolean): Promise<Finding[]> {
  const findings: Finding[] = []
  if (!(await examineAbsence(context, fix, findings))) return findings
  if (!(await examineStore(context, fix, findings))) return findings
  context.identity = await settleIdentity(context, fix ? 'write' : 'read')
  for (const run of await context.store.streams(null)) await examineRun(context, run, fix, findings)
  await examineStrangers(context, fix, findings)
  examineBackups(context, findings)
  return findings
}

/** False where the store is gone and stays gone: opening it would put an empty one in its place. */
async function examineAbsence(context: Context, fix: boolean, findings: Finding[]): Promise<boolean> {
  const { database } = context.home
  if (!isUnfinished(context)) return true
  const healed = fix ? await healStore(context) : null
  findings.push({
    level: 'error',
    what: `The store ${database} is gone, its backups are there, or what was set aside is not read yet`,
    todo: FIX,
    fixed: healed && `restored from ${healed.backup ?? healed.setAside}`,
  })
  return fix
}

/** False where the store cannot be read, so that nothing more can be said. */
async function examineStore(context: Context, fix: boolean, findings: Finding[]): Promise<boolean> {
  const { problems, readable } = await storeProblems(context)
  if (problems.length === 0) return true
  const healed = fix ? await healStore(context, { force: true }) : null
  const left = healed ? (await storeProblems(context)).problems : problems
  for (const what of problems)
    findings.push({
      level: 'error',
      what: `The store ${context.store.path}: ${what}`,
      todo: FIX,
      fixed: healed && left.length === 0 ? `set aside at ${healed.setAside}, restored` : null,
    })
  return healed !== null || readable
}

async function storeProblems(context: Context): Promise<{ problems: string[]; readable: boolean }> {
  try {
    return { problems: (await context.store.check()).map(({ what }) => what), readable: true }
  } catch (error) {
    if (error instanceof ReasonError && error.reason === 'store_damaged')
      return { problems: [error.message], readable: false }
    throw error
  }
}

async function examineRun(context: Context, run: Stream, fix: boolean, findings: Finding[]): Promise<void> {
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
    // One run that cannot be mended keeps nobody from looking at the others.
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
  for (const row of await context.store.views({ stream: run.id })) {
    const first = inspectView(folder, row)
    if (first.state === 'sound') continue
    // Somebody may be writing it right now.
    const { health } = await lookAgain(context, run, folder, row.path)
    if (health === null || health.state === 'sound') continue
    const tell = (what: string, fixed: string | null) =>
      findings.push({ level: 'error', what, todo: FIX, fixed: fix ? fixed : null })
    if (health.state === 'unfinished') {
      const owed = row.state === 'leaving' ? 'removed' : 'written'
      tell(`${row.path} is still to be ${owed}`, owed)
    } else if (health.state === 'missing') {
      if (fix) await context.store.owe(row)
      tell(`${row.path} is missing`, 'written again from the store')
    } else if (health.state === 'damaged') {
      const isStillDamaged = async () =>
        (await lookAgain(context, run, folder, row.path)).health?.state === 'damaged'
      const aside =
        fix && folder ? await asideUnderLock(context, run, folder, row.path, isStillDamaged) : null
      if (aside !== null) await context.store.owe(row)
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
  const published = new Set((await context.store.views({ stream: run.id })).map(({ path }) => path))
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
async function examineStrangers(context: Context, fix: boolean, findings: Finding[]): Promise<void> {
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
    if ((await store.stream(identity.repository, name)) !== null) return
    const taken = fix && (await takeUpRunFolder(context, folder, name))
    const run = taken ? await store.stream(identity.repository, name) : null
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

function examineBackups(context: Context, findings: Finding[]): void {
  for (const file of backupsIn(context.home.backups, context.ports.now())) {
    const problem = databaseProblem(file)
    if (problem !== null)
      findings.push({
        level: 'warning',
        what: `The backup ${file} is damaged: ${problem}`,
        todo: 'Move it away; the next backup is made within a day.',
        fixed: null,
      })
  }
}

export const doctor = operation({
  name: 'doctor',
  summary: 'Check the store and every published file',
  detail: 'With --fix it repairs what can be repaired and sets aside what cannot. It deletes nothing.',
  fields: { fix: { kind: 'flag', about: 'repair and set aside' } },
  examples: ['savepoint doctor', 'savepoint doctor --fix'],
  access: ({ fix }) => (fix ? 'write' : 'read'),
  meetsDamage: true,
  async perform(context, { fix }) {
    const findings = await examine(context, fix)
    return {
      home: context.home.path,
      healthy: findings.every(({ level, fixed }) => level === 'note' || fixed !== null),
      findings,
    }
  },
  say: ({ home, findings }) =>
    findings.length === 0
      ? `Everything is sound. The store is in ${home}.`
      : findings
          .map(
            ({ level, what, todo, fixed }) =>
              `${level}: ${what}\n  ${fixed === null ? todo : `fixed: ${fixed}`}`,
          )
          .join('\n'),
  failure: ({ healthy, findings }) =>
    healthy
      ? null
      : {
          exit: EXIT.problem,
          reason: 'problems_found',
          message: `${count(findings.length, 'finding')}, not all of them fixed`,
          hint: `Each finding says what to do; most are mended by: ${FIX}`,
        },
})

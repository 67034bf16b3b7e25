import { realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { sha256 } from '../../core/canonical.ts'
import { BY_HAND, type Checkpoint } from '../../core/checkpoint.ts'
import { describeError, errorCode, ReasonError } from '../../core/reason.ts'
import { decodeHandoff, type Handoff } from '../../formats/handoff-md/codec.ts'
import { HANDOFFS, handoffName } from '../../formats/handoff-md/layout.ts'
import { type Folder, openFolder } from '../../fs/disk.ts'
import { findFolder } from '../../fs/durable.ts'
import { headOf } from '../../workspace/git-state.ts'
import { locateWorkspace, type Place } from '../../workspace/locate.ts'
import { mainWorktree } from '../../workspace/main-worktree.ts'
import type { Context } from '../context/context.ts'
import { deliveriesOf } from '../trust/deliveries.ts'
import { isTrustedHere } from '../trust/trusted.ts'

/** What is larger is no handoff of anybody's, and is neither written nor read. */
export const MAX_HANDOFF_BYTES = 1024 * 1024
/** So many of a folder are looked at, the newest by their names. */
const MOST = 200

/** Where handoffs are written: in the main worktree, or here where nobody can tell which one that is. */
export function handoffHome({ place }: Context): { place: Place; main: boolean; problem: string | null } {
  const found = mainWorktree(place)
  if ('problem' in found) return { place, main: false, problem: found.problem }
  const isHere = found.root === place.root
  return { place: isHere ? place : locateWorkspace(found.root), main: true, problem: null }
}

/** A worktree whose handoffs are picked up here. */
interface Home {
  place: Place
  /** Its id, where it is another one that has to be trusted itself; null where what is trusted here is trusted there. */
  workspace: string | null
}

/**
 * The main worktree and this one. Without a main one everybody writes at their own place: then also the other known
 * worktrees of the repository, as long as they are there.
 */
async function handoffHomes(context: Context): Promise<Home[]> {
  const { place, identity, store } = context
  const main = handoffHome(context)
  const homes: Home[] = [{ place: main.place, workspace: null }]
  if (main.place.root !== place.root) homes.push({ place, workspace: null })
  if (main.main) return homes
  for (const { id, repository, path } of await store.local.listWorkspaces()) {
    const other = repository === identity.repository && path !== place.root ? placeAt(path) : null
    if (other?.git && other.git.common === place.git?.common) homes.push({ place: other, workspace: id })
  }
  return homes
}

/** The worktree whose root this is; null where it is gone, or another one by now. */
function placeAt(path: string): Place | null {
  try {
    const place = locateWorkspace(path)
    return place.root === path ? place : null
  } catch (error) {
    if (!(error instanceof ReasonError) && errorCode(error) === undefined) throw error
    return null
  }
}

/** A file that lies where handoffs do. */
export interface FoundHandoff {
  /** Absolute. */
  path: string
  name: string
  /** The part of its name that its purpose gave. */
  slug: string
  /** The worktree that it lies in, and where in it, with forward slashes. */
  home: Home
  inside: string
  hash: string
  /** When it says that it was written, else when the file was. */
  createdMs: number
  modifiedMs: number
  /** What it says; null where it has a problem. */
  handoff: Handoff | null
  problem: string | null
}

/** All that there are, the newest first; the same one twice is one. */
export async function findHandoffs(context: Context): Promise<FoundHandoff[]> {
  const homes = await handoffHomes(context)
  const found = new Map<string, FoundHandoff>()
  for (const one of homes.flatMap((home) => handoffsIn(home, context.notices))) {
    const key = `${one.name}\n${one.hash}`
    if (one.hash === '' || !found.has(key)) found.set(one.hash === '' ? one.path : key, one)
  }
  return [...found.values()].sort((a, b) => b.createdMs - a.createdMs || b.modifiedMs - a.modifiedMs)
}

function handoffsIn(home: Home, notices: string[]): FoundHandoff[] {
  const { place } = home
  const path = join(place.root, ...HANDOFFS)
  try {
    return within(place, HANDOFFS, (folder) => {
      if (folder === null) return []
      const files = folder
        .names()
        .filter((name) => /^[^.].*\.md$/is.test(name))
        .map((name) => ({ name, modifiedMs: timeOf(folder, name) ?? 0 }))
        .map((file) => ({ ...file, dayMs: dayIn(file.name) ?? file.modifiedMs }))
        .sort((a, b) => b.dayMs - a.dayMs || b.modifiedMs - a.modifiedMs)
      if (files.length > MOST)
        notices.push(`${path} has ${files.length} handoffs; the newest ${MOST} are looked at.`)
      return files.slice(0, MOST).flatMap(({ name }) => readOne(home, HANDOFFS, folder, name) ?? [])
    })
  } catch (error) {
    // A link in the place of a folder leads to what is not this workspace's.
    notices.push(`${path} is left alone: ${handoffProblemOf(error)}.`)
    return []
  }
}

/** One by its path, which must lie in this workspace or where another worktree keeps its handoffs. */
export async function handoffAt(context: Context, path: string): Promise<FoundHandoff> {
  const unknown = new ReasonError('handoff_unknown', { handoff: path })
  const asked = resolve(context.cwd, path)
  let real: string
  try {
    real = join(realpathSync.native(dirname(asked)), basename(asked))
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    throw unknown
  }
  for (const home of await handoffHomes(context)) {
    const { place } = home
    const isOpen = (names: string[]) => place.root === context.place.root || HANDOFFS.every(isAt(names))
    const inside = relative(place.root, real)
    const names = inside.split(sep)
    const isOut = inside === '' || isAbsolute(inside) || names[0] === '..'
    if (isOut || !isOpen(names) || names.some((name) => name.toLowerCase() === '.git')) continue
    const folders = names.slice(0, -1)
    const read = (folder: Folder | null) => folder && readOne(home, folders, folder, basename(real))
    const found = within(place, folders, read)
    if (found === null) throw unknown
    return found
  }
  const problem = 'it lies neither in this workspace nor among the handoffs of another worktree'
  throw new ReasonError('handoff_invalid', { path: asked, problem })
}

const isAt = (names: string[]) => (name: string, index: number) => names[index] === name

/** No link is followed below the worktree. */
function within<T>(place: Place, folders: readonly string[], look: (folder: Folder | null) => T): T {
  const root = openFolder(place.root)
  try {
    const folder = findFolder(root, folders)
    try {
      return look(folder)
    } finally {
      if (folder !== root) folder?.close()
    }
  } finally {
    root.close()
  }
}

/** Null where nothing has that name. A file that cannot be used hides only itself. */
function readOne(home: Home, folders: readonly string[], folder: Folder, name: string): FoundHandoff | null {
  const modifiedMs = timeOf(folder, name)
  if (modifiedMs === null) return null
  const inside = [...folders, name].join('/')
  const file = { path: join(folder.path, name), name, home, inside, modifiedMs }
  const invalidHandoff = (problem: string, hash = ''): FoundHandoff => {
    const createdMs = dayIn(name) ?? modifiedMs
    return { ...file, slug: slugIn(name, '', null), hash, createdMs, handoff: null, problem }
  }
  try {
    const bytes = folder.read(name, MAX_HANDOFF_BYTES)
    if (bytes === null) return null
    const [text, hash] = [bytes.toString('utf8'), sha256(bytes)]
    if (sha256(text) !== hash) return invalidHandoff('it is not UTF-8', hash)
    const read = decodeHandoff(text)
    if ('problem' in read) return invalidHandoff(read.problem, hash)
    const saidMs = Date.parse(read.created)
    const createdMs = Number.isNaN(saidMs) ? (dayIn(name) ?? modifiedMs) : saidMs
    const slug = slugIn(name, read.created, read.branch)
    return { ...file, slug, hash, createdMs, handoff: read, problem: null }
  } catch (error) {
    return invalidHandoff(handoffProblemOf(error))
  }
}

/** When a file was written; null where there is none, and none can have such a name. */
function timeOf(folder: Folder, name: string): number | null {
  try {
    return folder.entry(name)?.modifiedMs ?? null
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    // Other problems are reported by the reader of the file.
    return errorCode(error) === 'ENAMETOOLONG' ? null : 0
  }
}

function dayIn(name: string): number | null {
  const ms = Date.parse(/^\d{4}-\d\d-\d\d(?=-)/.exec(name)?.[0] ?? '')
  return Number.isNaN(ms) ? null : ms
}

function slugIn(name: string, created: string, branch: string | null): string {
  const stem = name.replace(/\.md$/i, '')
  const start = handoffName(created, branch, 'x').slice(0, -'x.md'.length)
  return stem.startsWith(start) ? stem.slice(start.length) : stem.replace(/^\d{4}-\d\d-\d\d-/, '')
}

/** What is wrong with a file or folder, in words; a defect of ours is thrown on. */
export function handoffProblemOf(error: unknown): string {
  if (!(error instanceof ReasonError) && errorCode(error) === undefined) throw error
  if (!(error instanceof ReasonError)) return describeError(error)
  if (error.reason === 'file_too_large') return `it is larger than ${error.data.limit} bytes`
  return String(error.data.problem ?? error.message).replace(/\.$/, '')
}

/** A handoff, and whether what it says may be put before an agent. */
export interface JudgedHandoff extends FoundHandoff {
  standing: 'ours' | 'vouched' | 'foreign' | 'untrusted'
  /** By whom git brought it. */
  note: string
  /** The checkpoint that it was made of, where it is ours. */
  checkpoint: Checkpoint | null
}

/**
 * Ours is what this program wrote, to the byte. All else is somebody's text: in a workspace that is not trusted
 * nobody vouches for it, and in one that is not where git brought it from elsewhere.
 */
export async function judgeHandoffs(
  context: Context,
  found: readonly FoundHandoff[],
  { trusted }: { trusted: boolean },
): Promise<JudgedHandoff[]> {
  const own = new Map<FoundHandoff, Checkpoint>()
  for (const one of found) {
    const checkpoint = await ownCheckpoint(context, one)
    if (checkpoint) own.set(one, checkpoint)
  }
  const foreign = new Map<FoundHandoff, string>()
  const open = new Set<Home>()
  for (const home of new Set(found.map((one) => one.home)))
    if (trusted && (await isTrustedHome(context, home))) open.add(home)
  for (const home of open) {
    const files = found.filter((one) => one.home === home && !own.has(one) && one.handoff !== null)
    const paths = files.map(({ inside }) => ({ path: inside }))
    const deliveries = await deliveriesOf({ ...context, place: home.place }, headOf(home.place), paths)
    for (const file of files) {
      const delivery = deliveries.get(file.inside)
      if (delivery?.foreign) foreign.set(file, delivery.note)
    }
  }
  return found.map((one) => {
    const checkpoint = own.get(one) ?? null
    const standing =
      checkpoint !== null
        ? 'ours'
        : !open.has(one.home)
          ? 'untrusted'
          : foreign.has(one)
            ? 'foreign'
            : 'vouched'
    return { ...one, standing, note: foreign.get(one) ?? '', checkpoint }
  })
}

async function isTrustedHome(context: Context, { place, workspace }: Home): Promise<boolean> {
  if (workspace === null) return true
  return isTrustedHere({ ...context, place, identity: { ...context.identity, workspace } })
}

/** Other repositories of this user may have a stream of that name, too: a clone has handoffs of its original. */
const MOST_STREAMS = 50

/**
 * That the store has the text says nothing: it keeps what came from others as well. It is ours where it is a
 * version of the very checkpoint that a handoff made.
 */
async function ownCheckpoint(
  { store, identity }: Context,
  { hash, handoff }: FoundHandoff,
): Promise<Checkpoint | null> {
  const name = handoff?.stream ?? null
  if (name === null || (await store.log.readText(hash)) === null) return null
  const here = await store.log.findStream(identity.repository, name, 'work')
  const elsewhere = (await store.log.listStreams(null, 'work')).filter((stream) => stream.name === name)
  for (const { id } of [...(here ? [here] : []), ...elsewhere.slice(0, MOST_STREAMS)]) {
    const version = await store.log.findVersion(id, hash)
    const stored = version === null ? null : await store.log.readCheckpoint(version.checkpoint)
    if (stored?.state !== 'whole' || stored.row.foreign) continue
    if (stored.checkpoint.triggers.some(({ note }) => note.startsWith(BY_HAND.handedOff)))
      return stored.checkpoint
  }
  return null
}

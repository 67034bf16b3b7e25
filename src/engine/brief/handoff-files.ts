import { realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { sha256 } from '../../core/canonical.ts'
import { BY_HAND_ABOUT, type Checkpoint } from '../../core/checkpoint.ts'
import { describeError, errorCode, ReasonError, unlessRefused } from '../../core/reason.ts'
import { decodeUtf8 } from '../../core/text.ts'
import { decodeHandoff, type Handoff } from '../../formats/handoff-md/codec.ts'
import { HANDOFFS, handoffName } from '../../formats/handoff-md/layout.ts'
import type { Folder } from '../../fs/disk.ts'
import { inFolder } from '../../fs/durable.ts'
import { headOf } from '../../workspace/git-state.ts'
import { locateWorkspace, type Place } from '../../workspace/locate.ts'
import { mainWorktree } from '../../workspace/main-worktree.ts'
import type { Context } from '../context/context.ts'
import { NOTICES } from '../context/notices.ts'
import { deliveriesOf } from '../trust/deliveries.ts'
import type { Here } from '../trust/here.ts'
import { trustHere } from '../trust/trusted.ts'

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

/** The main worktree and this one; without a main one, where all write at their own place, also the others that are there. */
async function handoffHomes(context: Context): Promise<Home[]> {
  const { place, identity, store } = context
  const main = handoffHome(context)
  const homes: Home[] = [{ place: main.place, workspace: null }]
  if (main.place.root !== place.root) homes.push({ place, workspace: null })
  if (main.main) return homes
  for (const { id, repository, path } of await store.local.listWorkspaces()) {
    if (repository !== identity.repository || path === place.root) continue
    const other = unlessRefused(() => locateWorkspace(path))
    // It may be gone, or another one by now.
    if (other?.root === path && other.git && other.git.common === place.git?.common)
      homes.push({ place: other, workspace: id })
  }
  return homes
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
  const path = join(home.place.root, ...HANDOFFS)
  try {
    const found = inFolder(home.place.root, HANDOFFS, (folder) => {
      const names = folder.names().filter((name) => /^[^.].*\.md$/is.test(name))
      if (names.length > MOST) notices.push(NOTICES.manyHandoffs(path, names.length, MOST))
      // Their names begin with the day.
      const newest = names.sort().reverse().slice(0, MOST)
      return newest.flatMap((name) => readOne(home, HANDOFFS, folder, name) ?? [])
    })
    return found ?? []
  } catch (error) {
    // A link in the place of a folder leads to what is not this workspace's.
    notices.push(NOTICES.handoffsLeftAlone(path, handoffProblemOf(error)))
    return []
  }
}

/** One by its path, which must lie in this workspace or where another worktree keeps its handoffs. */
export async function handoffAt(context: Context, path: string): Promise<FoundHandoff> {
  const unknown = new ReasonError('handoff_unknown', { handoff: path })
  const asked = resolve(context.cwd, path)
  const folder = unlessRefused(() => realpathSync.native(dirname(asked)))
  if (folder === null) throw unknown
  const real = join(folder, basename(asked))
  for (const home of await handoffHomes(context)) {
    const { place } = home
    const isOpen = (names: string[]) =>
      place.root === context.place.root || HANDOFFS.every((name, at) => names[at] === name)
    const inside = relative(place.root, real)
    const names = inside.split(sep)
    const isOut = inside === '' || isAbsolute(inside) || names[0] === '..'
    if (isOut || !isOpen(names) || names.some((name) => name.toLowerCase() === '.git')) continue
    const folders = names.slice(0, -1)
    const found = inFolder(place.root, folders, (opened) => readOne(home, folders, opened, basename(real)))
    if (found === null) throw unknown
    return found
  }
  const problem = 'it is neither in this workspace nor a handoff of another worktree'
  throw new ReasonError('handoff_invalid', { path: asked, problem })
}

/** Null where nothing has that name, and nothing can have it. A file that cannot be used hides only itself. */
function readOne(home: Home, folders: readonly string[], folder: Folder, name: string): FoundHandoff | null {
  const inside = [...folders, name].join('/')
  const file = { path: join(folder.path, name), name, home, inside, modifiedMs: 0 }
  const describe = (hash: string, handoff: Handoff | null, problem: string | null): FoundHandoff => {
    const { created = '', branch = null } = handoff ?? {}
    const times = [created, /^\d{4}-\d\d-\d\d(?=-)/.exec(name)?.[0] ?? ''].map((text) => Date.parse(text))
    const createdMs = times.find((ms) => !Number.isNaN(ms)) ?? file.modifiedMs
    return { ...file, slug: slugIn(name, created, branch), hash, createdMs, handoff, problem }
  }
  try {
    const entry = folder.entry(name)
    file.modifiedMs = entry?.modifiedMs ?? 0
    const bytes = entry && folder.read(name, MAX_HANDOFF_BYTES)
    if (bytes === null) return null
    const [text, hash] = [decodeUtf8(bytes), sha256(bytes)]
    if (text === null) return describe(hash, null, 'it is not UTF-8')
    const read = decodeHandoff(text)
    return 'problem' in read ? describe(hash, null, read.problem) : describe(hash, read, null)
  } catch (error) {
    return errorCode(error) === 'ENAMETOOLONG' ? null : describe('', null, handoffProblemOf(error))
  }
}

function slugIn(name: string, created: string, branch: string | null): string {
  const stem = name.replace(/\.md$/i, '')
  const start = handoffName(created, branch, 'x').slice(0, -'x.md'.length)
  return stem.startsWith(start) ? stem.slice(start.length) : stem.replace(/^\d{4}-\d\d-\d\d-/, '')
}

/** What is wrong with a file or folder, in words; a defect of ours is thrown on. */
export function handoffProblemOf(error: unknown): string {
  if (!(error instanceof ReasonError)) {
    if (errorCode(error) === undefined) throw error
    return describeError(error)
  }
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
  { trusted, vouched }: Pick<Here, 'trusted' | 'vouched'>,
): Promise<JudgedHandoff[]> {
  const judged: JudgedHandoff[] = []
  for (const one of found) {
    const checkpoint = await ownCheckpoint(context, one)
    judged.push({ ...one, standing: checkpoint === null ? 'untrusted' : 'ours', note: '', checkpoint })
  }
  for (const home of new Set(trusted ? found.map((one) => one.home) : [])) {
    const trust = await trustThere(context, home, vouched)
    if (trust === 'none') continue
    const others = judged.filter((one) => one.home === home && one.checkpoint === null)
    const paths = others.flatMap(({ inside, handoff }) => (handoff === null ? [] : { path: inside }))
    const there = { vouched: trust === 'vouched', head: headOf(home.place) }
    const deliveries = await deliveriesOf({ ...context, place: home.place }, there, paths)
    for (const one of others) {
      const delivery = deliveries.get(one.inside)
      one.standing = delivery?.foreign ? 'foreign' : 'vouched'
      one.note = delivery?.foreign ? delivery.note : ''
    }
  }
  return judged
}

async function trustThere(context: Context, { place, workspace }: Home, vouched: boolean) {
  if (workspace === null) return vouched ? 'vouched' : 'own'
  return trustHere({ ...context, place, identity: { ...context.identity, workspace } })
}

/** Other repositories of this user may have a stream of that name, too: a clone has handoffs of its original. */
const MOST_STREAMS = 50

/** The store keeps texts of others as well: it is ours where it is a version of the checkpoint that a handoff made. */
async function ownCheckpoint({ store, identity }: Context, { hash, handoff }: FoundHandoff) {
  const name = handoff?.stream ?? null
  if (name === null || (await store.log.readText(hash)) === null) return null
  const here = await store.log.findStream(identity.repository, name, 'work')
  const elsewhere = (await store.log.listStreams(null, 'work')).filter((stream) => stream.name === name)
  for (const { id } of [...(here ? [here] : []), ...elsewhere.slice(0, MOST_STREAMS)]) {
    const version = await store.log.findVersion(id, hash)
    const stored = version === null ? null : await store.log.readCheckpoint(version.checkpoint)
    if (stored?.state !== 'whole' || stored.row.foreign) continue
    if (stored.checkpoint.triggers.some(({ note }) => note.startsWith(BY_HAND_ABOUT.handedOff)))
      return stored.checkpoint
  }
  return null
}

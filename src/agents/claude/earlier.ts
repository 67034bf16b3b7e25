import { constants } from 'node:fs'
import { join } from 'node:path'
import { describeError, errorCode } from '../../core/reason.ts'
import type { FoundTranscript, TranscriptEnds, TranscriptFinder } from '../../core/transcript.ts'
import { claudeFolder } from './config-folder.ts'
import {
  entriesIn,
  helperFiles,
  type LineFile,
  lookFor,
  openRegular,
  statIfSeen,
} from './transcript-lines.ts'
import { membersIn, nameIn } from './transcript-value.ts'

/** The client names a project's folder by its path; a longer name is cut, and a hash is put behind it. */
const MOST_NAME = 200
/** More than this in one folder is nobody's own work. */
const MOST_FILES = 20_000
const TRANSCRIPT = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl$/i

/** The name of a project's folder: every character that is no letter and no digit becomes a dash. */
export const projectName = (path: string) => path.replace(/[^A-Za-z0-9]/g, '-')

/**
 * The transcripts of sessions that may have been started at a root or below it, the newest first. Several paths have
 * one name (`/a/b-c` and `/a/b/c`), so only what stands in a transcript says where it is from. Links, files of helpers
 * and what has no session's name are passed over, and so is what cannot be looked at.
 */
export function findTranscripts(
  config: string,
  root: string,
  isKnown: (id: string) => boolean,
): FoundTranscript[] {
  const projects = join(config, 'projects')
  const found = new Map<string, FoundTranscript>()
  for (const folder of entriesIn(projects)) {
    if (!folder.isDirectory() || !mayHold(folder.name, root)) continue
    for (const entry of entriesIn(join(projects, folder.name)).slice(0, MOST_FILES)) {
      const id = TRANSCRIPT.exec(entry.name)?.[1]
      if (id === undefined || !entry.isFile() || isKnown(id)) continue
      const path = join(projects, folder.name, entry.name)
      const mtimeMs = statIfSeen(path)?.mtimeMs ?? 0
      if (mtimeMs > (found.get(id)?.mtimeMs ?? 0))
        found.set(id, { id, path, mtimeMs, isRoots: folder.name === projectName(root) })
    }
  }
  return [...found.values()].sort((a, b) => b.mtimeMs - a.mtimeMs || (a.id < b.id ? -1 : 1))
}

/** Whether a project's folder may be that of a root or of a folder below it. */
export function mayHold(name: string, root: string): boolean {
  // Some file systems do not tell `/Repo` from `/repo`.
  const [folder, wanted] = [name.toLowerCase(), projectName(root).toLowerCase()]
  if (wanted.length > MOST_NAME) return folder.startsWith(wanted.slice(0, MOST_NAME))
  return folder === wanted || folder.startsWith(wanted.endsWith('-') ? wanted : `${wanted}-`)
}

export const finder: TranscriptFinder = {
  find: (env, root, isKnown) => findTranscripts(claudeFolder(env), root, isKnown),
  readEnds,
  // Two paths may have one name: then it lies where the client put it, and is of a folder that is gone.
  isMovedTo: (root, { isRoots }, cwd) => isRoots && projectName(cwd) !== projectName(root),
}

/** One long line may stand at either end: then more is read, once. */
const MOST = 2 * 1024 * 1024
const LOOKS = [64 * 1024, MOST]

/** Looks at the ends of a transcript. Never throws for what stands there. */
export function readEnds(path: string): TranscriptEnds {
  try {
    using file = openRegular(path, constants.O_NOFOLLOW)
    return file === null ? NOTHING : endsIn(file, path)
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return { kind: 'unreadable', problem: describeError(error) }
  }
}

const NOTHING: TranscriptEnds = { kind: 'nothing' }

function endsIn(file: LineFile, path: string): TranscriptEnds {
  const first = lookFor(file, 'start', LOOKS, firstOf)
  if (first === null && file.size <= MOST) return NOTHING
  const last = lookFor(file, 'end', LOOKS, lastOf)
  const cwd = first?.cwd ?? last?.cwd
  if (cwd === undefined) return NOTHING
  return {
    ...{ kind: 'conversation', cwd, branch: (last ?? first)?.branch ?? null },
    ...{ startedMs: first?.atMs ?? null, lastMs: last?.atMs ?? null },
    bytes: helperFiles(path).reduce((sum, helper) => sum + (statIfSeen(helper.path)?.size ?? 0), file.size),
  }
}

type ConversationRow = NonNullable<ReturnType<typeof rowIn>>

/** A line that is cut at either side is no JSON, and says nothing. */
const linesIn = (bytes: Buffer) => bytes.toString('utf8').split('\n')

/** The start of the conversation; its folder counts from the first line on that names one. */
function firstOf(bytes: Buffer): ConversationRow | null {
  let first: ConversationRow | null = null
  for (const line of linesIn(bytes)) {
    const row = rowIn(line)
    first ??= row
    if (row?.isTalk) return first
  }
  return null
}

function lastOf(bytes: Buffer): ConversationRow | null {
  for (const line of linesIn(bytes).reverse()) {
    const row = rowIn(line)
    if (row !== null) return row
  }
  return null
}

/** A row of the main conversation. */
function rowIn(line: string) {
  if (!line.includes('"cwd"')) return null
  const row = membersIn(line) ?? {}
  const atMs = typeof row.timestamp === 'string' ? Date.parse(row.timestamp) : Number.NaN
  if (typeof row.cwd !== 'string' || Number.isNaN(atMs) || row.isSidechain === true) return null
  const branch = nameIn(row.gitBranch, Number.POSITIVE_INFINITY)
  return {
    cwd: row.cwd,
    // So the client calls it where no branch is checked out.
    branch: branch === '' || branch === 'HEAD' ? null : branch,
    atMs,
    isTalk: row.type === 'user' || row.type === 'assistant',
  }
}

import { join } from 'node:path'
import type { FoundTranscript, TranscriptFinder } from '../../core/transcript.ts'
import { claudeFolder } from './config-folder.ts'
import { readEnds } from './transcript-ends.ts'
import { entriesIn, statIfSeen } from './transcript-lines.ts'

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

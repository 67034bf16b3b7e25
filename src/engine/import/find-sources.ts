import { realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { runNameProblem } from '../../core/id.ts'
import { NOTE_FILE, NOTES, notesOfPlan, PLANS } from '../../core/layout.ts'
import { DEFAULT_LEDGER } from '../../core/ledger-path.ts'
import { unlessRefused, usageError } from '../../core/reason.ts'
import { HANDOFFS } from '../../formats/handoff-md/layout.ts'
import { RUNS_FOLDER } from '../../formats/snapshot/layout.ts'
import { type Folder, type FolderEntry, openFolder } from '../../fs/disk.ts'
import { findFolder } from '../../fs/durable.ts'
import type { Context } from '../context/context.ts'
import { type SkippedFile, sourceProblemOf } from '../surroundings/read-work-file.ts'

/** A walk stops at this number of files: the user may have named the root of a disk. */
const MAX_ENTRIES = 100_000
const MAX_DEPTH = 64
const CLOSED = new Set(['.git', 'node_modules'])
const ENDING = /\.(?:json|json\.gz|md)$/i

/** A file that could be a document. */
export interface SourceCandidate {
  /** Relative to the workspace, with forward slashes. */
  path: string
  /** `takeNamed` by the user, at a `usual` place of such a document, or only met on a `walk`. */
  how: 'named' | 'usual' | 'walk'
}

const HANDOFF = /(?:^|\/)\.agents\/handoffs\/[^/]+\.md$/i

export const isHandoffPlace = (path: string) => HANDOFF.test(path)
export const isLedgerPlace = ({ settings }: Context, path: string) =>
  path === DEFAULT_LEDGER || path === settings.ledger_path

/**
 * The files to look at: below the paths that were given, else at the places where other tools leave documents. No
 * link is followed, and nothing is opened here but folders.
 */
export function findSources(context: Context, paths: readonly string[]) {
  using root = openFolder(context.place.root)
  const search = new Search(context, root)
  const given = paths.map((path) => partsOf(context, path))
  if (paths.length === 0) search.usualPlaces()
  else for (const parts of given) search.takeNamed(parts)
  /** The runs whose folder, or a file in it, the user named: a folder above them names none. */
  const namedRuns = given.flatMap(([top, run]) => (top === RUNS_FOLDER && run !== undefined ? [run] : []))
  return {
    candidates: [...search.candidates.values()],
    skipped: search.skipped,
    namedRuns: new Set(namedRuns),
  }
}

/** A path of the command line as names below the workspace. */
function partsOf({ cwd, place }: Context, path: string): string[] {
  const full = resolve(realpathSync.native(cwd), path)
  for (const one of [full, withRealFolder(full)]) {
    const below = relative(place.root, one)
    const parts = below.split(sep).filter((part) => part !== '')
    if (parts[0] !== '..' && !isAbsolute(below)) return parts
  }
  throw usageError(`${JSON.stringify(path)} is outside this workspace: move it here, or import it there`)
}

/** The way to a workspace may lead over links; the way inside it may not. */
const withRealFolder = (path: string): string =>
  unlessRefused(() => join(realpathSync.native(dirname(path)), basename(path))) ?? path

class Search {
  private readonly context: Context
  private readonly root: Folder
  readonly candidates = new Map<string, SourceCandidate>()
  readonly skipped: SkippedFile[] = []
  private entries = 0

  constructor(context: Context, root: Folder) {
    this.context = context
    this.root = root
  }

  usualPlaces(): void {
    this.list(NOTES, /\.json$/i)
    for (const { name, kind } of this.entriesIn(PLANS))
      if (kind === 'folder') this.list(notesOfPlan(name), /\.json$/i)
    for (const path of new Set([DEFAULT_LEDGER, this.context.settings.ledger_path])) {
      const parts = path.split('/')
      const kind = this.kindOf(parts)
      if (kind !== null) this.take(parts, kind, 'usual')
    }
    this.list(HANDOFFS, /\.md$/i)
    for (const { name, kind } of this.entriesIn([RUNS_FOLDER]))
      if (kind === 'folder' && runNameProblem(name) === null) this.list([RUNS_FOLDER, name], /^latest\.json$/)
  }

  /** What the user named: a file, or a folder and all below it. */
  takeNamed(parts: readonly string[]): void {
    const before = this.skipped.length
    const kind = parts.length === 0 ? 'folder' : this.kindOf(parts)
    if (kind === 'folder') this.walk(parts)
    else if (kind !== null) this.take(parts, kind, 'named')
    else if (this.skipped.length === before)
      throw usageError(`not found in this workspace: ${JSON.stringify(parts.join('/'))}`)
  }

  private list(folder: readonly string[], ending: RegExp): void {
    for (const { name, kind } of this.entriesIn(folder))
      if (ending.test(name) && !name.startsWith('.')) this.take([...folder, name], kind, 'usual')
  }

  private walk(top: readonly string[]): void {
    const open: Array<readonly string[]> = [top]
    for (let here = open.pop(); here !== undefined; here = open.pop())
      for (const { name, kind } of this.entriesIn(here)) {
        if (CLOSED.has(name)) continue
        const parts = [...here, name]
        if (ENDING.test(name) && !name.startsWith('.')) this.take(parts, kind, 'walk')
        else if (kind === 'folder' && parts.length <= MAX_DEPTH) open.push(parts)
        else if (kind === 'folder') this.skip(parts, `more than ${MAX_DEPTH} folders deep`)
      }
  }

  private take(parts: readonly string[], kind: FolderEntry['kind'], how: SourceCandidate['how']): void {
    const path = parts.join('/')
    if (kind === 'file') {
      const isUsual = NOTE_FILE.test(path) || HANDOFF.test(path) || isLedgerPlace(this.context, path)
      if (how === 'named' || !this.candidates.has(path))
        this.candidates.set(path, { path, how: how === 'walk' && isUsual ? 'usual' : how })
    } else this.skip(parts, kind === 'folder' ? 'it is a folder' : 'it is not a plain file')
  }

  private skip(parts: readonly string[], problem: string): void {
    this.skipped.push({ path: parts.join('/') || '.', problem })
  }

  /** In a fixed order, so that the same files are always taken in the same way. */
  private entriesIn(parts: readonly string[]): Array<{ name: string; kind: FolderEntry['kind'] }> {
    const room = MAX_ENTRIES - this.entries
    return this.looking(parts, parts, [], (folder) => {
      const names = folder.names().sort()
      this.entries += names.length
      if (names.length > room && room > 0)
        this.skip(parts, `stopped after ${MAX_ENTRIES} entries: name smaller folders`)
      return names.slice(0, Math.max(0, room)).flatMap((name) => {
        const kind = folder.entry(name)?.kind
        return kind === undefined ? [] : [{ name, kind }]
      })
    })
  }

  private kindOf(parts: readonly string[]): FolderEntry['kind'] | null {
    const name = parts.at(-1) ?? ''
    return this.looking(parts, parts.slice(0, -1), null, (folder) => folder.entry(name)?.kind ?? null)
  }

  /** A folder that is a link, or that its owner has closed, hides only itself. */
  private looking<T>(
    about: readonly string[],
    folders: readonly string[],
    otherwise: T,
    act: (folder: Folder) => T,
  ): T {
    try {
      using folder = findFolder(this.root, folders)
      return folder ? act(folder) : otherwise
    } catch (error) {
      this.skip(about, sourceProblemOf(error))
      return otherwise
    }
  }
}

import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PluginClient } from '../../core/agent-setup.ts'
import type { Ports } from '../../core/ports.ts'
import { errorCode } from '../../core/reason.ts'
import { readPlainFile } from '../../fs/disk.ts'
import { writePrivate } from '../context/private-json.ts'
import { readSetupJournal } from './journal.ts'
import { launcherIn, serverLauncherIn } from './launcher.ts'
import { removeEmpty } from './setup-run.ts'

/** The plugins as they are to stand in the home, where an update of the package does not move them. */
export interface PluginCopy {
  folder: string
  /** By the path below the folder, with `/`. */
  files: ReadonlyMap<string, Buffer>
}

const MAX_FILE = 1024 * 1024

export const copyFolder = (home: string, agent: string) => join(home, 'plugins', agent)

/** The home that a folder is the copy of; null where it is another folder, such as one of a clone. */
export function homeOfCopy(folder: string): string | null {
  const home = dirname(dirname(folder))
  const isCopy = copyFolder(home, basename(folder)) === folder && readSetupJournal(home) !== null
  return isCopy || existsSync(launcherIn(home).path) ? home : null
}

/** Null where the package has no plugins for the agent beside it. */
export function pluginCopy(home: string, { agent, plugin }: PluginClient): PluginCopy | null {
  // They are shipped beside the built programs.
  const source = fileURLToPath(new URL(`../plugins/${agent}`, import.meta.url))
  const files = filesIn(source).map((path) => [path, readFileSync(join(source, path))] as const)
  if (files.length === 0) return null
  const starts = { hook: launcherIn(home).start(agent), server: serverLauncherIn(home).start() }
  const named = Object.entries(plugin.files(starts)).map(([path, text]) => [path, Buffer.from(text)] as const)
  return { folder: copyFolder(home, agent), files: new Map([...files, ...named]) }
}

/** The text of one of its files; empty where it has none of that name. */
export const pluginFileText = ({ files }: PluginCopy, path: string) => files.get(path)?.toString('utf8') ?? ''

/** All that is no folder, a link too, by its path below. */
function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' && errorCode(error) !== 'ENOTDIR') throw error
    return []
  }
}

/** What is to be done to the copy: it is missing, it is another, or it is as it should be. */
export function copyChange({ folder, files }: PluginCopy): 'made' | 'changed' | null {
  const standing = filesIn(folder)
  if (standing.length === 0) return 'made'
  const isSame =
    standing.length === files.size && [...files].every(([path, bytes]) => holds(folder, path, bytes))
  return isSame ? null : 'changed'
}

const holds = (folder: string, path: string, bytes: Buffer) =>
  readPlainFile(join(folder, path), MAX_FILE)?.equals(bytes) === true

/**
 * File by file, each durably: a client that starts meanwhile finds every file whole. What is not of the plugins goes
 * first, a link in the place of a folder too: nothing is written through one. What a crash leaves undone is seen by
 * `copyChange`, also a temp file that belongs to nothing.
 */
export function writeCopy({ folder, files }: PluginCopy, ports: Ports): void {
  for (const path of filesIn(folder))
    if (!files.has(path)) {
      rmSync(join(folder, path))
      for (let up = dirname(path); up !== '.' && removeEmpty(join(folder, up)); ) up = dirname(up)
    }
  for (const [path, bytes] of files)
    if (!holds(folder, path, bytes)) writePrivate(join(folder, dirname(path)), basename(path), bytes, ports)
}

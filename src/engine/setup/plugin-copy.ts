import { type Dirent, readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { AgentSetUp, PluginStarts } from '../../core/agent-setup.ts'
import { randomToken } from '../../core/id.ts'
import type { Ports } from '../../core/ports.ts'
import { errorCode } from '../../core/reason.ts'
import { type Folder, openFolder, readPlainFile } from '../../fs/disk.ts'
import { makeFolders, writeDurably } from '../../fs/durable.ts'
import { makePrivateFolder } from '../../fs/private.ts'
import { removeEmpty } from './remove-empty.ts'

/** The plugins as they are to stand in the home, where an update of the package does not move them. */
export interface PluginCopy {
  home: string
  agent: string
  folder: string
  /** By the path below the folder, with `/`. */
  files: ReadonlyMap<string, Buffer>
}

const MAX_FILE = 1024 * 1024
const MODE = 0o600

/** The plugins are shipped beside the built programs. */
const pluginSource = (agent: string) => fileURLToPath(new URL(`../plugins/${agent}`, import.meta.url))

export const copyFolder = (home: string, agent: string) => join(home, 'plugins', agent)

/** Null where the package has no plugins for the agent beside it. */
export function pluginCopy(
  home: string,
  { agent, plugin }: AgentSetUp,
  starts: PluginStarts,
  source = pluginSource(agent),
): PluginCopy | null {
  const files = filesIn(source).map((path) => [path, readFileSync(join(source, path))] as const)
  if (files.length === 0 || plugin === null) return null
  const named = Object.entries(plugin.files(starts)).map(([path, text]) => [path, Buffer.from(text)] as const)
  return { home, agent, folder: copyFolder(home, agent), files: new Map([...files, ...named]) }
}

/** The text of one of its files; empty where it has none of that name. */
export const pluginFileText = ({ files }: PluginCopy, path: string) => files.get(path)?.toString('utf8') ?? ''

/** All that is no folder, a link too, by its path below. */
function filesIn(folder: string): string[] {
  return entriesIn(folder)
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
}

function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
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
 * File by file, each durably: a client that starts meanwhile finds every file whole. What a crash leaves undone is
 * seen by `copyChange`, also a temp file that belongs to nothing.
 */
export function writeCopy({ home, agent, folder, files }: PluginCopy, ports: Ports): void {
  for (const path of filesIn(folder)) if (!files.has(path)) removeWithin(folder, path)
  makePrivateFolder(home)
  const root = openFolder(home)
  try {
    for (const [path, bytes] of files)
      if (!holds(folder, path, bytes)) put(root, ['plugins', agent, ...path.split('/')], bytes, ports)
  } finally {
    root.close()
  }
}

function put(root: Folder, names: readonly string[], bytes: Buffer, ports: Ports): void {
  const folder = makeFolders(root, names.slice(0, -1))
  try {
    writeDurably(folder, names.at(-1) ?? '', bytes, { token: randomToken(ports.random), mode: MODE })
  } finally {
    folder.close()
  }
}

/** A file with the folders that it leaves empty. */
function removeWithin(folder: string, path: string): void {
  rmSync(join(folder, path))
  let up = dirname(path)
  while (up !== '.' && removeEmpty(join(folder, up))) up = dirname(up)
}

/** Takes the copy out of the home; false where there is none. */
export function dropCopy(home: string, agent: string, { dryRun = false } = {}): boolean {
  const folder = copyFolder(home, agent)
  if (entriesIn(dirname(folder)).every(({ name }) => name !== basename(folder))) return false
  if (!dryRun) {
    rmSync(folder, { recursive: true })
    removeEmpty(dirname(folder))
  }
  return true
}

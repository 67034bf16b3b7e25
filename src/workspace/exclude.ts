import { randomToken } from '../core/id.ts'
import type { Ports } from '../core/ports.ts'
import { openFolder } from '../fs/disk.ts'
import { findFolder, makeFolders, writeDurably } from '../fs/durable.ts'

const MAX_EXCLUDE = 1024 * 1024

/** Whether the private exclude file has a line. */
export function isExcluded(gitCommon: string, pattern: string): boolean {
  using root = openFolder(gitCommon)
  using info = findFolder(root, ['info'])
  return linesIn(info?.read('exclude', MAX_EXCLUDE) ?? null).includes(pattern)
}

const linesIn = (bytes: Buffer | null) => bytes?.toString('latin1').split(/\r?\n/) ?? []

/**
 * Keeps a folder of ours out of `git status` by the repository's private exclude file, which is never
 * committed. Lines that are there stay as they are.
 */
export function excludeFromGit(gitCommon: string, pattern: string, ports: Ports): void {
  using root = openFolder(gitCommon)
  using info = makeFolders(root, ['info'])
  // Read as bytes, and never through a link: the file is replaced, and a link's target is somebody else's.
  const bytes = info.read('exclude', MAX_EXCLUDE) ?? Buffer.alloc(0)
  if (linesIn(bytes).includes(pattern)) return
  const gap = bytes.length === 0 || bytes.at(-1) === 0x0a ? '' : '\n'
  const mode = info.entry('exclude')?.mode ?? 0o644
  const added = Buffer.concat([bytes, Buffer.from(`${gap}${pattern}\n`)])
  writeDurably(info, 'exclude', added, { token: randomToken(ports.random), mode })
}

import { join } from 'node:path'
import type { Ports } from '../core/ports.ts'
import { openFolder } from '../fs/disk.ts'
import { makeFolders, writeDurably } from '../fs/durable.ts'
import { readText } from './locate.ts'

/**
 * Keeps a folder of ours out of `git status` by the repository's private exclude file, which is never
 * committed. Lines that are there stay as they are.
 */
export function excludeFromGit(gitCommon: string, pattern: string, ports: Ports): void {
  const text = readText(join(gitCommon, 'info', 'exclude')) ?? ''
  if (text.split(/\r?\n/).includes(pattern)) return
  const gap = text === '' || text.endsWith('\n') ? '' : '\n'
  const root = openFolder(gitCommon)
  try {
    const info = makeFolders(root, ['info'])
    const mode = info.entry('exclude')?.mode ?? 0o644
    const token = Buffer.from(ports.random(6)).toString('hex')
    writeDurably(info, 'exclude', Buffer.from(`${text}${gap}${pattern}\n`), { token, mode })
    info.close()
  } finally {
    root.close()
  }
}

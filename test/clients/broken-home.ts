import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Mounts something over a folder until the test is over. The tests run with mounts of their own. */
function mount(folder: string, ...how: string[]): void {
  execFileSync('mount', [...how, folder])
  onTestFinished(() => {
    execFileSync('umount', ['--lazy', folder])
  })
}

/** The folder as it was, on a file system of its own that has no room for one more byte. */
export function onFullFileSystem(folder: string): void {
  const copy = `${folder}.copy`
  execFileSync('cp', ['-a', folder, copy])
  mount(folder, '-t', 'tmpfs', '-o', 'size=16m', 'none')
  execFileSync('cp', ['-a', `${copy}/.`, folder])
  // It ends when nothing more fits, with a complaint.
  spawnSync('dd', ['if=/dev/zero', `of=${join(folder, 'filler')}`, 'bs=4096'])
}

export function readOnly(folder: string): void {
  mount(folder, '--bind', folder)
  execFileSync('mount', ['-o', 'remount,bind,ro', folder])
}

/** A way to programs that has what an agent needs, and no Node. */
export function pathWithoutNode(root: string): string {
  const tools = join(root, 'tools')
  mkdirSync(tools)
  for (const name of ['sh', 'bash', 'git', 'cat', 'date', 'wc']) {
    const found = (process.env.PATH ?? '').split(delimiter).find((folder) => existsSync(join(folder, name)))
    if (found) symlinkSync(join(found, name), join(tools, name))
  }
  return tools
}

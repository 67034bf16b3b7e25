import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { onTestFinished, vi } from 'vitest'
import { authorsOf } from '../../src/workspace/git-history.ts'
import { locateWorkspace, type Place } from '../../src/workspace/locate.ts'
import { type Sandbox, sandbox } from '../support/sandbox.ts'

export interface Repository extends Sandbox {
  place: Place
}

/** A throw-away repository without a commit. The user's own git settings play no part in it. */
export function repository(...init: string[]): Repository {
  const box = sandbox({ git: false })
  box.git('init', '--quiet', '--initial-branch=trunk', ...init)
  box.git('config', 'user.name', 'Ann Author')
  box.git('config', 'user.email', 'ann@example.org')
  vi.stubEnv('HOME', box.env.HOME)
  vi.stubEnv('XDG_CONFIG_HOME', box.env.XDG_CONFIG_HOME)
  onTestFinished(() => {
    vi.unstubAllEnvs()
  })
  return Object.assign(box, { place: locateWorkspace(box.repo) })
}

export function put(box: Sandbox, path: string, text: string | Uint8Array): void {
  mkdirSync(dirname(box.path(path)), { recursive: true })
  writeFileSync(box.path(path), text)
}

/** Writes files, commits all there is, and answers with the commit. */
export function commit(box: Sandbox, files: Record<string, string | Uint8Array>, message = 'work'): string {
  for (const [path, text] of Object.entries(files)) put(box, path, text)
  box.git('add', '--all')
  box.git('commit', '--quiet', '--allow-empty', '-m', message)
  return box.git('rev-parse', 'HEAD').trim()
}

/** Two branches that change the same line; `trunk` is checked out. */
export function forked(box: Sandbox): { trunk: string; side: string } {
  commit(box, { 'f.txt': 'one\n' })
  box.git('checkout', '--quiet', '-b', 'side')
  const side = commit(box, { 'f.txt': 'side\n' })
  box.git('checkout', '--quiet', 'trunk')
  return { trunk: commit(box, { 'f.txt': 'trunk\n' }), side }
}

/** A program that leaves a file behind when it runs. */
export function tellTale(box: Sandbox, name: string): { program: string; trace: string } {
  const program = join(box.root, name)
  const trace = `${program}.ran`
  writeFileSync(program, `#!/bin/sh\n: > '${trace}'\ncat\n`)
  chmodSync(program, 0o755)
  return { program, trace }
}

/** Runs a git command that is meant to stop half way. */
export function stopped(box: Sandbox, ...args: string[]): void {
  try {
    box.git(...args)
  } catch {
    return
  }
  throw new Error(`git ${args.join(' ')} did not stop`)
}

/** Who last changed a file on HEAD; null where `authorsOf` has no entry. */
export const authorOf = async (place: Place, path: string) =>
  (await authorsOf(place, [path])).authors.get(path) ?? null

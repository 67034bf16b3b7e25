import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PLAN, type Sandbox, sandbox } from '../support/sandbox.ts'

/** The runs that a directory lists, by where they are. `as`: the answer of a command that is tested elsewhere. */
export const runsAt = (box: Sandbox, cwd = box.repo, place = 'store') =>
  (box.json(['run', 'list'], { cwd }).runs as Array<{ runId: string; place: string }>)
    .filter((run) => run.place === place)
    .map(({ runId }) => runId)
    .toSorted()

export function startAt(box: Sandbox, cwd: string, run: string): void {
  writeFileSync(join(cwd, 'plan.md'), PLAN)
  box.json(['run', 'start', 'plan.md', '--run-id', run], { cwd })
}

/** A repository with one commit: git makes no worktree without one. */
export function committed(): Sandbox {
  const box = sandbox()
  box.git(
    '-c',
    'user.name=t',
    '-c',
    'user.email=t@example.org',
    'commit',
    '--quiet',
    '--allow-empty',
    '-m',
    'x',
  )
  return box
}

/** Every path below a folder. */
export const tree = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()

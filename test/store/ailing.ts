import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sha256 } from '../../src/core/canonical.ts'
import { PLAN, type Sandbox, sandbox } from '../support/sandbox.ts'

export interface Report {
  healthy: boolean
  findings: Array<{ level: string; what: string; fixed: string | null }>
}

export const LATEST = 'checkpoints/r1/latest.json'

/** A run with three snapshots; answers their ids. */
export function ready(): { box: Sandbox; ids: string[] } {
  const box = sandbox()
  box.start()
  for (const state of ['in_progress', 'done']) box.json(['run', 'step', 'r1', 's1', state])
  return { box, ids: idsOf(box) }
}

// `as`: the answers of commands that are tested elsewhere.
const listed = (box: Sandbox, run: string) =>
  box.json(['run', 'show', run, '--history']).snapshots as Array<{ snapshotId: string; removedAt: unknown }>

export const idsOf = (box: Sandbox) => listed(box, 'r1').map(({ snapshotId }) => snapshotId)

/** Those that were not removed. */
export const liveIdsOf = (box: Sandbox, run: string) =>
  listed(box, run).flatMap(({ snapshotId, removedAt }) => (removedAt === null ? [snapshotId] : []))

export function doctor(box: Sandbox, ...more: string[]): Report & { code: number | null } {
  const { code, stdout, stderr } = box.run(['doctor', ...more, '--json'])
  const report: Partial<Report> = JSON.parse(stdout || '{}')
  if (report.findings === undefined) throw new Error(`doctor ended with ${code}: ${stdout}${stderr}`)
  return { healthy: report.healthy === true, findings: report.findings, code }
}

/** Every file below a folder, by what it holds. */
export function contents(folder: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) {
      const path = join(entry.parentPath, entry.name)
      found.set(path, sha256(readFileSync(path)))
    }
  return found
}

/** Fills the database with noise; answers the bytes that were put there. */
export function damageDatabase(box: Sandbox): Buffer {
  const path = join(box.home, 'savepoint.db')
  const noise = randomBytes(statSync(path).size + 8192)
  for (const ending of ['-wal', '-shm']) rmSync(path + ending, { force: true })
  writeFileSync(path, noise)
  return noise
}

export const asideFiles = (box: Sandbox) =>
  [...contents(join(box.home, 'set-aside')).keys()].map((path) => readFileSync(path))
export const setAside = (box: Sandbox) => asideFiles(box).map((bytes) => sha256(bytes))

export function deleteDatabase(box: Sandbox): void {
  for (const ending of ['', '-wal', '-shm']) rmSync(join(box.home, `savepoint.db${ending}`), { force: true })
}

/** As `ready`, with a second run in a workspace that was deleted since, and a backup that knows both. */
export function readyWithGoneWorkspace(): { box: Sandbox; ids: string[] } {
  const { box, ids } = ready()
  const other = join(box.root, 'other')
  mkdirSync(other)
  writeFileSync(join(other, 'plan.md'), PLAN)
  box.json(['run', 'start', 'plan.md', '--run-id', 'theirs'], { cwd: other })
  // The next command that writes makes a backup.
  rmSync(join(box.home, 'backups'), { recursive: true })
  box.json(['run', 'pin', 'r1', ids[0] ?? ''])
  rmSync(other, { recursive: true })
  return { box, ids }
}

import { readdirSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import type { HookChange } from '../../core/agent-setup.ts'
import { errorCode, ReasonError, unlessRefused } from '../../core/reason.ts'
import { differenceOf, sayDifference } from '../../formats/checkpoint-md/difference.ts'
import type { Context } from '../context/context.ts'
import { SETUP_CHANGES } from '../context/notices.ts'

/** One thing that was done, or would be. */
export interface SetupChange {
  /** For `ran` the command, which the client of the agent carried out. */
  path: string
  what: 'made' | 'changed' | 'removed' | 'restored' | 'trusted' | 'ran'
  about: string
  /** What changes in a file of others, line by line. */
  diff: string | null
}

/**
 * One pass through the steps of `init` or `uninstall`. A dry run goes through the same steps and performs none of
 * them, so that it cannot tell anything else than what would be done.
 */
export interface SetupRun {
  context: Context
  dryRun: boolean
  changes: SetupChange[]
  /** What was removed; in a dry run it is still there. */
  removed: Set<string>
}

const WAIT_MS = 10_000

/** One run at a time changes what is set up: two would lose each other's notes of it. */
export async function inSetupRun<T>(
  context: Context,
  dryRun: boolean,
  act: (run: SetupRun) => Promise<T>,
): Promise<T> {
  const run: SetupRun = { context, dryRun, changes: [], removed: new Set() }
  if (dryRun) return await act(run)
  const { store, home } = context
  const release = await store.local.takeLock('setup', WAIT_MS)
  if (release === null) throw new ReasonError('store_busy', { path: home.database, waitedMs: WAIT_MS })
  try {
    return await act(run)
  } finally {
    release()
  }
}

export const setupChange = (
  what: SetupChange['what'],
  path: string,
  about: string,
  diff: string | null = null,
): SetupChange => ({ path, what, about, diff })

export const diffOf = (path: string, before: string, after: string) =>
  sayDifference(differenceOf(before, after), { from: path, to: path })

/** `hooks added: SessionStart, Stop`, and so on. */
export const hooksChanged = (changes: readonly HookChange[]): string =>
  (['added', 'updated', 'removed'] as const)
    .map((what) => [what, changes.filter((change) => change.what === what)] as const)
    .filter(([, found]) => found.length > 0)
    .map(([what, found]) => SETUP_CHANGES.hooks(what, found))
    .join('; ')

/** Performs a change and tells it; false where `act` says so: then it was not done. */
export async function performStep(run: SetupRun, change: SetupChange, act: () => unknown): Promise<boolean> {
  if (!run.dryRun && (await act()) === false) return false
  if (change.what === 'removed') run.removed.add(change.path)
  run.changes.push(change)
  return true
}

/** Removes a folder in which nothing is left; with `about` it is told. */
export async function removeEmptyFolder(run: SetupRun, folder: string, about?: string): Promise<void> {
  // What cannot be looked at is not removed.
  const names = unlessRefused(() => readdirSync(folder))
  if (!names?.every((name) => run.removed.has(join(folder, name)))) return
  if (about !== undefined)
    await performStep(run, setupChange('removed', folder, about), () => removeEmpty(folder))
  else if (run.dryRun || removeEmpty(folder)) run.removed.add(folder)
}

/** False where something else is in it, or it is gone. */
export function removeEmpty(folder: string): boolean {
  try {
    rmdirSync(folder)
    return true
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) throw error
    return false
  }
}

import { realpathSync } from 'node:fs'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import type { Plan } from '../../core/plan.ts'
import { describeError, ReasonError } from '../../core/reason.ts'
import { decodePlan } from '../../formats/plan/codec.ts'
import { readPlainFile } from '../../fs/disk.ts'
import type { Context } from '../context/context.ts'

const MAX_PLAN_BYTES = 1024 * 1024

/** Reads a plan file; its path is kept relative to the workspace where it lies inside. */
export function readPlan(context: Context, path: string, cwd: string): Plan {
  const file = resolve(cwd, path)
  try {
    const bytes = readPlainFile(file, MAX_PLAN_BYTES)
    if (bytes === null) throw new Error('file not found')
    return decodePlan(bytes.toString('utf8'), shownPath(context.place.root, file))
  } catch (error) {
    if (error instanceof ReasonError && error.reason === 'plan_invalid') throw error
    throw new ReasonError('plan_unreadable', { path, problem: describeError(error) }, { cause: error })
  }
}

function shownPath(root: string, file: string): string {
  const down = relative(root, realpathSync(file))
  return down.startsWith('..') || isAbsolute(down) ? file : down.split(sep).join('/')
}

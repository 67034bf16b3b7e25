import { errorCode, ReasonError } from '../../core/reason.ts'
import { headOf } from '../../workspace/git-state.ts'
import { locate } from '../../workspace/locate.ts'
import type { Head } from './record.ts'

/** Where git stands around a directory, from git's files alone; null where that cannot be seen. */
export function headHere(cwd: string): Head | null {
  try {
    return headOf(locate(cwd))
  } catch (error) {
    if (errorCode(error) === undefined && !(error instanceof ReasonError)) throw error
    return null
  }
}

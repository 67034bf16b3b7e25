import { errorCode, ReasonError } from '../../core/reason.ts'
import { headOf } from '../../workspace/git-state.ts'
import { locateWorkspace } from '../../workspace/locate.ts'
import type { RecordedHead } from './record.ts'

/** Where git stands around a directory, from git's files alone; null where that cannot be seen. */
export function headHere(cwd: string): RecordedHead | null {
  try {
    return headOf(locateWorkspace(cwd))
  } catch (error) {
    if (errorCode(error) === undefined && !(error instanceof ReasonError)) throw error
    return null
  }
}

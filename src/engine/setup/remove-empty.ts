import { rmdirSync } from 'node:fs'
import { errorCode } from '../../core/reason.ts'

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

import { describeError } from '../../core/reason.ts'
import type { Context } from '../context/context.ts'

/** A daily backup, made by the next writing command; the oldest are removed. A failure is only reported. */
export async function keepBackups({ file, notices }: Context): Promise<void> {
  try {
    await file?.keepBackup()
  } catch (error) {
    notices.push(`The daily backup of the store failed: ${describeError(error)}`)
  }
}

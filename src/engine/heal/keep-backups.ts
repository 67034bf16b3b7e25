import { describe } from '../../core/reason.ts'
import type { Context } from '../context/context.ts'

/** A backup a day, made by whoever writes; the oldest ones go. A failure is told and hurts nobody. */
export async function keepBackups({ file, notices }: Context): Promise<void> {
  try {
    await file?.keepBackup()
  } catch (error) {
    notices.push(`The daily backup of the store failed: ${describe(error)}`)
  }
}

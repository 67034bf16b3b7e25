import type { Context } from '../context/context.ts'
import { type SettleReport, settleOwedFiles } from '../publish/settle-owed-files.ts'
import type { Here } from '../trust/here.ts'
import { rebaseHere } from './rebase.ts'

/** Writes what this workspace owes to its files; an edit that came between is merged into the document. */
export const settleHere = (
  context: Context,
  here: Here,
  options?: { isLate?: boolean },
): Promise<SettleReport> =>
  settleOwedFiles(context, { trusted: here.trusted, mergeEdit: rebaseHere(here), ...options })

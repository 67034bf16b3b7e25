import { ReasonError } from '../../core/reason.ts'
import type { Context } from '../context/context.ts'
import { checkExport, type ExportCheck } from './read-export.ts'
import { type TakeReport, takeExport } from './take-export.ts'

export interface TransferReport extends TakeReport, ExportCheck {
  path: string
}

/**
 * Imports an export. All of it is read and held against its checksums before anything is written: a damaged one is
 * refused as a whole, unless the user asks for what is sound of it. What it says counts as the user's own words, as it
 * did where it was saved, so no agent can import one: a file can be made by anybody.
 */
export async function importExport(
  context: Context,
  path: string,
  { dryRun, skipDamaged }: { dryRun: boolean; skipDamaged: boolean },
): Promise<TransferReport> {
  if (context.speaker === 'agent') throw new ReasonError('import_by_agent', { what: 'import an export' })
  const check = await checkExport(path, context.progress)
  const [first] = check.problems.lines
  if (first !== undefined && !skipDamaged) {
    const more = check.problems.count > 1 ? `; ${check.problems.count - 1} more` : ''
    const problem = `line ${first.line} (${first.what}): ${first.problem}${more}`
    throw new ReasonError('export_invalid', { path, problem })
  }
  return { path, ...check, ...(await takeExport(context, path, { isDry: dryRun })) }
}

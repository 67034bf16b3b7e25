import { requireRunName } from '../../core/id.ts'
import { EXIT } from '../../core/reason.ts'
import { formatCount } from '../../core/text.ts'
import { findRun } from '../../engine/runs/find-run.ts'
import { type VerifyProblem, verifyRun } from '../../engine/runs/verify-run.ts'
import { defineVerb } from '../define/verb.ts'

export const runVerify = defineVerb({
  name: 'run verify',
  summary: 'Check every snapshot of one run or all runs',
  fields: {
    run: {
      kind: 'text',
      at: 0,
      names: 'run',
      check: requireRunName,
      about: 'run id (default: all runs of this repository)',
    },
  },
  examples: ['savepoint run verify', 'savepoint run verify release-2'],
  access: 'read',
  async perform(context, { run }) {
    const runs =
      run === undefined
        ? await context.store.log.listStreams(context.identity.repository)
        : [await findRun(context, run)]
    let checked = 0
    const problems: VerifyProblem[] = []
    for (const one of runs) {
      const result = await verifyRun(context, one)
      checked += result.checked
      problems.push(...result.problems)
    }
    return { runs: runs.length, checked, problems }
  },
  say: ({ runs, checked, problems }, { paint }) =>
    [
      ...problems.map(({ reason, message }) => `${paint('bad', reason)}: ${message}`),
      problems.length === 0
        ? `Checked ${checked} snapshots and files of ${formatCount(runs, 'run')}: no problems`
        : `${formatCount(problems.length, 'problem')} in ${checked} snapshots and files. Repair: savepoint doctor --fix`,
    ].join('\n'),
  failure: ({ problems: [first, ...more] }) =>
    first
      ? {
          exit: EXIT.invalid,
          reason: first.reason,
          message: more.length > 0 ? `${first.message}, and ${more.length} more` : first.message,
          hint: 'Repair: savepoint doctor --fix',
        }
      : null,
})

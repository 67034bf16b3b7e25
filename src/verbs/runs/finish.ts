import { usageError } from '../../core/reason.ts'
import { findRun } from '../../engine/runs/find-run.ts'
import { finishRun } from '../../engine/runs/record-event.ts'
import { defineVerb } from '../define/verb.ts'
import { RUN } from './run-field.ts'
import { sayRunReceipt } from './say-receipt.ts'

export const runFinish = defineVerb({
  name: 'run finish',
  summary: 'End a run',
  detail: 'A run can be completed when every step is done or skipped.',
  fields: {
    run: RUN,
    failed: { kind: 'flag', about: 'end as failed; starting a step reopens the run' },
    incomplete: { kind: 'flag', about: 'end as completed although steps are not done' },
  },
  examples: ['savepoint run finish release-2', 'savepoint run finish release-2 --failed'],
  access: 'write',
  async perform(context, { run, failed, incomplete }) {
    if (failed && incomplete) throw usageError('--failed and --incomplete exclude each other')
    return finishRun(context, await findRun(context, run), { failed, incomplete })
  },
  say: sayRunReceipt,
})

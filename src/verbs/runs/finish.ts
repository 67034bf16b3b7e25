import { usageError } from '../../core/reason.ts'
import { findRun } from '../../engine/runs/find-run.ts'
import { finishRun } from '../../engine/runs/record-event.ts'
import { defineVerb } from '../define/verb.ts'
import { RUN } from './run-field.ts'
import { sayRunReceipt } from './say-receipt.ts'

export const runFinish = defineVerb({
  name: 'run finish',
  summary: 'End a run',
  detail: 'A run is completed when each of its steps is done or skipped.',
  fields: {
    run: RUN,
    failed: { kind: 'flag', about: 'it ends as failed; a step that starts again takes it up' },
    incomplete: { kind: 'flag', about: 'it ends as completed, with steps that are not done' },
  },
  examples: ['savepoint run finish release-2', 'savepoint run finish release-2 --failed'],
  access: 'write',
  async perform(context, { run, failed, incomplete }) {
    if (failed && incomplete) throw usageError('--failed and --incomplete exclude each other')
    return finishRun(context, await findRun(context, run), { failed, incomplete })
  },
  say: sayRunReceipt,
})

import { findRun } from '../../engine/runs/find-run.ts'
import { finishRun } from '../../engine/runs/record-event.ts'
import { defineVerb } from '../define/verb.ts'
import { RUN } from './run-field.ts'
import { sayReceipt } from './say-receipt.ts'

export const runFinish = defineVerb({
  name: 'run finish',
  summary: 'End a run',
  fields: {
    run: RUN,
    failed: { kind: 'flag', about: 'it ends as failed; a step that starts again takes it up' },
  },
  examples: ['savepoint run finish release-2', 'savepoint run finish release-2 --failed'],
  access: 'write',
  perform: async (context, { run, failed }) => finishRun(context, await findRun(context, run), { failed }),
  say: sayReceipt,
})

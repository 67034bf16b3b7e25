import { findRun } from '../../engine/runs/find-run.ts'
import { takeSnapshot } from '../../engine/runs/take-snapshot.ts'
import { defineVerb } from '../define/verb.ts'
import { RUN } from './run-field.ts'
import { sayRunReceipt } from './say-receipt.ts'

export const runPause = defineVerb({
  name: 'run pause',
  summary: 'Pause a run until the next step starts',
  fields: { run: RUN },
  examples: ['savepoint run pause release-2'],
  access: 'write',
  async perform(context, { run }) {
    return takeSnapshot(context, await findRun(context, run), {
      kind: 'pause',
      note: 'run paused',
    })
  },
  say: sayRunReceipt,
})

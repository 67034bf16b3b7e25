import { operation } from '../operation.ts'
import { findRun, RUN } from './find-run.ts'
import { sayReceipt } from './say-receipt.ts'
import { takeSnapshot } from './take-snapshot.ts'

export const runPause = operation({
  name: 'run pause',
  summary: 'Pause a run until a step starts again',
  fields: { run: RUN },
  examples: ['savepoint run pause release-2'],
  access: 'write',
  async perform(context, { run }) {
    return takeSnapshot(context, await findRun(context, run), {
      kind: 'pause',
      note: 'run paused',
    })
  },
  say: sayReceipt,
})

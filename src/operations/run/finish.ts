import type { Stream } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { operation } from '../operation.ts'
import { findRun, RUN } from './find-run.ts'
import { sayReceipt } from './say-receipt.ts'
import { type Receipt, takeSnapshot } from './take-snapshot.ts'

/** Ends a run. Open steps stay as they are: finishing a run does not do its work. */
export async function finishRun(context: Context, run: Stream, { failed = false } = {}): Promise<Receipt> {
  return takeSnapshot(context, run, {
    kind: failed ? 'finish_failed' : 'finish',
    note: failed ? 'run failed' : 'run finished',
    ...(failed ? { fault: { reasonCode: 'run_failed', recoverable: true, message: '' } } : {}),
  })
}

export const runFinish = operation({
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

import { clip } from '../../core/canonical.ts'
import { requireName } from '../../core/id.ts'
import { redact } from '../../policy/redact.ts'
import type { Stream } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { operation } from '../operation.ts'
import { findRun, RUN } from './find-run.ts'
import { sayReceipt } from './say-receipt.ts'
import { type Receipt, takeSnapshot } from './take-snapshot.ts'

/** Records a classified error; an unrecoverable one makes the run failed, just before it is stopped. */
export async function recordError(
  context: Context,
  run: Stream,
  { reasonCode, recoverable, message = '' }: { reasonCode: string; recoverable: boolean; message?: string },
): Promise<Receipt> {
  requireName(reasonCode, 'the reason code')
  return takeSnapshot(context, run, {
    kind: recoverable ? 'error' : 'fatal_error',
    fault: { reasonCode, recoverable, message: clip(redact(message), 500) },
    note: [reasonCode, recoverable ? '' : 'unrecoverable', message].filter(Boolean).join(': '),
  })
}

export const runError = operation({
  name: 'run error',
  summary: 'Record an error that was classified',
  fields: {
    run: RUN,
    reasonCode: { kind: 'text', value: 'CODE', required: true, about: 'a short code for what went wrong' },
    message: { kind: 'text', value: 'TEXT', about: 'a sentence about it' },
    unrecoverable: { kind: 'flag', about: 'the run must stop: it is failed, and not eligible to resume' },
  },
  examples: [
    'savepoint run error release-2 --reason-code tests_failed',
    'savepoint run error release-2 --reason-code disk_full --unrecoverable',
  ],
  access: 'write',
  async perform(context, { run, reasonCode, message, unrecoverable }) {
    return recordError(context, await findRun(context, run), {
      reasonCode,
      recoverable: !unrecoverable,
      ...(message === undefined ? {} : { message }),
    })
  },
  say: sayReceipt,
})

import { clipText } from '../../core/canonical.ts'
import { requireName } from '../../core/id.ts'
import { redact } from '../../policy/redact.ts'
import type { Stream } from '../../store/log.ts'
import type { Context } from '../context/context.ts'
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
    fault: { reasonCode, recoverable, message: clipText(redact(message), 500) },
    note: [reasonCode, recoverable ? '' : 'unrecoverable', message].filter(Boolean).join(': '),
  })
}

import type { Stream } from '../../store/log.ts'
import type { Context } from '../context/context.ts'
import { type Receipt, takeSnapshot } from './take-snapshot.ts'

/** Ends a run. Open steps stay as they are: finishing a run does not do its work. */
export async function finishRun(context: Context, run: Stream, { failed = false } = {}): Promise<Receipt> {
  return takeSnapshot(context, run, {
    kind: failed ? 'finish_failed' : 'finish',
    note: failed ? 'run failed' : 'run finished',
    ...(failed ? { fault: { reasonCode: 'run_failed', recoverable: true, message: '' } } : {}),
  })
}

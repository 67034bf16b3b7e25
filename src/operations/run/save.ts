import { operation } from '../operation.ts'
import { findRun, RUN } from './find-run.ts'
import { sayReceipt } from './say-receipt.ts'
import { takeSnapshot } from './take-snapshot.ts'

export const runSave = operation({
  name: 'run save',
  summary: 'Take a snapshot now',
  detail: 'Within 3 seconds of another and with nothing changed, the save is noted on that one.',
  fields: {
    run: RUN,
    note: { kind: 'text', value: 'TEXT', about: 'why, in a few words' },
    context: {
      kind: 'count',
      value: 'PERCENT',
      most: 100,
      about: 'how full the context window is, in percent',
    },
  },
  examples: ['savepoint run save release-2 --note "before the migration"'],
  access: 'write',
  async perform(context, { run, note, context: used }) {
    return takeSnapshot(context, await findRun(context, run), {
      kind: 'save',
      ...(note === undefined ? {} : { note }),
      ...(used === undefined ? {} : { contextUsedPercent: used }),
    })
  },
  say: sayReceipt,
})

import { findRun } from '../../engine/runs/find-run.ts'
import { takeSnapshot } from '../../engine/runs/take-snapshot.ts'
import { defineVerb } from '../define/verb.ts'
import { RUN } from './run-field.ts'
import { sayRunReceipt } from './say-receipt.ts'

export const runSave = defineVerb({
  name: 'run save',
  summary: 'Take a snapshot of a run',
  detail: 'If nothing changed within 3 seconds of the last snapshot, that one is reused.',
  fields: {
    run: RUN,
    note: { kind: 'text', value: 'TEXT', about: 'why, in a few words' },
    context: {
      kind: 'count',
      value: 'PERCENT',
      most: 100,
      about: 'context usage in percent',
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
  say: sayRunReceipt,
})

import { findRun } from '../../engine/runs/find-run.ts'
import { recordError } from '../../engine/runs/record-event.ts'
import { defineVerb } from '../define/verb.ts'
import { RUN } from './run-field.ts'
import { sayRunReceipt } from './say-receipt.ts'

export const runError = defineVerb({
  name: 'run error',
  summary: 'Record an error in a run',
  fields: {
    run: RUN,
    reasonCode: { kind: 'text', value: 'CODE', required: true, about: 'a short code for the error' },
    message: { kind: 'text', value: 'TEXT', about: 'one sentence about the error' },
    unrecoverable: { kind: 'flag', about: 'the run cannot continue: it fails and cannot be resumed' },
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
  say: sayRunReceipt,
})

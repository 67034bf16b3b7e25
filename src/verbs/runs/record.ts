import { STEP_MOVES } from '../../core/plan.ts'
import { usageError } from '../../core/reason.ts'
import { findRun } from '../../engine/runs/find-run.ts'
import { finishRun, moveRunStep, recordError, requireStepName } from '../../engine/runs/record-event.ts'
import { takeSnapshot } from '../../engine/runs/take-snapshot.ts'
import { choiceFact, flagFact, integerFact, textFact } from '../define/facts.ts'
import { defineVerb } from '../define/verb.ts'
import { RUN, sayRunReceipt } from './run.ts'

const CONTEXT = { kind: 'count', value: 'PERCENT', most: 100, about: 'context usage in percent' } as const

export const runStep = defineVerb({
  name: 'run step',
  summary: 'Set the state of a step',
  detail: 'A failed step makes the run failed until the next step starts.',
  fields: {
    run: { ...RUN, about: 'the run, by its id' },
    step: {
      kind: 'text',
      at: 1,
      required: true,
      check: requireStepName,
      about: 'id of the step in the plan',
    },
    state: { kind: 'choice', at: 2, required: true, choices: STEP_MOVES, about: 'its new state' },
    add: { kind: 'flag', about: 'add the step if the plan does not have it' },
    context: CONTEXT,
  },
  examples: [
    'savepoint run step release-2 s1 in_progress',
    'savepoint run step release-2 s1 done --context 72',
  ],
  access: 'write',
  async perform(context, { run, step, state, add, context: used }) {
    const found = await findRun(context, run)
    return moveRunStep(context, found, { id: step, state, add }, { contextUsedPercent: used })
  },
  say: sayRunReceipt,
  tool: {
    title: 'Move a run step',
    when: 'Call it when a step starts, is done, fails or is skipped. Only for runs of a plan; otherwise call save.',
    effect: 'adds',
    facts: {
      run: textFact(),
      snapshot: textFact(),
      sequence: integerFact(),
      status: textFact(),
      coalesced: flagFact('merged into the newest snapshot'),
      latest: textFact(),
      files: choiceFact(['published', 'pending']),
    },
    factsOf: ({ runId, snapshotId, sequence, status, coalesced, latest, files }) => ({
      ...{ run: runId, snapshot: snapshotId, sequence, status, coalesced, latest, files },
    }),
  },
})

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
    const found = await findRun(context, run)
    return recordError(context, found, { reasonCode, recoverable: !unrecoverable, message })
  },
  say: sayRunReceipt,
})

export const runSave = defineVerb({
  name: 'run save',
  summary: 'Take a snapshot of a run',
  detail: 'If nothing changed within 3 seconds of the last snapshot, that one is reused.',
  fields: { run: RUN, note: { kind: 'text', value: 'TEXT', about: 'why, in a few words' }, context: CONTEXT },
  examples: ['savepoint run save release-2 --note "before the migration"'],
  access: 'write',
  async perform(context, { run, note, context: used }) {
    const found = await findRun(context, run)
    return takeSnapshot(context, found, { kind: 'save', note, contextUsedPercent: used })
  },
  say: sayRunReceipt,
})

export const runFinish = defineVerb({
  name: 'run finish',
  summary: 'End a run',
  detail: 'A run can be completed when every step is done or skipped.',
  fields: {
    run: RUN,
    failed: { kind: 'flag', about: 'end as failed; starting a step reopens the run' },
    incomplete: { kind: 'flag', about: 'end as completed although steps are not done' },
  },
  examples: ['savepoint run finish release-2', 'savepoint run finish release-2 --failed'],
  access: 'write',
  async perform(context, { run, failed, incomplete }) {
    if (failed && incomplete) throw usageError('--failed and --incomplete exclude each other')
    return finishRun(context, await findRun(context, run), { failed, incomplete })
  },
  say: sayRunReceipt,
})

export const runPause = defineVerb({
  name: 'run pause',
  summary: 'Pause a run until the next step starts',
  fields: { run: RUN },
  examples: ['savepoint run pause release-2'],
  access: 'write',
  async perform(context, { run }) {
    return takeSnapshot(context, await findRun(context, run), { kind: 'pause', note: 'run paused' })
  },
  say: sayRunReceipt,
})

import { STEP_MOVES } from '../../core/plan.ts'
import { findRun } from '../../engine/runs/find-run.ts'
import { moveRunStep, requireStepName } from '../../engine/runs/record-event.ts'
import { choiceFact, flagFact, integerFact, textFact } from '../define/facts.ts'
import { defineVerb } from '../define/verb.ts'
import { RUN } from './run-field.ts'
import { sayRunReceipt } from './say-receipt.ts'

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
    context: {
      kind: 'count',
      value: 'PERCENT',
      most: 100,
      about: 'context usage in percent',
    },
  },
  examples: [
    'savepoint run step release-2 s1 in_progress',
    'savepoint run step release-2 s1 done --context 72',
  ],
  access: 'write',
  async perform(context, { run, step, state, add, context: used }) {
    return moveRunStep(
      context,
      await findRun(context, run),
      { id: step, state, add },
      used === undefined ? {} : { contextUsedPercent: used },
    )
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

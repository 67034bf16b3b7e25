import { STEP_MOVES } from '../../core/plan.ts'
import { findRun } from '../../engine/runs/find-run.ts'
import { moveRunStep, requireStepName } from '../../engine/runs/record-event.ts'
import { choiceFact, flagFact, integerFact, textFact } from '../define/facts.ts'
import { defineVerb } from '../define/verb.ts'
import { RUN } from './run-field.ts'
import { sayRunReceipt } from './say-receipt.ts'

export const runStep = defineVerb({
  name: 'run step',
  summary: 'Say where a step stands',
  detail: 'A failed step makes the run failed until a step starts again.',
  fields: {
    run: { ...RUN, about: 'the run, by its id' },
    step: {
      kind: 'text',
      at: 1,
      required: true,
      check: requireStepName,
      about: 'the step, by its id in the plan',
    },
    state: { kind: 'choice', at: 2, required: true, choices: STEP_MOVES, about: 'where it stands now' },
    add: { kind: 'flag', about: 'add the step, if the plan does not have it' },
    context: {
      kind: 'count',
      value: 'PERCENT',
      most: 100,
      about: 'how full the context window is, in percent',
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
    when: 'Call it when a step of a run begins, is done, has failed or is skipped. Only where a run was started from a plan; for other work call save.',
    effect: 'adds',
    facts: {
      run: textFact('the run'),
      snapshot: textFact('the id of the snapshot'),
      sequence: integerFact('its number in the history of the run'),
      status: textFact('where the run stands: in_progress, failed, completed or paused'),
      coalesced: flagFact('whether it was noted on the newest snapshot instead of making another'),
      latest: textFact('the file of the newest snapshot'),
      files: choiceFact('whether the files say it already', ['published', 'pending']),
    },
    factsOf: ({ runId, snapshotId, sequence, status, coalesced, latest, files }) => ({
      ...{ run: runId, snapshot: snapshotId, sequence, status, coalesced, latest, files },
    }),
  },
})

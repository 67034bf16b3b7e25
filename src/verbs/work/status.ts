import {
  choiceFact,
  flagFact,
  integerFact,
  listFact,
  nullableFact,
  numberFact,
  recordFact,
  textFact,
} from '../define/facts.ts'
import { defineVerb } from '../define/verb.ts'
import { gatherStatus } from './gather-status.ts'
import { sayStatus } from './say-status.ts'

const MAYBE_TEXT = nullableFact(textFact())

export const status = defineVerb({
  name: 'status',
  summary: 'Show the state of the work and what to do next',
  detail:
    'One screen: the work in focus, the active plan, the last save and next action, changes since, sessions, context usage and runs in progress.',
  fields: {},
  examples: ['savepoint status', 'savepoint status --json'],
  access: 'read',
  takesIn: 'talk',
  lenient: true,
  perform: gatherStatus,
  say: sayStatus,
  tool: {
    title: 'Work status',
    when: 'Call it for a quick look: focus, last save, changes since, whether a save is due. For decisions and next actions call resume.',
    effect: 'reads',
    facts: {
      trusted: flagFact(),
      focus: MAYBE_TEXT,
      saved: nullableFact(
        recordFact({
          stream: textFact(),
          checkpoint: textFact(),
          sequence: integerFact(),
          savedAt: textFact(),
          document: MAYBE_TEXT,
          questions: integerFact(),
          unconfirmed: integerFact(),
          commitsSince: nullableFact(integerFact()),
          filesChanged: integerFact(),
          filesGone: integerFact(),
        }),
      ),
      offered: nullableFact(textFact('older work of another branch')),
      candidates: listFact(textFact()),
      unreviewed: integerFact('candidates that are not reviewed'),
      uncommitted: nullableFact(integerFact()),
      plan: nullableFact(recordFact({ name: MAYBE_TEXT, stage: MAYBE_TEXT, tddPhase: MAYBE_TEXT })),
      sessions: recordFact({ open: integerFact(), stale: integerFact() }),
      windowPercent: nullableFact(numberFact()),
      runs: listFact(textFact()),
      note: MAYBE_TEXT,
      due: listFact(choiceFact(['save', 'delta', 'new']), 'most important first'),
    },
    factsOf: ({ saved, unreviewed, plan, window, runs, note, due, ...status }) => ({
      ...status,
      saved: saved && { ...saved, ...saved.drift },
      unreviewed: unreviewed.length,
      plan: plan && { ...plan, stage: plan.stage?.toString() ?? null },
      windowPercent: window?.usedPercent ?? null,
      runs: runs.map(({ runId }) => runId),
      note: note?.path ?? null,
      due: due.map(({ what }) => what),
    }),
  },
})

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
import { gatherStatus, type LastSave } from './gather-status.ts'
import { sayStatus } from './say-status.ts'

export const status = defineVerb({
  name: 'status',
  summary: 'Show in one screen where the work stands and what is due',
  detail:
    'The focus, the active plan with its stage and TDD phase, the last save, note and next action, what changed since, open and stale sessions, how full the context window is, runs in progress, and what to do now.',
  fields: {},
  examples: ['savepoint status', 'savepoint status --json'],
  access: 'read',
  takesIn: 'talk',
  lenient: true,
  perform: gatherStatus,
  say: sayStatus,
  tool: {
    title: 'Where the work stands',
    when: 'Call it for a quick look: what is in focus, when it was saved, what changed since, whether a save is due. For decisions and next actions call resume.',
    effect: 'reads',
    facts: {
      trusted: flagFact('whether the user trusts this workspace'),
      focus: nullableFact(textFact('the piece of work in focus')),
      saved: nullableFact(
        recordFact('the work that resume tells here', {
          stream: textFact('the piece of work'),
          checkpoint: textFact('the id of its checkpoint'),
          sequence: integerFact('its number in the history of that work'),
          savedAt: textFact('when it was saved'),
          document: nullableFact(textFact('its checkpoint document')),
          questions: integerFact('how many questions are open'),
          unconfirmed: integerFact('how many claims the user has not confirmed'),
          commitsSince: nullableFact(integerFact('how many commits came since; null where nobody can tell')),
          filesChanged: integerFact('how many files changed since'),
          filesGone: integerFact('how many of its files are gone'),
        }),
      ),
      offered: nullableFact(textFact('older work of another branch, which resume only names')),
      candidates: listFact('names to choose from', textFact('the name of a piece of work')),
      unreviewed: integerFact('how many of those came with the repository, and are not reviewed'),
      uncommitted: nullableFact(integerFact('how many files are not committed')),
      plan: nullableFact(
        recordFact('the active plan', {
          name: nullableFact(textFact('its name')),
          stage: nullableFact(textFact('its stage')),
          tddPhase: nullableFact(textFact('its TDD phase')),
        }),
      ),
      sessions: recordFact('sessions of agents here', {
        open: integerFact('that go on'),
        stale: integerFact('that fell silent'),
      }),
      windowPercent: nullableFact(numberFact('how full the context window is')),
      runs: listFact('runs in progress', textFact('the id of a run')),
      note: nullableFact(textFact('the last note')),
      due: listFact('what is due, the most important first', choiceFact('a verb', ['save', 'delta', 'new'])),
    },
    factsOf: ({ trusted, focus, saved, offered, candidates, unreviewed, uncommitted, due, ...active }) => ({
      ...{ trusted, focus, offered, candidates, uncommitted },
      saved: saved && savedFacts(saved),
      unreviewed: unreviewed.length,
      plan: active.plan && { ...active.plan, stage: active.plan.stage?.toString() ?? null },
      sessions: active.sessions,
      windowPercent: active.window?.usedPercent ?? null,
      runs: active.runs.map(({ runId }) => runId),
      note: active.note?.path ?? null,
      due: due.map(({ what }) => what),
    }),
  },
})

const savedFacts = ({ drift, ...saved }: LastSave) => ({
  ...{ stream: saved.stream, checkpoint: saved.checkpoint, sequence: saved.sequence },
  ...{ savedAt: saved.savedAt, document: saved.document },
  ...{ questions: saved.questions, unconfirmed: saved.unconfirmed },
  ...{ commitsSince: drift.commitsSince, filesChanged: drift.filesChanged, filesGone: drift.filesGone },
})

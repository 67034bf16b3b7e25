import { BY_HAND } from '../../core/checkpoint.ts'
import { PLANS_HOME } from '../../core/layout.ts'
import { afterCommit, type Context } from '../../engine/context/context.ts'
import type { RunAtSave } from '../../engine/runs/snapshot-at-save.ts'
import { listRunsInProgress } from '../../engine/surroundings/stored-runs.ts'
import { offerAdoption } from '../../engine/transfer/adopt-repository.ts'
import { recordRepository } from '../../engine/transfer/repository-marks.ts'
import { choiceFact, integerFact, listFact, nullableFact, recordFact, textFact } from '../define/facts.ts'
import { defineVerb } from '../define/verb.ts'
import { confirmLedger } from './confirm-ledger.ts'
import { saveInSession } from './save-in-session.ts'
import { type SaveAnswer, sayBanner, sayReceipt } from './say-saved.ts'
import { readSaveInput, SAYING_FIELDS } from './saying.ts'

/** Why a checkpoint is taken now; `manual` where nobody says. */
const WHEN = [
  'manual',
  'phase',
  'decision',
  'shift',
  'session-end',
  'pressure',
  'compaction',
  'risk',
] as const

export const save = defineVerb({
  name: 'save',
  summary: 'Save where the work stands',
  detail: `What was known before is carried forward: say only what is new. It goes into the store, and from there into the document of the work, into a note where there is a ${PLANS_HOME} folder, and into the ledger where that is enabled. Branch, commit, uncommitted files and the active plan are found out. Where a run is in progress, it takes a snapshot of it.`,
  fields: {
    ...SAYING_FIELDS,
    trigger: {
      kind: 'choice',
      choices: WHEN,
      value: 'WHY',
      about: `why now: ${WHEN.join(', ')}`,
    },
    ledger: { kind: 'flag', about: 'answer for the session ledger: that it was written, or why not' },
    verbose: { kind: 'flag', typed: true, about: 'answer with all that was saved, as --note does' },
  },
  examples: [
    'savepoint save "Moving login to tokens" --next "Write the refresh test"',
    'savepoint save "Login works" --decision "JWT over cookies because the app has no session" --done "Login form"',
    'savepoint save --decision "Passkeys over JWT because of phishing" --supersedes JWT',
    'savepoint save "Login works" --ledger',
    `echo '{"summary": "Login works", "next": ["Ship it"]}' | savepoint save --stdin --json`,
  ],
  access: 'write',
  takesIn: 'talk',
  lenient: true,
  async perform(context, { trigger = 'manual', ledger, verbose, ...input }): Promise<SaveAnswer> {
    await offerAdoption(context)
    // Once: git is asked for the first commits of a long history.
    context.afterwards.push(async () => void (await recordRepository(context)))
    const why = { kind: trigger, note: BY_HAND.saved }
    const receipt = await saveInSession(context, await readSaveInput(context, input), why)
    // A note is the format whose users expect its banner.
    const saved = { ...receipt, run: await snapshotRun(context), verbose: verbose || input.note }
    return ledger ? { ...saved, confirmation: confirmLedger(receipt) } : saved
  },
  say: (receipt, screen) =>
    receipt.confirmation ?? (receipt.verbose ? sayBanner(receipt, screen) : sayReceipt(receipt, screen)),
  tool: {
    title: 'Save where the work stands',
    when: 'Call it when a phase is done, a decision is made, the direction changes, before anything risky, before the session ends, and when the context window fills up. Not for quick tasks, and not when nothing is new since the last save.',
    effect: 'adds',
    facts: {
      stream: textFact('the piece of work that it was saved to'),
      checkpoint: textFact('the id of the checkpoint'),
      sequence: integerFact('its number in the history of that work'),
      origin: nullableFact(
        textFact('the work that this one, which began, took its decisions and rules from'),
      ),
      joined: listFact('work of merged branches that was taken over', textFact('its name')),
      decisions: recordFact('how many decisions', {
        new: integerFact('recorded by this save'),
        total: integerFact('known in all'),
        unconfirmed: integerFact('that the user has not confirmed'),
      }),
      files: listFact(
        'files that show it',
        recordFact('a file', {
          path: textFact('where it is'),
          state: choiceFact('whether it says it already', ['written', 'pending', 'left']),
          problem: nullableFact(textFact('why it does not')),
        }),
      ),
    },
    factsOf: ({ stream, checkpoint, sequence, origin, joined, decisions, views }) => ({
      ...{ stream, checkpoint, sequence, origin, decisions },
      joined: joined.map((one) => one.stream),
      files: views.map(({ path, state, problem }) => ({ path, state, problem })),
    }),
  },
})

/** The snapshot of the run that is in progress here; null without one. The save is done, whatever becomes of it. */
const snapshotRun = (context: Context): Promise<RunAtSave | null> =>
  afterCommit(
    context,
    'Taking the snapshot of the run in progress',
    () => null,
    async () => {
      const [newest, ...others] = await listRunsInProgress(context)
      if (newest === undefined) return null
      const { snapshotAtSave } = await import('../../engine/runs/snapshot-at-save.ts')
      return snapshotAtSave(context, [newest, ...others])
    },
  )

import { BY_HAND } from '../../core/checkpoint.ts'
import { PLANS_HOME } from '../../core/layout.ts'
import { afterCommit, type Context } from '../../engine/context/context.ts'
import type { RunAtSave } from '../../engine/runs/take-snapshot.ts'
import { listRunsInProgress } from '../../engine/surroundings/stored-runs.ts'
import { offerAdoption } from '../../engine/transfer/adopt-repository.ts'
import { recordRepository } from '../../engine/transfer/repository-marks.ts'
import { choiceFact, integerFact, listFact, nullableFact, recordFact, textFact } from '../define/facts.ts'
import { defineVerb } from '../define/verb.ts'
import { saveInSession } from './save-in-session.ts'
import { confirmLedger, type SaveAnswer, sayBanner, sayReceipt } from './say-saved.ts'
import { readSaveInput, SAYING_FIELDS } from './saying.ts'

/** Why a checkpoint is taken now; `manual` where nobody says. */
const WHEN = [
  ...(['manual', 'phase', 'decision', 'shift'] as const),
  ...(['session-end', 'pressure', 'compaction', 'risk'] as const),
] as const

export const save = defineVerb({
  name: 'save',
  summary: 'Save the state of your work',
  detail: `Say only what is new: everything saved before is kept. The branch, commit, uncommitted files and active plan are added automatically. A save updates the work's document, writes a note if there is a ${PLANS_HOME} folder, and updates the ledger if it is enabled. If a run is in progress, it also takes a snapshot of the run.`,
  fields: {
    ...SAYING_FIELDS,
    trigger: { kind: 'choice', choices: WHEN, value: 'WHY', about: 'why now, default manual' },
    ledger: { kind: 'flag', about: 'report whether the session ledger was written' },
    verbose: { kind: 'flag', typed: true, about: 'print everything that was saved, as --note does' },
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
    title: 'Save the work',
    when: 'Call it after a finished phase, a decision or a change of direction; before a risky step, the end of the session or a full context window. Not for quick tasks, or when nothing is new.',
    effect: 'adds',
    facts: {
      stream: textFact(),
      checkpoint: textFact(),
      sequence: integerFact(),
      origin: nullableFact(textFact('the work it inherited from')),
      joined: listFact(textFact(), 'merged work that was included'),
      decisions: recordFact({
        new: integerFact('added by this save'),
        total: integerFact(),
        unconfirmed: integerFact('not confirmed by the user'),
      }),
      files: listFact(
        recordFact({
          path: textFact(),
          state: choiceFact(['written', 'pending', 'left']),
          problem: nullableFact(textFact()),
        }),
      ),
    },
    factsOf: ({ joined, views, ...receipt }) => ({
      ...{ ...receipt, joined: joined.map((one) => one.stream), files: views },
    }),
  },
})

/** The snapshot of the run that is in progress here; null without one. The save is done, whatever becomes of it. */
const snapshotRun = (context: Context): Promise<RunAtSave | null> =>
  afterCommit(context, 'Taking the snapshot of the run in progress', async () => {
    const [newest, ...others] = await listRunsInProgress(context)
    if (newest === undefined) return null
    const { snapshotAtSave } = await import('../../engine/runs/take-snapshot.ts')
    return snapshotAtSave(context, [newest, ...others])
  })

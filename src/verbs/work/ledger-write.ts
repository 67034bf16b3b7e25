import { BY_HAND } from '../../core/checkpoint.ts'
import { LEDGER_SKIPPED, sayLedger } from '../../formats/ledger-md/codec.ts'
import { defineVerb } from '../define/verb.ts'
import { type SaveReceipt, saveInSession } from './save-in-session.ts'
import { isNothingSaid, readSaveInput, SAYING_FIELDS } from './saying.ts'

/** Nothing was said, and no ledger is kept: there was nothing to do. */
interface SkippedLedger {
  skipped: 'ledger_disabled'
}

export const ledgerWrite = defineVerb({
  name: 'ledger write',
  summary: 'Save where the work stands, and write it to the session ledger',
  detail:
    'A save like any other, that answers for the ledger. Where session.ledger is not enabled no ledger is written, and the save reaches the store all the same.',
  fields: SAYING_FIELDS,
  examples: [
    'savepoint ledger write "Splitting the parser" --goal "One parser for both formats" --done "Tests for the old one"',
  ],
  access: 'write',
  takesIn: 'talk',
  lenient: true,
  async perform(context, input): Promise<SaveReceipt | SkippedLedger> {
    if (!context.settings.ledger && context.ask === null && isNothingSaid(input))
      return { skipped: 'ledger_disabled' }
    return saveInSession(context, await readSaveInput(context, input), {
      kind: 'manual',
      note: BY_HAND.saved,
    })
  },
  say: (result) => {
    if ('skipped' in result) return LEDGER_SKIPPED
    const { views, stream, sequence, goal, done, now, next } = result
    const view = views.find(({ kind }) => kind === 'ledger')
    const kept = `What you said is saved all the same: number ${sequence} of ${stream} in the store.`
    if (!view) return `${LEDGER_SKIPPED}\n${kept}`
    if (view.state !== 'written')
      return `${view.path} was not written${view.problem === null ? '' : `: ${view.problem}`}.\n${kept}`
    return sayLedger({ path: view.path, goal, done, now, next })
  },
})

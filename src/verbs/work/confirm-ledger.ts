import { LEDGER_SKIPPED, sayLedger } from '../../formats/ledger-md/codec.ts'
import type { SaveReceipt } from './save-in-session.ts'

/** What a save came to for the session ledger, in the words of that format. The store has the save in any case. */
export function confirmLedger({ views, stream, sequence, goal, done, now, next }: SaveReceipt): string {
  const view = views.find(({ kind }) => kind === 'ledger')
  const kept = `Saved ${stream} #${sequence}.`
  if (!view) return `${LEDGER_SKIPPED}\n${kept}`
  if (view.state === 'written') return sayLedger({ path: view.path, goal, done, now, next })
  return `${view.path} was not written${view.problem === null ? '' : `: ${view.problem}`}.\n${kept}`
}

import { ReasonError } from '../../core/reason.ts'
import { visibleLines } from '../../core/visible.ts'
import { vouchedLedger } from '../../engine/surroundings/ledger-file.ts'
import { lookHere } from '../../engine/trust/here.ts'
import { LEDGER_SKIPPED } from '../../formats/ledger-md/codec.ts'
import { choiceFact, integerFact, nullableFact, textFact } from '../define/facts.ts'
import { defineVerb } from '../define/verb.ts'
import { renderTable } from '../say/table.ts'
import { save } from './save.ts'
import { isNothingSaid, SAYING_FIELDS } from './saying.ts'

const DISABLED = 'No session ledger here. To keep one, add to .agents.yml:\nsession:\n  ledger: true'

export const ledger = defineVerb({
  name: 'ledger',
  summary: 'Show the session ledger, or an older version of it',
  detail:
    'The ledger is one file that every save rewrites, to read after /clear. The next save imports your edits. Every version is kept.',
  fields: { at: { kind: 'count', least: 1, value: 'NUMBER', about: 'number of an older version' } },
  examples: ['savepoint ledger', 'savepoint ledger --at 3'],
  access: 'read',
  lenient: true,
  async perform(context, { at }) {
    const { store, identity, settings } = context
    const { ledger: enabled, ledger_path: path } = settings
    if (at !== undefined) {
      const found = (await store.acts.listLedgers(identity.workspace)).find(({ number }) => number === at)
      const text = found ? await store.log.readText(found.hash) : null
      if (!found || text === null) throw new ReasonError('ledger_unknown', { at })
      return { enabled, path: found.path, number: at, stream: found.stream, text, problem: null }
    }
    const file = await vouchedLedger(context, await lookHere(context))
    /** Why what stands there is not shown. */
    const problem = file?.problem ?? null
    const text = problem === null ? (file?.found?.text ?? null) : null
    // What stands in the file has no number in the history.
    return { enabled, path, number: null, stream: null, text, problem }
  },
  say: ({ enabled, path, text, problem }) => {
    if (text !== null) return visibleLines(text.replace(/\r?\n$/, ''))
    if (problem !== null) return `${path} is not shown: ${problem}.`
    return enabled ? `${path} does not exist yet. The next save writes it.` : DISABLED
  },
  exact: ({ text }) => text,
  tool: {
    title: 'Show the ledger',
    when: "Call it to read the project's session ledger, now or an older version. To continue work call resume.",
    effect: 'reads',
    facts: {
      state: choiceFact(['shown', 'refused', 'absent', 'disabled']),
      number: nullableFact(integerFact()),
      stream: nullableFact(textFact()),
    },
    factsOf: ({ text, problem, enabled, number, stream }) => {
      const missing = problem !== null ? 'refused' : enabled ? 'absent' : 'disabled'
      return { state: text !== null ? 'shown' : missing, number, stream }
    },
  },
})

export const ledgerHistory = defineVerb({
  name: 'ledger history',
  summary: 'List all versions of the session ledger',
  fields: {},
  examples: ['savepoint ledger history'],
  access: 'read',
  lenient: true,
  async perform({ store, identity }) {
    const rows = await store.acts.listLedgers(identity.workspace)
    return { ledgers: rows.map(({ hash: _hash, ...row }) => row) }
  },
  say: ({ ledgers }, screen) =>
    ledgers.length === 0
      ? 'No ledger was written in this worktree yet.'
      : renderTable(
          ['NUMBER', 'WHEN', 'WORK'],
          ledgers.map(({ number, at, stream }) => [String(number), screen.time(at), stream]),
          screen,
        ),
})

export const ledgerWrite = defineVerb({
  name: 'ledger write',
  summary: 'Save the work and write the session ledger',
  detail:
    'Like save, but reports on the ledger. If session.ledger is not enabled, no ledger is written, but the work is still saved.',
  fields: SAYING_FIELDS,
  examples: [
    'savepoint ledger write "Splitting the parser" --goal "One parser for both formats" --done "Tests for the old one"',
  ],
  access: 'write',
  takesIn: 'talk',
  lenient: true,
  async perform(context, input) {
    // Nothing was said, and no ledger is kept: there is nothing to do.
    if (!context.settings.ledger && context.ask === null && isNothingSaid(input))
      return { skipped: 'ledger_disabled' as const }
    return save.perform(context, { ...input, trigger: undefined, ledger: true, verbose: false })
  },
  say: (result, how) => ('skipped' in result ? LEDGER_SKIPPED : save.say(result, how)),
})

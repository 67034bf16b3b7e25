import { ReasonError } from '../../core/reason.ts'
import { visibleLines } from '../../core/visible.ts'
import type { Context } from '../../engine/context/context.ts'
import { vouchedLedger } from '../../engine/surroundings/ledger-file.ts'
import { lookHere } from '../../engine/trust/here.ts'
import { LEDGER_SKIPPED } from '../../formats/ledger-md/codec.ts'
import { choiceFact, integerFact, nullableFact, textFact } from '../define/facts.ts'
import { defineVerb } from '../define/verb.ts'
import { fitLines, renderTable } from '../say/table.ts'
import { type SaveAnswer, save } from './save.ts'
import { isNothingSaid, SAYING_FIELDS } from './saying.ts'

const DISABLED =
  'No ledger is kept here: session.ledger is not enabled. To keep one, put this into .agents.yml:\nsession:\n  ledger: true'

interface ShownLedger {
  enabled: boolean
  path: string
  /** Its number in the history; null for what stands in the file. */
  number: number | null
  stream: string | null
  text: string | null
  /** Why what stands there is not shown. */
  problem: string | null
}

async function readLedgerAt({ store, identity, settings }: Context, at: number): Promise<ShownLedger> {
  const found = (await store.acts.listLedgers(identity.workspace)).find(({ number }) => number === at)
  const text = found ? await store.log.readText(found.hash) : null
  if (!found || text === null) throw new ReasonError('ledger_unknown', { at })
  return {
    ...{ enabled: settings.ledger, path: found.path, number: found.number, stream: found.stream, text },
    problem: null,
  }
}

export const ledger = defineVerb({
  name: 'ledger',
  summary: 'Show the session ledger of this worktree, as it is or as it was',
  detail:
    'The ledger is one file that every save replaces, for reading after /clear. What you write into it by hand counts from the next save on. Everything that ever stood in it is kept.',
  fields: {
    at: {
      kind: 'count',
      least: 1,
      value: 'NUMBER',
      about: 'what stood there before, by its number in the history',
    },
  },
  examples: ['savepoint ledger', 'savepoint ledger --at 3'],
  access: 'read',
  lenient: true,
  async perform(context, { at }): Promise<ShownLedger> {
    if (at !== undefined) return readLedgerAt(context, at)
    const file = await vouchedLedger(context, await lookHere(context))
    const { ledger_path: path } = context.settings
    if (file === null) return { enabled: false, path, number: null, stream: null, text: null, problem: null }
    const text = file.problem === null ? (file.found?.text ?? null) : null
    return { enabled: true, path, number: null, stream: null, text, problem: file.problem }
  },
  say: ({ enabled, path, text, problem }) => {
    if (text !== null) return visibleLines(text.replace(/\r?\n$/, ''))
    if (problem !== null) return `${path} is not shown: ${problem}.`
    return enabled ? `${path} is not there yet: the next save writes it.` : DISABLED
  },
  exact: ({ text }) => text,
  tool: {
    title: 'Show the ledger',
    when: 'Call it where the project keeps a session ledger, for what stands in it or stood in it before. To go on with work call resume.',
    effect: 'reads',
    facts: {
      state: choiceFact('whether it is shown, not shown for a reason, not written yet, or not kept here', [
        'shown',
        'refused',
        'absent',
        'disabled',
      ]),
      number: nullableFact(integerFact('its number in the history; null for what stands there now')),
      stream: nullableFact(textFact('the piece of work that it was written for, where it is an older one')),
    },
    factsOf: (result) => ({ state: stateOf(result), number: result.number, stream: result.stream }),
  },
})

function stateOf({ text, problem, enabled }: ShownLedger) {
  if (text !== null) return 'shown'
  if (problem !== null) return 'refused'
  return enabled ? 'absent' : 'disabled'
}

export const ledgerHistory = defineVerb({
  name: 'ledger history',
  summary: 'List what stood in the session ledger of this worktree',
  fields: {},
  examples: ['savepoint ledger history'],
  access: 'read',
  lenient: true,
  async perform({ store, identity }) {
    const rows = await store.acts.listLedgers(identity.workspace)
    return {
      ledgers: rows.map(({ number, at, stream, path, checkpoint }) => ({
        number,
        at,
        stream,
        path,
        checkpoint,
      })),
    }
  },
  say: ({ ledgers }, { columns }) =>
    ledgers.length === 0
      ? 'Nothing has stood in a ledger of this worktree yet.'
      : fitLines(
          renderTable(
            ['NUMBER', 'WHEN', 'WORK'],
            ledgers.map(({ number, at, stream }) => [
              String(number),
              at.slice(0, 19).replace('T', ' '),
              stream,
            ]),
          ),
          columns,
        ),
})

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
  async perform(context, input): Promise<SaveAnswer | SkippedLedger> {
    if (!context.settings.ledger && context.ask === null && isNothingSaid(input))
      return { skipped: 'ledger_disabled' }
    return save.perform(context, { ...input, trigger: undefined, ledger: true })
  },
  say: (result, how) => ('skipped' in result ? LEDGER_SKIPPED : save.say(result, how)),
})

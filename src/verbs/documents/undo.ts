import { usageError } from '../../core/reason.ts'
import { visible } from '../../core/visible.ts'
import type { Context } from '../../engine/context/context.ts'
import { type ToldAct, tellAct, type UndoReport, undoAct } from '../../engine/save/undo-act.ts'
import { integerFact, nullableFact, textFact } from '../define/facts.ts'
import type { Screen } from '../define/screen.ts'
import { defineVerb } from '../define/verb.ts'
import { renderTable } from '../say/table.ts'

/** The newest first. */
const listActs = async ({ store, identity }: Context) =>
  (await store.local.listActs(identity.workspace)).map(tellAct).reverse()

interface Undone extends UndoReport {
  kind: 'undone' | 'redone'
  dryRun: boolean
}

export const undo = defineVerb({
  name: 'undo',
  summary: 'Undo the last save, delta, focus or other change',
  detail:
    'It can undo: save, ledger write, confirm, reject, remove, reword, delta, new, fork, focus, archive, restore, rename, compress, handoff and import. It skips everything else (trust, run commands, the import of an export, automatic saves); --dry-run shows what it would undo. Store and files go back together, and nothing saved is deleted: the history keeps it. Repeat undo to go further back; --redo goes forward. It is refused if someone has saved to the same work since.',
  fields: {
    redo: { kind: 'flag', typed: true, about: 'redo what was undone last' },
    list: { kind: 'flag', typed: true, about: 'list the last changes, newest first' },
    dryRun: { kind: 'flag', typed: true, about: 'show what would be undone' },
  },
  examples: ['savepoint undo', 'savepoint undo --dry-run', 'savepoint undo --redo', 'savepoint undo --list'],
  access: ({ list, dryRun }) => (list || dryRun ? 'read' : 'write'),
  takesIn: 'events',
  async perform(context, { redo, list, dryRun }): Promise<{ kind: 'list'; acts: ToldAct[] } | Undone> {
    if (list && (redo || dryRun)) throw usageError('--list cannot be combined with --redo or --dry-run')
    if (list) return { kind: 'list', acts: await listActs(context) }
    const report = await undoAct(context, { isRedo: redo, isDry: dryRun })
    return { kind: redo ? 'redone' : 'undone', dryRun, ...report }
  },
  say: (result, screen) =>
    result.kind === 'list' ? sayActs(result.acts, screen) : sayUndone(result, screen),
  tool: {
    title: 'Undo the last change',
    when: 'Call it when a change that you made in this session was a mistake. Changes by the user or another session are refused.',
    effect: 'changes',
    facts: {
      verb: nullableFact(textFact()),
      at: nullableFact(textFact()),
      work: integerFact('pieces of work restored'),
      files: integerFact('files restored or removed'),
    },
    factsOf: (result) =>
      result.kind === 'list'
        ? { verb: null, at: null, work: 0, files: 0 }
        : {
            ...{ verb: result.act.verb, at: result.act.at },
            work: result.work.length,
            files: result.files.filter(({ state }) => state !== 'left').length,
          },
  },
})

function sayActs(acts: ToldAct[], screen: Screen): string {
  if (acts.length === 0) return 'Nothing to undo here.'
  const rows = acts.map(({ at, label, by, isUndone }) => [
    screen.time(at),
    by,
    `${visible(label)}${isUndone ? ' (undone)' : ''}`,
  ])
  return renderTable(['WHEN', 'BY', 'WHAT'], rows, screen)
}

function sayUndone({ kind, dryRun, act, work, renamed, files, focus }: Undone, { paint }: Screen): string {
  const isRedo = kind === 'redone'
  const { undid, redid, is, hasBegun, ...did } = dryRun ? WOULD : DID
  return [
    `${paint('good', isRedo ? redid : undid)}: ${visible(act.label)}`,
    ...renamed.map(({ from, to }) => `  ${from} ${is} called ${to} again`),
    ...work.map(({ id, as, sequence }) =>
      as === null
        ? `  ${id} ${hasBegun} (history kept: savepoint show ${id} --history)`
        : `  ${id} ${is} back at #${as} (as #${sequence})`,
    ),
    ...files.map(({ path, state }) => `  ${did[state]} ${visible(path)}`),
    ...(focus === undefined ? [] : [`  ${focus ?? 'nothing'} ${is} in focus`]),
    ...(dryRun ? [] : [isRedo ? 'Undo: savepoint undo' : 'Redo: savepoint undo --redo']),
  ].join('\n')
}

const DID = {
  ...{ undid: 'Undid', redid: 'Redid', is: 'is', hasBegun: 'is removed' },
  ...{ written: 'restored', removed: 'removed', left: 'left, because it changed since:' },
}

const WOULD = {
  ...{ undid: 'Would undo', redid: 'Would redo', is: 'would be', hasBegun: 'would be removed' },
  ...{ written: 'would restore', removed: 'would remove', left: 'would leave, because it changed since:' },
}

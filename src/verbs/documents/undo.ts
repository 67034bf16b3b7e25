import { ReasonError } from '../../core/reason.ts'
import { visible } from '../../core/visible.ts'
import type { Context } from '../../engine/context/context.ts'
import { type ToldAct, tellAct, type UndoReport, undoAct } from '../../engine/save/undo-act.ts'
import { integerFact, nullableFact, textFact } from '../define/facts.ts'
import type { Screen } from '../define/screen.ts'
import { defineVerb } from '../define/verb.ts'
import { renderTable } from '../say/table.ts'

interface ActList {
  kind: 'list'
  /** The newest first. */
  acts: ToldAct[]
}

interface Undone extends UndoReport {
  kind: 'undone' | 'redone'
  dryRun: boolean
}

const listActs = async ({ store, identity }: Context): Promise<ActList> => ({
  kind: 'list',
  acts: (await store.local.listActs(identity.workspace)).map(tellAct).reverse(),
})

export const undo = defineVerb({
  name: 'undo',
  summary: 'Take back the last save, delta, focus, archive or other change of work made here',
  detail:
    'It takes back the last of these: save, ledger write, confirm, reject, remove, reword, delta, new, fork, focus, archive, restore, rename, compress, handoff and import. No other command counts (not trust, the run commands, the import of an export, or what hooks save): undo passes over them, and --dry-run says what it would take back. Store and files go back together. Nothing saved is deleted: a new checkpoint says what stands again, and the history keeps the rest. Undo again to go further back; --redo comes forward again. It is refused where somebody saved to the same work since, or an import moved it on.',
  fields: {
    redo: { kind: 'flag', typed: true, about: 'do again what was undone last' },
    list: { kind: 'flag', typed: true, about: 'list the last changes instead, newest first' },
    dryRun: { kind: 'flag', typed: true, about: 'only say what would be undone' },
  },
  examples: ['savepoint undo', 'savepoint undo --dry-run', 'savepoint undo --redo', 'savepoint undo --list'],
  access: ({ list, dryRun }) => (list || dryRun ? 'read' : 'write'),
  takesIn: 'events',
  async perform(context, { redo, list, dryRun }): Promise<ActList | Undone> {
    if (list && (redo || dryRun))
      throw new ReasonError('usage_invalid', {
        problem: '--list does not go together with --redo or --dry-run',
      })
    if (list) return listActs(context)
    const report = await undoAct(context, { isRedo: redo, isDry: dryRun })
    return { kind: redo ? 'redone' : 'undone', dryRun, ...report }
  },
  say: (result, screen) => (result.kind === 'list' ? sayActs(result, screen) : sayUndone(result, screen)),
  tool: {
    title: 'Undo the last change',
    when: 'Call it when a save, delta, focus, archive or handoff that you made in this session was a mistake. Changes that the user or another session made are refused.',
    effect: 'changes',
    facts: {
      verb: nullableFact(textFact('the verb of the change')),
      at: nullableFact(textFact('when it was made')),
      work: integerFact('how many pieces of work stand as they did then'),
      files: integerFact('how many files were restored or removed'),
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

function sayActs({ acts }: ActList, screen: Screen): string {
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
  ...{ undid: 'Undid', redid: 'Redid', is: 'is', hasBegun: 'is gone' },
  ...{ written: 'restored', removed: 'removed', left: 'left, because it changed since:' },
}

const WOULD = {
  ...{ undid: 'Would undo', redid: 'Would redo', is: 'would be', hasBegun: 'would be gone' },
  ...{ written: 'would restore', removed: 'would remove', left: 'would leave, because it changed since:' },
}

import { ReasonError } from '../../core/reason.ts'
import { visible } from '../../core/visible.ts'
import type { Context } from '../../engine/context/context.ts'
import { type ToldAct, tellAct, type UndoReport, undoAct } from '../../engine/save/undo-act.ts'
import { flagFact, integerFact, nullableFact, textFact } from '../define/facts.ts'
import { defineVerb } from '../define/verb.ts'
import { fitLines, renderTable } from '../say/table.ts'

interface ActList {
  kind: 'list'
  /** The newest first. */
  acts: ToldAct[]
}

interface Undone extends UndoReport {
  kind: 'undone' | 'redone'
  dryRun: boolean
  /** Whether the files say it already. */
  written: 'published' | 'pending'
}

const listActs = async ({ store, identity }: Context): Promise<ActList> => ({
  kind: 'list',
  acts: (await store.local.listActs(identity.workspace)).map(tellAct).reverse(),
})

export const undo = defineVerb({
  name: 'undo',
  summary: 'Take back the last save, delta, focus, archive or other change made here',
  detail:
    'Store and files go back together. Nothing saved is deleted: a new checkpoint says what stands again, and the history keeps the rest. Undo again to go further back; --redo comes forward again. What hooks save by themselves is not undone. It is refused where somebody saved to the same work since.',
  fields: {
    redo: { kind: 'flag', about: 'do again what was undone last' },
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
  say: (result, { columns }) => (result.kind === 'list' ? sayActs(result, columns) : sayUndone(result)),
  tool: {
    title: 'Undo the last change',
    when: 'Call it when a save, delta, focus, archive or handoff that you made in this session was a mistake. Changes that the user or another session made are refused.',
    effect: 'changes',
    facts: {
      verb: nullableFact(textFact('the verb of the change')),
      at: nullableFact(textFact('when it was made')),
      redone: flagFact('whether it was done again'),
      work: integerFact('how many pieces of work stand as they did then'),
      files: integerFact('how many files were restored or removed'),
    },
    factsOf: (result) =>
      result.kind === 'list'
        ? { verb: null, at: null, redone: false, work: 0, files: 0 }
        : {
            ...{ verb: result.act.verb, at: result.act.at, redone: result.kind === 'redone' },
            work: result.work.length,
            files: result.files.filter(({ state }) => state !== 'left').length,
          },
  },
})

function sayActs({ acts }: ActList, columns: number): string {
  if (acts.length === 0) return 'Nothing to undo in this workspace.'
  const rows = acts.map(({ at, label, by, isUndone }) => [
    at.slice(0, 19).replace('T', ' '),
    by,
    `${visible(label)}${isUndone ? ' (undone)' : ''}`,
  ])
  return fitLines(renderTable(['WHEN', 'BY', 'WHAT'], rows), columns)
}

function sayUndone({ kind, dryRun, act, work, files, focus }: Undone): string {
  const isRedo = kind === 'redone'
  const did = dryRun ? `Would ${isRedo ? 'redo' : 'undo'}` : isRedo ? 'Redid' : 'Undid'
  return [
    `${did}: ${visible(act.label)}`,
    ...work.map(({ id, as, sequence }) =>
      as === null
        ? `  ${id} has not begun (its history stays: savepoint show ${id} --history)`
        : `  ${id} is as it was at #${as} (now #${sequence})`,
    ),
    ...files.map(({ path, state }) => `  ${SAID[state]} ${visible(path)}`),
    ...(focus === undefined ? [] : [focus === null ? '  nothing is in focus' : `  ${focus} is in focus`]),
    ...(dryRun ? [] : [isRedo ? 'Undo: savepoint undo' : 'Redo: savepoint undo --redo']),
  ].join('\n')
}

const SAID = { written: 'restored', removed: 'removed', left: 'left, because it changed since:' }

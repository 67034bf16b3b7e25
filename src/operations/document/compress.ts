import { existsSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import type { Cut } from '../../core/tokens.ts'
import type { SectionName } from '../../formats/checkpoint-md/codec.ts'
import { compressDocument } from '../../formats/checkpoint-md/compress.ts'
import { fitToBudget } from '../../policy/carry.ts'
import type { Context } from '../context.ts'
import { operation } from '../operation.ts'
import { count as plural } from '../text.ts'
import { act } from './act.ts'
import { edited } from './edit-document.ts'
import { type OpenDocument, requireEnd, requireOpen, STREAM } from './find-stream.ts'
import { read } from './read.ts'

/** A breadcrumb to a file that is no longer in the workspace; nothing outside it is looked for. */
function isGone(context: Context, { type, reference }: { type: string; reference: string }): boolean {
  if (!/^file$/i.test(type.trim())) return false
  const path = reference
    .replace(/`/g, '')
    .replace(/(?::\d+)+$|#.*$/, '')
    .trim()
  const file = resolve(context.place.root, path)
  const down = relative(context.place.root, file)
  return path !== '' && !/[*?<>|\0]/.test(path) && !down.startsWith('..') && !existsSync(file)
}

/** What may lose something, by the heading that a reader knows it by. */
const SECTION_OF: Partial<Record<Cut['field'], SectionName>> = {
  decisions: 'Decisions',
  facts: 'Technical Context',
  references: 'Breadcrumbs',
  done: 'Play-By-Play',
  artifacts: 'Artifact Trail',
}

type Compressed = ReturnType<typeof compressed>['summary'] & {
  dry_run: boolean
  written: boolean
  text: string
  /** The number of the shorter text in the history, where one was written. */
  sequence: number | null
  checkpoint: string | null
}

function compressed(context: Context, open: OpenDocument, tokens: number) {
  requireEnd(open)
  const { row, view, text } = open
  const result = compressDocument(text, {
    tokens,
    isStale: (reference) => isGone(context, reference),
    fit: fitToBudget,
  })
  const { before, after, folded, fits, cuts } = result
  const summary = {
    ...{ id: row.stream.name, path: view.path, from_sequence: row.position.sequence },
    ...{ budget: tokens, tokens_before: before, tokens_after: after, fits, folded, cuts },
  }
  return { result, summary }
}

export const compress = operation({
  name: 'compress',
  summary: 'Make a checkpoint document shorter, within a budget of tokens',
  detail:
    'Deltas are folded into the body; finished artifacts and stale breadcrumbs go; older steps are summed up. Problem, intent, standing decisions, rules, current state and next actions always stay. The full text stays in the history.',
  fields: {
    id: STREAM,
    budget: {
      kind: 'count',
      least: 100,
      value: 'TOKENS',
      about: 'how many tokens it may have (estimated); 1000 without it',
    },
    dryRun: { kind: 'flag', about: 'only say what would be cut' },
  },
  examples: ['savepoint compress auth-system --dry-run', 'savepoint compress auth-system --budget 800'],
  access: ({ dryRun }) => (dryRun ? 'read' : 'write'),
  async perform(context, { id, budget = 1_000, dryRun }): Promise<Compressed> {
    if (dryRun) {
      const survey = await read(context)
      const { result, summary } = compressed(context, await requireOpen(context, survey, id), budget)
      return {
        ...summary,
        written: false,
        dry_run: true,
        text: result.text,
        sequence: null,
        checkpoint: null,
      }
    }
    return act<Compressed>(context, async (survey) => {
      const open = await requireOpen(context, survey, id)
      const { result, summary } = compressed(context, open, budget)
      const answer = { ...summary, dry_run: false, text: result.text }
      if (result.text === open.text)
        return { commit: {}, answer: { ...answer, written: false, sequence: null, checkpoint: null } }
      const note = `compressed from ${summary.tokens_before} to ${summary.tokens_after} tokens (est.)`
      const { point, commit } = edited(context, open, result.text, { kind: 'manual', note })
      const sequence = open.row.stream.headSequence + 1
      return { commit, answer: { ...answer, written: true, sequence, checkpoint: point.checkpoint.id } }
    })
  },
  say: (result) => {
    const { id, tokens_before, tokens_after, budget, fits, folded, cuts, written, dry_run, from_sequence } =
      result
    const undo = `The text before: savepoint show ${id} --at ${from_sequence}`
    return [
      `${id}: ${tokens_before} tokens before, ${tokens_after} ${dry_run ? 'would be left' : 'after'} (est.), budget ${budget}.`,
      ...(folded > 0 ? [`  folded: ${plural(folded, 'delta')} into the body`] : []),
      ...cuts.map(
        ({ field, count, how, why }) => `  ${how}: ${count} of ${SECTION_OF[field] ?? field} (${why})`,
      ),
      ...(fits ? [] : ['What must be kept is longer than the budget: nothing more was cut.']),
      ...(dry_run ? ['Nothing was written.'] : written ? [undo] : ['There was nothing to cut.']),
    ].join('\n')
  },
})

import { existsSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { ReasonError } from '../../core/reason.ts'
import { formatCount as plural } from '../../core/text.ts'
import type { BudgetCut } from '../../core/tokens.ts'
import type { Context } from '../../engine/context/context.ts'
import { actOnDocuments, type DocumentAct } from '../../engine/documents/act-on-documents.ts'
import { editDocument } from '../../engine/documents/edit-document.ts'
import { type OpenDocument, requireEnd, requireOpen } from '../../engine/documents/find-stream.ts'
import { readSurvey } from '../../engine/documents/read-survey.ts'
import { DOCUMENT_SECTIONS, type SectionName } from '../../formats/checkpoint-md/codec.ts'
import { compressDocument, largestSections } from '../../formats/checkpoint-md/compress.ts'
import { fitToBudget } from '../../policy/carry.ts'
import { defineVerb } from '../define/verb.ts'
import { STREAM_FIELD } from './stream-field.ts'

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
const SECTION_OF: Partial<Record<BudgetCut['field'], SectionName>> = {
  decisions: 'Decisions',
  facts: 'Technical Context',
  references: 'Breadcrumbs',
  done: 'Play-By-Play',
  artifacts: 'Artifact Trail',
}

interface CompressRequest {
  budget: number
  hard: boolean
  dryRun: boolean
}

function compressOpen(context: Context, open: OpenDocument, { budget, hard, dryRun }: CompressRequest) {
  requireEnd(open)
  const { row, view, text } = open
  const { name: id } = row.stream
  const result = compressDocument(text, {
    tokens: budget,
    isStale: (reference) => isGone(context, reference),
    fit: fitToBudget,
    hard,
  })
  const { before, after, folded, fits, cuts } = result
  if (hard && !fits) {
    const largest = largestSections(result.text).map(({ section, tokens }) => `${section} ${tokens}`)
    throw new ReasonError('budget_too_small', { id, budget, left: after, largest: largest.join(', ') })
  }
  return {
    ...{ id, path: view.path, fromSequence: row.position.sequence },
    ...{ budget, hard, tokensBefore: before, tokensAfter: after, fits, folded, cuts },
    cut: cutOf(cuts, `savepoint show ${id} --at ${row.position.sequence}`, dryRun),
    ...{ dryRun, text: result.text },
  }
}

/** `sequence`: the number of the shorter text in the history, where one was written. */
const NOT_WRITTEN = { written: false, sequence: null, checkpoint: null }
type CompressReceipt = ReturnType<typeof compressOpen> & {
  written: boolean
  sequence: number | null
  checkpoint: string | null
}

/** What was cut, in one sentence, section by section; empty where nothing was. */
function cutOf(cuts: BudgetCut[], command: string, dryRun: boolean): string {
  const countIn = (of: BudgetCut[]) => of.reduce((sum, { count }) => sum + count, 0)
  const gone = cuts.filter(({ how }) => how !== 'shortened')
  const named = Object.keys(DOCUMENT_SECTIONS).flatMap((name) => {
    const count = countIn(gone.filter(({ field }) => SECTION_OF[field] === name))
    return count > 0 ? [`${name} ${count}`] : []
  })
  const lines = countIn(cuts.filter(({ how }) => how === 'shortened'))
  const parts = [named.join(', '), lines > 0 ? `${plural(lines, 'line')} shortened` : ''].filter(Boolean)
  if (parts.length === 0) return ''
  return `${dryRun ? 'Would be cut' : 'Cut'}: ${parts.join('; ')}. All: ${command}`
}

export const compress = defineVerb({
  name: 'compress',
  summary: 'Shorten a document to a token budget',
  detail:
    'Merges deltas into the body, drops finished artifacts and stale breadcrumbs, summarises older steps and superseded decisions, then drops the oldest entries. Problem, intent, decisions, rules, current state and next actions always stay unchanged. --hard also shortens long lines, then drops recent steps and artifacts except the last, and writes nothing if the document still does not fit. The full text stays in the history.',
  fields: {
    id: STREAM_FIELD,
    budget: { kind: 'count', least: 100, value: 'TOKENS', about: 'most tokens, estimated (default: 1000)' },
    hard: { kind: 'flag', about: 'write a document that fits, or nothing' },
    dryRun: { kind: 'flag', about: 'show what would be cut' },
  },
  examples: [
    'savepoint compress auth-system --dry-run',
    'savepoint compress auth-system --budget 800',
    'savepoint compress auth-system --budget 400 --hard',
  ],
  access: ({ dryRun }) => (dryRun ? 'read' : 'write'),
  takesIn: 'events',
  async perform(context, { id, budget = 1_000, hard, dryRun }) {
    const asked = { budget, hard, dryRun }
    if (dryRun) {
      const open = await requireOpen(context, await readSurvey(context), id)
      return { ...compressOpen(context, open, asked), ...NOT_WRITTEN }
    }
    return actOnDocuments(context, async (survey): Promise<DocumentAct<CompressReceipt>> => {
      const open = await requireOpen(context, survey, id)
      const result = compressOpen(context, open, asked)
      if (result.text === open.text) return { commit: {}, answer: { ...result, ...NOT_WRITTEN } }
      const note = `compressed from ${result.tokensBefore} to ${result.tokensAfter} tokens (est.)`
      const { commit, ...made } = await editDocument(context, survey, open, result.text, { note })
      return { commit, answer: { ...result, ...made, written: true } }
    })
  },
  say: (result) => {
    const { id, tokensBefore, tokensAfter, budget, folded, cuts, fits, written, dryRun, cut } = result
    const undo = `Before: savepoint show ${id} --at ${result.fromSequence}`
    return [
      `${dryRun ? 'Would compress' : written ? 'Compressed' : 'Did not change'} ${id}: ${tokensBefore} → ${tokensAfter} tokens (est.), budget ${budget}`,
      ...(folded > 0 ? [`  folded: ${plural(folded, 'delta')} into the body`] : []),
      ...cuts.map(
        ({ field, count, how, why }) => `  ${how}: ${count} of ${SECTION_OF[field] ?? field} (${why})`,
      ),
      ...(fits
        ? []
        : ['Over the budget: the rest must be kept or is recent. Shorten it yourself, or cut more: --hard']),
      ...(dryRun || written ? [] : ['Nothing to cut.']),
      ...(cut !== '' ? [cut] : written ? [undo] : []),
    ].join('\n')
  },
})

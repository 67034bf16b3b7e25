import { ReasonError, usageError } from '../../core/reason.ts'
import { visible } from '../../core/visible.ts'
import type { Context } from '../../engine/context/context.ts'
import { requireKnownRow, tellForeign } from '../../engine/documents/find-stream.ts'
import { pointAt } from '../../engine/documents/point.ts'
import { overviewRowOf, readSurvey } from '../../engine/documents/read-survey.ts'
import type { WorkRow } from '../../store/acts.ts'
import { choiceFact, flagFact, integerFact, nullableFact, textFact } from '../define/facts.ts'
import { defineVerb } from '../define/verb.ts'
import { fitLines, renderTable } from '../say/table.ts'
import { listDocument, STANDINGS } from './list-document.ts'
import { STREAM_FIELD } from './stream-field.ts'

function requireHash(text: string): void {
  if (!/^[0-9a-f]{6,64}$/.test(text)) throw usageError('--kept needs at least 6 digits of a hash')
}

/** Versions that are no documents: half a save, a broken front matter. */
const unreadVersions = async ({ store }: Context, { stream }: WorkRow) =>
  (await store.log.listVersions(stream.id)).filter(({ problem }) => problem !== null)

/** A text that was kept as it stood, though it was no document. */
async function keptText(context: Context, row: WorkRow, start: string) {
  const found = (await unreadVersions(context, row)).find(({ hash }) => hash.startsWith(start))
  const text = found ? await context.store.log.readText(found.hash) : null
  if (!found || text === null)
    throw new ReasonError('checkpoint_unknown', { id: row.stream.name, at: `with a kept text ${start}` })
  return { sequence: row.position.sequence, checkpoint: found.checkpoint, at: row.position.at, text }
}

/** Unreviewed text is shown to people, never to agents: neither a version nor the note of its save. */
async function refuseForeign(
  { store }: Context,
  { stream, position }: WorkRow,
  { at, history, kept }: { at: number | undefined; history: boolean; kept: string | undefined },
): Promise<void> {
  const rows = await store.log.readHistory(stream.id)
  const isForeign = history
    ? rows.some(({ foreign }) => foreign)
    : at === undefined
      ? // Of a text that was no document nobody knows who wrote it.
        position.foreign || kept !== undefined
      : rows.some(({ sequence, foreign }) => sequence === at && foreign)
  if (isForeign) throw new ReasonError('stream_foreign', { id: stream.name })
}

export const show = defineVerb({
  name: 'show',
  summary: 'Show the full text of saved work, or an older version',
  detail: 'Every version is kept. Output to a file or pipe is byte for byte.',
  fields: {
    id: STREAM_FIELD,
    at: { kind: 'count', least: 1, value: 'NUMBER', about: 'number of a checkpoint' },
    history: { kind: 'flag', about: 'list its checkpoints' },
    kept: {
      kind: 'text',
      typed: true,
      value: 'HASH',
      check: requireHash,
      about: 'a text that was not a valid document but was kept; --history lists them',
    },
  },
  examples: [
    'savepoint show auth-system',
    'savepoint show auth-system --history',
    'savepoint show auth-system --at 3 > old.md',
  ],
  access: 'read',
  takesIn: 'events',
  async perform(context, { id, at, history, kept }) {
    if ([at !== undefined, history, kept !== undefined].filter(Boolean).length > 1)
      throw usageError('use only one of --at, --history and --kept')
    const survey = await readSurvey(context)
    const row = requireKnownRow(survey, id)
    tellForeign(context, row)
    const document = listDocument(overviewRowOf(survey, row))
    if (context.speaker === 'agent') await refuseForeign(context, row, { at, history, kept })
    if (history) {
      const rows = await context.store.log.readHistory(row.stream.id)
      const texts = context.speaker === 'agent' ? [] : await unreadVersions(context, row)
      return {
        kind: 'history' as const,
        ...document,
        history: rows.map(({ sequence, id, at, foreign, gist }) => ({
          ...{ sequence, checkpoint: id, at, why: gist.document?.why ?? '', foreign },
          here: id === row.position.checkpoint,
        })),
        kept: texts.map(({ hash, problem }) => ({ hash, problem })),
      }
    }
    const point = kept === undefined ? pointAt(context, row, at) : keptText(context, row, kept)
    return { kind: 'document' as const, ...document, ...(await point) }
  },
  say: (result, screen) => {
    if (result.kind === 'document')
      return result.text
        .replace(/\r?\n$/, '')
        .split(/\r?\n/)
        .map(visible)
        .join('\n')
    const lines = renderTable(
      ['', 'NUMBER', 'WHEN', 'WHY'],
      result.history.map(({ sequence, at, why, here, foreign }) => [
        here ? '*' : '',
        String(sequence),
        screen.time(at),
        visible(foreign ? `${why} (foreign)` : why),
      ]),
      screen,
    )
    const keep = result.kept.map(
      ({ hash, problem }) =>
        `unreadable version kept: ${visible(problem ?? '')}\n  savepoint show ${result.id} --kept ${hash.slice(0, 12)}`,
    )
    return fitLines([lines, ...keep].join('\n'), screen)
  },
  exact: (result) => (result.kind === 'document' ? result.text : null),
  tool: {
    title: 'Show a document',
    when: 'Call it for the full text or an older version. It can be long: to continue work call resume.',
    effect: 'reads',
    facts: {
      kind: choiceFact(['document', 'history']),
      id: textFact(),
      standing: choiceFact(STANDINGS),
      path: nullableFact(textFact()),
      sequence: integerFact(),
      checkpoint: nullableFact(textFact()),
      at: nullableFact(textFact()),
      checkpoints: integerFact(),
      foreign: flagFact('has unreviewed text'),
    },
    factsOf: (result) => ({
      ...{ kind: result.kind, id: result.id, standing: result.standing, path: result.path },
      sequence: result.sequence,
      checkpoint: result.kind === 'document' ? result.checkpoint : null,
      at: result.kind === 'document' ? result.at : null,
      ...{ checkpoints: result.checkpoints, foreign: result.foreign },
    }),
  },
})

import { resolve } from 'node:path'
import { PLANS } from '../../core/layout.ts'
import { ReasonError, usageError } from '../../core/reason.ts'
import { formatCount } from '../../core/text.ts'
import { visible } from '../../core/visible.ts'
import { type ImportReport, importSources } from '../../engine/import/import-sources.ts'
import { adoptRepository, offerAdoption, tellAdoption } from '../../engine/transfer/adopt-repository.ts'
import { sniffFile } from '../../engine/transfer/read-export.ts'
import { importExport, type TransferReport } from '../../engine/transfer/take-export.ts'
import type { Screen } from '../define/screen.ts'
import { defineVerb } from '../define/verb.ts'
import { fitLines } from '../say/table.ts'

/** So many files are named; all are counted. */
const NAMED = 50

export const importVerb = defineVerb({
  name: 'import',
  summary: 'Import an export, or files of other tools',
  detail:
    'An export (savepoint export) adds whatever is missing here; if work continued on both machines, both versions are kept. Notes, ledgers and handoffs become checkpoints, dated when they were written, and a run folder becomes a run. Without paths the usual places are searched; folders are searched recursively. Old files go to a separate history, so an old note never becomes the newest state. Files imported before are skipped.',
  fields: {
    paths: { kind: 'words', at: 0, about: 'an export, or files and folders of this workspace' },
    dryRun: { kind: 'flag', about: 'show what would be imported' },
    skipDamaged: { kind: 'flag', about: 'import the undamaged part of a damaged export' },
    adopt: {
      kind: 'text',
      value: 'REPOSITORY',
      about: 'use the work of this repository (name or id), of which this is a clone',
    },
  },
  examples: [
    'savepoint import ~/payments.savepoint.gz',
    'savepoint import --adopt payments',
    'savepoint import --dry-run',
    'savepoint import',
    `savepoint import ${[...PLANS, 'auth'].join('/')} docs/handoff.md`,
  ],
  access: ({ dryRun }) => (dryRun ? 'read' : 'write'),
  lenient: true,
  async perform(context, { paths, dryRun, skipDamaged, adopt }) {
    if (paths.includes('')) throw usageError('a path is empty')
    const files = paths.map((path) => resolve(context.cwd, path))
    const kinds = files.map((path) => {
      const kind = sniffFile(path)
      if (kind === 'missing') throw new ReasonError('file_unknown', { path })
      if (kind === 'backup')
        throw usageError(
          `${path} is a backup, not an export. To put it in the place of your store: savepoint backup --restore ${path}`,
        )
      return kind
    })
    if (adopt !== undefined || skipDamaged || kinds.includes('export')) {
      const [file = null, ...more] = files
      if (more.length > 0) throw usageError('give only one file to import an export')
      if (adopt === undefined && file === null)
        throw usageError('--skip-damaged goes with the file of an export')
      if (adopt !== undefined && dryRun) throw usageError('--adopt has no dry run')
      const taken = file === null ? null : await importExport(context, file, { dryRun, skipDamaged })
      const adopted = adopt === undefined ? null : await adoptRepository(context, adopt)
      if (adopted === null && !dryRun) await offerAdoption(context)
      return { dryRun, taken, adopted }
    }
    const { skipped, elsewhere, ...report } = await importSources(context, paths, dryRun)
    return {
      ...report,
      skipped: { count: skipped.length, files: skipped.slice(0, NAMED) },
      elsewhere: { count: elsewhere.length, files: elsewhere.slice(0, NAMED) },
    }
  },
  say: (result, screen) => {
    if (!('taken' in result)) return sayImport(result, screen)
    const { dryRun, taken, adopted } = result
    return [
      ...(taken ? [sayTaken(taken, dryRun)] : []),
      ...(adopted ? tellAdoption(adopted).map(visible) : []),
    ].join('\n')
  },
})

type ImportAnswer = Omit<ImportReport, 'skipped' | 'elsewhere'> &
  Record<'skipped' | 'elsewhere', { count: number; files: ImportReport['skipped'] }>

function sayImport(result: ImportAnswer, screen: Screen): string {
  const { dryRun, imported, known, skipped, elsewhere, streams, runs, other } = result
  const parts = [
    `${dryRun ? 'Would import' : 'Imported'} ${formatCount(imported, 'document')}`,
    ...(runs.length > 0 ? [formatCount(runs.length, 'run')] : []),
    ...(known > 0 ? [`${known} already known`] : []),
    ...(elsewhere.count > 0 ? [`${elsewhere.count} imported another way`] : []),
    ...(skipped.count > 0 ? [`${skipped.count} unreadable`] : []),
    ...(other > 0 ? [`${formatCount(other, 'other file')} skipped`] : []),
  ]
  const foreign = streams.filter((stream) => stream.foreign).map(({ id }) => id)
  return fitLines(
    [
      `${parts.join(', ')}.`,
      ...streams.map((one) => sayStream(one, screen)),
      ...runs.map(
        ({ run, began, count }) =>
          `  ${run}${began ? ' (new run)' : ''}${count === null ? '' : `: ${formatCount(count, 'snapshot')}`}`,
      ),
      ...listSkipped(elsewhere),
      ...listSkipped(skipped),
      ...(foreign.length === 0 ? [] : [sayForeign(result, foreign)]),
    ].join('\n'),
    screen,
  )
}

function sayStream(
  { id, began, count: number, first, last }: ImportAnswer['streams'][number],
  { day }: Screen,
): string {
  const days = [...new Set([first, last].map(day))].join(' to ')
  return `  ${id}${began ? ' (new)' : ''}: ${formatCount(number, 'checkpoint')}, ${days}`
}

function listSkipped({ count: number, files }: ImportAnswer['skipped']): string[] {
  const rest = number - files.length
  const lines = files.map(({ path, problem }) => `  ${visible(path)}: ${visible(problem)}`)
  return rest > 0 ? [...lines, `  and ${rest} more`] : lines
}

function sayForeign({ trusted, dryRun }: ImportAnswer, ids: readonly string[]): string {
  const names = ids.slice(0, 5).join(' ')
  const why = trusted ? 'others wrote them' : 'this repository is not trusted'
  return dryRun
    ? `Would mark them foreign: ${why}. If they are yours, run savepoint trust first`
    : `Marked foreign: ${why}. Review: savepoint trust${trusted ? ` --review ${names}` : ''}`
}

function sayTaken(taken: TransferReport, dryRun: boolean): string {
  const { split, undone, problems, unplaced } = taken
  const names = nameTaken(taken)
  return [
    `${dryRun ? 'Would import' : 'Imported'} ${sayNews(taken)} of ${names.join(', ') || 'no repository'}.`,
    ...split.map(({ stream, now }) => `  ${stream} also changed here; imported as ${now}`),
    ...undone.map(
      ({ stream, repository }) =>
        `  ${stream} of ${visible(repository)} was undone there, and ${dryRun ? 'would be' : 'is now'} undone here. Bring it back: savepoint restore ${stream}`,
    ),
    ...problems.lines.map(({ line, what, problem }) => `  Skipped line ${line} (${what}): ${problem}`),
    ...(problems.count > problems.lines.length
      ? [`  and ${problems.count - problems.lines.length} more`]
      : []),
    ...(unplaced > 0 ? [`  ${formatCount(unplaced, 'record')} skipped: what they belong to is missing`] : []),
  ].join('\n')
}

/** Every repository that was written to; where none was, some of those that the file has. */
function nameTaken({ repositories }: TransferReport): string[] {
  const changed = repositories.filter((one) => one.changed)
  const isAlone = (name: string) => repositories.filter((one) => one.name === name).length === 1
  return (changed.length > 0 ? changed : repositories.slice(0, 5)).map(({ id, name }) =>
    visible(isAlone(name) ? name : `${name} (${id})`),
  )
}

/** What came, as people see it; where that is nothing, what came to what they see already. */
function sayNews({ work, runs, checkpoints, versions, sessions }: TransferReport): string {
  const told = [
    work.new > 0 ? `${work.new} new` : '',
    work.extended > 0 ? `${work.extended} extended` : '',
  ].filter((part) => part !== '')
  const counts = [
    [runs.new + runs.extended, 'run'],
    [sessions.new + sessions.updated, 'session'],
  ] as const
  const parts = [
    ...(told.length > 0 ? [`work: ${told.join(', ')}`] : []),
    ...counts.flatMap(([number, noun]) => (number > 0 ? [formatCount(number, noun)] : [])),
  ]
  if (parts.length > 0) return parts.join('; ')
  const rest = checkpoints.new + versions.new
  return rest > 0 ? formatCount(rest, 'record') : 'nothing new'
}

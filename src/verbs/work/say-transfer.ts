import { formatCount } from '../../core/text.ts'
import { visible } from '../../core/visible.ts'
import { type AdoptedRepository, tellAdoption } from '../../engine/transfer/adopt-repository.ts'
import type { TransferReport } from '../../engine/transfer/import-export.ts'

export interface TransferAnswer {
  dryRun: boolean
  /** What came from an export; null where none was named. */
  taken: TransferReport | null
  /** The repository that this clone is from now on. */
  adopted: AdoptedRepository | null
}

export const sayTransfer = ({ dryRun, taken, adopted }: TransferAnswer): string =>
  [
    ...(taken === null ? [] : [sayTaken(taken, dryRun)]),
    ...(adopted === null ? [] : tellAdoption(adopted).map(visible)),
  ].join('\n')

function sayTaken(taken: TransferReport, dryRun: boolean): string {
  const { repositories, split, problems, unplaced } = taken
  const names = repositories.map(({ name }) => visible(name)).slice(0, 5)
  return [
    `${dryRun ? 'Would import' : 'Imported'} ${sayNews(taken)} of ${names.join(', ') || 'no repository'}.`,
    ...split.map(({ stream, now }) => `  ${stream} went on here, too: what came is ${now}`),
    ...problems.lines.map(({ line, what, problem }) => `  Skipped line ${line} (${what}): ${problem}`),
    ...(problems.count > problems.lines.length
      ? [`  and ${problems.count - problems.lines.length} more`]
      : []),
    ...(unplaced > 0
      ? [`  ${formatCount(unplaced, 'record')} left out: what they belong to is missing`]
      : []),
  ].join('\n')
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

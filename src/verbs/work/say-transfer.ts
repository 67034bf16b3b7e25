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

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
  const { streams, checkpoints, versions, sessions, split, undone, problems, unplaced } = taken
  const added = [
    [streams.new + streams.extended, 'piece of work', 'pieces of work'],
    [checkpoints.new, 'checkpoint', 'checkpoints'],
    [versions.new, 'version', 'versions'],
    [sessions.new + sessions.updated, 'session', 'sessions'],
  ] as const
  const news = added
    .filter(([number]) => number > 0)
    .map(([number, one, many]) => formatCount(number, one, many))
  const names = nameTaken(taken)
  const known = checkpoints.known + sessions.known
  return [
    `${dryRun ? 'Would import' : 'Imported'} ${news.join(', ') || 'nothing new'} of ${names.join(', ') || 'no repository'}${known > 0 ? `; ${known} known already` : ''}.`,
    ...split.map(({ stream, now }) => `  ${stream} went on here, too: what came is ${now}`),
    ...undone.map(
      ({ stream, repository }) =>
        `  ${stream} of ${visible(repository)} was undone there, and so it is here. To have it again: savepoint restore ${stream}`,
    ),
    ...problems.lines.map(({ line, what, problem }) => `  Skipped line ${line} (${what}): ${problem}`),
    ...(problems.count > problems.lines.length
      ? [`  and ${problems.count - problems.lines.length} more`]
      : []),
    ...(unplaced > 0
      ? [`  ${formatCount(unplaced, 'record')} left out: what they belong to is missing`]
      : []),
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

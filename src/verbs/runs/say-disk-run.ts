import type { ListedRun } from '../../engine/runs/list-runs.ts'

/** How runs that are only on disk come into the store. */
export function sayTakeIn(runs: ReadonlyArray<Pick<ListedRun, 'runId' | 'place'>>): string[] {
  const onDisk = runs.filter(({ place }) => place === 'disk').map(({ runId }) => runId)
  if (onDisk.length === 0) return []
  const command = `savepoint import checkpoints/${onDisk.length === 1 ? onDisk[0] : '<run>'}`
  const are = onDisk.length === 1 ? `${onDisk[0]} is` : `${onDisk.length} runs are`
  return [`${are} only on disk. Import: ${command}`]
}

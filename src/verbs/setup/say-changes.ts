import { clipText } from '../../core/canonical.ts'
import type { SetupChange } from '../../engine/setup/setup-run.ts'
import type { Screen } from '../define/screen.ts'
import { paintDifference } from '../say/paint-difference.ts'
import { namedRows } from '../say/table.ts'

const DID = {
  ...{ made: 'created', changed: 'changed', removed: 'removed' },
  ...{ restored: 'restored', trusted: 'trusted', ran: 'ran' },
} as const satisfies Record<SetupChange['what'], string>

const WOULD = {
  ...{ made: 'would create', changed: 'would change', removed: 'would remove' },
  ...{ restored: 'would restore', trusted: 'would trust', ran: 'would run' },
} as const satisfies Record<SetupChange['what'], string>

/** A list of all hooks says no more than their first names. */
const MOST_ABOUT = 60

/** The list of paths with what becomes of each; with `hasDiffs` also line by line. */
export function sayChanges(
  changes: readonly SetupChange[],
  screen: Screen,
  { isDry, hasDiffs = false }: { isDry: boolean; hasDiffs?: boolean },
): string {
  const words = isDry ? WOULD : DID
  const rows = changes.map(
    ({ path, what, about }) =>
      [
        `  ${words[what]}`,
        `${path}${about ? ` (${hasDiffs ? about : clipText(about, MOST_ABOUT)})` : ''}`,
      ] as const,
  )
  const diffs = hasDiffs
    ? changes.flatMap(({ diff }) => (diff ? [paintDifference(diff, screen.paint)] : []))
    : []
  return [namedRows(rows, screen), ...diffs].join('\n')
}

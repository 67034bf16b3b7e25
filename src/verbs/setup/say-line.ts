import type { Scope } from '../../core/agent-setup.ts'
import { type LinePlan, type Lines, shownLine } from '../../engine/setup/statusline-plan.ts'

/** How the status line stands afterwards, in a sentence; null where there is nothing to say. */
export function sayLine(
  lines: Lines,
  isWanted: boolean | null,
  plan: LinePlan | null,
  scope: Scope,
): string | null {
  const { kind } = shownLine(lines)
  if (kind === 'strange')
    return 'The status line in the settings is not a command: it was left alone, and ours with it.'
  if (plan === null && kind !== 'ours' && isWanted !== false)
    return (
      'The status line was left alone. To have it: savepoint init --statusline' +
      (scope === 'user' ? ' --scope user' : '')
    )
  return null
}

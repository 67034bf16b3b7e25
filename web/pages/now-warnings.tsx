import type { AllowedVerb, RepositoryNow, Warning } from '../../src/apps/dashboard/api.ts'
import { useVerb } from '../app/verbs.ts'
import { Button } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'

const LEVELS = {
  error: { tone: 'bad', icon: 'warning' },
  warning: { tone: 'warn', icon: 'warning' },
  note: { tone: 'plain', icon: 'help' },
} as const

interface NowWarningsProps {
  warnings: readonly Warning[]
  repositories: readonly RepositoryNow[]
}

/** What needs a person, the worst first. */
export function NowWarnings({ warnings, repositories }: NowWarningsProps) {
  if (warnings.length === 0) return null
  const order = Object.keys(LEVELS)
  const sorted = [...warnings].sort((a, b) => order.indexOf(a.level) - order.indexOf(b.level))
  return (
    <section class="notices" aria-label="Needs attention">
      {sorted.map((warning) => (
        <WarningLine
          key={`${warning.what}${warning.workspace}`}
          warning={warning}
          repository={repositories.find(({ id }) => id === warning.repository)?.name ?? null}
        />
      ))}
    </section>
  )
}

function WarningLine({ warning, repository }: { warning: Warning; repository: string | null }) {
  const { isBusy, perform } = useVerb()
  const { level, what, todo, action, workspace } = warning
  const { tone, icon } = LEVELS[level]
  return (
    <div class={`notice is-${tone}`}>
      <Icon name={icon} />
      <div class="notice-words">
        <p class="notice-title">
          {repository && <span class="notice-where">{repository}</span>}
          {what}
        </p>
        {todo && <p class="second small">{todo}</p>}
      </div>
      {action && workspace !== null && (
        <Button
          isBusy={isBusy}
          // `as`: the server names only verbs that it allows.
          onClick={() => void perform({ verb: action.verb as AllowedVerb, workspace, input: action.input })}
        >
          {action.label}
        </Button>
      )}
    </div>
  )
}

import type { LiveSession, RepositoryNow } from '../../src/apps/dashboard/api.ts'
import { useNow } from '../app/clock.ts'
import { formatAge, formatSpan } from '../app/format.ts'
import { useVerb } from '../app/verbs.ts'
import { Button } from '../parts/button.tsx'
import { Chip, Dot } from '../parts/chip.tsx'
import { Gauge } from '../parts/gauge.tsx'
import { Icon } from '../parts/icon.tsx'
import { sessionHref, sessionState } from './session-words.ts'

interface NowSessionProps {
  session: LiveSession
  repositories: readonly RepositoryNow[]
}

export function NowSession({ session, repositories }: NowSessionProps) {
  const now = useNow()
  const { isBusy, perform } = useVerb()
  const { window, running, asked, branch, agent, workspace } = session
  const { tone, word, needsReconcile } = sessionState(session)
  const repository = repositories.find(({ id }) => id === session.repository)?.name
  return (
    <article class="card session-card">
      <header class="session-card-head">
        <Dot tone={tone} isPulsing={session.phase === 'active' && session.paused === null} />
        <span class="one-line">
          <strong>{agent}</strong>
          {repository && <span class="quiet"> in {repository}</span>}
        </span>
        <Chip tone={tone}>{word}</Chip>
      </header>
      <h3 class="two-lines session-card-title">
        <a class="card-link" href={sessionHref(session.key)}>
          {asked || 'No request yet'}
        </a>
      </h3>
      {window.tokens !== null && (
        <Gauge
          tokens={window.tokens}
          window={window.window}
          label={`Context window of ${agent}`}
          history={window.points.map(({ tokens }) => tokens)}
        />
      )}
      <footer class="session-card-foot small quiet">
        {branch && (
          <span class="with-icon one-line">
            <Icon name="fork" size={13} />
            {branch}
          </span>
        )}
        <span class="with-icon">
          <Icon name="clock" size={13} />
          {session.phase === 'stale'
            ? `silent for ${formatSpan(now - Date.parse(session.lastActivityAt))}`
            : formatAge(session.lastActivityAt, now)}
        </span>
        {running.length > 0 && <span class="one-line">{running.map(({ what }) => what).join(', ')}</span>}
        {needsReconcile && (
          <span class="foot-action">
            <Button
              icon="reconcile"
              isBusy={isBusy}
              onClick={() => void perform({ verb: 'reconcile', workspace, input: {} })}
            >
              Reconcile
            </Button>
          </span>
        )}
      </footer>
    </article>
  )
}

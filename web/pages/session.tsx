import type { SessionPage } from '../../src/apps/dashboard/api.ts'
import { useNow } from '../app/clock.ts'
import { formatCount, formatDuration, formatMoment } from '../app/format.ts'
import { endOf } from '../app/timeline.ts'
import { useVerb } from '../app/verbs.ts'
import { useView } from '../app/views.ts'
import { Button } from '../parts/button.tsx'
import { Chip } from '../parts/chip.tsx'
import { Gauge } from '../parts/gauge.tsx'
import { Icon } from '../parts/icon.tsx'
import { Card, Loading, Page, RefusalNote } from '../parts/page.tsx'
import { WindowChart } from '../parts/window-chart.tsx'
import { SessionDid } from './session-did.tsx'
import { SessionTalk } from './session-talk.tsx'
import { sessionHref, sessionState } from './session-words.ts'
import { workHref } from './work-words.ts'

/** What one session came to. */
export function Session({ id }: { id: string }) {
  const { data, refusal } = useView<SessionPage>(`/api/sessions/${encodeURIComponent(id)}`)
  if (!data)
    return <Page title="Session">{refusal ? <RefusalNote refusal={refusal} /> : <Loading rows={6} />}</Page>
  const { session, window, marks } = data
  return (
    <div class="page">
      <SessionHead page={data} />
      {refusal && <RefusalNote refusal={refusal} />}
      <SessionFigures page={data} />
      {window.points.length > 1 ? (
        <Card title="Context window" aside={<WindowSize page={data} />}>
          <WindowChart gauge={window} marks={marks} />
        </Card>
      ) : (
        window.tokens !== null && (
          <Card title="Context window">
            <Gauge
              tokens={window.tokens}
              window={window.window}
              label={`Context window of ${session.agent}`}
            />
          </Card>
        )
      )}
      <div class="columns">
        <SessionTalk page={data} />
        <SessionDid page={data} />
      </div>
    </div>
  )
}

function WindowSize({ page: { window } }: { page: SessionPage }) {
  return (
    <span class="small quiet number">
      {window.usedPercent !== null && `${Math.round(window.usedPercent)} %`}
      {window.window !== null && ` of ${formatCount(window.window)}`}
    </span>
  )
}

function SessionHead({ page }: { page: SessionPage }) {
  const now = useNow()
  const { isBusy, perform } = useVerb()
  const { session, repository, parent, children } = page
  const { tone, word, needsReconcile } = sessionState(session)
  // Where it saved already, the work is known by its id.
  const saved = page.marks.find(({ work }) => work?.name === session.work)?.work
  return (
    <header class="detail-head">
      <a class="back is-always small" href="#/sessions">
        <Icon name="chevron" size={13} /> Sessions
      </a>
      <div class="detail-title">
        <h1 class="two-lines">{session.asked || `${session.agent} session`}</h1>
        <Chip tone={tone}>{word}</Chip>
      </div>
      <p class="detail-meta small quiet">
        <span class="with-icon">
          <Icon name="terminal" size={13} />
          {[session.agent, session.model].filter(Boolean).join(' · ')}
        </span>
        <span class="with-icon">
          <Icon name="folder" size={13} />
          {repository.name}
        </span>
        {session.branch && (
          <span class="with-icon">
            <Icon name="fork" size={13} />
            {session.branch}
          </span>
        )}
        <span class="with-icon number">
          <Icon name="clock" size={13} />
          {formatMoment(session.startedAt, now)},{' '}
          {formatDuration(endOf(session) - Date.parse(session.startedAt))}
        </span>
        {session.work && (
          <span class="with-icon">
            <Icon name="save" size={13} />
            saves to{' '}
            {saved ? (
              <a class="link" href={workHref(saved.id)}>
                {session.work}
              </a>
            ) : (
              session.work
            )}
          </span>
        )}
      </p>
      {(needsReconcile || parent || children.length > 0) && (
        <div class="detail-actions">
          {needsReconcile && (
            <Button
              icon="reconcile"
              kind="primary"
              isBusy={isBusy}
              onClick={() => void perform({ verb: 'reconcile', workspace: session.workspace, input: {} })}
            >
              Reconcile
            </Button>
          )}
          {parent && (
            <a class="button is-plain" href={sessionHref(parent)}>
              Goes on from
            </a>
          )}
          {children.map((child) => (
            <a key={child} class="button is-plain" href={sessionHref(child)}>
              Went on as
            </a>
          ))}
        </div>
      )}
    </header>
  )
}

function SessionFigures({ page: { session, consumed, commands } }: { page: SessionPage }) {
  const failed = commands.filter((command) => command.failed).length
  const figures = [
    {
      name: 'Tokens',
      value: formatCount(session.tokens),
      about: `${consumed.apiCalls.toLocaleString('en')} calls`,
    },
    { name: 'Files', value: String(session.files), about: 'changed' },
    { name: 'Commits', value: String(session.commits), about: 'made' },
    {
      name: 'Commands',
      value: String(commands.length),
      about: failed === 0 ? 'all passed' : `${failed} failed`,
    },
    {
      name: 'Compactions',
      value: String(session.compactions),
      about: session.compactions > 1 ? 'clear and reload' : '',
    },
  ]
  return (
    <dl class="figures">
      {figures.map(({ name, value, about }) => (
        <div key={name}>
          <dt class="small quiet">{name}</dt>
          <dd class="number">
            {value} <span class="small quiet">{about}</span>
          </dd>
        </div>
      ))}
    </dl>
  )
}

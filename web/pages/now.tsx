import type { NowPage } from '../../src/apps/dashboard/api.ts'
import { plural } from '../app/format.ts'
import { useView } from '../app/views.ts'
import { Empty } from '../parts/empty.tsx'
import { Icon } from '../parts/icon.tsx'
import { Loading, Page, RefusalNote } from '../parts/page.tsx'
import { NowRepository } from './now-repository.tsx'
import { NowSession } from './now-session.tsx'
import { NowWarnings } from './now-warnings.tsx'

/** Git is asked about so many repositories, those that were worked in last: it takes a process each. */
const WITH_STATUS = 3

/** What is being worked on, where it stands, what is at risk. */
export function Now() {
  const { data, refusal } = useView<NowPage>('/api/now')
  if (!data)
    return <Page title="Now">{refusal ? <RefusalNote refusal={refusal} /> : <Loading rows={5} />}</Page>
  const { repositories, sessions, warnings, totals, moreRepositories, moreSessions } = data
  const isEmpty = repositories.length === 0 && sessions.length === 0
  return (
    <Page title="Now" about={isEmpty ? 'Nothing is saved yet' : sayTotals(totals)}>
      {refusal && <RefusalNote refusal={refusal} />}
      {data.speaker === 'agent' && <AgentNote />}
      {isEmpty && <FirstSteps />}
      <NowWarnings warnings={withoutShown(warnings, sessions)} repositories={repositories} />
      {sessions.length > 0 && (
        <section class="stack" aria-labelledby="now-sessions">
          <h2 id="now-sessions" class="section-title">
            Sessions <span class="quiet">{sessions.length + moreSessions}</span>
          </h2>
          <div class="session-cards">
            {sessions.map((session) => (
              <NowSession key={session.key} session={session} repositories={repositories} />
            ))}
          </div>
          {moreSessions > 0 && (
            <a class="more-link" href="#/sessions">
              {plural(moreSessions, 'more session')}
            </a>
          )}
        </section>
      )}
      {repositories.length > 0 && (
        <section class="stack" aria-labelledby="now-work">
          <h2 id="now-work" class="section-title">
            Work
          </h2>
          {repositories.map((repository, index) => (
            <NowRepository key={repository.id} repository={repository} withStatus={index < WITH_STATUS} />
          ))}
          {moreRepositories > 0 && (
            <p class="quiet small">{plural(moreRepositories, 'older repository', 'older repositories')}</p>
          )}
        </section>
      )}
    </Page>
  )
}

/** A silent session has its own card with its own button: no second one is needed above it. */
const withoutShown = (warnings: NowPage['warnings'], sessions: NowPage['sessions']) =>
  warnings.filter(
    ({ action, workspace }) =>
      action?.verb !== 'reconcile' ||
      !sessions.some((session) => session.phase === 'stale' && session.workspace === workspace),
  )

const sayTotals = ({ repositories, works, checkpoints }: NowPage['totals']) =>
  [
    plural(repositories, 'repository', 'repositories'),
    plural(works, 'piece of work', 'pieces of work'),
    plural(checkpoints, 'checkpoint'),
  ].join(' · ')

function AgentNote() {
  return (
    <div class="notice is-warn">
      <Icon name="warning" />
      <p class="notice-words">
        An agent started this dashboard: what is done here counts as the agent's word. Start it in a terminal
        of your own.
      </p>
    </div>
  )
}

function FirstSteps() {
  return (
    <Empty
      icon="save"
      title="Save your first checkpoint"
      commands={['savepoint init', 'savepoint save "Login works; next: refresh tokens"']}
    >
      Run init once in a repository: sessions of your agents are recorded from then on. Or save by hand. What
      you save appears here within a second.
    </Empty>
  )
}

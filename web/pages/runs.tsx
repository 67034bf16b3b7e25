import type { RunLine, RunsPage } from '../../src/apps/dashboard/api.ts'
import { useNow } from '../app/clock.ts'
import { formatAge, plural } from '../app/format.ts'
import { goTo, usePlace } from '../app/router.ts'
import { useView } from '../app/views.ts'
import { Chip } from '../parts/chip.tsx'
import { Empty } from '../parts/empty.tsx'
import { Loading, Page, RefusalNote } from '../parts/page.tsx'
import { Select } from '../parts/select.tsx'
import { VirtualList } from '../parts/virtual-list.tsx'
import { RunDetail } from './run-detail.tsx'
import { sayProgress, toneOfProgress } from './work-words.ts'

const ROW = 62

export const runHref = (id: string) => `#/runs/${encodeURIComponent(id)}`

/** Runs of plans, newest first, and one of them beside the list. */
export function Runs({ id }: { id: string | null }) {
  const { query } = usePlace()
  const repository = query.get('repository') ?? ''
  const { data, refusal } = useView<RunsPage>(
    repository === '' ? '/api/runs' : `/api/runs?repository=${encodeURIComponent(repository)}`,
  )
  const shown = id ?? data?.runs[0]?.id ?? null
  if (data?.runs.length === 0 && repository === '') return <NoRuns />
  return (
    <div class={`split${id === null ? '' : ' has-detail'}`}>
      <section class="split-list" aria-label="List of runs">
        <header class="split-head">
          <h1>Runs</h1>
          {data && data.repositories.length > 1 && (
            <Select
              label="Repository"
              value={repository}
              options={[
                { value: '', name: 'All repositories' },
                ...data.repositories.map(({ id: value, name }) => ({ value, name })),
              ]}
              onChange={(value) =>
                goTo(value === '' ? '#/runs' : `#/runs?repository=${encodeURIComponent(value)}`)
              }
            />
          )}
        </header>
        {!data && (refusal ? <RefusalNote refusal={refusal} /> : <Loading rows={6} />)}
        {data?.runs.length === 0 && <p class="split-none quiet">No runs in this repository.</p>}
        {data && data.runs.length > 0 && (
          <VirtualList rows={data.runs} rowHeight={ROW} label="Runs, newest first" keyOf={(run) => run.id}>
            {(run) => <RunRow run={run} isChosen={run.id === shown} />}
          </VirtualList>
        )}
        {data && data.moreRuns > 0 && (
          <p class="split-none small quiet">{plural(data.moreRuns, 'older run')} not listed</p>
        )}
      </section>
      <section class="split-detail" aria-label="Run">
        {shown !== null && <RunDetail key={shown} id={shown} />}
      </section>
    </div>
  )
}

function RunRow({ run, isChosen }: { run: RunLine; isChosen: boolean }) {
  const now = useNow()
  const { name, progress, stepsDone, steps, step, updatedAt } = run
  return (
    <a class="run-row" href={runHref(run.id)} aria-current={isChosen ? 'true' : undefined}>
      <span class="run-row-head">
        <span class="one-line run-row-name">{name}</span>
        <Chip tone={toneOfProgress(progress)}>{sayProgress(progress)}</Chip>
      </span>
      <span class={`thin-bar is-${toneOfProgress(progress)}`} aria-hidden="true">
        <span style={{ width: `${steps === 0 ? 0 : (stepsDone / steps) * 100}%` }} />
      </span>
      <span class="run-row-foot small quiet number">
        <span class="one-line">
          {[`${stepsDone} of ${steps} steps`, progress === 'in_progress' && step].filter(Boolean).join(' · ')}
        </span>
        <span>{formatAge(updatedAt, now)}</span>
      </span>
    </a>
  )
}

function NoRuns() {
  return (
    <Page title="Runs">
      <Empty
        icon="runs"
        title="No runs yet"
        commands={[
          'savepoint run start plan.md --run-id release-1',
          'savepoint run exec release-1 -- npm test',
        ]}
      >
        A run is one execution of a plan: its steps, its snapshots and what its commands answered.
      </Empty>
    </Page>
  )
}

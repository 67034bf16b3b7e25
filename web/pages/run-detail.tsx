import { useState } from 'preact/hooks'
import type { RunPage } from '../../src/apps/dashboard/api.ts'
import { useNow } from '../app/clock.ts'
import { formatAge, formatDuration, formatMoment } from '../app/format.ts'
import { useVerb } from '../app/verbs.ts'
import { useView } from '../app/views.ts'
import { Button } from '../parts/button.tsx'
import { Chip, Dot, type Tone } from '../parts/chip.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Icon } from '../parts/icon.tsx'
import { Card, Loading, RefusalNote } from '../parts/page.tsx'
import { SnapshotAxis } from '../parts/snapshot-axis.tsx'
import { Strip } from '../parts/strip.tsx'
import { sayProgress, toneOfProgress } from './work-words.ts'

/** One run: steps, snapshots, commands. */
export function RunDetail({ id }: { id: string }) {
  const { data, refusal } = useView<RunPage>(`/api/runs/${encodeURIComponent(id)}`)
  if (!data) return refusal ? <RefusalNote refusal={refusal} /> : <Loading rows={6} />
  const { steps, snapshots, moreSnapshots, commands, fault, violations } = data
  return (
    <div class="detail">
      <RunHead page={data} />
      {fault && (
        <div class="notice is-bad">
          <Icon name="warning" />
          <div class="notice-words">
            <p class="notice-title">{fault.message || 'This run failed'}</p>
            <p class="small second">
              {fault.reasonCode} · {fault.recoverable ? 'can be resumed' : 'cannot be resumed'}
            </p>
          </div>
        </div>
      )}
      {violations.map((violation) => (
        <div key={violation} class="notice is-warn">
          <Icon name="warning" />
          <p class="notice-words">{violation}</p>
        </div>
      ))}
      <Card
        title="Steps"
        aside={<span class="small quiet">{`${data.run.stepsDone} of ${data.run.steps} done`}</span>}
      >
        <Strip steps={steps} />
      </Card>
      <Card title="Snapshots" aside={<span class="small quiet">{snapshots.length + moreSnapshots}</span>}>
        <SnapshotAxis snapshots={snapshots} titles={new Map(steps.map(({ id, title }) => [id, title]))} />
      </Card>
      {commands.length > 0 && <Commands commands={commands} />}
    </div>
  )
}

function RunHead({ page: { run, planPath, workspace, repository } }: { page: RunPage }) {
  const now = useNow()
  const [isPruning, setPruning] = useState(false)
  const { isBusy, perform } = useVerb()
  return (
    <header class="detail-head">
      <a class="back small" href="#/runs">
        <Icon name="chevron" size={13} /> Runs
      </a>
      <div class="detail-title">
        <h1 class="title">{run.name}</h1>
        <Chip tone={toneOfProgress(run.progress)}>{sayProgress(run.progress)}</Chip>
      </div>
      <p class="detail-meta small quiet">
        <span class="with-icon">
          <Icon name="folder" size={13} />
          {repository.name}
        </span>
        {planPath && (
          <span class="with-icon">
            <Icon name="file" size={13} />
            {planPath}
          </span>
        )}
        <span class="with-icon number">
          <Icon name="clock" size={13} />
          {formatDuration(Date.parse(run.updatedAt) - Date.parse(run.createdAt))}, last snapshot{' '}
          {formatAge(run.updatedAt, now)}
        </span>
      </p>
      {workspace.exists && (
        <div class="detail-actions">
          <Button
            icon="shield"
            isBusy={isBusy}
            onClick={() =>
              void perform({ verb: 'run verify', workspace: workspace.id, input: { run: run.name } })
            }
          >
            Verify
          </Button>
          <Button icon="trash" onClick={() => setPruning(true)}>
            Prune
          </Button>
          {run.progress === 'in_progress' && (
            <Button
              icon="pause"
              onClick={() =>
                void perform({ verb: 'run pause', workspace: workspace.id, input: { run: run.name } })
              }
            >
              Pause
            </Button>
          )}
        </div>
      )}
      {isPruning && (
        <FormDialog
          title="Prune snapshots"
          about="Removes and compresses old snapshots of every run in this repository. The newest, the last failed, the last completed and pinned ones stay."
          confirm="Prune"
          fields={[
            { name: 'maxPerRun', label: 'Keep per run', value: '50', isNumber: true },
            { name: 'maxAgeDays', label: 'Keep for days', value: '14', isNumber: true },
          ]}
          request={{ verb: 'run prune', workspace: workspace.id, input: {} }}
          onClose={() => setPruning(false)}
        />
      )}
    </header>
  )
}

const RESULTS: Record<RunPage['commands'][number]['result'], Tone> = {
  PASS: 'good',
  FAIL: 'bad',
  WARN: 'warn',
}

function Commands({ commands }: { commands: RunPage['commands'] }) {
  const now = useNow()
  const newest = [...commands].reverse()
  return (
    <Card isFlush title="Commands" aside={<span class="small quiet">newest first</span>}>
      <ul class="rows">
        {newest.map((command) => (
          <li key={`${command.at}${command.name}`} class="command">
            <Dot tone={RESULTS[command.result]} />
            <code class="command-name one-line">{command.name}</code>
            <span class="command-summary one-line second small">{command.summary || command.reasonCode}</span>
            <span class={`small command-result is-${RESULTS[command.result]}`}>
              {command.result.toLowerCase()}
            </span>
            <span class="small quiet number command-time">{formatDuration(command.durationMs)}</span>
            <span class="small quiet number command-at">{formatMoment(command.at, now)}</span>
          </li>
        ))}
      </ul>
    </Card>
  )
}

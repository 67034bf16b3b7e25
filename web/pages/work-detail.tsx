import type { WorkPage } from '../../src/apps/dashboard/api.ts'
import { useNow } from '../app/clock.ts'
import { formatAge } from '../app/format.ts'
import { replaceQuery, usePlace } from '../app/router.ts'
import { useView } from '../app/views.ts'
import { ActionButton } from '../app/work-actions.tsx'
import { Button } from '../parts/button.tsx'
import { Chip } from '../parts/chip.tsx'
import { CommandLine } from '../parts/empty.tsx'
import { Icon } from '../parts/icon.tsx'
import { Loading, RefusalNote } from '../parts/page.tsx'
import { Scrubber } from '../parts/scrubber.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { Corrections } from './corrections.tsx'
import { WorkCompare } from './work-compare.tsx'
import { WorkDocument } from './work-document.tsx'
import { WorkSessions } from './work-sessions.tsx'
import { sayProgress, toneOfProgress } from './work-words.ts'

type Tab = 'document' | 'deltas' | 'compare' | 'claims' | 'sessions'

export function WorkDetail({ id }: { id: string }) {
  const { query } = usePlace()
  const at = query.get('at')
  const url = `/api/works/${encodeURIComponent(id)}`
  const { data, refusal } = useView<WorkPage>(at === null ? url : `${url}?at=${encodeURIComponent(at)}`)
  // While another point is read the newest known one stays on the screen.
  const { data: newest } = useView<WorkPage>(url)
  const page = data ?? newest
  if (!page) return refusal ? <RefusalNote refusal={refusal} /> : <Loading rows={6} />
  const tab = (query.get('tab') ?? 'document') as Tab
  const last = page.history.at(-1)?.sequence ?? page.point.sequence
  const isNewest = page.point.sequence === last
  return (
    <div class="detail">
      <WorkHead page={page} />
      {refusal && <RefusalNote refusal={refusal} />}
      {tab !== 'compare' && (
        <Scrubber
          history={page.history}
          at={at === null ? last : Number(at)}
          label="History"
          onMove={(sequence) => replaceQuery({ at: sequence === last ? null : String(sequence) })}
        />
      )}
      <Tabs
        label="About this work"
        tabs={[
          { id: 'document', name: 'Document' },
          { id: 'deltas', name: 'Deltas', count: page.deltas.length },
          { id: 'compare', name: 'Compare' },
          { id: 'claims', name: 'Claims', count: page.items.length },
          { id: 'sessions', name: 'Sessions', count: page.sessions.length },
        ]}
        chosen={tab}
        onChoose={(next: Tab) => replaceQuery({ tab: next === 'document' ? null : next })}
      />
      <div class="tab-panel" id="tab-panel" role="tabpanel" aria-labelledby={`tab-${tab}`}>
        {page.point.foreign && <ForeignNote name={page.work.name} />}
        {!isNewest && tab !== 'compare' && <OldPoint page={page} />}
        {tab === 'document' && <WorkDocument sections={page.sections} text={page.text} />}
        {tab === 'deltas' && <WorkDocument sections={page.deltas} text="" isDeltas />}
        {tab === 'compare' && <WorkCompare id={id} history={page.history} />}
        {tab === 'claims' && (
          <Corrections items={page.items} work={page.work.name} workspace={page.workspace.id} />
        )}
        {tab === 'sessions' && <WorkSessions sessions={page.sessions} />}
      </div>
    </div>
  )
}

function WorkHead({ page: { work, workspace, point, path, repository } }: { page: WorkPage }) {
  const now = useNow()
  const target = { name: work.name, workspace: workspace.id }
  return (
    <header class="detail-head">
      <a class="back small" href={`#/work?repository=${encodeURIComponent(repository.id)}`}>
        <Icon name="chevron" size={13} /> Work
      </a>
      <div class="detail-title">
        <h1 class="title">{work.name}</h1>
        <span class="chips">
          {work.standing !== 'open' && (
            <Chip tone={work.standing === 'focused' ? 'accent' : 'plain'}>{work.standing}</Chip>
          )}
          <Chip tone={toneOfProgress(work.progress)}>{sayProgress(work.progress)}</Chip>
          {work.merged && <Chip tone="good">merged</Chip>}
          {(work.foreign || point.foreign) && (
            <Chip tone="alien" title="This text came with the repository and was not reviewed">
              foreign
            </Chip>
          )}
        </span>
      </div>
      <p class="detail-meta small quiet">
        {work.branch && (
          <span class="with-icon">
            <Icon name="fork" size={13} />
            {work.branch}
          </span>
        )}
        <span class="with-icon">
          <Icon name="file" size={13} />
          {path ?? 'no document file'}
        </span>
        <span class="with-icon number">
          <Icon name="clock" size={13} />#{work.sequence} saved {formatAge(work.updatedAt, now)}
        </span>
      </p>
      {workspace.exists ? (
        <div class="detail-actions">
          {work.standing === 'open' && <ActionButton action="focus" kind="primary" target={target} />}
          {work.standing === 'archived' ? (
            <ActionButton action="restore" kind="primary" target={target} />
          ) : (
            <>
              <ActionButton action="save" target={target} />
              <ActionButton action="handoff" target={target} />
              <ActionButton action="fork" target={target} />
              <ActionButton action="archive" target={target} />
            </>
          )}
          <ActionButton action="undo" kind="ghost" target={target} />
        </div>
      ) : (
        <p class="small quiet">
          The folder {workspace.path} is not on this machine: nothing can be done there.
        </p>
      )}
    </header>
  )
}

function ForeignNote({ name }: { name: string }) {
  return (
    <div class="notice is-alien">
      <Icon name="shield" />
      <p class="notice-words">
        This text came with the repository and was not reviewed. No agent is told it as yours.
      </p>
      <CommandLine command={`savepoint trust --review ${name}`} />
    </div>
  )
}

function OldPoint({ page: { point, work } }: { page: WorkPage }) {
  return (
    <div class="notice is-plain">
      <Icon name="clock" />
      <p class="notice-words">
        This is {work.name} as it was at #{point.sequence}.
      </p>
      <Button onClick={() => replaceQuery({ at: null })}>Newest</Button>
      <Button
        onClick={() => replaceQuery({ tab: 'compare', from: String(point.sequence), to: null, at: null })}
      >
        What changed since
      </Button>
    </div>
  )
}

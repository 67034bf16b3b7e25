import type { RepositoryNow, WorkNow } from '../../src/apps/dashboard/api.ts'
import { useNow } from '../app/clock.ts'
import { formatAge, plural } from '../app/format.ts'
import { ActionButton } from '../app/work-actions.tsx'
import { Chip } from '../parts/chip.tsx'
import { Icon } from '../parts/icon.tsx'
import { StepRing } from '../parts/step-ring.tsx'
import { NowStatus } from './now-status.tsx'
import { toneOfProgress, workHref } from './work-words.ts'

interface NowRepositoryProps {
  repository: RepositoryNow
  /** Whether git is asked about it as well. */
  withStatus: boolean
}

export function NowRepository({ repository, withStatus }: NowRepositoryProps) {
  const now = useNow()
  const { name, works, moreWorks, archived, workspaces, lastActivityAt } = repository
  const [workspace] = workspaces
  const [first, ...others] = works
  return (
    <article class="card is-flush repository" aria-label={name}>
      <header class="card-head repository-head">
        <Icon name="folder" />
        <h3>{name}</h3>
        <span class="small quiet one-line" title={workspace?.path}>
          {workspace?.branch ?? workspace?.path}
        </span>
        {lastActivityAt && <span class="small quiet repository-age">{formatAge(lastActivityAt, now)}</span>}
        {workspace?.exists && first && (
          <ActionButton action="undo" kind="ghost" target={{ name: first.name, workspace: workspace.id }} />
        )}
      </header>
      {withStatus && workspace?.exists && <NowStatus workspace={workspace} />}
      {first ? <WorkInFull work={first} nowMs={now} /> : <p class="repository-none quiet">No open work</p>}
      {others.length > 0 && (
        <ul class="work-lines">
          {others.map((work) => (
            <WorkInLine key={work.id} work={work} nowMs={now} />
          ))}
        </ul>
      )}
      {(moreWorks > 0 || archived > 0) && (
        <a class="card-foot-link small" href={`#/work?repository=${encodeURIComponent(repository.id)}`}>
          {[
            moreWorks > 0 && `${moreWorks} more open`,
            archived > 0 && `${plural(archived, 'archived')}`.replace(/s$/, ''),
          ]
            .filter(Boolean)
            .join(' · ')}
          <Icon name="arrow" size={13} />
        </a>
      )}
    </article>
  )
}

interface WorkProps {
  work: WorkNow
  nowMs: number
}

function WorkInFull({ work, nowMs }: WorkProps) {
  const target = { name: work.name, workspace: work.workspace }
  const about = work.goal || work.problem
  return (
    <div class="work-full">
      <header class="work-full-head">
        <StepRing done={work.stepsDone} steps={work.steps} tone={toneOfProgress(work.progress)} />
        <div class="work-full-title">
          <h4>
            <a href={workHref(work.id)}>{work.name}</a>
          </h4>
          <WorkChips work={work} />
        </div>
        <p class="small quiet">
          saved {formatAge(work.savedAt, nowMs)} · #{work.sequence}
        </p>
      </header>
      {about && <p class="second two-lines work-about">{about}</p>}
      <dl class="work-fields">
        <div>
          <dt>Now</dt>
          <dd>{work.now || <span class="quiet">Nothing said</span>}</dd>
        </div>
        <div>
          <dt>Next</dt>
          <dd>
            {work.next.length === 0 ? (
              <span class="quiet">Nothing said</span>
            ) : (
              <Items items={work.next} isOrdered />
            )}
          </dd>
        </div>
        {work.blockers.length > 0 && (
          <div class="is-bad">
            <dt>Blocked by</dt>
            <dd>
              <Items items={work.blockers} />
            </dd>
          </div>
        )}
      </dl>
      <div class="work-actions">
        <ActionButton action="save" target={target} />
        <ActionButton action="handoff" target={target} />
        {work.standing !== 'focused' && <ActionButton action="focus" target={target} />}
        <a
          class="button is-plain"
          href={`#/brief?workspace=${encodeURIComponent(work.workspace)}&work=${encodeURIComponent(work.name)}`}
        >
          <Icon name="brief" size={15} />
          Brief
        </a>
      </div>
    </div>
  )
}

const MOST_ITEMS = 3

function Items({ items, isOrdered = false }: { items: readonly string[]; isOrdered?: boolean }) {
  const List = isOrdered ? 'ol' : 'ul'
  return (
    <List class="item-list">
      {items.slice(0, MOST_ITEMS).map((item) => (
        <li key={item}>{item}</li>
      ))}
      {items.length > MOST_ITEMS && <li class="quiet">and {items.length - MOST_ITEMS} more</li>}
    </List>
  )
}

function WorkInLine({ work, nowMs }: WorkProps) {
  return (
    <li>
      <a class="work-line" href={workHref(work.id)}>
        <StepRing done={work.stepsDone} steps={work.steps} tone={toneOfProgress(work.progress)} size={18} />
        <span class="work-line-name one-line">{work.name}</span>
        <span class="work-line-now one-line second">{work.now || work.next[0] || work.problem}</span>
        <WorkChips work={work} />
        <span class="work-line-age small quiet number">{formatAge(work.savedAt, nowMs)}</span>
      </a>
    </li>
  )
}

function WorkChips({ work }: { work: WorkNow }) {
  return (
    <span class="chips">
      {work.standing === 'focused' && <Chip tone="accent">focused</Chip>}
      {work.blockers.length > 0 && <Chip tone="bad">blocked</Chip>}
      {work.progress === 'failed' && <Chip tone="bad">failed</Chip>}
      {work.progress === 'paused' && <Chip tone="warn">paused</Chip>}
      {work.unconfirmed > 0 && <Chip tone="warn">{work.unconfirmed} unconfirmed</Chip>}
      {work.openQuestions > 0 && <Chip>{plural(work.openQuestions, 'question')}</Chip>}
      {work.isDamaged && <Chip tone="bad">damaged</Chip>}
      {work.foreign && (
        <Chip tone="alien" title="This text came with the repository and was not reviewed">
          foreign
        </Chip>
      )}
    </span>
  )
}

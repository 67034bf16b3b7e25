import { useMemo, useState } from 'preact/hooks'
import type { NowPage, WorkNode, WorkPage, WorksPage } from '../../src/apps/dashboard/api.ts'
import { plural } from '../app/format.ts'
import { goTo, usePlace } from '../app/router.ts'
import { useView } from '../app/views.ts'
import { layTree } from '../app/work-tree.ts'
import { Empty } from '../parts/empty.tsx'
import { Loading, Page, RefusalNote } from '../parts/page.tsx'
import { Select } from '../parts/select.tsx'
import { Tree } from '../parts/tree.tsx'
import { WorkDetail } from './work-detail.tsx'
import { workHref } from './work-words.ts'

/** The tree of a repository's works, and one of them beside it. */
export function Work({ id }: { id: string | null }) {
  const { query } = usePlace()
  const { data: now } = useView<NowPage>('/api/now')
  // A work that is named may be of any repository: its own tree is shown beside it.
  const { data: named } = useView<WorkPage>(id === null ? null : `/api/works/${encodeURIComponent(id)}`)
  const first = id === null ? now?.repositories[0] : named?.repository
  const repository = query.get('repository') ?? first?.id ?? null
  const { data, refusal } = useView<WorksPage>(
    repository === null ? null : `/api/works?repository=${encodeURIComponent(repository)}`,
  )
  // A wide screen has room for one: that in focus, or the newest. A small one shows the tree until one is chosen.
  const shown = id ?? (data && firstOf(data.works))
  const isEmpty = data ? data.works.length === 0 : now?.repositories.length === 0
  if (isEmpty) return <NoWork />
  return (
    <div class={`split${id === null ? '' : ' has-detail'}`}>
      <section class="split-list" aria-label="Tree of works">
        <header class="split-head">
          <h1>Work</h1>
          {data && data.repositories.length > 1 && (
            <Select
              label="Repository"
              value={data.repository.id}
              options={data.repositories.map(({ id: value, name }) => ({ value, name }))}
              onChange={(value) => goTo(`#/work?repository=${encodeURIComponent(value)}`)}
            />
          )}
        </header>
        {data ? (
          <WorkTree page={data} id={shown} isWalking={id !== null} />
        ) : refusal ? (
          <RefusalNote refusal={refusal} />
        ) : (
          <Loading rows={8} />
        )}
      </section>
      <section class="split-detail" aria-label="Piece of work">
        {shown !== null && <WorkDetail key={shown} id={shown} />}
      </section>
    </div>
  )
}

function firstOf(works: readonly WorkNode[]): string | null {
  const named = works.filter(({ isOfSession }) => !isOfSession)
  const [newest] = [...(named.length > 0 ? named : works)].sort((a, b) =>
    a.updatedAt < b.updatedAt ? 1 : -1,
  )
  return (works.find(({ standing }) => standing === 'focused') ?? newest)?.id ?? null
}

/** So many archived works are shown unasked: where there are more, they would hide the open ones. */
const FEW = 12

interface WorkTreeProps {
  page: WorksPage
  id: string | null
  /** One was chosen already. */
  isWalking: boolean
}

function WorkTree({ page, id, isWalking }: WorkTreeProps) {
  const [query, setQuery] = useState('')
  const archived = page.works.filter(({ standing }) => standing === 'archived').length
  const [withArchived, setWithArchived] = useState(archived <= FEW)
  const [withSessions, setWithSessions] = useState(false)
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set())
  const rows = useMemo(
    () => layTree(page.works, { query: query.trim(), withArchived, withSessions, closed }),
    [page, query, withArchived, withSessions, closed],
  )
  const ofSessions = page.works.filter(({ isOfSession }) => isOfSession).length
  const toggle = (work: string) => {
    const next = new Set(closed)
    if (!next.delete(work)) next.add(work)
    setClosed(next)
  }
  return (
    <>
      <div class="tree-tools">
        <input
          class="input"
          type="search"
          placeholder={`Filter ${plural(page.works.length, 'work')}`}
          aria-label="Filter works"
          value={query}
          onInput={({ currentTarget }) => setQuery(currentTarget.value)}
        />
        <Toggle name="Archived" count={archived} isOn={withArchived} onChange={setWithArchived} />
        <Toggle name="Sessions" count={ofSessions} isOn={withSessions} onChange={setWithSessions} />
      </div>
      {rows.length === 0 ? (
        <p class="split-none quiet">No work matches.</p>
      ) : (
        <Tree
          rows={rows}
          chosen={id}
          onChoose={(work) =>
            goTo(`${workHref(work)}?${new URLSearchParams({ repository: page.repository.id })}`, {
              // Whoever walks through the tree goes back to where they came from, not step by step.
              replace: isWalking,
            })
          }
          onToggle={toggle}
        />
      )}
    </>
  )
}

interface ToggleProps {
  name: string
  count: number
  isOn: boolean
  onChange: (isOn: boolean) => void
}

function Toggle({ name, count, isOn, onChange }: ToggleProps) {
  if (count === 0) return null
  return (
    <label class="toggle small">
      <input
        type="checkbox"
        checked={isOn}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      {name} <span class="quiet">{count}</span>
    </label>
  )
}

function NoWork() {
  return (
    <Page title="Work">
      <Empty
        icon="work"
        title="No work yet"
        commands={['savepoint new auth-system', 'savepoint save "Where I am"']}
      >
        A piece of work is a series of checkpoints with a document. Forks of it become branches of a tree.
      </Empty>
    </Page>
  )
}

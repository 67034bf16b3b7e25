import { useEffect, useMemo } from 'preact/hooks'
import { useNow } from '../app/clock.ts'
import { goTo, replaceQuery, usePlace } from '../app/router.ts'
import { useSessions } from '../app/sessions.ts'
import { Empty } from '../parts/empty.tsx'
import { Card, Loading, Page, RefusalNote } from '../parts/page.tsx'
import { Segments } from '../parts/segments.tsx'
import { Select } from '../parts/select.tsx'
import { Timeline } from '../parts/timeline.tsx'
import { VirtualList } from '../parts/virtual-list.tsx'
import { SessionRow } from './session-row.tsx'
import { sessionHref } from './session-words.ts'

const DAY = 86_400_000
const RANGES = { day: 1, week: 7, month: 30, year: 365 } as const
type RangeName = keyof typeof RANGES

const ROW = 56

/** A timeline of all sessions, and the same as a list. */
export function Sessions() {
  const { query } = usePlace()
  const now = useNow()
  const filter = {
    repository: query.get('repository') ?? '',
    branch: query.get('branch') ?? '',
    outcome: query.get('outcome') ?? '',
  }
  const { page, refusal, sessions, isWhole, readMore } = useSessions(filter)
  const range = rangeOf(query.get('range'))
  const to = Math.ceil(now / 60_000) * 60_000
  const from = to - RANGES[range] * DAY
  const oldest = sessions.at(-1)?.startedAt
  // The timeline shows whole days: what is missing of them is read, page by page.
  useEffect(() => {
    if (!isWhole && oldest && Date.parse(oldest) > from) readMore()
  }, [oldest, from, isWhole, readMore])
  const time = useMemo(() => ({ from, to: to + (to - from) * 0.015 }), [from, to])
  if (!page)
    return <Page title="Sessions">{refusal ? <RefusalNote refusal={refusal} /> : <Loading rows={6} />}</Page>
  const isFiltered = Object.values(filter).some((value) => value !== '')
  if (page.total === 0 && !isFiltered) return <NoSessions />
  return (
    <Page
      title="Sessions"
      about={`${page.total.toLocaleString('en')} ${isFiltered ? 'match' : 'recorded'}`}
      isWide
      actions={<Filters page={page} filter={filter} />}
    >
      {refusal && <RefusalNote refusal={refusal} />}
      <Card
        isFlush
        title="Timeline"
        aside={
          <Segments
            label="How far back"
            options={[
              { value: 'day', name: '24 h' },
              { value: 'week', name: '7 days' },
              { value: 'month', name: '30 days' },
              { value: 'year', name: 'Year' },
            ]}
            value={range}
            onChange={(value) => replaceQuery({ range: value === 'week' ? null : value })}
          />
        }
      >
        <Timeline
          sessions={sessions}
          range={time}
          onPick={({ key }) => goTo(sessionHref(key))}
          onBranch={(branch) => replaceQuery({ branch })}
        />
      </Card>
      <Card isFlush label="All sessions">
        <div class="session-list">
          <VirtualList
            rows={sessions}
            rowHeight={ROW}
            label="Sessions, newest first"
            keyOf={({ key }) => key}
            onEnd={readMore}
          >
            {(session) => <SessionRow session={session} />}
          </VirtualList>
        </div>
      </Card>
    </Page>
  )
}

const rangeOf = (name: string | null): RangeName =>
  name !== null && Object.hasOwn(RANGES, name) ? (name as RangeName) : 'week'

interface FiltersProps {
  page: {
    repositories: ReadonlyArray<{ id: string; name: string }>
    branches: readonly string[]
    outcomes: readonly string[]
  }
  filter: { repository: string; branch: string; outcome: string }
}

function Filters({ page, filter }: FiltersProps) {
  const plain = (all: string, values: readonly string[]) => [
    { value: '', name: all },
    ...values.map((value) => ({ value, name: value })),
  ]
  return (
    <>
      {page.repositories.length > 1 && (
        <Select
          label="Repository"
          value={filter.repository}
          options={[
            { value: '', name: 'All repositories' },
            ...page.repositories.map(({ id, name }) => ({ value: id, name })),
          ]}
          onChange={(repository) => replaceQuery({ repository, branch: null, outcome: null })}
        />
      )}
      <Select
        label="Branch"
        value={filter.branch}
        options={plain('All branches', page.branches)}
        onChange={(branch) => replaceQuery({ branch })}
      />
      {page.outcomes.length > 0 && (
        <Select
          label="Outcome"
          value={filter.outcome}
          options={plain('All outcomes', page.outcomes)}
          onChange={(outcome) => replaceQuery({ outcome })}
        />
      )}
    </>
  )
}

function NoSessions() {
  return (
    <Page title="Sessions">
      <Empty icon="sessions" title="No session recorded yet" commands={['savepoint init']}>
        Run this in a repository. From then on every session of your agent appears here: what was asked, how
        its window filled, which files and commits came of it.
      </Empty>
    </Page>
  )
}

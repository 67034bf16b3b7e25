import { useEffect, useState } from 'preact/hooks'
import type { SearchHitView, SearchPage } from '../../src/apps/dashboard/api.ts'
import { useChoice } from '../app/choice.ts'
import { plural } from '../app/format.ts'
import { goTo, replaceQuery, usePlace } from '../app/router.ts'
import { searchUrl } from '../app/search-query.ts'
import { useView } from '../app/views.ts'
import { Empty } from '../parts/empty.tsx'
import { Icon } from '../parts/icon.tsx'
import { Page, RefusalNote } from '../parts/page.tsx'
import { Segments } from '../parts/segments.tsx'
import { SearchHit, targetHref } from './search-hit.tsx'

const KINDS = ['', 'decision', 'learning', 'checkpoint', 'session', 'run'] as const
const SETTLE_MS = 70

/** Everything that was saved, found while typing. */
export function Search() {
  const { query } = usePlace()
  const [typed, setTyped] = useState(query.get('q') ?? '')
  const asked = query.get('q') ?? ''
  const kind = query.get('kind') ?? ''
  useEffect(() => {
    const timer = setTimeout(() => replaceQuery({ q: typed.trim() }), SETTLE_MS)
    return () => clearTimeout(timer)
  }, [typed])
  const { page, refusal } = useFound(asked, kind)
  const hits = page?.hits ?? []
  const pick = (index: number) => {
    const href = targetHref(hits[index]?.target ?? null)
    if (href) goTo(href)
  }
  const { chosen, setChosen, onKeyDown } = useChoice(hits.length, pick)
  useEffect(() => {
    document.getElementById(`hit-${chosen}`)?.scrollIntoView({ block: 'nearest' })
  }, [chosen])
  return (
    <Page title="Search" about="Decisions, learnings, checkpoints, sessions and runs of every repository">
      <label class="search-field">
        <Icon name="search" />
        <span class="hidden-text">Search</span>
        <input
          type="text"
          role="combobox"
          aria-expanded={hits.length > 0}
          aria-controls="hits"
          aria-activedescendant={hits.length > 0 ? `hit-${chosen}` : undefined}
          autocomplete="off"
          spellcheck={false}
          placeholder="Words of a decision, a file, a session"
          value={typed}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          onKeyDown={onKeyDown}
          autofocus
        />
      </label>
      <div class="search-tools">
        <Segments
          label="Kind"
          options={KINDS.map((value) => ({
            value,
            name: value === '' ? 'All' : `${value[0]?.toUpperCase()}${value.slice(1)}s`,
          }))}
          value={kind}
          onChange={(value) => replaceQuery({ kind: value })}
        />
        <p class="small quiet" role="status">
          {page && asked !== '' && sayTotal(page)}
        </p>
      </div>
      {refusal && <RefusalNote refusal={refusal} />}
      <Hits
        hits={hits}
        asked={asked}
        isRead={page !== null}
        chosen={chosen}
        onHover={setChosen}
        onPick={pick}
      />
    </Page>
  )
}

/** The hits of what was typed last; until they are there, those of before. */
function useFound(asked: string, kind: string) {
  const { data, refusal } = useView<SearchPage>(asked === '' ? null : searchUrl(asked, kind))
  const [last, setLast] = useState<SearchPage | null>(null)
  useEffect(() => {
    if (data || asked === '') setLast(data)
  }, [data, asked])
  return { page: asked === '' ? null : (data ?? last), refusal }
}

const sayTotal = ({ total, more, relaxed }: SearchPage) =>
  total === 0
    ? ''
    : `${relaxed ? 'No exact match; ' : ''}${plural(total, 'hit')}${more ? ', the best are shown' : ''}`

interface HitsProps {
  hits: readonly SearchHitView[]
  asked: string
  isRead: boolean
  chosen: number
  onHover: (index: number) => void
  onPick: (index: number) => void
}

function Hits({ hits, asked, isRead, chosen, onHover, onPick }: HitsProps) {
  if (asked === '')
    return (
      <Empty icon="search" title="Type to search">
        ↑ and ↓ move, Enter opens. The same from a terminal: savepoint search "words"
      </Empty>
    )
  if (hits.length === 0 && !isRead) return null
  if (hits.length === 0) return <Empty icon="search" title={`Nothing found for “${asked}”`} />
  return (
    <ul class="hits card is-flush" id="hits" role="listbox" aria-label="Found">
      {hits.map((hit, index) => (
        <SearchHit
          key={hit.id}
          hit={hit}
          index={index}
          isChosen={index === chosen}
          onHover={() => onHover(index)}
          onPick={() => onPick(index)}
        />
      ))}
    </ul>
  )
}

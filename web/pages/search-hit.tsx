import type { SearchHitView } from '../../src/apps/dashboard/api.ts'
import { useNow } from '../app/clock.ts'
import { formatAge } from '../app/format.ts'
import { Chip } from '../parts/chip.tsx'
import { Icon, type IconName } from '../parts/icon.tsx'
import { Snippet } from '../parts/snippet.tsx'
import { runHref } from './runs.tsx'
import { sessionHref } from './session-words.ts'
import { workHref } from './work-words.ts'

export const ICON_OF_KIND: Record<SearchHitView['kind'], IconName> = {
  decision: 'check',
  learning: 'learnings',
  checkpoint: 'save',
  session: 'sessions',
  run: 'runs',
}

/** Where the page shows what was found; null where it has no place of its own. */
export function targetHref(target: SearchHitView['target']): string | null {
  if (!target) return null
  if (target.page === 'work') return `${workHref(target.id)}?at=${target.sequence}`
  return target.page === 'run' ? runHref(target.id) : sessionHref(target.key)
}

interface SearchHitProps {
  hit: SearchHitView
  index: number
  isChosen: boolean
  onHover: () => void
  onPick: () => void
}

export function SearchHit({ hit, index, isChosen, onHover, onPick }: SearchHitProps) {
  const now = useNow()
  return (
    <li
      id={`hit-${index}`}
      class="hit"
      role="option"
      aria-selected={isChosen}
      onMouseMove={onHover}
      onClick={onPick}
    >
      <Icon name={ICON_OF_KIND[hit.kind]} />
      <div class="hit-words">
        <p class="two-lines">
          <Snippet text={hit.snippet} />
        </p>
        <p class="small quiet one-line">
          {[hit.kind, hit.where, hit.repository.name, hit.branch, formatAge(hit.at, now)]
            .filter(Boolean)
            .join(' · ')}
        </p>
      </div>
      <span class="chips">
        {hit.superseded !== null && <Chip title={hit.superseded}>superseded</Chip>}
        {hit.archived && <Chip>archived</Chip>}
      </span>
    </li>
  )
}

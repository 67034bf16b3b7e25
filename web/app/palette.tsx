import { useEffect, useMemo, useState } from 'preact/hooks'
import type { NowPage, SearchPage } from '../../src/apps/dashboard/api.ts'
import { ICON_OF_KIND, targetHref } from '../pages/search-hit.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Icon, type IconName } from '../parts/icon.tsx'
import { Snippet } from '../parts/snippet.tsx'
import { useChoice } from './choice.ts'
import { goTo } from './router.ts'
import { searchUrl } from './search-query.ts'
import { PAGES } from './shortcuts.ts'
import { useView } from './views.ts'

interface Choice {
  key: string
  icon: IconName
  name: string
  about: string
  href: string
}

const MOST_WORKS = 5
const MOST_HITS = 8

/** Everything by its name, from anywhere: pages, works, and what the search finds while typing. */
export function Palette({ onClose }: { onClose: () => void }) {
  const [query, setQuery] = useState('')
  const choices = useChoices(query.trim())
  const pick = (index: number) => {
    const choice = choices[index]
    if (!choice) return
    onClose()
    goTo(choice.href)
  }
  const { chosen, setChosen, onKeyDown } = useChoice(choices.length, pick)
  useEffect(() => setChosen(0), [query])
  return (
    <Dialog title="Find anything" isBare onClose={onClose}>
      <div class="palette">
        <label class="palette-field">
          <Icon name="search" />
          <span class="hidden-text">Find work, sessions and pages</span>
          <input
            type="text"
            role="combobox"
            aria-expanded="true"
            aria-controls="palette-list"
            aria-activedescendant={choices.length > 0 ? `palette-${chosen}` : undefined}
            autocomplete="off"
            spellcheck={false}
            placeholder="Find work, sessions and pages"
            value={query}
            onInput={({ currentTarget }) => setQuery(currentTarget.value)}
            onKeyDown={onKeyDown}
            autofocus
          />
        </label>
        <ul class="palette-list" id="palette-list" role="listbox" aria-label="Found">
          {choices.map((choice, index) => (
            <li
              key={choice.key}
              id={`palette-${index}`}
              role="option"
              aria-selected={index === chosen}
              class="palette-row"
              onMouseMove={() => setChosen(index)}
              onClick={() => pick(index)}
            >
              <Icon name={choice.icon} />
              <span class="palette-name one-line">
                <Snippet text={choice.name} />
              </span>
              <span class="palette-about one-line quiet small">{choice.about}</span>
            </li>
          ))}
        </ul>
      </div>
    </Dialog>
  )
}

function useChoices(query: string): Choice[] {
  const { data: now } = useView<NowPage>('/api/now')
  const { data: found } = useView<SearchPage>(query === '' ? null : searchUrl(query))
  return useMemo(() => {
    const isLike = (name: string) => name.toLowerCase().includes(query.toLowerCase())
    const pages = PAGES.filter(({ name }) => isLike(name)).map(
      ({ href, name, icon, keys }): Choice => ({ key: href, icon, name, about: keys, href }),
    )
    const works = (now?.repositories ?? [])
      .flatMap(({ works, name: repository }) => works.map((work) => ({ ...work, in: repository })))
      .filter(({ name }) => isLike(name))
      .slice(0, MOST_WORKS)
      .map(
        (work): Choice => ({
          ...{ key: work.id, icon: 'work', name: work.name, about: work.in },
          href: `#/work/${encodeURIComponent(work.id)}`,
        }),
      )
    if (query === '') return [...works, ...pages]
    const hits = (found?.hits ?? []).slice(0, MOST_HITS).flatMap((hit): Choice[] => {
      const href = targetHref(hit.target)
      if (href === null) return []
      return [{ key: hit.id, icon: ICON_OF_KIND[hit.kind], name: hit.snippet, about: hit.where, href }]
    })
    const all: Choice = {
      ...{ key: 'all', icon: 'search', name: `Search everything for “${query}”`, about: 'g f' },
      href: `#/search?q=${encodeURIComponent(query)}`,
    }
    return [...works, ...hits, ...pages, all]
  }, [query, now, found])
}

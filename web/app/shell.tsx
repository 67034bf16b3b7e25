import type { ComponentChildren } from 'preact'
import { useCallback, useEffect, useState } from 'preact/hooks'
import type { NowPage } from '../../src/apps/dashboard/api.ts'
import { Button } from '../parts/button.tsx'
import { Dot, Keys } from '../parts/chip.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Icon, Mark } from '../parts/icon.tsx'
import { Toasts } from '../parts/toasts.tsx'
import { useCell } from './external-store.ts'
import { FailureNote } from './failure.tsx'
import { useKey } from './keys.ts'
import { connection } from './live.ts'
import { Palette } from './palette.tsx'
import { goTo, usePlace } from './router.ts'
import { OTHER_KEYS, PAGES, type PageEntry, pageOf } from './shortcuts.ts'
import { applyTheme, nextTheme, theme } from './theme.ts'
import { useView } from './views.ts'

type Overlay = 'palette' | 'help' | null

export function Shell({ children }: { children: ComponentChildren }) {
  const { path } = usePlace()
  const [overlay, setOverlay] = useState<Overlay>(null)
  const open = useCallback(() => setOverlay('palette'), [])
  const close = useCallback(() => setOverlay(null), [])
  const current = pageOf(path)
  useKey('/', open)
  useKey('mod+k', open)
  useKey(
    '?',
    useCallback(() => setOverlay('help'), []),
  )
  useKey('t', turnTheme)
  // A reader of the page hears where they are after each step.
  useEffect(() => {
    document.title = `${current?.name ?? 'Now'} · Savepoint`
  }, [current])
  return (
    <div class="shell">
      <button type="button" class="skip" onClick={() => document.getElementById('content')?.focus()}>
        Skip to content
      </button>
      <Side current={current} onSearch={open} onHelp={() => setOverlay('help')} />
      <TopBar onSearch={open} />
      <main class="main" id="content" tabIndex={-1}>
        <FailureNote place={path}>{children}</FailureNote>
      </main>
      <nav class="tab-bar" aria-label="Pages, small screen">
        <ul>
          {PAGES.filter(({ isInTabBar }) => isInTabBar).map((page) => (
            <li key={page.href}>
              <a href={page.href} aria-current={page === current ? 'page' : undefined}>
                <Icon name={page.icon} size={20} />
                {page.name}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {PAGES.map((page) => (
        <PageKey key={page.href} page={page} />
      ))}
      {overlay === 'palette' && <Palette onClose={close} />}
      {overlay === 'help' && <Help onClose={close} />}
      <Toasts />
    </div>
  )
}

const turnTheme = () => applyTheme(nextTheme(theme.get()))

function PageKey({ page }: { page: PageEntry }) {
  useKey(
    page.keys,
    useCallback(() => goTo(page.href), [page.href]),
  )
  return null
}

interface SideProps {
  current: PageEntry | undefined
  onSearch: () => void
  onHelp: () => void
}

function Side({ current, onSearch, onHelp }: SideProps) {
  const { data } = useView<NowPage>('/api/now')
  return (
    <header class="side">
      <a class="brand" href="#/">
        <Mark /> Savepoint
      </a>
      <button type="button" class="side-search" onClick={onSearch}>
        <Icon name="search" size={15} /> Find anything <Keys keys="/" />
      </button>
      <nav aria-label="Pages">
        <ul>
          {PAGES.map((page) => (
            <li key={page.href}>
              <a class="nav-link" href={page.href} aria-current={page === current ? 'page' : undefined}>
                <Icon name={page.icon} /> {page.name} <NavCount page={page} now={data} />
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div class="side-foot">
        <LiveMark />
        <ThemeButton />
        <Button icon="help" kind="ghost" label="Keys" onClick={onHelp} />
      </div>
    </header>
  )
}

function TopBar({ onSearch }: { onSearch: () => void }) {
  return (
    <header class="top-bar">
      <a class="brand" href="#/">
        <Mark /> Savepoint
      </a>
      <LiveMark />
      <ThemeButton />
      <a class="button is-ghost is-square" href="#/learnings" aria-label="Learnings">
        <Icon name="learnings" />
      </a>
      <Button icon="search" kind="ghost" label="Find anything" onClick={onSearch} />
    </header>
  )
}

/** What waits on a page: works and runs by number, silent sessions as a warning. */
function NavCount({ page, now }: { page: PageEntry; now: NowPage | null }) {
  if (!now) return null
  const attention = now.warnings.filter(({ level }) => level !== 'note').length
  if (page.name === 'Now') return attention === 0 ? null : <span class="nav-count is-warn">{attention}</span>
  const counts: Record<string, number> = {
    Work: now.totals.works,
    Sessions: now.totals.sessions,
    Runs: now.totals.runs,
  }
  const count = counts[page.name] ?? 0
  return count === 0 ? null : <span class="nav-count">{count.toLocaleString('en')}</span>
}

const SAID = { connecting: 'Connecting', live: 'Live', lost: 'Server ended' } as const

function LiveMark() {
  const state = useCell(connection)
  return (
    <span class="live small" role="status">
      <Dot tone={state === 'live' ? 'good' : state === 'lost' ? 'bad' : 'plain'} />
      {SAID[state]}
    </span>
  )
}

const THEME_ICONS = { system: 'system', light: 'sun', dark: 'moon' } as const

function ThemeButton() {
  const now = useCell(theme)
  return <Button icon={THEME_ICONS[now]} kind="ghost" label={`Colours: ${now}`} onClick={turnTheme} />
}

function Help({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl class="key-list">
        {[...PAGES.map(({ keys, name }) => ({ keys, does: `Go to ${name}` })), ...OTHER_KEYS].map(
          ({ keys, does }) => (
            <div key={keys}>
              <dt>{does}</dt>
              <dd>
                <Keys keys={keys} />
              </dd>
            </div>
          ),
        )}
      </dl>
    </Dialog>
  )
}

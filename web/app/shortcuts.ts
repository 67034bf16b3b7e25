import type { IconName } from '../parts/icon.tsx'

export interface PageEntry {
  href: string
  name: string
  icon: IconName
  keys: string
  /** On a phone the bar has room for five. */
  isInTabBar: boolean
}

export const PAGES: readonly PageEntry[] = [
  { href: '#/', name: 'Now', icon: 'now', keys: 'g n', isInTabBar: true },
  { href: '#/work', name: 'Work', icon: 'work', keys: 'g w', isInTabBar: true },
  { href: '#/sessions', name: 'Sessions', icon: 'sessions', keys: 'g s', isInTabBar: true },
  { href: '#/runs', name: 'Runs', icon: 'runs', keys: 'g r', isInTabBar: true },
  { href: '#/brief', name: 'Brief', icon: 'brief', keys: 'g b', isInTabBar: true },
  { href: '#/search', name: 'Search', icon: 'search', keys: 'g f', isInTabBar: false },
  { href: '#/learnings', name: 'Learnings', icon: 'learnings', keys: 'g l', isInTabBar: false },
]

export const OTHER_KEYS: ReadonlyArray<{ keys: string; does: string }> = [
  { keys: '/', does: 'Find work, sessions and pages' },
  { keys: 'Ctrl K', does: 'The same, also while typing' },
  { keys: '↑ ↓', does: 'Move in a list, a tree or a history' },
  { keys: 'Enter', does: 'Open what is chosen' },
  { keys: 't', does: 'Light, dark or as the system' },
  { keys: 'Esc', does: 'Close' },
  { keys: '?', does: 'This list' },
]

/** Which page an address belongs to. */
export const pageOf = (path: string) =>
  PAGES.find(({ href }) => href !== '#/' && path.startsWith(href.slice(1))) ?? PAGES[0]

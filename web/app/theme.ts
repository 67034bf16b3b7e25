import { makeCell } from './external-store.ts'

export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const KEY = 'savepoint-theme'

const isTheme = (value: string | null): value is Theme => THEMES.some((one) => one === value)

function readTheme(): Theme {
  const kept = localStorage.getItem(KEY)
  return isTheme(kept) ? kept : 'system'
}

export const theme = makeCell<Theme>(readTheme())

export function applyTheme(next: Theme) {
  theme.set(next)
  if (next === 'system') {
    delete document.documentElement.dataset.theme
    localStorage.removeItem(KEY)
  } else {
    document.documentElement.dataset.theme = next
    localStorage.setItem(KEY, next)
  }
}

export const nextTheme = (now: Theme): Theme => THEMES[(THEMES.indexOf(now) + 1) % THEMES.length] ?? 'system'

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

const darkSystem = matchMedia('(prefers-color-scheme: dark)')

/** Whether the system is dark: what is drawn on a canvas is drawn anew when that changes. */
export const isSystemDark = makeCell(darkSystem.matches)
darkSystem.addEventListener('change', () => isSystemDark.set(darkSystem.matches))

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

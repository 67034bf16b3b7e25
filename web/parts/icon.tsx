/** Drawn on a grid of 16, with a line of 1.5; a path each. */
const PATHS = {
  now: 'M8 1.75v2M8 12.25v2M1.75 8h2M12.25 8h2M8 5.25a2.75 2.75 0 1 0 0 5.5a2.75 2.75 0 0 0 0-5.5',
  work: 'M4 2.5v7M4 9.5a2 2 0 1 0 0 4a2 2 0 0 0 0-4M12 3a1.75 1.75 0 1 0 0 3.5a1.75 1.75 0 0 0 0-3.5M12 6.5c0 3-3 2.5-6 4',
  sessions: 'M2 4h7M5 8h8.5M3 12h5M12 4h2M11 12h3',
  runs: 'M2 5.25h3.5v5.5H2zM6.25 5.25h3.5v5.5h-3.5zM10.5 5.25H14v5.5h-3.5z',
  brief: 'M3.5 2h6L13 5.5V14H3.5zM9.25 2v3.75H13M5.75 8.5h4.5M5.75 11h3',
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 0 0 0-9M10.3 10.3L14 14',
  learnings: 'M8 1.75a4.25 4.25 0 0 0-2 8V11.5h4V9.75a4.25 4.25 0 0 0-2-8M6.25 14h3.5',
  sun: 'M8 5a3 3 0 1 0 0 6a3 3 0 0 0 0-6M8 1v1.25M8 13.75V15M1 8h1.25M13.75 8H15M3.05 3.05l.9.9M12.05 12.05l.9.9M3.05 12.95l.9-.9M12.05 3.95l.9-.9',
  moon: 'M13.5 9.5A5.75 5.75 0 0 1 6.5 2.5a5.75 5.75 0 1 0 7 7z',
  system: 'M2 3h12v8H2zM6 14h4M8 11v3',
  help: 'M8 1.75a6.25 6.25 0 1 0 0 12.5a6.25 6.25 0 0 0 0-12.5M6.25 6.25a1.75 1.75 0 1 1 2.6 1.5c-.6.35-.85.7-.85 1.4M8 11.25v.1',
  focus: 'M8 4.5a3.5 3.5 0 1 0 0 7a3.5 3.5 0 0 0 0-7M8 1v2M8 13v2M1 8h2M13 8h2',
  fork: 'M4 5.5v5M4 2a1.75 1.75 0 1 0 0 3.5a1.75 1.75 0 0 0 0-3.5M4 10.5a1.75 1.75 0 1 0 0 3.5a1.75 1.75 0 0 0 0-3.5M12 2a1.75 1.75 0 1 0 0 3.5a1.75 1.75 0 0 0 0-3.5M12 5.5c0 3-8 1.5-8 4.5',
  archive: 'M2 3h12v3H2zM3 6v7.5h10V6M6.5 8.75h3',
  save: 'M2.5 2.5h8L13.5 5.5v8h-11zM5 13.5v-4h6v4M5.5 2.5v3H9',
  handoff: 'M2 8h9M8 4.5L11.5 8L8 11.5M13.75 3v10',
  undo: 'M3 6.5h6.5a3.5 3.5 0 0 1 0 7H6M5.5 3.5L2.5 6.5l3 3',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  check: 'M3 8.5L6.5 12L13 4.5',
  cross: 'M4 4l8 8M12 4l-8 8',
  edit: 'M3 13l.75-3L10.5 3.25l2.25 2.25L6 12.25z',
  reconcile:
    'M13 6.5A5.25 5.25 0 0 0 3.5 5M3 2.5V5.25h2.75M3 9.5A5.25 5.25 0 0 0 12.5 11M13 13.5v-2.75h-2.75',
  warning: 'M8 2.25L14.5 13.5H1.5zM8 6.5v3.25M8 11.6v.1',
  chevron: 'M6 3.5L10.5 8L6 12.5',
  arrow: 'M3 8h10M9 4l4 4l-4 4',
  file: 'M4 2h5l3 3v9H4zM9 2v3h3',
  commit: 'M8 5.25a2.75 2.75 0 1 0 0 5.5a2.75 2.75 0 0 0 0-5.5M1 8h4.25M10.75 8H15',
  terminal: 'M2 3h12v10H2zM4.5 6.25L6.5 8L4.5 9.75M8 10.25h3',
  clock: 'M8 1.75a6.25 6.25 0 1 0 0 12.5a6.25 6.25 0 0 0 0-12.5M8 4.5V8l2.5 1.5',
  shield: 'M8 1.75L13 3.5v4c0 3.25-2 5.5-5 6.75c-3-1.25-5-3.5-5-6.75v-4z',
  trash: 'M2.5 4.5h11M6 4.5v-2h4v2M4 4.5l.6 9h6.8l.6-9',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  folder: 'M2 4h4.25l1.5 1.75H14V13H2z',
  tools: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11M5.5 3v3M10.5 6.5v3M6.5 10v3',
} as const

export type IconName = keyof typeof PATHS

/** Beside words; a button with an icon alone has its name in `aria-label`. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
      <path
        d={PATHS[name]}
        fill="none"
        stroke="currentColor"
        stroke-width="1.5"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  )
}

export function Mark({ size = 22 }: { size?: number }) {
  return (
    <svg class="brand-mark" width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="#5b58dc" />
      <path
        d="M9 22.5V9.5h9.5L23 14v8.5zM13 22.5v-5h6v5"
        fill="none"
        stroke="#fff"
        stroke-width="2"
        stroke-linejoin="round"
      />
    </svg>
  )
}

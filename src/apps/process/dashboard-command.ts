import type { Fields, InputOf } from '../../verbs/define/field.ts'

/** The command that serves the page. It is no verb: it performs them, until it is ended. */
export const DASHBOARD_COMMAND = {
  name: 'dashboard',
  summary: 'Show all work, sessions and runs in the browser',
  detail:
    'Serves the page on this machine only, until Ctrl-C or until the terminal is closed. The link works once; run the command again for a new one. Without a browser (ssh) it prints the address and a tunnel command. In the terminal: savepoint status.',
  fields: {
    port: { kind: 'count', least: 1, most: 65_535, value: 'N', about: 'port; a free one by default' },
    noOpen: { kind: 'flag', about: 'only print the address' },
  },
  examples: [
    'savepoint dashboard',
    'savepoint dashboard --port 7777 --no-open',
    'savepoint dashboard --json',
  ],
} as const satisfies {
  name: string
  summary: string
  detail: string
  fields: Fields
  examples: readonly string[]
}

export type DashboardInput = InputOf<typeof DASHBOARD_COMMAND.fields>

/** What serving the page needs of the command line that was given. */
export interface DashboardDoor {
  readonly cwd: string
  env: Readonly<Record<string, string | undefined>>
  version: string
  json: boolean
  out(text: string): void
  err(text: string): void
}

/** Serves until it is ended. */
export type ServeDashboard = (input: DashboardInput, door: DashboardDoor) => Promise<void>

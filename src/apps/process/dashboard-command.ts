import type { Fields, InputOf } from '../../verbs/define/field.ts'

/** The command that serves the page. It is no verb: it performs them, until it is ended. */
export const DASHBOARD_COMMAND = {
  name: 'dashboard',
  summary: 'Open a page with all work, sessions and runs in the browser',
  detail:
    'It serves the page to this machine alone, until Ctrl-C or until its terminal is closed. The link opens the page once: run the command again for another. Where no browser is, it prints the address and how to reach it from elsewhere. To look at the terminal instead: savepoint status',
  fields: {
    port: {
      kind: 'count',
      least: 1,
      most: 65_535,
      value: 'N',
      about: 'the port to listen on; a free one without it',
    },
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

/** Serves until it is ended; answers the exit code. */
export type ServeDashboard = (input: DashboardInput, door: DashboardDoor) => Promise<number>

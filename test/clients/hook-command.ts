import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { Sandbox } from '../support/sandbox.ts'
import { transcriptOf } from './lab.ts'

interface Command {
  command: string
  args?: string[]
}

/** What `init` told the client to run at an event. */
export function hookCommand(place: Sandbox, event: string): Command {
  // The client's own form; `init` has just written it.
  const { hooks } = JSON.parse(readFileSync(settingsOf(place), 'utf8')) as {
    hooks: Record<string, Array<{ hooks: Command[] }>>
  }
  const command = hooks[event]?.[0]?.hooks[0]
  if (!command) throw new Error(`There is no hook for ${event}.`)
  return command
}

export const settingsOf = (place: Sandbox): string => place.path('.claude', 'settings.local.json')

/** Fires a hook as the client does, and gives back its exit code. */
export async function fire(
  place: Sandbox,
  event: string,
  session: string,
  more: object = {},
): Promise<number> {
  const { command, args } = hookCommand(place, event)
  const child = spawn(command, args ?? [], {
    cwd: place.repo,
    env: place.env,
    stdio: ['pipe', 'ignore', 'inherit'],
    shell: args === undefined,
  })
  child.stdin.end(
    JSON.stringify({
      session_id: session,
      transcript_path: transcriptOf(place, session),
      cwd: place.repo,
      hook_event_name: event,
      ...more,
    }),
  )
  // The event bears the code, or null where a signal ended it.
  const [code] = (await once(child, 'exit')) as [number | null]
  return code ?? -1
}

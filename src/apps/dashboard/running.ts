import { fieldOf } from '../../core/json.ts'
import type { Ports } from '../../core/ports.ts'
import { readPrivateJson, rememberJson, removePrivate } from '../../engine/context/private-json.ts'
import { isSharedHome } from '../process/program.ts'
import { proveKey } from './access.ts'

const FILE = 'dashboard.json'

/** Where this user's server is, and the key by which their next command is known to it. */
export interface RunningServer {
  port: number
  pid: number
  key: string
  /** For whom it speaks. */
  speaker: 'user' | 'agent'
}

/** What the home says of a server; null where it says nothing that can be relied on. */
export function readRunning(home: string): RunningServer | null {
  const found = isSharedHome(home) ? undefined : readPrivateJson(home, FILE)
  const [port, pid, key, speaker] = ['port', 'pid', 'key', 'speaker'].map((name) => fieldOf(found, name))
  const isWhole = typeof port === 'number' && typeof pid === 'number' && typeof key === 'string'
  return isWhole && (speaker === 'user' || speaker === 'agent') ? { port, pid, key, speaker } : null
}

/** Where it cannot be written, the next command starts a server of its own. */
export function noteRunning(home: string, server: RunningServer, ports: Ports): void {
  if (!isSharedHome(home)) rememberJson(home, FILE, server, ports)
}

/** Takes the note away, unless another server has written its own meanwhile. */
export function forgetRunning(home: string, { key }: RunningServer): void {
  if (readRunning(home)?.key === key) removePrivate(home, FILE)
}

const ANSWERS_WITHIN_MS = 1_000

/** A new link of a server that runs; null where nobody answers, or somebody else. */
export async function askForLink({ port, key }: Pick<RunningServer, 'port' | 'key'>): Promise<string | null> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/link`, {
      method: 'POST',
      headers: { authorization: `Bearer ${proveKey(key, 'link')}` },
      redirect: 'error',
      signal: AbortSignal.timeout(ANSWERS_WITHIN_MS),
    })
    const told: unknown = await answer.json()
    const token = fieldOf(told, 'token')
    return typeof token === 'string' && fieldOf(told, 'proof') === proveKey(key, token) ? token : null
  } catch (error) {
    // The port is closed, or another program speaks there.
    if (!(error instanceof Error)) throw error
    return null
  }
}

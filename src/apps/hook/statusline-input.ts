import type { Agent, StatusInput } from '../../core/agent.ts'
import { parseOrUndefined } from './json.ts'

/** A client sends a few thousand; to read more would hold up its screen. */
const MAX_CHARACTERS = 1024 * 1024

const NOTHING: StatusInput = { session: null, window: null, usedPercent: null }

/** What a client says at a drawing of its status line. The command names no agent: the one that knows the session is it. */
export function readStatus(input: string, agents: readonly Agent[]): StatusInput {
  const payload = input.length > MAX_CHARACTERS ? undefined : parseOrUndefined(input)
  const told = agents.map((agent) => agent.statusOf(payload))
  return told.find(({ session }) => session !== null) ?? told[0] ?? NOTHING
}

import type { Agent, Environment } from '../core/agent.ts'
import type { SessionKey } from '../core/session.ts'
import { claude } from './claude/agent.ts'

/** The agents whose sessions are followed. To add one: a folder with its entry, and a line here. */
export const AGENTS: readonly Agent[] = [claude]

/** What agents without an entry set in the environment of the commands that they run. */
const OTHER_SIGNS = ['GEMINI_CLI', 'OPENCODE', 'CODEX_SANDBOX', 'CODEX_SANDBOX_NETWORK_DISABLED']

export const agentNames = (agents: readonly Agent[]): string[] => agents.map(({ name }) => name)

export const agentNamed = (agents: readonly Agent[], name: string): Agent | null =>
  agents.find((agent) => agent.name === name) ?? null

/** Who runs a command: an agent, or the user. What an agent decides by itself is not confirmed. */
export const speakerOf = (agents: readonly Agent[], env: Environment): 'agent' | 'user' =>
  [...agents.flatMap(({ signs }) => signs), ...OTHER_SIGNS].some((name) => (env[name] ?? '') !== '')
    ? 'agent'
    : 'user'

/** The session in which a command is run, where an agent says so. */
export const sessionIn = (agents: readonly Agent[], env: Environment): SessionKey | null =>
  firstOf(agents, (agent) => agent.sessionOf(env))

/** The folder that is worked in, where an agent says so. */
export const projectIn = (agents: readonly Agent[], env: Environment): string | null =>
  firstOf(agents, (agent) => agent.projectOf(env))

function firstOf<Found>(agents: readonly Agent[], find: (agent: Agent) => Found | null): Found | null {
  for (const agent of agents) {
    const found = find(agent)
    if (found !== null) return found
  }
  return null
}

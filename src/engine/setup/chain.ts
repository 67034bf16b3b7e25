import type { Scope } from '../../core/agent-setup.ts'
import { sha256 } from '../../core/canonical.ts'
import type { Ports } from '../../core/ports.ts'
import { readPrivateJson, removePrivate, writePrivateJson } from '../context/private-json.ts'

const FILE = 'statusline.json'

/** The status lines that ours runs besides itself: the user's, and by key those of single projects. */
interface Chains {
  chain?: string
  chains?: Record<string, string>
}

/** What our status line is called with: a project's own command must never be run in another project. */
export const chainKey = (scope: Scope, settings: string) =>
  scope === 'user' ? '' : sha256(settings).slice(0, 12)

export const chainedCommand = (home: string, key: string): string | null => {
  const { chain, chains } = readChains(home)
  return (key === '' ? chain : chains?.[key]) ?? null
}

export function writeChain(home: string, key: string, command: string | null, ports: Ports): void {
  if (chainedCommand(home, key) === command) return
  const { chain, chains = {} } = readChains(home)
  const { [key]: _old, ...others } = chains
  const user = key === '' ? command : (chain ?? null)
  const projects = key === '' || command === null ? others : { ...others, [key]: command }
  const made: Chains = {
    ...(user === null ? {} : { chain: user }),
    ...(Object.keys(projects).length === 0 ? {} : { chains: projects }),
  }
  if (Object.keys(made).length === 0) removePrivate(home, FILE)
  else writePrivateJson(home, FILE, made, ports)
}

function readChains(home: string): Chains {
  const found = readPrivateJson(home, FILE)
  if (typeof found !== 'object' || found === null) return {}
  const { chain, chains } = found as { chain?: unknown; chains?: unknown }
  const projects = Object.entries(typeof chains === 'object' && chains !== null ? chains : {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  )
  return {
    ...(typeof chain === 'string' ? { chain } : {}),
    ...(projects.length > 0 ? { chains: Object.fromEntries(projects) } : {}),
  }
}

import type { Scope, StatusLine } from '../../core/agent-setup.ts'
import { sha256 } from '../../core/canonical.ts'
import type { Ports } from '../../core/ports.ts'
import type { Context } from '../context/context.ts'
import { readPrivateJson, removePrivate, writePrivateJson } from '../context/private-json.ts'
import type { Launcher } from './launcher.ts'
import type { KnownPlace } from './settings-places.ts'

export interface LinePlan {
  command: string
  /** Settings that a status line from another file has, so that ours looks the same. */
  rest: Record<string, unknown>
  /** The command that ours is to run besides itself; undefined where that stays as it is. */
  chain: string | null | undefined
}

export interface Lines {
  /** In the file that is to be changed. */
  own: StatusLine
  /** The line that is shown now, of whatever file: where this file says nothing, those that count less do. */
  shown: StatusLine
}

export function statusLinesOf(own: StatusLine, places: readonly KnownPlace[], scope: Scope): Lines {
  const below = scope === 'project' ? (['project', 'user'] as const) : []
  const found = below
    .map((kind) => places.find((place) => place.kind === kind)?.facts?.statusLine)
    .find((line) => line !== undefined && line.kind !== 'none')
  return { own, shown: own.kind === 'none' ? (found ?? own) : own }
}

/** Whether the status line is wanted: as the command says, else as a person answers; null where nobody says. */
export async function wantsLine(
  { ask }: Pick<Context, 'ask'>,
  lines: Lines,
  said: boolean | null,
): Promise<boolean | null> {
  const { kind } = lines.shown
  if (said !== null || ask === null || kind === 'ours' || kind === 'strange') return said
  const after = kind === 'other' ? ', after your own' : ''
  const [answer = ''] = await ask([`Show context usage and the last save in the status line${after}? (y/N)`])
  return /^y(?:es)?$/i.test(answer.trim())
}

/** Null where the status line is left alone. */
export function planLine(lines: Lines, isWanted: boolean, launcher: Launcher, key: string): LinePlan | null {
  const command = launcher.inShell('statusline', key)
  // Ours is kept up to date, also where nobody asks for it again: the home may have moved.
  if (lines.own.kind === 'ours') return { command, rest: {}, chain: undefined }
  const line = lines.shown
  if (!isWanted || line.kind === 'ours' || line.kind === 'strange') return null
  if (line.kind === 'none') return { command, rest: {}, chain: null }
  return { command, rest: line.rest, chain: line.command }
}

const FILE = 'statusline.json'

/** What our status line is called with: a project's own command must never be run in another project. */
export const chainKey = (scope: Scope, settings: string) =>
  scope === 'user' ? '' : sha256(settings).slice(0, 12)

/** The status lines that ours runs besides itself: those of single projects by their key, the user's by the empty one. */
function readChains(home: string): Record<string, string> {
  // `as`: a file of ours alone, written whole.
  const { chain, chains } = Object(readPrivateJson(home, FILE)) as {
    chain?: string
    chains?: Record<string, string>
  }
  return { ...chains, ...(chain === undefined ? {} : { '': chain }) }
}

export function writeChain(home: string, key: string, command: string | null, ports: Ports): void {
  const { [key]: old = null, ...others } = readChains(home)
  if (old === command) return
  const { '': chain, ...projects } = command === null ? others : { ...others, [key]: command }
  const chains = Object.keys(projects).length === 0 ? undefined : projects
  if (chain === undefined && chains === undefined) removePrivate(home, FILE)
  else writePrivateJson(home, FILE, { chain, chains }, ports)
}

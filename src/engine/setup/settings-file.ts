import {
  type AgentSetUp,
  type HookChange,
  isMalformed,
  type SettingsFacts,
  type SettingsProblem,
} from '../../core/agent-setup.ts'
import { ReasonError } from '../../core/reason.ts'
import type { Context } from '../context/context.ts'
import { SETUP_CHANGES } from '../context/notices.ts'
import { type BytesNote, bytesBefore, keepSettings, readSetupJournal } from './journal.ts'
import type { SetupFile } from './setup-run.ts'

/** What a settings file says that concerns us; `settings_malformed` where it cannot be read. */
export function factsIn({ settings }: AgentSetUp, { path, bytes, text }: SetupFile): SettingsFacts {
  const isText = bytes === null || Buffer.from(text).equals(bytes)
  return refuseMalformed(path, isText ? settings.read(text) : { line: 1, problem: 'it is not UTF-8' })
}

export function refuseMalformed<T extends object>(path: string, found: T | SettingsProblem): T {
  if (isMalformed(found)) throw new ReasonError('settings_malformed', { path, ...found })
  return found
}

/**
 * A settings file as it would be without us: the bytes that it had before, where it says no more than it did then, but
 * for plugins that are `going`; else what stands there, without ours.
 */
export function withoutOurs(
  { settings }: AgentSetUp,
  { path, bytes, text }: SetupFile,
  old: Buffer | null | undefined,
  going: readonly string[],
): { bytes: Buffer | null; changes: HookChange[] } {
  if (bytes === null) return { bytes, changes: [] }
  const before = old?.toString('utf8') ?? ''
  const bare = refuseMalformed(path, settings.put(text, { hooks: 'out', statusLine: 'out', before }))
  const isSame = old !== undefined && settings.saysTheSame(before, bare.text, going)
  return { bytes: isSame ? old : Buffer.from(bare.text), changes: bare.changes }
}

/** Keeps what a file is without us. What was kept before stays where that is the same. */
export function noteBefore({ home, ports }: Context, client: AgentSetUp, file: SetupFile): BytesNote {
  const ours = client.plugin ? [client.plugin.market, ...client.plugin.plugins] : []
  const old = bytesBefore(home.path, file.target)
  const { bytes } = withoutOurs(client, file, old, ours)
  const noted = readSetupJournal(home.path)?.before[file.target]
  return noted && bytes === old ? noted : keepSettings(home.path, bytes, ports)
}

/** `hooks added: SessionStart, Stop; hooks removed: Task, the status line`. */
export function describeChange(changes: readonly HookChange[], line: string): string {
  const hooks = (['added', 'updated', 'removed'] as const).flatMap((what) => {
    const found = changes.filter((change) => change.what === what)
    return found.length > 0 ? [SETUP_CHANGES.hooks(what, found)] : []
  })
  return [hooks.join('; '), line].filter(Boolean).join(', ')
}

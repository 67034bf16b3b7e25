import type { AgentSetUp } from '../../core/agent-setup.ts'
import { canonicalJson } from '../../core/canonical.ts'
import { diffOf, type SetupChange } from './change.ts'
import { bytesBefore, type Setup } from './record.ts'
import type { SettingsFile } from './settings-file.ts'

/**
 * The client writes the whole file anew, in an order of its own. Where it says no more than it said before, the bytes
 * of then come back (null: there was no file); undefined where somebody has changed something since.
 */
export function bytesBeforeClient(
  { settings }: AgentSetUp,
  home: string,
  note: Pick<Setup, 'before'>,
  text: string,
  /** What the client will have taken out by then: plugins, and the marketplace. */
  going: readonly string[] = [],
): Buffer | null | undefined {
  const before = bytesBefore(home, note)
  if (before === undefined) return undefined
  const then = before === null ? {} : settings.withoutPlugins(before.toString('utf8'))
  const now = settings.withoutPlugins(text, going)
  const isSame = then !== undefined && now !== undefined && canonicalJson(then) === canonicalJson(now)
  return isSame ? before : undefined
}

export const restoredChange = ({ path, text }: SettingsFile, before: Buffer | null): SetupChange => ({
  path,
  what: before === null ? 'removed' : 'restored',
  about: before === null ? 'it held nothing else' : 'as it was before `savepoint init`',
  diff: diffOf(path, text, before?.toString('utf8') ?? ''),
})

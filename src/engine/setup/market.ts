import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isMalformed, type PluginClient } from '../../core/agent-setup.ts'
import { ReasonError } from '../../core/reason.ts'
import { readPlainFile } from '../../fs/disk.ts'
import type { Context } from '../context/context.ts'
import { MOST_ATTEMPTS } from '../context/most-attempts.ts'
import { bytesBeforeClient, restoredChange } from './bytes-before-client.ts'
import type { SetupChange } from './change.ts'
import { realPathOr } from './impermanence-of.ts'
import { copyFolder } from './plugin-copy.ts'
import { keepSettings, readMarket, readSetups, writeMarket } from './record.ts'
import { hashOf, putSettings, readSettingsFile, type SettingsFile } from './settings-file.ts'
import { type KnownPlace, placesHere, pluginMarket, readPlaces, settingsPath } from './settings-places.ts'

const MAX_BYTES = 1024 * 1024

/** Whether the client reads our plugins from the copy in this home. */
export function isOurMarket({ place, env, home }: Context, client: PluginClient): boolean {
  const folder = pluginMarket(placesHere(client, place.root, env))
  return folder !== null && isSame(folder, copyFolder(home.path, client.agent))
}

const isSame = (one: string, other: string) => realPathOr(one) === realPathOr(other)

/** Settings of another folder of the client, which were written at its time, and still name the copy. */
export function isNamedElsewhere({ env, place, home }: Context, client: PluginClient): boolean {
  const note = readMarket(home.path)
  if (note === null || isSame(note.settings, settingsPath(client, 'user', place.root, env))) return false
  const folder = pluginMarket(readPlaces(client, [{ kind: 'user', path: note.settings }]))
  return folder !== null && isSame(folder, copyFolder(home.path, client.agent))
}

/**
 * A marketplace of our name that the user has from elsewhere, such as a clone: the client knows one of a name, and
 * would forget theirs. Null where there is none; a copy in another home is ours, and what is gone is nobody's.
 */
export function marketElsewhere(
  client: PluginClient,
  places: readonly KnownPlace[],
  copy: string,
): string | null {
  const isTheirs = ({ kind, facts }: KnownPlace) =>
    kind !== 'project' && (facts?.source ?? null) !== null && !isCopy(client, facts?.market ?? null, copy)
  return places.find(isTheirs)?.facts?.source ?? null
}

function isCopy({ plugin, settings }: PluginClient, folder: string | null, copy: string): boolean {
  if (folder === null) return false
  if (isSame(folder, copy) || !existsSync(folder)) return true
  const hooks = readPlainFile(join(folder, plugin.hooksFile), MAX_BYTES)
  const facts = settings.read(hooks?.toString('utf8') ?? '')
  const bin = join(dirname(dirname(folder)), 'bin')
  return !isMalformed(facts) && facts.launchers.some((launcher) => dirname(launcher) === bin)
}

/** Before the client writes our marketplace into the user's settings: what they were is kept until it goes. */
export function noteMarket(context: Context, client: PluginClient): void {
  const { home, ports } = context
  const file = usersFile(context, client)
  if (file === null) return
  const setup = readSetups(home.path)?.find(({ settings }) => settings === file.target)
  const isNoted = readMarket(home.path)?.settings === file.target
  if (isOurMarket(context, client) || (isNoted && setup !== undefined)) return
  const hash = hashOf(file)
  const backup = file.bytes && keepSettings(home.path, file.bytes, ports)
  // Hooks of ours that are in them are no part of what they were.
  const before = setup !== undefined && setup.after === hash ? setup.before : { hash, backup }
  writeMarket(home.path, { settings: file.target, before }, ports)
}

/** Null where it cannot be read: then the client does not read it either, and nothing can come back. */
function usersFile({ place, env }: Context, client: PluginClient): SettingsFile | null {
  try {
    return readSettingsFile(settingsPath(client, 'user', place.root, env), null)
  } catch (error) {
    if (!(error instanceof ReasonError)) throw error
    return null
  }
}

/** Once the marketplace is gone, the user's settings get their bytes back where they say no more than then. */
export async function forgetMarket(context: Context, client: PluginClient): Promise<SetupChange[]> {
  const { home, ports } = context
  const note = readMarket(home.path)
  const isNeeded = isOurMarket(context, client) || existsSync(copyFolder(home.path, client.agent))
  // Hooks or a status line for all projects are still in them: what takes those out comes here again.
  const isSetUp = readSetups(home.path)?.some(({ settings }) => settings === note?.settings)
  if (note === null || isNeeded || isSetUp) return []
  const changes: SetupChange[] = []
  for (let attempt = 0; attempt < MOST_ATTEMPTS.settings; attempt += 1) {
    const plan = planBack(context, client)
    if (plan === null) break
    if (plan.file.bytes) keepSettings(home.path, plan.file.bytes, ports)
    if (!(await putSettings(context, plan.file, plan.bytes))) continue
    changes.push(restoredChange(plan.file, plan.bytes))
    break
  }
  writeMarket(home.path, null, ports)
  return changes
}

/** What `forgetMarket` would do once all that is `going` has gone. */
export function marketBack(context: Context, client: PluginClient, going: readonly string[]): SetupChange[] {
  const plan = planBack(context, client, going)
  return plan === null ? [] : [restoredChange(plan.file, plan.bytes)]
}

/** Null where nothing is to come back. */
function planBack(
  context: Context,
  client: PluginClient,
  going: readonly string[] = [],
): { file: SettingsFile; bytes: Buffer | null } | null {
  const { home } = context
  const note = readMarket(home.path)
  const file = usersFile(context, client)
  if (note === null || file === null || file.bytes === null || file.target !== note.settings) return null
  const bare =
    going.length === 0 ? null : client.settings.takeOut(file.text, { made: null, statusLine: null })
  const text = bare === null || isMalformed(bare) ? file.text : bare.text
  const bytes = bytesBeforeClient(client, home.path, note, text, going)
  return bytes === undefined || bytes?.equals(file.bytes) ? null : { file, bytes }
}

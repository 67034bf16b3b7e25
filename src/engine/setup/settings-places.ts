import { agentNamed } from '../../agents/table.ts'
import type { Environment } from '../../core/agent.ts'
import {
  type AgentSetUp,
  type HookChange,
  isMalformed,
  type Scope,
  type SettingsFacts,
  type SettingsPlace,
  type SettingsProblem,
} from '../../core/agent-setup.ts'
import { ReasonError } from '../../core/reason.ts'
import { readPlainFile } from '../../fs/disk.ts'
import type { Context } from '../context/context.ts'
import { NOTICES, SETUP_CHANGES } from '../context/notices.ts'
import {
  type BytesNote,
  bytesBefore,
  keepSettings,
  readSetupJournal,
  readSetups,
  type Setup,
} from './journal.ts'
import type { SetupFile } from './setup-run.ts'

/** A settings file that is set up, or may be. */
export interface SetupPlace {
  client: AgentSetUp
  scope: Scope
  /** As the user knows it. */
  path: string
  /** The workspace, for the scope of a project. */
  root: string | null
}

/** The settings of a scope: for a project the file that is not committed. */
export function setupPlace({ place, env }: Context, client: AgentSetUp, scope: Scope): SetupPlace {
  const wanted = scope === 'user' ? 'user' : 'local'
  const found = client.places(place.root, env, process.platform).find(({ kind }) => kind === wanted)
  return { client, scope, path: found?.path ?? '', root: scope === 'project' ? place.root : null }
}

export const MAX_SETTINGS_BYTES = 4 * 1024 * 1024

export interface KnownPlace extends SettingsPlace {
  /** Null where there is no such file, or it cannot be read. */
  facts: SettingsFacts | null
  /** Why it cannot be read. */
  problem: string | null
}

/** What all settings files say that concerns us. */
export const placesHere = (client: AgentSetUp, root: string, env: Environment): KnownPlace[] =>
  readPlaces(client, client.places(root, env, process.platform))

/** The same of some. One that cannot be read is told, and the others are looked at. */
export function readPlaces({ settings }: AgentSetUp, places: readonly SettingsPlace[]): KnownPlace[] {
  return places.map((place) => {
    try {
      const bytes = readPlainFile(place.path, MAX_SETTINGS_BYTES)
      if (bytes === null) return { ...place, facts: null, problem: null }
      const facts = settings.read(bytes.toString('utf8'))
      return isMalformed(facts)
        ? { ...place, facts: null, problem: `line ${facts.line}: ${facts.problem}` }
        : { ...place, facts, problem: null }
    } catch (error) {
      if (!(error instanceof ReasonError)) throw error
      return { ...place, facts: null, problem: error.message }
    }
  })
}

/** What a settings file says, wherever it is; null where it cannot be read. */
export const factsAt = (client: AgentSetUp, path: string): SettingsFacts | null =>
  readPlaces(client, [{ kind: 'user', path }])[0]?.facts ?? null

/** Whether sessions that start in this workspace are recorded, as far as `init` did it. */
export async function isSetUpHere(context: Context): Promise<boolean> {
  const here = context.identity.workspace
  for (const setup of readSetups(context.home.path))
    if ((setup.scope === 'user' || setup.workspace === here) && (await hasOurs(context, setup))) return true
  return false
}

/** A note is made before anything is done: whether it was done stands in the settings. */
async function hasOurs({ agents }: Context, { agent, settings }: Setup): Promise<boolean> {
  const client = await agentNamed(agents, agent)?.setUp()
  const facts = client && factsAt(client, settings)
  return facts != null && (facts.plugin === true || facts.hooked.length > 0)
}

/** What keeps hooks from being run whatever a file says, in sentences. */
export function hookHindrances({ label }: AgentSetUp, places: readonly KnownPlace[]): string[] {
  return places.flatMap(({ path, facts }) => [
    ...(facts?.isPlain === false ? [NOTICES.settingsNotPlain(path, label)] : []),
    ...(facts?.hooksStoppedBy ? [NOTICES.hooksStopped(path, facts.hooksStoppedBy)] : []),
    ...(facts?.hooksManagedBy ? [NOTICES.hooksManaged(path, facts.hooksManagedBy)] : []),
  ])
}

/** The files that decide over a plugin, the one that counts most last; for all projects those of no project. */
const DECIDING: Record<Scope, ReadonlyArray<SettingsPlace['kind']>> = {
  project: ['user', 'project', 'local', 'managed'],
  user: ['user', 'managed'],
}

/**
 * Whether our plugin is switched on, which has the hooks itself. A repository can switch it off, but what it commits
 * vouches for nothing: where the client has no such plugin, no hook would be run.
 */
export function hasPlugin(places: readonly KnownPlace[], scope: Scope): boolean {
  const isKnown = places.some(({ kind, facts }) => isOfUser(kind) && (facts?.source ?? null) !== null)
  const counts = ({ kind, facts }: KnownPlace) =>
    facts?.plugin === false || (facts?.plugin === true && (isOfUser(kind) || (kind === 'local' && isKnown)))
  const saying = DECIDING[scope].flatMap((kind) => places.filter((one) => one.kind === kind && counts(one)))
  return saying.at(-1)?.facts?.plugin === true
}

/** The file that a repository commits and that names our plugin, so that the client may run it, too. */
export const committedPlugin = (places: readonly KnownPlace[]): string | null =>
  places.find(({ kind, facts }) => kind === 'project' && facts?.plugin === true)?.path ?? null

const isOfUser = (kind: SettingsPlace['kind']) => kind === 'user' || kind === 'managed'

/** The folder that the client reads our plugins from, as the user's settings say; null where it is no folder. */
export const pluginMarket = (places: readonly KnownPlace[]): string | null =>
  places.find(({ kind, facts }) => isOfUser(kind) && (facts?.source ?? null) !== null)?.facts?.market ?? null

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

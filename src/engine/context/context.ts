import { statSync } from 'node:fs'
import { AGENTS, sessionIn, speakerOf } from '../../agents/table.ts'
import type { Settings } from '../../config/settings.ts'
import type { Agent } from '../../core/agent.ts'
import { instant, type Ports } from '../../core/ports.ts'
import { describeError, errorCode, ReasonError, usageError } from '../../core/reason.ts'
import type { SessionKey } from '../../core/session.ts'
import type { SecretMark } from '../../policy/redact.ts'
import type { NewAct } from '../../store/local-state.ts'
import { openEmptyStore, openHomeStore } from '../../store/sqlite/home-store.ts'
import type { Store } from '../../store/store.ts'
import type { StoreFile } from '../../store/store-file.ts'
import { type Home, homeAt, homePath, prepareHome } from '../../workspace/home.ts'
import { type Identity, identifyWorkspace, recogniseWorkspace } from '../../workspace/identity.ts'
import { locateWorkspace, type Place } from '../../workspace/locate.ts'
import { type Config, loadSettings } from './load-settings.ts'
import { NOTICES } from './notices.ts'
import { secretMarkIn } from './secret-mark.ts'

/** What a verb works with: place, store, settings, clock, and the notices for the user. */
export interface Context {
  /** The directory that paths in an input start from. */
  cwd: string
  /** The variables that the command was given. */
  env: Readonly<Record<string, string | undefined>>
  ports: Ports
  home: Home
  store: Store
  /** What stands in the place of a secret: everything that is stored is redacted with it. */
  mark: SecretMark
  /** The file behind the store, for backups and restoring; null where it is not a file of ours. */
  file: StoreFile | null
  place: Place
  identity: Identity
  settings: Settings
  /** Where the settings come from, and what of them cannot be used. */
  config: Config
  /** What the user should hear besides the result; doors print it to stderr. */
  notices: string[]
  /** The whole of what is piped in; asked for only by verbs that say so. */
  readInput(): Promise<string>
  /** Puts bytes on the standard output, beside the answer. Throws where they cannot be written. */
  writeOutput(piece: Uint8Array): void
  /** The agents whose sessions are followed. */
  agents: readonly Agent[]
  /** Who gives the command: an agent that runs it, or the user. */
  speaker: 'agent' | 'user'
  /** The session of an agent in which the command is given, where the agent says so. */
  session: SessionKey | null
  /** The verb that is performed: what it does can be undone. Null for what nobody asked for. */
  verb: string | null
  /** What was done last with this, as it was recorded. */
  act: NewAct | null
  /** Asks a person, one question after another; null where nobody sits at a terminal. */
  ask: Ask | null
  /** Shows how far long work has come; says nothing where nobody watches. */
  progress: ProgressReporter
  /** Bookkeeping that may come after a save is confirmed: a crash before it costs the next command a look. */
  afterwards: Array<() => Promise<void>>
}

/** The answers, in the order of the questions; an empty one where the person passed it over. */
export type Ask = (questions: readonly string[]) => Promise<string[]>

/** `done` of `total` are through; the same number twice ends it. */
export type ProgressReporter = (done: number, total: number) => void

/** Runs the tasks that were deferred until the result is confirmed, in order. */
export async function runDeferredTasks(context: Context): Promise<void> {
  for (const task of context.afterwards.splice(0)) await task()
}

/** What a door may bring along: the notices are its own list, so that it can tell them also where the verb is refused. */
type DoorPart =
  | 'readInput'
  | 'writeOutput'
  | 'ask'
  | 'progress'
  | 'notices'
  | 'agents'
  | 'speaker'
  | 'session'

/** What a context is opened for. Speaker and session are given where the door knows better than the environment. */
export interface ContextRequest
  extends Pick<Context, 'cwd' | 'env' | 'ports'>,
    Partial<Pick<Context, DoorPart>> {
  access: 'read' | 'write'
  /** Settings that cannot be used are told and passed over; otherwise they are refused. */
  lenient?: boolean
  /** How long to wait for another writer. */
  waitMs?: number
  /** Whether a store of an older shape may be brought to the newest; it is refused otherwise. */
  mayMigrate?: boolean
  /** Whether the store is opened so that nothing can be written to it. */
  readOnly?: boolean
  /** It belongs to no workspace: what the store has of all of them is read. */
  nowhere?: true
  /** The process outlives the session that it was started in: which one goes on now is found out each time. */
  lasting?: boolean
}

const noInput = () => Promise.reject(usageError('no input to read'))

const noOutput = (): never => {
  throw usageError('stdout is not available: give a file name')
}

/** Opens everything for one directory. A reading request finds an empty store where there is none yet. */
export async function openContext(request: ContextRequest): Promise<Context> {
  const { cwd, env, ports, access, nowhere, lenient = false, notices = [], agents = AGENTS } = request
  const home = homeAt(homePath(env))
  const place = nowhere ? { root: home.path, git: null } : locateOrRefuse(cwd)
  const { settings, ...config } = await loadSettings(place.root, env)
  meetProblems(config, lenient, notices)
  const base = {
    ...{ cwd, env, ports, home, place, settings, config, notices, agents },
    mark: secretMarkIn(home.path, ports.random),
    readInput: request.readInput ?? noInput,
    writeOutput: request.writeOutput ?? noOutput,
    ask: request.ask ?? null,
    progress: request.progress ?? (() => undefined),
    speaker: request.speaker ?? speakerOf(agents, env),
    session: request.session === undefined ? sessionIn(agents, env) : request.session,
    ...{ identity: NOBODY, verb: null, act: null, afterwards: [] },
  }
  if (access === 'read' && ![home.database, home.backups, home.setAside].some(mayBeThere))
    return { ...base, store: openEmptyStore(ports), file: null }
  prepareHome(home, nowhere ? null : place.root)
  const { waitMs, mayMigrate = true, readOnly = false } = request
  return {
    ...base,
    ...openHomeStore(home, ports, { mayMigrate, readOnly, ...(waitMs === undefined ? {} : { waitMs }) }),
  }
}

/** Whether something is there, or cannot be seen: a home that may not be read is not an empty one. */
function mayBeThere(path: string): boolean {
  try {
    statSync(path)
    return true
  } catch (error) {
    const code = errorCode(error)
    return code !== 'ENOENT' && code !== 'ENOTDIR'
  }
}

/** A verb that must not fail for its settings says what it could not use of them. */
function meetProblems({ problems }: Config, lenient: boolean, notices: string[]): void {
  for (const found of problems) {
    const reason = new ReasonError('config_invalid', { path: found.path, problem: found.problem })
    if (!lenient) throw reason
    notices.push(NOTICES.settingsPassedOver(reason.message, found.setting === null, reason.hint))
  }
}

/** Where a folder is; one that is gone has a reason. */
export function locateOrRefuse(cwd: string): Place {
  try {
    return locateWorkspace(cwd)
  } catch (error) {
    throw new ReasonError('folder_unreadable', { path: cwd, problem: describeError(error) }, { cause: error })
  }
}

/** What a place is called before anybody wrote in it: no row has these ids. */
const NOBODY: Identity = { repository: '', workspace: '' }

/** Who the workspace is; one that is written from gets ids, and the store the place where it is now. */
export async function settleIdentity(
  { store, place, ports }: Context,
  access: ContextRequest['access'],
): Promise<Identity> {
  const known = await store.local.listWorkspaces()
  if (access === 'read') return recogniseWorkspace(place, known) ?? NOBODY
  const identity = identifyWorkspace(place, known, ports)
  const row = { id: identity.workspace, repository: identity.repository, path: place.root }
  const isKnown = known.some(
    (other) => other.id === row.id && other.path === row.path && other.repository === row.repository,
  )
  if (!isKnown) await store.local.seeWorkspace(row, instant(ports.now()))
  return identity
}

/** The root of the workspace that a run was started in, which may be another worktree. */
export async function workspaceRoot(context: Context, workspace: string): Promise<string> {
  if (workspace === context.identity.workspace) return context.place.root
  const row = (await context.store.local.listWorkspaces()).find(({ id }) => id === workspace)
  return row?.path ?? context.place.root
}

/** A step after a commit: what is stored stays confirmed. A failure is told, and the next command does what is left. */
export async function afterCommit<Result, Otherwise = null>(
  { notices }: Pick<Context, 'notices'>,
  what: string,
  step: () => Promise<Result>,
  // `as`: who says nothing else gets null.
  otherwise: (problem: string) => Otherwise = () => null as Otherwise,
): Promise<Result | Otherwise> {
  try {
    return await step()
  } catch (error) {
    const problem = describeError(error)
    notices.push(NOTICES.stepFailed(what, problem))
    return otherwise(problem)
  }
}

export const catchUpQuietly = (context: Context) =>
  afterCommit(context, 'Noting which files are written', () => runDeferredTasks(context))

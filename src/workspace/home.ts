import { realpathSync, statfsSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { homePathBy, sharingProblem } from '../core/home-path.ts'
import { describeError, errorCode, ReasonError } from '../core/reason.ts'
import { makePrivateFolder } from '../fs/private.ts'

/** The user's own folder: the store, its backups, its locks, and what was set aside. */
export interface Home {
  path: string
  database: string
  backups: string
  locks: string
  setAside: string
  /** The journals and hints of sessions. */
  sessions: string
  /** What hooks could not do, a line each. */
  faults: string
}

/** File systems whose locks or fsync cannot be relied on, by their Linux magic number. */
const NETWORK = new Map([
  [0x6969, 'nfs'],
  [0x517b, 'smb'],
  [0xff534d42, 'cifs'],
  [0xfe534d42, 'smb2'],
  [0x5346414f, 'afs'],
  [0x00c36400, 'ceph'],
  [0x0bd00bd0, 'lustre'],
  [0x47504653, 'gpfs'],
])

type Environment = Readonly<Record<string, string | undefined>>

/** Where the home is, on this machine. */
export function homePath(env: Environment, platform = process.platform): string {
  return homePathBy(env, platform, { join, resolve, homedir })
}

export function homeAt(path: string): Home {
  return {
    path,
    database: join(path, 'savepoint.db'),
    backups: join(path, 'backups'),
    locks: join(path, 'locks'),
    setAside: join(path, 'set-aside'),
    sessions: join(path, 'sessions'),
    faults: join(path, 'faults.jsonl'),
  }
}

/** Makes the home, private, or refuses one that could lose or leak what is put into it. */
export function prepareHome(home: Home, workspaceRoot: string | null): void {
  try {
    if (workspaceRoot !== null) refuseInside(home.path, workspaceRoot)
    makePrivateFolder(home.path)
    if (workspaceRoot !== null) refuseInside(realpathSync(home.path), workspaceRoot)
    refuseNetwork(home.path)
    refuseShared(home.path)
  } catch (error) {
    if (error instanceof ReasonError) throw error
    throw new ReasonError(
      'store_unavailable',
      { path: home.path, problem: describeError(error) },
      { cause: error },
    )
  }
}

function refuseInside(path: string, workspace: string): void {
  const down = relative(workspace, nearestReal(path))
  if (down === '' || (down !== '..' && !down.startsWith(`..${sep}`) && resolve(down) !== down))
    throw new ReasonError('home_inside_workspace', { path, workspace })
}

/** The real path of a folder that may not exist yet. */
function nearestReal(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' || dirname(path) === path) throw error
    return join(nearestReal(dirname(path)), relative(dirname(path), path))
  }
}

function refuseNetwork(path: string): void {
  const type = NETWORK.get(Number(statfsSync(path).type) >>> 0)
  if (type !== undefined) throw new ReasonError('home_on_network', { path, type })
}

function refuseShared(path: string): void {
  const problem = sharingProblem(statSync(path), process.getuid?.())
  if (problem !== null) throw new ReasonError('home_insecure', { path, problem })
}

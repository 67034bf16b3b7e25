import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  type Stats,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

/** Where the compiled program of one build and one Node is kept, as far as one verb uses it. */
export interface CachePlace {
  home: string
  folder: string
  name: string
}

/** What was compiled, and when it was kept. */
export interface CachedCode {
  compiled: Buffer
  keptMs: number
}

/** After so long it is made anew: by then the verb has been used in other ways, and what it compiled comes together. */
export const RENEWED_AFTER_MS = 300_000

const MAX_BYTES = 8 * 1024 * 1024
/** So many verbs are used in turn; each has its own, because what it compiles is what it needs. */
const KEPT = 8
const OURS = /^[0-9a-f]{16}-v\d[\w.+-]*-\w+\.bin$/
const HALF_WRITTEN = /^[0-9a-f]{16}-v\d[\w.+-]*-\w+\.bin\.\d+\.tmp$/
const ABANDONED_AFTER_MS = 3_600_000

export function cachePlace(home: string, build: string, word = ''): CachePlace {
  const verb = /^[a-z]{1,16}$/.test(word) ? word : 'any'
  return {
    home,
    folder: join(home, 'cache'),
    name: `${build}-${process.version}-${process.arch}-${verb}.bin`,
  }
}

/**
 * What an earlier start compiled, or undefined.
 * It is code that will run: only a file is read that nobody but this user can have written.
 * V8 does not look whether the bytes are whole, and a damaged cache ends the process with a signal,
 * so the file holds them twice and both must agree; a checksum would load a module of Node at every start.
 */
export function readCodeCache({ home, folder, name }: CachePlace): CachedCode | undefined {
  try {
    if (!isPrivateFolder(home) || !isPrivateFolder(folder)) return undefined
    const { bytes, keptMs } = readPrivateFile(join(folder, name))
    const half = bytes.length / 2
    if (half === 0 || !Number.isInteger(half)) return undefined
    const first = bytes.subarray(0, half)
    return first.equals(bytes.subarray(half)) ? { compiled: first, keptMs } : undefined
  } catch (error) {
    ignoreRefusal(error)
    return undefined
  }
}

/** Keeps the compiled program for the next start, where a home is; the home itself is never made here. */
export function keepCodeCache({ home, folder, name }: CachePlace, compiled: Buffer): void {
  try {
    // A folder of any other kind that SAVEPOINT_HOME happens to name is left as it is.
    if (!isPrivateFolder(home) || !lstatSync(join(home, 'savepoint.db')).isFile()) return
    if (compiled.length * 2 > MAX_BYTES) return
    makeFolder(folder)
    if (!isPrivateFolder(folder)) return
    replaceFile(join(folder, name), Buffer.concat([compiled, compiled]))
    removeOld(folder, name)
  } catch (error) {
    ignoreRefusal(error)
  }
}

/** The system may refuse a cache anything, and the command has done its work; all else is a mistake of ours. */
function ignoreRefusal(error: unknown): void {
  if (!(error instanceof Error && 'syscall' in error)) throw error
}

function isPrivate({ uid, mode }: Stats): boolean {
  const user = process.getuid?.()
  return user === undefined || (uid === user && (mode & 0o022) === 0)
}

function isPrivateFolder(path: string): boolean {
  const found = lstatSync(path)
  return found.isDirectory() && isPrivate(found)
}

/** Looks at the opened file, which no other can take the place of, and waits for no pipe. Empty where it will not do. */
function readPrivateFile(path: string): { bytes: Buffer; keptMs: number } {
  // On Windows the two last flags do not exist, and `|` takes them as nothing.
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const found = fstatSync(descriptor)
    const { mtimeMs: keptMs } = found
    if (!found.isFile() || !isPrivate(found) || found.size > MAX_BYTES)
      return { bytes: Buffer.alloc(0), keptMs }
    const bytes = Buffer.allocUnsafe(found.size)
    return { bytes: bytes.subarray(0, readSync(descriptor, bytes)), keptMs }
  } finally {
    closeSync(descriptor)
  }
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, 0o700)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
}

/** Whole or not at all; of two that write at once the later wins, and both wrote the same program. */
function replaceFile(path: string, bytes: Buffer): void {
  const half = `${path}.${process.pid}.tmp`
  const descriptor = openSync(half, 'wx', 0o600)
  try {
    try {
      writeFileSync(descriptor, bytes)
    } finally {
      closeSync(descriptor)
    }
    renameSync(half, path)
  } catch (error) {
    unlinkSync(half)
    throw error
  }
}

function removeOld(folder: string, keep: string): void {
  const names = readdirSync(folder)
  const age = (name: string) => lstatSync(join(folder, name)).mtimeMs
  const older = names
    .filter((name) => OURS.test(name) && name !== keep)
    .map((name) => ({ name, at: age(name) }))
    .sort((a, b) => b.at - a.at)
    .slice(KEPT - 1)
    .map(({ name }) => name)
  const abandoned = names.filter(
    (name) => HALF_WRITTEN.test(name) && age(name) < Date.now() - ABANDONED_AFTER_MS,
  )
  for (const name of [...older, ...abandoned]) unlinkSync(join(folder, name))
}

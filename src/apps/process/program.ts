import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  type Stats,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { Script } from 'node:vm'
import { homePathBy, sharingProblem } from '../../core/home-path.ts'

/** Written by the build: the program's file beside its launcher, and its build, which its first line names too. */
declare const SAVEPOINT_PROGRAM: { file: string; build: string }

/** A program that was started: what it shows, and what to do when its work is done. */
interface StartedProgram<Shown> {
  program: Shown
  /** The word whose compiled program was used; null where there was none. */
  used: string | null
  /** Keeps what was compiled for the next start with a word, where what is kept for it is older than that. */
  keep(word: string, renewedAfterMs?: number): void
}

/** What an earlier start compiled, and when it was kept. */
interface CachedCode {
  word: string
  compiled: Buffer
  keptMs: number
}

/** After so long it is made anew: by then the verb has been used in other ways, and what it compiled comes together. */
const RENEWED_AFTER_MS = 300_000

type Wrapper = (
  exports: object,
  require: NodeJS.Require,
  module: { exports: object },
  file: string,
  folder: string,
) => void

/** Where the home of this process is, before any of the product is loaded. */
export function homeHere(): string {
  // Asked for only where no variable says it.
  const homedir = () => (require('node:os') as typeof import('node:os')).homedir()
  return homePathBy(process.env, process.platform, { join, resolve, homedir })
}

/** Whether others could put something into a home: nothing in it may be read, and nothing be told to it. */
export function isSharedHome(home: string): boolean {
  const found = ignoreRefusal(() => statSync(home, { throwIfNoEntry: false }))
  return found != null && !isPrivate(found)
}

/**
 * Starts the program beside a launcher as Node's own `require` would, but with what V8 compiled at an earlier start:
 * the first of some words for which anything is kept.
 */
export function startProgram<Shown>(...words: string[]): StartedProgram<Shown> {
  const file = join(__dirname, SAVEPOINT_PROGRAM.file)
  // The build writes nothing but ASCII, which is read fastest so.
  const source = readFileSync(file, 'latin1')
  const found = readFirstCode(source, words)
  const script = new Script(`(function(exports,require,module,__filename,__dirname){\n${source}\n})`, {
    filename: file,
    lineOffset: -1,
    ...(found ? { cachedData: found.compiled } : {}),
  })
  const module: { exports: object } = { exports: {} }
  // The text above is this function, and the build makes the program's exports from entry.ts.
  const wrapper = script.runInThisContext() as Wrapper
  wrapper(module.exports, require, module, file, __dirname)
  const used = found && !script.cachedDataRejected ? found : null
  return {
    program: module.exports as Shown,
    used: used?.word ?? null,
    keep(word, renewedAfterMs = RENEWED_AFTER_MS) {
      const isGood = used?.word === word && Date.now() - used.keptMs < renewedAfterMs
      if (!isGood) ignoreRefusal(() => keepCode(source, word, script.createCachedData()))
    },
  }
}

const MAX_BYTES = 8 * 1024 * 1024
/** So many verbs are used in turn; each has its own, because what it compiles is what it needs. */
const KEPT = 8
const OURS = /^[0-9a-f]{16}-v\d[\w.+-]*-\w+\.bin$/
const HALF_WRITTEN = /^[0-9a-f]{16}-v\d[\w.+-]*-\w+\.bin\.\d+\.tmp$/
const ABANDONED_AFTER_MS = 3_600_000

/** Nothing may be kept where that is switched off, or for a program that is not of this launcher's build. */
const mayKeep = (source: string) =>
  !process.env.SAVEPOINT_NO_CACHE && source.startsWith(`//${SAVEPOINT_PROGRAM.build}\n`)

/** The compiled program of one build and one Node, as far as one verb uses it. */
const nameFor = (word: string) =>
  `${SAVEPOINT_PROGRAM.build}-${process.version}-${process.arch}-${/^[a-z]{1,16}$/.test(word) ? word : 'any'}.bin`

/**
 * It is code that will run: only a file is read that nobody but this user can have written.
 * V8 does not look whether the bytes are whole, and a damaged cache ends the process with a signal,
 * so the file holds them twice and both must agree; a checksum would load a module of Node at every start.
 */
function readFirstCode(source: string, words: readonly string[]): CachedCode | null {
  for (const word of mayKeep(source) ? words : []) {
    const found = ignoreRefusal(() => {
      const home = homeHere()
      const folder = join(home, 'cache')
      return isPrivateFolder(home) && isPrivateFolder(folder)
        ? readPrivateFile(join(folder, nameFor(word)))
        : null
    })
    const half = (found?.bytes.length ?? 0) / 2
    if (!found || half === 0 || !Number.isInteger(half)) continue
    const compiled = found.bytes.subarray(0, half)
    if (compiled.equals(found.bytes.subarray(half))) return { word, compiled, keptMs: found.keptMs }
  }
  return null
}

/** Keeps the compiled program for the next start, where a home is; the home itself is never made here. */
function keepCode(source: string, word: string, compiled: Buffer): void {
  if (!mayKeep(source) || compiled.length * 2 > MAX_BYTES) return
  const home = homeHere()
  const folder = join(home, 'cache')
  // A folder of any other kind that SAVEPOINT_HOME happens to name is left as it is.
  if (!isPrivateFolder(home) || !lstatSync(join(home, 'savepoint.db')).isFile()) return
  if (!existsSync(folder)) mkdirSync(folder, 0o700)
  if (!isPrivateFolder(folder)) return
  replaceFile(join(folder, nameFor(word)), Buffer.concat([compiled, compiled]))
  removeOld(folder, nameFor(word))
}

/** The system may refuse a cache anything, and the command has done its work; all else is a mistake of ours. */
function ignoreRefusal<Result>(act: () => Result): Result | null {
  try {
    return act()
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    return null
  }
}

const isPrivate = (found: Stats) => sharingProblem(found, process.getuid?.()) === null

function isPrivateFolder(path: string): boolean {
  const found = lstatSync(path)
  return found.isDirectory() && isPrivate(found)
}

/** Looks at the opened file, which no other can take the place of, and waits for no pipe. Null where it will not do. */
function readPrivateFile(path: string): { bytes: Buffer; keptMs: number } | null {
  // On Windows the two last flags do not exist, and `|` takes them as nothing.
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const found = fstatSync(descriptor)
    if (!found.isFile() || !isPrivate(found) || found.size > MAX_BYTES) return null
    const bytes = Buffer.allocUnsafe(found.size)
    return { bytes: bytes.subarray(0, readSync(descriptor, bytes)), keptMs: found.mtimeMs }
  } finally {
    closeSync(descriptor)
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

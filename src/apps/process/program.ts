import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
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

/** What V8 compiled of some of a program, for later starts. */
export interface CompiledStage {
  /** The word whose compiled code was used; null where there was none that fits. */
  used(): string | null
  /** Keeps what was compiled for the next start with a word, where what is kept for it is older than that. */
  keep(word: string, renewedAfterMs?: number): void
}

/** A program that was started: what it shows, and what was compiled for that. */
export interface StartedProgram<Shown> extends CompiledStage {
  program: Shown
  /** What is loaded from now on is kept apart: the first of some words for which anything is kept is used. */
  nextStage(...words: string[]): CompiledStage
}

/** What an earlier start compiled, by the places of its pieces, and when it was kept. */
interface CachedCode {
  word: string
  codes: Map<string, Buffer>
  keptMs: number
}

/** After so long it is made anew: by then the verb has been used in other ways, and what it compiled comes together. */
const RENEWED_AFTER_MS = 300_000

/** A part of the program, as the build writes it: answers what its module exports. */
type Part = (program: { file: string; load(name: string): object }, require: NodeJS.Require) => object

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
 * Starts the program beside a launcher, part by part as they are used, each with what V8 compiled of it at an earlier
 * start with this word. The first part has the name of the file.
 */
export function startProgram<Shown>(word: string): StartedProgram<Shown> {
  const file = join(__dirname, SAVEPOINT_PROGRAM.file)
  // It stays open: a program that is replaced meanwhile goes on with its own parts.
  const descriptor = openSync(file, 'r')
  const head = readPart(descriptor, 0, INDEX_BYTES)
  const top = head.indexOf('\n') + 1
  const index = head.slice(2, top)
  const [build = ''] = index.split(' ', 1)
  let stage = beginStage(build, [word])
  const pieces = new Map<string, Record<string, Part>>()
  const compile = (place: string) => {
    const [line = 0, start = 0, length = 0] = place.split(':').map(Number)
    const cachedData = stage.found?.codes.get(place)
    const script = new Script(readPart(descriptor, top + start, length), {
      filename: file,
      lineOffset: line,
      ...(cachedData ? { cachedData } : {}),
    })
    stage.scripts.set(place, script)
    // `as`: the text is an object of parts; the build makes every piece so.
    return script.runInThisContext() as Record<string, Part>
  }
  const partNamed = (name: string) => {
    const place = placeOf(name, index)
    const piece = pieces.get(place) ?? compile(place)
    pieces.set(place, piece)
    // `as`: the build writes the place of a part beside its name.
    return piece[name] as Part
  }
  const loaded = new Map<string, object>()
  const program = {
    file,
    load(name: string): object {
      const known = loaded.get(name) ?? partNamed(name)(program, require)
      loaded.set(name, known)
      return known
    },
  }
  const nextStage = (...words: string[]) => {
    stage = beginStage(build, words)
    return stage
  }
  // `as`: the build makes the first part from the module that the launcher knows.
  const shown = program.load(SAVEPOINT_PROGRAM.file.slice(0, -'.cjs'.length)) as Shown
  return { ...stage, program: shown, nextStage }
}

/** The pieces that are loaded from now on, with what is kept of them for the first of some words. */
function beginStage(build: string, words: readonly string[]) {
  const found = readFirstCode(build, words)
  const scripts = new Map<string, Script>()
  const good = () =>
    [...scripts.values()].some(({ cachedDataRejected }) => cachedDataRejected) ? null : found
  return {
    found,
    scripts,
    used: () => good()?.word ?? null,
    keep(word: string, renewedAfterMs = RENEWED_AFTER_MS) {
      const used = good()
      if (used?.word === word && Date.now() - used.keptMs < renewedAfterMs) return
      const codes = () => [
        // What this start did not load stays as it is.
        ...[...(used?.codes ?? [])].filter(([place]) => !scripts.has(place)),
        ...[...scripts].map(([place, script]): [string, Buffer] => [place, script.createCachedData()]),
      ]
      ignoreRefusal(() => keepCode(build, word, codes))
    },
  }
}

/** The first line, with room for five times as many parts as there are. */
const INDEX_BYTES = 32_768

/** Some of the program's text. The build writes nothing but ASCII, which is read fastest as Latin 1. */
function readPart(descriptor: number, from: number, length: number): string {
  const bytes = Buffer.allocUnsafe(length)
  return bytes.toString('latin1', 0, readSync(descriptor, bytes, 0, length, from))
}

/** Where the piece with a part stands in the program: the lines before it, its first character and its length. */
function placeOf(name: string, index: string): string {
  const at = index.indexOf(` ${name}:`)
  if (at < 0) throw new Error(`the program has no part ${name}`)
  return index.slice(at + name.length + 2, index.indexOf(' ', at + 1))
}

const MAX_BYTES = 8 * 1024 * 1024
/** So many verbs and kinds of hooks are used in turn; each has its own, because what it compiles is what it needs. */
const KEPT = 10
const OURS = /^[0-9a-f]{16}-v\d[\w.+-]*-\w+\.bin$/
const HALF_WRITTEN = /^[0-9a-f]{16}-v\d[\w.+-]*-\w+\.bin\.\d+\.tmp$/
const ABANDONED_AFTER_MS = 3_600_000

/** Nothing may be kept where that is switched off, or for a program that is not of this launcher's build. */
const mayKeep = (build: string) => !process.env.SAVEPOINT_NO_CACHE && build === SAVEPOINT_PROGRAM.build

/** The compiled program of one build and one Node, as far as one verb uses it. */
const nameFor = (word: string) =>
  `${SAVEPOINT_PROGRAM.build}-${process.version}-${process.arch}-${/^[a-z]{1,16}$/.test(word) ? word : 'any'}.bin`

/**
 * It is code that will run: only a file is read that nobody but this user can have written.
 * V8 does not look whether the bytes are whole, and a damaged cache ends the process with a signal,
 * so the file holds them twice and both must agree; a checksum would load a module of Node at every start.
 */
function readFirstCode(build: string, words: readonly string[]): CachedCode | null {
  for (const word of mayKeep(build) ? words : []) {
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
    const codes = compiled.equals(found.bytes.subarray(half)) ? readCodes(compiled) : null
    if (codes) return { word, codes, keptMs: found.keptMs }
  }
  return null
}

/** The pieces behind a line with their places and lengths; null where that line says something else. */
function readCodes(bytes: Buffer): Map<string, Buffer> | null {
  const codes = new Map<string, Buffer>()
  let from = bytes.indexOf('\n') + 1
  for (const one of bytes.toString('latin1', 0, Math.max(0, from - 1)).split(' ')) {
    const [place = '', length = ''] = one.split('=')
    const code = bytes.subarray(from, from + Number(length))
    codes.set(place, code)
    from += code.length
  }
  return from > 0 && from === bytes.length ? codes : null
}

/** Keeps the compiled program for the next start, where a home is; the home itself is never made here. */
function keepCode(build: string, word: string, makeCodes: () => Array<[place: string, code: Buffer]>): void {
  if (!mayKeep(build)) return
  const home = homeHere()
  const folder = join(home, 'cache')
  // A folder of any other kind that SAVEPOINT_HOME happens to name is left as it is.
  if (!isPrivateFolder(home) || !lstatSync(join(home, 'savepoint.db')).isFile()) return
  if (!existsSync(folder)) mkdirSync(folder, 0o700)
  if (!isPrivateFolder(folder)) return
  const codes = makeCodes()
  const places = codes.map(([place, code]) => `${place}=${code.length}`).join(' ')
  const compiled = Buffer.concat([Buffer.from(`${places}\n`), ...codes.map(([, code]) => code)])
  if (compiled.length * 2 > MAX_BYTES) return
  replaceFile(join(folder, nameFor(word)), Buffer.concat([compiled, compiled]))
  removeOld(folder, nameFor(word))
}

/** The system may refuse a cache anything, and the command has done its work; all else is a mistake of ours. */
export function ignoreRefusal<Result>(act: () => Result): Result | null {
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

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Script } from 'node:vm'
import {
  type CachedCode,
  type CachePlace,
  cachePlace,
  keepCodeCache,
  RENEWED_AFTER_MS,
  readCodeCache,
} from './code-cache.ts'
import { homeHere } from './home-here.ts'

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

type Wrapper = (
  exports: object,
  require: NodeJS.Require,
  module: { exports: object },
  file: string,
  folder: string,
) => void

/** Null where nothing may be kept: switched off, or a program that is not of this launcher's build. */
function placeFor(source: string, word: string): CachePlace | null {
  if (process.env.SAVEPOINT_NO_CACHE || !source.startsWith(`//${SAVEPOINT_PROGRAM.build}\n`)) return null
  try {
    return cachePlace(homeHere(), SAVEPOINT_PROGRAM.build, word)
  } catch (error) {
    // A home that is named from here, in a folder that is gone.
    if (!(error instanceof Error && 'syscall' in error)) throw error
    return null
  }
}

/**
 * Starts the program beside a launcher as Node's own `require` would, but with what V8 compiled at an earlier start:
 * the first of some words for which anything is kept.
 */
export function startProgram<Shown>(...words: string[]): StartedProgram<Shown> {
  const file = join(__dirname, SAVEPOINT_PROGRAM.file)
  // The build writes nothing but ASCII, which is read fastest so.
  const source = readFileSync(file, 'latin1')
  const found = firstKept(source, words)
  const cachedData = found?.kept.compiled
  const script = new Script(`(function(exports,require,module,__filename,__dirname){\n${source}\n})`, {
    filename: file,
    lineOffset: -1,
    ...(cachedData ? { cachedData } : {}),
  })
  const module: { exports: object } = { exports: {} }
  // The text above is this function, and the build makes the program's exports from entry.ts.
  const wrapper = script.runInThisContext() as Wrapper
  wrapper(module.exports, require, module, file, __dirname)
  const isUsed = found !== null && !script.cachedDataRejected
  return {
    program: module.exports as Shown,
    used: isUsed ? found.word : null,
    keep(word, renewedAfterMs = RENEWED_AFTER_MS) {
      const isGood = isUsed && found.word === word && Date.now() - found.kept.keptMs < renewedAfterMs
      const place = isGood ? null : placeFor(source, word)
      if (place) keepCodeCache(place, script.createCachedData())
    },
  }
}

function firstKept(source: string, words: string[]): { word: string; kept: CachedCode } | null {
  for (const word of words) {
    const place = placeFor(source, word)
    const kept = place ? readCodeCache(place) : undefined
    if (kept) return { word, kept }
  }
  return null
}

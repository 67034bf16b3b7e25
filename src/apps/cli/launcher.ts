import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Script } from 'node:vm'
import { homePathBy } from '../../core/home-path.ts'
import { type CachePlace, cachePlace, keepCodeCache, RENEWED_AFTER_MS, readCodeCache } from './code-cache.ts'

/** Named by the build; the first line of the program is a comment with the same name. */
declare const SAVEPOINT_BUILD: string

/** What the program shows to its launcher. */
interface Program {
  run(): Promise<number>
}

type Wrapper = (
  exports: object,
  require: NodeJS.Require,
  module: { exports: object },
  file: string,
  folder: string,
) => void

/** Has to be readable for an old Node: the build writes this file for Node 12. */
function refuseOldNode(): void {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  process.stderr.write(`savepoint needs Node 20.19 or newer; this is ${process.version}\n`)
  process.exit(70)
}

/** Null where nothing may be kept: switched off, or a program that is not of this launcher's build. */
function placeFor(source: string): CachePlace | null {
  if (process.env.SAVEPOINT_NO_CACHE || !source.startsWith(`//${SAVEPOINT_BUILD}\n`)) return null
  try {
    const homedir = () => (require('node:os') as typeof import('node:os')).homedir()
    const home = homePathBy(process.env, process.platform, { join, resolve, homedir })
    return cachePlace(home, SAVEPOINT_BUILD, process.argv[2])
  } catch (error) {
    // A home that is named from here, in a folder that is gone.
    if (!(error instanceof Error && 'syscall' in error)) throw error
    return null
  }
}

/** Starts the program as Node's own `require` would, but with what V8 compiled at an earlier start. */
function start(): void {
  const file = join(__dirname, 'program.cjs')
  // The build writes nothing but ASCII, which is read fastest so.
  const source = readFileSync(file, 'latin1')
  const place = placeFor(source)
  const kept = place ? readCodeCache(place) : undefined
  const cachedData = kept?.compiled
  const script = new Script(`(function(exports,require,module,__filename,__dirname){\n${source}\n})`, {
    filename: file,
    lineOffset: -1,
    ...(cachedData ? { cachedData } : {}),
  })
  const module: { exports: object } = { exports: {} }
  // The text above is this function, and the build makes the program's exports from entry.ts.
  const wrapper = script.runInThisContext() as Wrapper
  wrapper(module.exports, require, module, file, __dirname)
  const program = module.exports as Program
  program.run().then((code) => {
    const isGood = kept && !script.cachedDataRejected && Date.now() - kept.keptMs < RENEWED_AFTER_MS
    if (place && code === 0 && !isGood) keepCodeCache(place, script.createCachedData())
    // All is written and closed: to leave at once spares taking a large heap apart.
    process.exit(code)
  })
}

refuseOldNode()
start()

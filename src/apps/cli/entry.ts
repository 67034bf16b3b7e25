import { writeSync } from 'node:fs'
import { describe, errorCode, ReasonError } from '../../core/reason.ts'
import { workingFolder } from '../real-ports.ts'
import { main } from './main.ts'

declare const SAVEPOINT_VERSION: string

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`savepoint needs Node 20.19 or newer; this is ${process.version}\n`)
  process.exit(70)
}

let failedOutput: unknown

/**
 * Writes straight to the descriptor: Node's streams for it cost several milliseconds to set up at every start.
 * Output that nobody reads any more (`savepoint run list | head -1`) is no failure; a full disk behind it is.
 */
function writer(descriptor: number): (text: string) => void {
  return (text) => {
    const bytes = Buffer.from(text)
    for (let from = 0; from < bytes.length; ) {
      try {
        from += writeSync(descriptor, bytes, from)
      } catch (error) {
        const code = errorCode(error)
        if (code !== 'EAGAIN') {
          if (code !== 'EPIPE') failedOutput = error
          return
        }
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
      }
    }
  }
}

const err = writer(2)

main({
  words: process.argv.slice(2),
  get cwd() {
    return workingFolder()
  },
  env: process.env,
  version: SAVEPOINT_VERSION,
  get width() {
    return process.stdout.columns ?? 100
  },
  out: writer(1),
  err,
}).then((code) => {
  process.exitCode = code
  if (failedOutput === undefined || code !== 0) return
  const failure = new ReasonError('output_failed', { problem: describe(failedOutput) })
  err(`savepoint: ${failure.message}\n  ${failure.hint}\n`)
  process.exitCode = failure.exitCode
})

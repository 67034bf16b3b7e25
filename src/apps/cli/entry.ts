import { main } from './main.ts'

declare const SAVEPOINT_VERSION: string

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`savepoint needs Node 20.19 or newer; this is ${process.version}\n`)
  process.exit(70)
}

/** Output that nobody reads any more (`savepoint run list | head -1`) is no failure. */
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: Error & { code?: string }) => {
    if (error.code !== 'EPIPE') throw error
  })

main({
  words: process.argv.slice(2),
  cwd: process.cwd(),
  env: process.env,
  version: SAVEPOINT_VERSION,
  width: process.stdout.columns ?? 100,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
}).then((code) => {
  process.exitCode = code
})

import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { build } from 'esbuild'
import { projectRoot } from '../support/sandbox.ts'
import { freshFolder } from './make.ts'

/** Adds its own number to a session's accomplishments, however often somebody else is faster. */
const CHILD = `
const { openSqliteStore } = require(process.argv[1])
const { path, id, number } = JSON.parse(process.argv[2])
const ports = {
  now: () => Date.now(),
  random: (bytes) => require('node:crypto').randomBytes(bytes),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
}
const store = openSqliteStore({ path, ports, locksFolder: null, waitMs: 60000 })
process.stdin.once('data', async () => {
  for (;;) {
    const { session, version } = await store.log.readSession({ agent: 'claude', id })
    const accomplishments = [...session.accomplishments, number]
    if (await store.log.advance({ ...session, accomplishments }, version)) break
  }
  await store.close()
  process.exit()
})
console.log('ready')
`

/** Many processes change the row of one session in the same instant, each once; answers their exit codes. */
export async function advanceAtOnce(path: string, id: string, processes: number): Promise<unknown[]> {
  const bundle = join(freshFolder(), 'store.cjs')
  await build({
    absWorkingDir: projectRoot,
    entryPoints: ['src/store/sqlite/sqlite-store.ts'],
    outfile: bundle,
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    format: 'cjs',
    external: ['@photostructure/sqlite'],
    banner: { js: 'const importMetaUrl = require("node:url").pathToFileURL(__filename).href;' },
    define: { 'import.meta.url': 'importMetaUrl' },
    logLevel: 'error',
  })
  const env = { ...process.env, NODE_PATH: join(projectRoot, 'node_modules') }
  const children = Array.from({ length: processes }, (_, index) => {
    const job = JSON.stringify({ path, id, number: `${index}` })
    const child = spawn(process.execPath, ['-e', CHILD, bundle, job], {
      env,
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const ready = new Promise<void>((resolve) => child.stdout.once('data', () => resolve()))
    const done = new Promise<unknown>((resolve) => child.once('close', resolve))
    return { ready: Promise.race([ready, done]), done, go: () => child.stdin.end('go\n') }
  })
  await Promise.all(children.map(({ ready }) => ready))
  for (const { go } of children) go()
  return Promise.all(children.map(({ done }) => done))
}

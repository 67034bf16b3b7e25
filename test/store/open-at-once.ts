import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { build } from 'esbuild'
import { projectRoot } from '../support/sandbox.ts'
import { freshFolder } from './make.ts'

const CHILD = `
const { openSqliteStore } = require(process.argv[1])
const { path, migrations } = JSON.parse(process.argv[2])
const ports = {
  now: () => Date.now(),
  random: (bytes) => require('node:crypto').randomBytes(bytes),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
}
process.stdin.once('data', async () => {
  const store = openSqliteStore({ path, ports, migrations, locksFolder: null, waitMs: 20000 })
  try {
    const problems = await store.check()
    console.log(problems.length === 0 ? 'sound' : JSON.stringify(problems))
  } catch (error) {
    console.log(String(error.reason ?? error))
  }
  await store.close()
  process.exit()
})
console.log('ready')
`

/** Opens one database from many processes in the same instant; answers what each of them saw. */
export async function openAtOnce(
  path: string,
  migrations: readonly string[],
  processes: number,
): Promise<string[]> {
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
  const job = JSON.stringify({ path, migrations })
  const children = Array.from({ length: processes }, () => {
    const child = spawn(process.execPath, ['-e', CHILD, bundle, job], {
      env,
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    let said = ''
    const ready = new Promise<void>((resolve) =>
      child.stdout.on('data', (chunk) => {
        said += chunk
        if (said.startsWith('ready\n')) resolve()
      }),
    )
    const done = new Promise<string>((resolve) =>
      child.once('close', () => resolve(said.replace('ready\n', '').trim())),
    )
    return { ready, done, go: () => child.stdin.end('go\n') }
  })
  await Promise.all(children.map(({ ready }) => ready))
  for (const { go } of children) go()
  return Promise.all(children.map(({ done }) => done))
}

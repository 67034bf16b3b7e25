// `npm run test:package`: the package as a user installs it, under every Node that is supported. A Node that is not
// here is fetched by npm; where that fails, one line says so, and it is left out. Arguments go to vitest.
import { spawnSync } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { root, run, setup } from './setup.mjs'

const SUPPORTED = [20, 22, 24]
const FETCH_MS = 300_000

/** The path of a Node of this major version, or null. */
function findNode(major) {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath
  const { status, stdout, stderr, error } = spawnSync(
    'npx',
    // The package `node` unpacks its program in an install script.
    ['--yes', '--ignore-scripts=false', '-p', `node@${major}`, '--', 'node', '-p', 'process.execPath'],
    { cwd: root, encoding: 'utf8', timeout: FETCH_MS, shell: process.platform === 'win32' },
  )
  if (status === 0) return stdout.trim()
  const why = error?.code ?? /code (E\w+)/.exec(stderr ?? '')?.[1] ?? `npx ended with ${status}`
  console.error(`savepoint: test:package leaves out Node ${major}: it cannot be fetched here (${why})`)
  return null
}

setup()
const nodes = SUPPORTED.map(findNode).filter((node) => node !== null)
run(
  process.execPath,
  [
    join(root, 'node_modules/vitest/vitest.mjs'),
    ...['run', 'test/ground/package.test.ts', ...process.argv.slice(2)],
  ],
  { env: { ...process.env, SAVEPOINT_PACKAGE_NODES: nodes.join(delimiter) } },
)

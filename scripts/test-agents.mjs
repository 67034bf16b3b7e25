// `npm run test:agents`: the tests with the real client of an agent and a scripted model, in a network that has
// nothing but loopback. Where that cannot be had, one line says why, and nothing fails. Arguments go to vitest.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { root, setup } from './setup.mjs'

const VERSION = '2.1.325'
const PACKAGE = `@anthropic-ai/claude-code-${process.platform}-${process.arch}`
const INSTALL_MS = 300_000
const ALL_MS = 600_000

function skip(why) {
  console.error(`savepoint: test:agents skipped: ${why}`)
  process.exit(0)
}

/** The client's own program, installed once beside other caches; a half-done installation is never met. */
function client() {
  const caches =
    process.env.SAVEPOINT_CLIENTS_CACHE ??
    join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'savepoint-clients')
  const folder = join(caches, `claude-code-${VERSION}`)
  const program = join(folder, 'node_modules', PACKAGE, 'claude')
  if (existsSync(program)) return program
  console.error(`savepoint: installing ${PACKAGE}@${VERSION} …`)
  mkdirSync(caches, { recursive: true })
  const fresh = mkdtempSync(`${folder}.`)
  const why = install(fresh)
  // Another run may have been quicker.
  if (why === null && !existsSync(program)) renameSync(fresh, folder)
  rmSync(fresh, { recursive: true, force: true })
  return why === null ? program : skip(`the client cannot be installed here (${why})`)
}

/** Null, or why it cannot be. */
function install(folder) {
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n')
  const { status, stderr, error } = spawnSync(
    'npm',
    [
      ...['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
      ...['--prefer-offline', '--fetch-retries=1', `${PACKAGE}@${VERSION}`],
    ],
    { cwd: folder, encoding: 'utf8', timeout: INSTALL_MS },
  )
  if (status !== 0) return error?.code ?? /code (E\w+)/.exec(stderr ?? '')?.[1] ?? `npm ended with ${status}`
  return existsSync(join(folder, 'node_modules', PACKAGE, 'claude')) ? null : 'no program for this system'
}

/** How a command is run with a network and with mounts of its own: as root, or as root of a user's own namespace. */
function apart() {
  const shell = ['sh', '-c', 'ip link set lo up && exec "$@"', 'sh']
  for (const rights of [[], ['--map-root-user']]) {
    const command = ['unshare', '--net', '--mount', ...rights, ...shell]
    const [program, ...args] = command
    const probe = ['sh', '-c', 'mount -t tmpfs none /mnt']
    if (spawnSync(program, [...args, ...probe], { timeout: 10_000 }).status === 0) return command
  }
  return skip('no network namespaces here')
}

const [program, ...args] = apart()
const SAVEPOINT_CLIENT = client()
setup()
const { status } = spawnSync(
  program,
  [
    ...args,
    process.execPath,
    join(root, 'node_modules/vitest/vitest.mjs'),
    ...['run', '--config', join(root, 'vitest.clients.config.ts'), ...process.argv.slice(2)],
  ],
  {
    cwd: root,
    env: { ...process.env, SAVEPOINT_CLIENT },
    stdio: 'inherit',
    timeout: ALL_MS,
    killSignal: 'SIGKILL',
  },
)
process.exit(status ?? 1)

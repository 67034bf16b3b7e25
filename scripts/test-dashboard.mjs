// `npm run test:dashboard`: the dashboard in a real Chromium. It is looked for, and installed where that can be done;
// else one line says why, and nothing fails. `--pictures` draws those of the documents anew. Other arguments go to vitest.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, setup } from './setup.mjs'

const INSTALL_MS = 300_000
const ALL_MS = 900_000

const PLACES = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

function skip(why) {
  console.error(`savepoint: test:dashboard skipped: ${why}`)
  process.exit(0)
}

const find = () => PLACES.find((path) => path !== undefined && existsSync(path))

/** Debian's own package, where this user may install it. */
function install() {
  const system = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : ''
  if (!/^ID(_LIKE)?=.*debian/m.test(system) || process.getuid?.() !== 0) return
  console.error('savepoint: installing chromium …')
  const options = {
    stdio: 'ignore',
    timeout: INSTALL_MS,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  }
  spawnSync('apt-get', ['update'], options)
  spawnSync('apt-get', ['install', '--yes', '--no-install-recommends', 'chromium'], options)
}

if (find() === undefined) install()
const CHROMIUM_PATH = find() ?? skip('no Chromium here (CHROMIUM_PATH names one)')
const probe = spawnSync(CHROMIUM_PATH, ['--version'], { encoding: 'utf8', timeout: 30_000 })
if (probe.status !== 0) skip(`${CHROMIUM_PATH} does not start`)

setup()
const given = process.argv.slice(2)
const { status } = spawnSync(
  process.execPath,
  [
    join(root, 'node_modules/vitest/vitest.mjs'),
    ...['run', '--config', join(root, 'vitest.dashboard.config.ts')],
    ...given.filter((one) => one !== '--pictures'),
  ],
  {
    cwd: root,
    env: {
      ...process.env,
      CHROMIUM_PATH,
      ...(given.includes('--pictures') ? { SAVEPOINT_PICTURES: '1' } : {}),
    },
    stdio: 'inherit',
    timeout: ALL_MS,
    killSignal: 'SIGKILL',
  },
)
process.exit(status ?? 1)

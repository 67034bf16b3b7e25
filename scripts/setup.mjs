// Installs and builds what is missing or out of date, and nothing else. Uses Node and npm alone.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = join(dirname(fileURLToPath(import.meta.url)), '..')

/** Runs a command to its end on our terminal; ends this process where it fails. */
export function run(command, args, { quiet = false, env = process.env } = {}) {
  const isNpm = command === 'npm'
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: root,
    env,
    stdio: quiet ? 'pipe' : 'inherit',
    encoding: 'utf8',
    shell: isNpm && process.platform === 'win32',
  })
  if (status === 0) return
  process.stderr.write(`${stdout ?? ''}${stderr ?? ''}`)
  console.error(`savepoint: ${command} ${args.join(' ')} failed`)
  process.exit(status ?? 1)
}

/** Of files and, where a path ends with a slash, of all that is below a folder. */
export function fingerprint(paths, aside = []) {
  const hash = createHash('sha256')
  const add = (path) => {
    if (aside.includes(path)) return
    hash.update(path).update(readFileSync(join(root, path)))
  }
  for (const path of paths) {
    if (!path.endsWith('/')) add(path)
    else
      for (const entry of readdirSync(join(root, path), { recursive: true, withFileTypes: true }).sort(
        (a, b) => join(a.parentPath, a.name).localeCompare(join(b.parentPath, b.name)),
      ))
        if (entry.isFile()) add(join(entry.parentPath.slice(root.length + 1), entry.name))
  }
  return hash.digest('hex')
}

function unlessDone(mark, paths, what, act) {
  const file = join(root, mark)
  const wanted = fingerprint(paths)
  if (existsSync(file) && readFileSync(file, 'utf8') === wanted) return
  console.error(`savepoint: ${what} …`)
  act()
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, wanted)
}

export function setup() {
  unlessDone('node_modules/.savepoint-installed', ['package.json', 'package-lock.json'], 'installing', () =>
    // No dependency needs its install script, so none is run. Who calls this may be `npm pack --dry-run`, which
    // tells its options to every npm inside it.
    run(
      'npm',
      [
        ...['install', '--ignore-scripts', '--include=dev', '--no-dry-run', '--no-save'],
        ...['--no-audit', '--no-fund', '--loglevel=error'],
      ],
      { quiet: true },
    ),
  )
  unlessDone(
    'dist/.built',
    [
      'package.json',
      'package-lock.json',
      'tsconfig.json',
      'tsconfig.types.json',
      'scripts/build.mjs',
      'scripts/bundle-types.mjs',
      'src/',
      'web/',
    ],
    'building',
    () => run(process.execPath, ['scripts/build.mjs']),
  )
}

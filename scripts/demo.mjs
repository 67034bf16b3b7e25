// Shows the product at work in a throw-away repository and home: a run that is killed and resumed, and a document.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { root } from './setup.mjs'

const place = mkdtempSync(join(tmpdir(), 'savepoint-demo-'))
const repo = join(place, 'repo')
const env = { ...process.env, SAVEPOINT_HOME: join(place, 'home'), XDG_CONFIG_HOME: join(place, 'config') }
const cli = join(root, 'dist/cli.cjs')

const say = (text) => console.log(`\n# ${text}`)
function savepoint(...args) {
  console.log(`$ savepoint ${args.join(' ')}`)
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], {
    cwd: repo,
    env,
    encoding: 'utf8',
  })
  process.stdout.write(`${stdout}${stderr}`)
  if (status !== 0) throw new Error(`savepoint ${args.join(' ')} ended with ${status}`)
}

try {
  mkdirSync(repo)
  spawnSync('git', ['init', '--quiet', repo])
  writeFileSync(
    join(repo, 'plan.md'),
    '# Release\n\n- [ ] build: Build the package\n- [ ] test: Run the tests\n- [ ] tag: Tag the release\n',
  )
  say('A plan is a checklist. A run of it keeps a snapshot at every boundary.')
  savepoint('run', 'start', 'plan.md', '--run-id', 'release-1')
  savepoint(
    'run',
    'exec',
    'release-1',
    '--step',
    'build',
    '--',
    process.execPath,
    '-e',
    'console.log("built")',
  )

  say('The second step is at work when everything dies (kill -9, as a crash or a flat battery would).')
  const started = join(place, 'started')
  const work = `require("fs").writeFileSync(${JSON.stringify(started)}, ""); setTimeout(() => {}, 60000)`
  const args = ['run', 'exec', 'release-1', '--step', 'test', '--', process.execPath, '-e', work]
  console.log('$ savepoint run exec release-1 --step test -- node tests.js')
  const child = spawn(process.execPath, [cli, ...args], { cwd: repo, env, stdio: 'ignore', detached: true })
  while (!existsSync(started) && child.exitCode === null) await sleep(20)
  const gone = once(child, 'exit')
  process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL')
  await gone
  console.log('Killed.')

  say('The next session asks where the work stands. Nothing is marked done that was not.')
  savepoint('run', 'resume', 'release-1')

  say('It goes on from there, and finishes.')
  savepoint(
    'run',
    'exec',
    'release-1',
    '--step',
    'test',
    '--',
    process.execPath,
    '-e',
    'console.log("42 tests passed")',
  )
  savepoint('run', 'step', 'release-1', 'tag', 'in_progress')
  savepoint('run', 'step', 'release-1', 'tag', 'done')
  savepoint('run', 'finish', 'release-1')
  savepoint('run', 'list')
  savepoint('run', 'verify')
  say('A checkpoint document is for work that people think about. Every version of it is kept.')
  savepoint('new', 'release', '--current')
  savepoint('delta', '--what', 'The tests pass', '--artifact', 'plan.md:modified:All steps are done')
  savepoint('fork', 'release', 'release-notes')
  savepoint('tree')
  savepoint('show', 'release', '--history')
  say('All of it was in a throw-away folder, which is gone now. Try: npm start -- --help')
} finally {
  rmSync(place, { recursive: true, force: true })
}

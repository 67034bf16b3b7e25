// Shows the product at work in a throw-away repository and home: work that is saved, lost and resumed; then a run
// that is killed, and a document.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { root } from './setup.mjs'

const place = mkdtempSync(join(tmpdir(), 'savepoint-demo-'))
const repo = join(place, 'repo')
const env = {
  ...process.env,
  CLAUDECODE: '',
  SAVEPOINT_HOME: join(place, 'home'),
  XDG_CONFIG_HOME: join(place, 'config'),
}
const cli = join(root, 'dist/cli.cjs')

const say = (text) => console.log(`\n# ${text}`)
const quoted = (word) => (/^[\w./:@-]+$/.test(word) ? word : JSON.stringify(word))

function savepoint(...args) {
  console.log(`$ savepoint ${args.map(quoted).join(' ')}`)
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], {
    cwd: repo,
    env,
    encoding: 'utf8',
  })
  process.stdout.write(`${stdout}${stderr}`)
  if (status !== 0) throw new Error(`savepoint ${args.join(' ')} ended with ${status}`)
}

/** Starts a program, and kills it with all its children as soon as it is where it should be. */
async function killed([program, ...args], isThere) {
  const child = spawn(program, args, { cwd: repo, env, stdio: 'ignore', detached: true })
  while (!isThere() && child.exitCode === null) await sleep(20)
  const gone = once(child, 'exit')
  process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL')
  await gone
}

const read = (path) => (existsSync(path) ? Number(readFileSync(path, 'utf8')) : 0)

function git(...args) {
  const who = ['-c', 'user.name=Demo', '-c', 'user.email=demo@example.org']
  spawnSync('git', [...who, ...args], { cwd: repo, env })
}

try {
  mkdirSync(repo)
  spawnSync('git', ['init', '--quiet', repo])
  git('commit', '--quiet', '--allow-empty', '--message', 'Begin')
  mkdirSync(join(repo, 'src'))
  writeFileSync(join(repo, 'src/login.ts'), 'export const login = () => {}\n')

  say(
    'Four hours into the work, an agent saves where it stands: what was decided and why, and what comes next.',
  )
  savepoint(
    ...['save', 'Moving login to tokens', '--goal', 'Login works without a server session'],
    ...['--decision', 'JWT over cookies because the app has no session', '--next', 'Write the refresh test'],
    ...['--rule', 'No new dependency without asking'],
  )
  savepoint(
    ...['save', 'The form sends the token', '--done', 'Token in the login form'],
    ...['--decision', 'Refresh after 15 minutes because the team wants short tokens', '--by', 'agent'],
  )

  say('It goes on saving, and dies in the middle of it (kill -9: a crash, a full disk, a flat battery).')
  const saves = `
    const { spawnSync } = require('node:child_process')
    for (let n = 1; ; n += 1) {
      const { status } = spawnSync(process.execPath, [${JSON.stringify(cli)}, 'save', 'Refresh test, try ' + n])
      if (status === 0) require('node:fs').writeFileSync(${JSON.stringify(join(place, 'confirmed'))}, String(n))
    }`
  await killed([process.execPath, '-e', saves], () => read(join(place, 'confirmed')) >= 3)
  console.log(`Killed. ${read(join(place, 'confirmed'))} of its saves were confirmed.`)

  say('Meanwhile somebody commits, and a file changes.')
  writeFileSync(join(repo, 'src/login.ts'), 'export const login = (token) => token\n')
  git('commit', '--quiet', '--allow-empty', '--message', 'Fix a typo')

  say('The next session, in whatever agent, begins with this: short, and checked against the files and git.')
  savepoint('resume')

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
  await killed([process.execPath, cli, ...args], () => existsSync(started))
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
  savepoint('list', '--tree')
  savepoint('show', 'release', '--history')
  say('All of it was in a throw-away folder, which is gone now. Try: npm start -- --help')
} finally {
  rmSync(place, { recursive: true, force: true })
}

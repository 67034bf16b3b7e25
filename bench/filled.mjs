// A workspace with much in its store, as the benches need it: made once, and quickly.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { root } from '../scripts/setup.mjs'
import { withoutFileSync } from './measure.mjs'

/** A machine that cannot take in the checkpoints in this time cannot be measured. */
const SEED_MS = 600_000
const FILES = 12
const DIRTY = 5
const DECISIONS = 10
export const PLAN = 'auth'
export const saveWords = ['save', 'The move to tokens is through its tests', '--next', 'Write the next test']

const NEEDED = `
  export { realPorts } from './src/apps/process/real-ports.ts'
  export { runDeferredTasks } from './src/engine/context/context.ts'
  export { parseInput } from './src/verbs/define/field.ts'
  export { openSound } from './src/engine/heal/open-sound.ts'
  export { save } from './src/verbs/work/save.ts'`

/** The operations are TypeScript: they are bundled into a file that Node can import. `more`: further names of theirs. */
export async function bundled(place, more = '') {
  const outfile = join(place, 'operations.mjs')
  const here = JSON.stringify(pathToFileURL(join(root, 'package.json')).href)
  await build({
    absWorkingDir: root,
    stdin: {
      resolveDir: root,
      contents: [NEEDED, more].join('\n'),
    },
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    external: ['@photostructure/sqlite'],
    define: { 'import.meta.url': here },
    banner: {
      js: `import { createRequire as benchRequire } from 'node:module'; const require = benchRequire(${here});`,
    },
  })
  return import(pathToFileURL(outfile).href)
}

/** A repository with some uncommitted files, an index with an active plan, and so many checkpoints of that plan. */
export async function seeded(place, count, operations) {
  const workspace = workspaceIn(place)
  const { repo, env, savepoint } = workspace
  const { openSound, save, parseInput, runDeferredTasks, realPorts } = operations
  const notices = []
  // The first save trusts the workspace, as a user's does: the plan of its index counts from then on.
  savepoint(...saveWords)
  const context = await openSound({
    cwd: repo,
    env,
    ports: realPorts,
    access: 'write',
    lenient: true,
    notices,
  })
  // Thousands of calls of git would take minutes, and store nothing.
  context.place = { ...context.place, git: null }
  const deadline = performance.now() + SEED_MS
  await withoutFileSync(async () => {
    for (let number = 2; number <= count; number += 1) {
      await save.perform(context, parseInput(save.fields, saying(number)))
      await runDeferredTasks(context)
      notices.length = 0
      if (performance.now() > deadline) throw new Error(`only ${number} checkpoints were stored in time`)
    }
  })
  await context.store.close()
  const { stream, sequence } = JSON.parse(savepoint(...saveWords, '--json'))
  if (stream !== PLAN || sequence !== count + 1) throw new Error(`${stream} has ${sequence} checkpoints`)
  savepoint('resume')
  return workspace
}

/** What is known has one size at any count, so that only what is stored differs: ten decisions come again and again. */
function saying(number) {
  const decision = (number / 10) % DECISIONS
  return {
    text: `Step ${number} of the move to tokens is through its tests`,
    next: [`Write the test of step ${number + 1}`],
    decision:
      number % 10 === 0
        ? [`Tokens of kind ${decision} over cookies because part ${decision} has no session`]
        : [],
    file: [`src/part-${number % FILES}.ts: its session is gone`],
  }
}

function workspaceIn(place) {
  const repo = join(place, 'work')
  const trace = join(place, 'git-trace.jsonl')
  for (const folder of ['src', '.claude']) mkdirSync(join(repo, folder), { recursive: true })
  // Git tells by its own trace how long it took; variables that begin with GIT_ do not reach it.
  writeFileSync(
    join(place, '.gitconfig'),
    `[user]\n\tname = Bench\n\temail = bench@example.com\n[trace2]\n\teventTarget = ${trace}\n`,
  )
  const { XDG_CONFIG_HOME: _config, NODE_OPTIONS: _options, ...outer } = process.env
  const own = {
    HOME: place,
    USERPROFILE: place,
    SAVEPOINT_HOME: join(place, 'home'),
    GIT_CONFIG_NOSYSTEM: '1',
  }
  const env = { ...outer, ...own }
  const run = (program, args, input) => {
    const { status, stdout, stderr } = spawnSync(program, args, { cwd: repo, env, input, encoding: 'utf8' })
    if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}\n${stderr}`)
    return stdout
  }
  const part = (number, text) => writeFileSync(join(repo, `src/part-${number}.ts`), text.repeat(50))
  for (let number = 0; number < FILES; number += 1) part(number, `export const part = ${number}\n`)
  const index = { active_plan: PLAN, active_plan_stage: 2, tdd_phase: 'green', last_checkpoint: null }
  writeFileSync(join(repo, '.claude/state-index.json'), `${JSON.stringify(index, null, 2)}\n`)
  for (const args of [
    ['init', '-q'],
    ['add', '.'],
    ['commit', '-qm', 'Parts'],
  ])
    run('git', args)
  for (let number = 0; number < DIRTY; number += 1) part(number, `export const part = '${number}'\n`)
  const node = (...args) => run(process.execPath, args)
  return { repo, env, trace, run, node, savepoint: (...args) => node(join(root, 'dist/cli.cjs'), ...args) }
}

/** How long all git commands of a run took, from the start of each to its end. */
export function gitTime(trace) {
  if (!existsSync(trace)) return 0
  const events = readFileSync(trace, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  // What git itself starts has its parent's id before its own, and is in the parent's time.
  const ends = events.filter(({ event, sid }) => event === 'atexit' && !sid.includes('/'))
  return ends.reduce((sum, { t_abs: seconds }) => sum + seconds * 1_000, 0)
}

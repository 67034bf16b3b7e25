// `npm run mutants`: breaks the source in one place at a time, in a copy, and fails where no test notices.
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { root, setup } from './setup.mjs'

const LIST = 'test/faults/mutants.json'
const TEST_MS = 180_000
/** Only a test that fails has noticed: a compiler that refuses, or a run without an end, proves nothing. */
const SAYS = { failed: 'noticed ', passed: 'SURVIVED', unbuilt: 'UNBUILT ', unclear: 'UNCLEAR ' }

const { values } = parseArgs({
  options: { only: { type: 'string', multiple: true }, list: { type: 'boolean', default: false } },
})
const all = JSON.parse(readFileSync(join(root, LIST), 'utf8'))
const chosen = values.only ? all.filter(({ name }) => values.only.includes(name)) : all
const problems = [...unknown(values.only ?? []), ...chosen.flatMap(misplaced)]
if (problems.length > 0) end(`savepoint: ${LIST}:\n  ${problems.join('\n  ')}`)
if (values.list) {
  for (const { name, file, tests } of chosen) console.log(`${name}  (${file}: ${tests.join(', ')})`)
  process.exit(0)
}

setup()
const place = mkdtempSync(join(tmpdir(), 'savepoint-mutants-'))
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    clear()
    process.exit(1)
  })
try {
  copyProject(place)
  const tests = [...new Set(chosen.flatMap((mutant) => mutant.tests))].sort()
  console.log(`The ${tests.length} test files without a mutant …`)
  const sound = verdict(tests)
  if (sound.state !== 'passed') {
    clear()
    end(`savepoint: the tests fail without any mutant:\n${sound.output}`)
  }
  const alive = chosen.filter((mutant) => !isKilled(mutant)).map(({ name }) => name)
  console.log(`${chosen.length - alive.length} of ${chosen.length} mutants were noticed.`)
  if (alive.length > 0) console.error(`Not noticed:\n  ${alive.join('\n  ')}`)
  process.exitCode = alive.length > 0 ? 1 : 0
} finally {
  clear()
}

function clear() {
  rmSync(place, { recursive: true, force: true })
}

function end(text) {
  console.error(text)
  process.exit(1)
}

function unknown(names) {
  return names
    .filter((name) => !all.some((mutant) => mutant.name === name))
    .map((name) => `${name}: there is no such mutant`)
}

/** A mutant that does not fit the source any more would prove nothing. */
function misplaced({ name, file, find, tests }) {
  const found = readFileSync(join(root, file), 'utf8').split(find).length - 1
  return [
    ...(found === 1 ? [] : [`${name}: its text is ${found} times in ${file}, not once`]),
    ...(all.filter((other) => other.name === name).length === 1 ? [] : [`${name}: the name is used twice`]),
    ...(tests.length > 0 ? [] : [`${name}: it names no test`]),
    ...tests.filter((test) => !existsSync(join(root, test))).map((test) => `${name}: there is no ${test}`),
  ]
}

function copyProject(target) {
  const { stdout, status } = spawnSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    },
  )
  if (status !== 0) throw new Error('git ls-files failed')
  for (const file of new Set(stdout.split('\0').filter(Boolean))) {
    if (/^(?:node_modules|dist)\//.test(file) || !existsSync(join(root, file))) continue
    mkdirSync(dirname(join(target, file)), { recursive: true })
    cpSync(join(root, file), join(target, file))
  }
  symlinkSync(join(root, 'node_modules'), join(target, 'node_modules'), 'junction')
}

/** Builds the copy as it is now and runs some of its tests. */
function verdict(tests) {
  const built = node(['scripts/build.mjs'])
  if (built.status !== 0) return { state: 'unbuilt', output: built.output }
  const run = node(['node_modules/vitest/vitest.mjs', 'run', '--bail', '1', ...tests])
  const failed = killer(run.output) === '' ? 'unclear' : 'failed'
  return { state: run.status === 0 ? 'passed' : failed, output: run.output }
}

function node(args) {
  const { NODE_EXTRA_CA_CERTS: _slow, ...env } = process.env
  const options = {
    cwd: place,
    env: { ...env, SAVEPOINT_TEST_FAULTS: 'all' },
    encoding: 'utf8',
    timeout: TEST_MS,
    killSignal: 'SIGKILL',
    maxBuffer: 2 ** 28,
  }
  const { status, stdout, stderr } = spawnSync(process.execPath, args, options)
  return { status, output: `${stdout}${stderr}` }
}

function isKilled({ name, file, find, replace, tests }) {
  const path = join(place, file)
  const sound = readFileSync(path, 'utf8')
  const start = performance.now()
  writeFileSync(path, sound.split(find).join(replace))
  try {
    const { state, output } = verdict(tests)
    const seconds = ((performance.now() - start) / 1_000).toFixed(0)
    console.log(`${SAYS[state]}  ${name}  ${seconds} s  ${state === 'failed' ? killer(output) : ''}`)
    if (state === 'unbuilt') console.log(output)
    return state === 'failed'
  } finally {
    writeFileSync(path, sound)
  }
}

/** The first failing test, as vitest names it. */
function killer(output) {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control characters
  return /FAIL\s+(.+)/.exec(output.replace(/\u001b\[[0-9;]*m/g, ''))?.[1] ?? ''
}

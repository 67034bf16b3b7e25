import { spawnSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, relative } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { projectRoot, sandbox } from '../support/sandbox.ts'

/** The Nodes to try: this one alone, or those that `npm run test:package` found. */
const NODES = (process.env.SAVEPOINT_PACKAGE_NODES ?? process.execPath)
  .split(delimiter)
  .map((node) => ({ node, version: run(node, ['-p', 'process.versions.node'], projectRoot).trim() }))
const MOST_FILES = 60

/** The driver of SQLite for Node 20 and what it needs, as they are installed here: no network is asked. */
const DRIVER = ['@photostructure/sqlite', 'node-addon-api', 'node-gyp-build'].map((name) =>
  join(projectRoot, 'node_modules', name),
)

const root = mkdtempSync(join(tmpdir(), 'savepoint-package-'))
const clone = join(root, 'clone')
const consumer = join(root, 'consumer')
const installed = join(consumer, 'node_modules', 'savepoint')
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** Runs a command to its end; throws where it fails. What npm tells a script of its own options is left out. */
function run(command: string, args: string[], cwd: string, env: NodeJS.ProcessEnv = process.env): string {
  const plain = Object.entries(env).filter(
    ([name]) => !/^npm_(?!config_(?:registry|cache|userconfig))/.test(name),
  )
  const done = spawnSync(command, args, {
    cwd,
    env: { ...Object.fromEntries(plain), SAVEPOINT_NO_CACHE: '1' },
    encoding: 'utf8',
    timeout: 120_000,
  })
  if (done.status !== 0)
    throw new Error(`${command} ${args.join(' ')} ended with ${done.status}: ${done.stdout}${done.stderr}`)
  return done.stdout
}

/** The repository as a fresh clone has it: nothing is built. The packages are lent. */
function makeClone() {
  const isMade = (path: string) => /^(?:node_modules|dist(?:\..*)?|coverage|\.git)$/.test(path)
  cpSync(projectRoot, clone, {
    recursive: true,
    filter: (path) => !isMade(relative(projectRoot, path)),
  })
  symlinkSync(join(projectRoot, 'node_modules'), join(clone, 'node_modules'), 'junction')
}

beforeAll(() => {
  makeClone()
  mkdirSync(consumer)
  writeFileSync(join(consumer, 'package.json'), '{ "private": true, "type": "module" }\n')
  run('npm', ['pack', '--silent', '--pack-destination', root], clone)
  const tarballs = readdirSync(root).filter((name) => name.endsWith('.tgz'))
  expect(tarballs).toHaveLength(1)
  run(
    'npm',
    [
      ...['install', '--ignore-scripts', '--offline', '--install-links', '--no-audit', '--no-fund'],
      ...[join(root, tarballs[0] ?? ''), ...DRIVER],
    ],
    consumer,
  )
}, 180_000)

test('a package that is packed in a fresh clone has the program, one declaration file and few files', () => {
  const files = readdirSync(installed, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(installed.length + 1))
  const program = [
    'cli.cjs',
    'program.cjs',
    'hook.cjs',
    'hook-program.cjs',
    'zod.cjs',
    'protocol.cjs',
    'index.js',
  ]
  for (const name of [...program, 'LICENSES.txt']) expect(files).toContain(`dist/${name}`)
  expect(files.filter((name) => name.endsWith('.d.ts'))).toEqual(['dist/index.d.ts'])
  expect(files.filter((name) => /(?:^|\/)\.(?:built|npmrc)$|^(?:src|test)\//.test(name))).toEqual([])
  expect(files.length).toBeLessThanOrEqual(MOST_FILES)
})

test('the package asks for the driver of SQLite, and for nothing else', () => {
  const { dependencies, optionalDependencies } = JSON.parse(
    readFileSync(join(installed, 'package.json'), 'utf8'),
  )
  expect(dependencies).toBeUndefined()
  expect(Object.keys(optionalDependencies)).toEqual(['@photostructure/sqlite'])
})

test('the types of the library are whole, for a strict consumer without the types of Node', () => {
  writeFileSync(
    join(consumer, 'use.mts'),
    `import { decodeSnapshot, type Reason, ReasonError, REASONS, type Receipt, RunRecorder } from 'savepoint'
    const recorder: RunRecorder = await RunRecorder.start({ plan: { text: '- [ ] s1: First' }, ports: { now: () => 0 } })
    const receipt: Receipt = await recorder.step('s1', 'done')
    const { status }: { status: 'in_progress' | 'failed' | 'completed' | 'paused' } = decodeSnapshot(new Uint8Array(), 'x')
    const reason: Reason = new ReasonError('run_unknown').reason
    export const told = [receipt.snapshotId, status, REASONS[reason].hint]
    // @ts-expect-error No step can be put into this state.
    await recorder.step('s1', 'pending')
    // @ts-expect-error There is no such reason.
    export const other: Reason = 'no_such_reason'\n`,
  )
  run(
    process.execPath,
    [
      join(projectRoot, 'node_modules/typescript/bin/tsc'),
      ...['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', 'false', '--isolatedModules'],
      ...['--module', 'nodenext', '--target', 'es2022', '--types', '', 'use.mts'],
    ],
    consumer,
  )
})

test.each(NODES)(
  'the installed package saves, resumes and records a run under Node $version',
  ({ node, version }) => {
    const box = sandbox()
    const env = { ...box.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` }
    const savepoint = (...args: string[]) =>
      run(join(consumer, 'node_modules', '.bin', 'savepoint'), args, box.repo, env)
    savepoint('save', 'Signing the tokens', '--decision', 'RS256 over HS256')
    const resumed = JSON.parse(savepoint('resume', '--json'))
    expect(resumed.work.now).toBe('Signing the tokens')

    const script = join(consumer, 'use.mjs')
    writeFileSync(
      script,
      `import { readFileSync } from 'node:fs'
    import { decodeSnapshot, RunRecorder } from 'savepoint'
    const recorder = await RunRecorder.start({ plan: { text: '- [ ] s1: First' }, runId: 'r1' })
    await recorder.step('s1', 'done')
    const { latest } = await recorder.finish()
    console.log(process.versions.node, decodeSnapshot(readFileSync(latest), latest).status)\n`,
    )
    expect(run(node, [script], box.repo, env)).toBe(`${version} completed\n`)
  },
)

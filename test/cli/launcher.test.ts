import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { asNobody, canBeNobody, NOBODY } from '../support/nobody.ts'
import { cliPath, type Sandbox, sandbox } from '../support/sandbox.ts'

const ON = { SAVEPOINT_NO_CACHE: '' }
const dist = dirname(cliPath)
const program = readFileSync(join(dist, 'program.cjs'), 'latin1')
const build = program.slice(2, 18)
const nameFor = (verb: string) => `${build}-${process.version}-${process.arch}-${verb}.bin`
// A command without a verb.
const NAME = nameFor('any')
const RUN = nameFor('run')
const { version: VERSION } = JSON.parse(readFileSync(join(dist, '..', 'package.json'), 'utf8'))
// As long as the real one: V8 tells two sources apart by nothing but their length.
const FORGED = VERSION.replace(/\d/g, '9')

const folderOf = (box: Sandbox) => join(box.home, 'cache')
const fileOf = (box: Sandbox, name = NAME) => join(folderOf(box), name)
const filesOf = (box: Sandbox) => readdirSync(folderOf(box)).toSorted()
const versionOf = (box: Sandbox, env: NodeJS.ProcessEnv = {}) => {
  const done = box.run(['--version'], { env: { ...ON, ...env } })
  expect(done).toMatchObject({ code: 0, signal: null, stderr: '' })
  return done.stdout.trim()
}

/** A sandbox with a home, and no cache yet. */
function withHome(): Sandbox {
  const box = sandbox()
  box.start()
  return box
}

/** A launcher beside a changed program, which takes itself for the same build. */
function changedBuild(box: Sandbox, change: (text: string) => string): string {
  const folder = join(box.root, 'changed')
  mkdirSync(folder)
  cpSync(cliPath, join(folder, 'cli.cjs'))
  writeFileSync(join(folder, 'program.cjs'), change(program), 'latin1')
  return join(folder, 'cli.cjs')
}

const start = (box: Sandbox, file: string, args: string[]) =>
  spawnSync(process.execPath, [file, ...args], {
    cwd: box.repo,
    env: { ...box.env, ...ON },
    encoding: 'utf8',
  })

/** A sandbox whose cache holds another program, so that it shows whether it is used. */
function withForgedCache(): Sandbox {
  const box = withHome()
  const forged = changedBuild(box, (text) => text.replaceAll(`"${VERSION}"`, `"${FORGED}"`))
  expect(start(box, forged, ['--version']).stdout.trim()).toBe(FORGED)
  expect(filesOf(box)).toEqual([NAME])
  return box
}

/** The cache is whole, private and holds the real program. */
function expectGoodCache(box: Sandbox, name = NAME): void {
  expect(statSync(fileOf(box, name)).mode & 0o777).toBe(0o600)
  const bytes = readFileSync(fileOf(box, name))
  const half = bytes.length / 2
  expect(bytes.length).toBeGreaterThan(100_000)
  expect(bytes.subarray(0, half).equals(bytes.subarray(half))).toBe(true)
  expect(versionOf(box)).toBe(VERSION)
}

test('the first command keeps what was compiled, private, and the next ones leave it alone', () => {
  const box = withHome()
  expect(existsSync(folderOf(box))).toBe(false)
  box.json(['run', 'list'], { env: ON })
  expect(filesOf(box)).toEqual([RUN])
  expect(statSync(folderOf(box)).mode & 0o777).toBe(0o700)
  const before = statSync(fileOf(box, RUN))
  box.json(['run', 'list'], { env: ON })
  box.json(['run', 'show', 'r1'], { env: ON })
  expect(statSync(fileOf(box, RUN))).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs })
  expectGoodCache(box, RUN)
})

test('the command that makes the home keeps it too', () => {
  const box = sandbox()
  writeFileSync(box.path('plan.md'), '# Plan\n\n- [ ] s1: First\n')
  box.json(['run', 'start', 'plan.md'], { env: ON })
  expect(filesOf(box)).toEqual([RUN])
  expectGoodCache(box, RUN)
})

test('what was kept is what runs', () => {
  expect(versionOf(withForgedCache())).toBe(FORGED)
})

test('SAVEPOINT_NO_CACHE: nothing is used and nothing is kept', () => {
  const box = withForgedCache()
  const before = readFileSync(fileOf(box))
  expect(versionOf(box, { SAVEPOINT_NO_CACHE: '1' })).toBe(VERSION)
  expect(readFileSync(fileOf(box)).equals(before)).toBe(true)
  const fresh = withHome()
  versionOf(fresh, { SAVEPOINT_NO_CACHE: '1' })
  expect(existsSync(folderOf(fresh))).toBe(false)
})

const twice = (bytes: Buffer) => Buffer.concat([bytes, bytes])
const flipped = (bytes: Buffer, at: number) => {
  const copy = Buffer.from(bytes)
  copy[at] = (copy[at] ?? 0) ^ 0x55
  return copy
}

test.each<[string, (bytes: Buffer) => Buffer]>([
  ['a changed byte in the first half', (bytes) => flipped(bytes, 5_000)],
  ['a changed byte in the second half', (bytes) => flipped(bytes, bytes.length - 5_000)],
  ['zeros behind the first page', (bytes) => Buffer.concat([bytes.subarray(0, 4_096)], bytes.length)],
  ['nothing but zeros', (bytes) => Buffer.alloc(bytes.length)],
  ['a cut end', (bytes) => bytes.subarray(0, bytes.length - 4_096)],
  ['an odd length', (bytes) => Buffer.concat([bytes, Buffer.alloc(1)])],
  ['one half alone', (bytes) => bytes.subarray(0, bytes.length / 2)],
  ['no bytes', () => Buffer.alloc(0)],
  ['something that V8 rejects', () => twice(Buffer.from('not a cache'))],
  ['too many bytes', (bytes) => twice(Buffer.concat([bytes.subarray(0, bytes.length / 2)], 5_000_000))],
])('a cache with %s is not used, and is replaced', (_, damage) => {
  const box = withForgedCache()
  writeFileSync(fileOf(box), damage(readFileSync(fileOf(box))))
  expect(versionOf(box)).toBe(VERSION)
  expectGoodCache(box)
})

test.each<[string, (box: Sandbox) => void]>([
  ['that the group may write', (box) => chmodSync(fileOf(box), 0o620)],
  ['that others may write', (box) => chmodSync(fileOf(box), 0o602)],
  [
    'that is a link',
    (box) => {
      renameSync(fileOf(box), join(box.root, 'elsewhere.bin'))
      symlinkSync(join(box.root, 'elsewhere.bin'), fileOf(box))
    },
  ],
])('a cache %s is not used, and is replaced', (_, spoil) => {
  const box = withForgedCache()
  spoil(box)
  expect(versionOf(box)).toBe(VERSION)
  expectGoodCache(box)
})

test.skipIf(!canBeNobody)('a cache that belongs to somebody else is not used, and is replaced', () => {
  const box = withForgedCache()
  chownSync(fileOf(box), NOBODY, NOBODY)
  expect(versionOf(box)).toBe(VERSION)
  expectGoodCache(box)
})

test.skipIf(process.platform === 'win32')('a pipe in its place is not waited for, and is replaced', () => {
  const box = withHome()
  mkdirSync(folderOf(box), { mode: 0o700 })
  expect(spawnSync('mkfifo', ['-m', '600', fileOf(box)]).status).toBe(0)
  expect(versionOf(box)).toBe(VERSION)
  expectGoodCache(box)
})

test.each<[string, (box: Sandbox) => void]>([
  ['a cache folder that the group may write', (box) => chmodSync(folderOf(box), 0o720)],
  ['a home that others may write', (box) => chmodSync(box.home, 0o702)],
  ...[folderOf, (box: Sandbox) => box.home].map((of, nth): [string, (box: Sandbox) => void] => [
    `${nth === 0 ? 'a cache folder' : 'a home'} that is a link`,
    (box) => {
      renameSync(of(box), join(box.root, 'elsewhere'))
      symlinkSync(join(box.root, 'elsewhere'), of(box))
    },
  ]),
])('in %s nothing is used and nothing is kept', (_, spoil) => {
  const box = withForgedCache()
  spoil(box)
  const before = readFileSync(fileOf(box))
  expect(versionOf(box)).toBe(VERSION)
  expect(filesOf(box)).toEqual([NAME])
  expect(readFileSync(fileOf(box)).equals(before)).toBe(true)
})

test('a program of another build than the launcher uses and keeps nothing', () => {
  const box = withForgedCache()
  const before = readFileSync(fileOf(box))
  const other = changedBuild(withHome(), (text) => text.replace(build, 'f'.repeat(16)))
  expect(start(box, other, ['--version']).stdout.trim()).toBe(VERSION)
  expect(readFileSync(fileOf(box)).equals(before)).toBe(true)
  expect(filesOf(box)).toEqual([NAME])
})

test('without a home nothing is made', () => {
  const box = sandbox()
  box.json(['run', 'list'], { env: ON })
  expect(versionOf(box)).toBe(VERSION)
  expect(existsSync(box.home)).toBe(false)
})

test('a folder that is no home of Savepoint is left as it is', () => {
  const box = sandbox()
  chmodSync(box.repo, 0o700)
  const before = readdirSync(box.repo)
  expect(versionOf(box, { SAVEPOINT_HOME: '.' })).toBe(VERSION)
  expect(readdirSync(box.repo)).toEqual(before)
})

test('a home that is named from a folder that is gone', () => {
  const box = withHome()
  mkdirSync(box.path('gone'))
  const script = `rmdir "$PWD" && exec "${process.execPath}" "${cliPath}" --version`
  const env = { ...box.env, ...ON, SAVEPOINT_HOME: 'home' }
  const done = spawnSync('sh', ['-c', script], { cwd: box.path('gone'), env, encoding: 'utf8' })
  expect(done).toMatchObject({ status: 0, stdout: `${VERSION}\n`, stderr: '' })
})

test('a command that fails keeps nothing', () => {
  const box = withHome()
  expect(box.run(['run', 'show', 'nobody'], { env: ON }).code).toBeGreaterThan(0)
  expect(existsSync(folderOf(box))).toBe(false)
})

test('many first starts at once leave one whole cache', async () => {
  const box = withHome()
  const all = await Promise.all(Array.from({ length: 6 }, () => box.spawn(['run', 'list'], { env: ON }).done))
  for (const done of all) expect(done).toMatchObject({ code: 0, stderr: '' })
  expect(filesOf(box)).toEqual([RUN])
  expectGoodCache(box, RUN)
})

test.skipIf(!canBeNobody)('in a home that cannot be written a command works and says nothing of it', () => {
  const box = withHome()
  for (const path of [box.home, join(box.home, 'savepoint.db')]) chownSync(path, NOBODY, NOBODY)
  chmodSync(box.home, 0o500)
  const done = asNobody(box, ['--version'], ON)
  expect(done).toMatchObject({ code: 0, stdout: `${VERSION}\n`, stderr: '' })
  expect(existsSync(folderOf(box))).toBe(false)
})

test('the ten newest are kept, with what is not ours', () => {
  const box = withHome()
  mkdirSync(folderOf(box), { mode: 0o700 })
  const old = (name: string, days: number) => {
    const at = Date.now() / 1_000 - days * 86_400
    writeFileSync(join(folderOf(box), name), 'x')
    utimesSync(join(folderOf(box), name), at, at)
  }
  const builds = [...'abcdef01234'].map((letter) => `${letter.repeat(16)}-v20.19.0-x64.bin`)
  for (const [days, name] of builds.entries()) old(name, days + 1)
  old('notes.txt', 30)
  old(`${builds[0]}.77.tmp`, 30)
  writeFileSync(join(folderOf(box), `${builds[1]}.78.tmp`), 'still being written')
  versionOf(box)
  expect(filesOf(box)).toEqual([NAME, ...builds.slice(0, 9), `${builds[1]}.78.tmp`, 'notes.txt'].toSorted())
})

test('what was kept some minutes ago is made anew, with what was compiled since', () => {
  const box = withHome()
  box.json(['run', 'list'], { env: ON })
  const first = statSync(fileOf(box, RUN))
  const then = Date.now() / 1_000 - 600
  box.json(['run', 'show', 'r1'], { env: ON })
  expect(statSync(fileOf(box, RUN)).size).toBe(first.size)
  utimesSync(fileOf(box, RUN), then, then)
  box.json(['run', 'show', 'r1'], { env: ON })
  expect(statSync(fileOf(box, RUN)).size).toBeGreaterThan(first.size)
  box.json(['run', 'list'], { env: ON })
  expectGoodCache(box, RUN)
})

test('each verb keeps what it compiles, and a word that is none has no file of its own', () => {
  const box = withHome()
  box.json(['run', 'list'], { env: ON })
  box.json(['list'], { env: ON })
  box.run(['--version'], { env: ON })
  box.run(['../../x'], { env: ON })
  expect(filesOf(box)).toEqual([NAME, RUN, nameFor('list')].toSorted())
})

test('doctor finds nothing wrong with it', () => {
  const box = withHome()
  versionOf(box)
  expect(box.json(['doctor'], { env: ON })).toMatchObject({ ok: true, findings: [] })
  expect(filesOf(box)).toEqual([NAME, nameFor('doctor')].toSorted())
})

test('the stack of a failure names the program, with and without a cache', () => {
  const box = withHome()
  const traceOf = () =>
    box
      .run(['run', 'show', 'nobody'], { env: { ...ON, SAVEPOINT_DEBUG: '1' } })
      .stderr.match(/program\.cjs:\d+:\d+/g)
  const plain = traceOf()
  expect(plain?.length).toBeGreaterThan(0)
  versionOf(box)
  expect(traceOf()).toEqual(plain)
  const [, line = 0, column = 0] = plain?.[0]?.split(':').map(Number) ?? []
  expect(program.split('\n')[line - 1]?.slice(column - 1)).toMatch(/^new /)
})

test('a Node that is too old is told so, by a launcher that it can read', () => {
  const box = sandbox()
  const fake = join(box.root, 'old-node.cjs')
  writeFileSync(
    fake,
    "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.4' } })",
  )
  const done = spawnSync(process.execPath, ['--require', fake, cliPath, '--version'], { encoding: 'utf8' })
  expect(done).toMatchObject({ status: 70, stdout: '' })
  expect(done.stderr).toMatch(/^savepoint needs Node 20\.19 or newer; this is v/)
  const launcher = readFileSync(cliPath, 'latin1')
  expect(launcher.length).toBeLessThan(6_000)
  expect(launcher).not.toMatch(/\?\?|\?\.[a-z([]|#[a-z]+[=(;]|catch\{/i)
  expect(new Set([...launcher.matchAll(/require\("([^"]+)"\)/g)].map(([, name]) => name))).toEqual(
    new Set(['fs', 'path', 'vm', 'os', 'v8', './hook.cjs']),
  )
})

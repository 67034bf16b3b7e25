import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { stoppedHolder } from '../store/lock-holder.ts'
import type { Sandbox } from '../support/sandbox.ts'
import { onFullFileSystem, pathWithoutNode, readOnly } from './broken-home.ts'
import { claude, type Ran } from './client.ts'
import { installed, project } from './lab.ts'
import { say, use } from './scenario.ts'
import { toldIn, words } from './told.ts'

const SCENARIO = { turns: [use('Bash', { command: 'echo hello' }, 'I look.'), say('All is well.')] }

/** A session before the fault, so that there is a store, and something that could be told. */
async function lived(): Promise<Sandbox> {
  const place = installed()
  const decided = "I'll use RS256 for the tokens because the gateway verifies with a public key."
  await claude(place, { prompts: ['Sign the tokens.'], scenario: { turns: [say(decided)] } })
  return place
}

const session = (place: Sandbox, env: NodeJS.ProcessEnv = {}) =>
  claude(place, { prompts: ['Look around.'], scenario: SCENARIO, env })

/** What the model was given, without what differs from place to place. */
const given = (place: Sandbox, { requests }: Ran) =>
  requests.map((request) =>
    words(request)
      .replaceAll(place.root, 'ROOT')
      .replaceAll(/\b[0-9a-f]{7,40}\b/g, 'HASH')
      .replaceAll(/\d+ tokens left/g, 'tokens left')
      .replaceAll(/^\?\? .*\n/gm, ''),
  )

/** The client must behave as in a place where Savepoint was never set up. */
/** `isTold`: what can still be read is told all the same. */
async function expectUnharmed(place: Sandbox, run: Ran, { isTold = false } = {}): Promise<void> {
  const without = project()
  const bare = await session(without)
  expect(run).toMatchObject({ exit: 0, results: bare.results, stderr: bare.stderr })
  expect(toldIn(run.requests[0])).toHaveLength(isTold ? 1 : 0)
  if (!isTold) expect(given(place, run)).toEqual(given(without, bare))
  expect(hookFailures(run)).toEqual([])
}

/** What the client says of hooks that went wrong. */
const hookFailures = ({ stdout }: Ran) =>
  stdout.split('\n').filter((line) => line.includes('"hook_response"') && !line.includes('"exit_code":0'))

const database = (place: Sandbox) => join(place.home, 'savepoint.db')
const doctor = (place: Sandbox) => {
  const { stdout, stderr } = place.run(['doctor'])
  return stdout + stderr
}

test('without a fault the same session is told something', async () => {
  const place = await lived()
  expect(toldIn((await session(place)).requests[0])).toHaveLength(1)
})

test('a store that another process holds locked', async () => {
  const place = await lived()
  const holder = await stoppedHolder(database(place))
  const run = await session(place)
  await holder.kill()
  await expectUnharmed(place, run, { isTold: true })
  expect(doctor(place)).toContain('store_busy')
})

test('a store that is garbage', async () => {
  const place = await lived()
  const size = statSync(database(place)).size
  writeFileSync(database(place), Buffer.alloc(size, 'garbage '))
  const run = await session(place)
  await expectUnharmed(place, run)
  expect(doctor(place)).toMatch(/corrupt|damaged|not a database/i)
})

test('a full file system', async () => {
  const place = await lived()
  onFullFileSystem(place.home)
  expect(() => writeFileSync(join(place.home, 'probe'), 'x'.repeat(8_192))).toThrow('ENOSPC')
  const run = await session(place)
  await expectUnharmed(place, run, { isTold: true })
  expect(doctor(place)).toMatch(/almost full/)
})

test('a home that cannot be written', async () => {
  const place = await lived()
  readOnly(place.home)
  expect(() => writeFileSync(join(place.home, 'probe'), '')).toThrow('EROFS')
  const run = await session(place)
  await expectUnharmed(place, run, { isTold: true })
  expect(doctor(place)).toMatch(/read-only/i)
})

test('a Node that is gone', async () => {
  const place = await lived()
  const launcher = join(place.home, 'bin', 'savepoint-hook')
  const text = readFileSync(launcher, 'utf8')
  expect(text).toContain(process.execPath)
  writeFileSync(launcher, text.replaceAll(process.execPath, join(place.root, 'no-node')))
  const run = await session(place, { PATH: pathWithoutNode(place.root) })
  await expectUnharmed(place, run)
  expect(doctor(place)).toContain('node_missing')
})

import { expect, test } from 'vitest'
import { heard, idOf, rowOf, within } from '../cli/session-lab.ts'
import { type Sandbox, sandbox } from '../support/sandbox.ts'
import { type Served, served } from './server.ts'

const [OLD, NEW, NEWER, OTHER] = ['aaaa', 'bbbb', 'cccc', 'dddd'].map(idOf) as [
  string,
  string,
  string,
  string,
]

/** What the client's hooks tell when its user clears the conversation: another session, in the same process. */
function clear(box: Sandbox, from: string, to: string): void {
  expect(heard(box, from, 'SessionEnd', { reason: 'clear' })).toBe(0)
  expect(heard(box, to, 'SessionStart', { source: 'clear' })).toBe(0)
}

const sessionOf = async (server: Served) => {
  const { session, unrecorded } = await server.did('info')
  // `as`: the facts that the tool promises.
  return { id: (session as { id: string } | null)?.id ?? null, unrecorded }
}
const streamOf = async (box: Sandbox, id: string) => (await rowOf(box, id))?.session.stream

test('a session that is cleared goes on under another id, and the server of the first saves for it', async () => {
  const box = sandbox()
  heard(box, OLD, 'SessionStart', { source: 'startup' })
  const server = await served(box, { env: within(OLD) })
  await server.did('save', { summary: 'Before', stream: 'auth' })
  expect(await sessionOf(server)).toEqual({ id: OLD, unrecorded: null })
  expect(await streamOf(box, OLD)).toBe('auth')
  clear(box, OLD, NEW)
  expect(await sessionOf(server)).toEqual({ id: NEW, unrecorded: null })
  await server.did('save', { summary: 'After', stream: 'pay' })
  expect(await streamOf(box, NEW)).toBe('pay')
  expect(await streamOf(box, OLD)).toBe('auth')
  // And once more, in the same server.
  clear(box, NEW, NEWER)
  await server.did('save', { summary: 'Again', stream: 'mail' })
  expect(await sessionOf(server)).toEqual({ id: NEWER, unrecorded: null })
  expect(await streamOf(box, NEWER)).toBe('mail')
  expect(await streamOf(box, NEW)).toBe('pay')
})

test('two clients in one workspace keep apart, whichever of them is cleared', async () => {
  const box = sandbox()
  for (const id of [OLD, OTHER]) heard(box, id, 'SessionStart', { source: 'startup' })
  const server = await served(box, { env: within(OLD) })
  const other = await served(box, { env: within(OTHER) })
  await other.did('save', { summary: 'Theirs', stream: 'theirs' })
  await server.did('save', { summary: 'Mine', stream: 'mine' })
  clear(box, OLD, NEW)
  await server.did('save', { summary: 'Mine still', stream: 'mine-two' })
  expect(await sessionOf(other)).toEqual({ id: OTHER, unrecorded: null })
  expect(await streamOf(box, OTHER)).toBe('theirs')
  // The save goes to the session that goes on, or to none: never to the other client's.
  expect([NEW, null]).toContain((await sessionOf(server)).id)
  await other.did('save', { summary: 'Theirs still', stream: 'theirs-two' })
  expect(await streamOf(box, OTHER)).toBe('theirs-two')
  expect(['mine-two', null]).toContain(await streamOf(box, NEW))
  // The other one, in its turn.
  clear(box, OTHER, NEWER)
  await other.did('save', { summary: 'Theirs again', stream: 'theirs-three' })
  expect([NEWER, null]).toContain((await sessionOf(other)).id)
  expect(['mine-two', null]).toContain(await streamOf(box, NEW))
  expect([NEW, null]).toContain((await sessionOf(server)).id)
})

test('a server whose session nobody has recorded says so, and takes no other one for it', async () => {
  const box = sandbox()
  heard(box, OTHER, 'SessionStart', { source: 'startup' })
  const server = await served(box, { env: within(OLD) })
  await server.did('save', { summary: 'Mine', stream: 'mine' })
  expect(await streamOf(box, OTHER)).not.toBe('mine')
  expect((await sessionOf(server)).id).not.toBe(OTHER)
})

test('two clients that are cleared at once: no words of the one go to the other', async () => {
  const box = sandbox()
  for (const id of [OLD, OTHER]) heard(box, id, 'SessionStart', { source: 'startup' })
  const server = await served(box, { env: within(OLD) })
  for (const id of [OLD, OTHER]) heard(box, id, 'SessionEnd', { reason: 'clear' })
  for (const id of [NEWER, NEW]) heard(box, id, 'SessionStart', { source: 'clear' })
  await server.did('save', { summary: 'Mine', stream: 'mine', accomplishment: ['Done by me'] })
  for (const id of [NEW, NEWER, OTHER]) {
    const row = await rowOf(box, id)
    expect(row?.session.stream ?? null).not.toBe('mine')
    expect(row?.session.accomplishments ?? []).toEqual([])
  }
})

test('an agent that names no session has none, though a client of another agent is at work beside it', async () => {
  const box = sandbox()
  heard(box, OTHER, 'SessionStart', { source: 'startup' })
  const server = await served(box)
  expect((await sessionOf(server)).id).toBeNull()
  expect((await server.refused('budget')).reason).toBe('session_unnamed')
  expect((await server.refused('compact')).reason).toBe('session_unnamed')
})

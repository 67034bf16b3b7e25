import { statSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { TriggerKind } from '../../src/core/checkpoint.ts'
import { streamId } from '../../src/core/id.ts'
import { type Claim, type Decision, emptyWork, type WorkState } from '../../src/core/work.ts'
import { catchUpSession } from '../../src/engine/sessions/catch-up.ts'
import { readState } from '../../src/engine/surroundings/read-state.ts'
import { newCheckpoint } from '../store/make.ts'
import { HOUR, idOf, keyOf, Lab, MINUTE, streamOf } from './lab.ts'

const [A, B, C] = [idOf('a'), idOf('b'), idOf('c')]
const NOTE = 'An older version of Savepoint picked this up from a session; nobody saved it'

const claim = (text: string): Claim => ({ text, origin: 'user', confirmed: true })
const decision = (text: string): Decision => ({ ...claim(text), why: '', supersededBy: null })
const OVERHEARD: Partial<WorkState> = {
  intent: 'Overheard goal',
  state: 'Overheard state',
  next: [{ text: 'Overheard step' }],
  decisions: [decision('Overheard decision')],
  rules: [claim('Overheard rule')],
  constraints: [claim('Overheard constraint')],
  facts: [claim('Overheard fact')],
}
const CLAIMS = ['Overheard decision', 'Overheard rule', 'Overheard constraint', 'Overheard fact']

interface OldPoint {
  kind: TriggerKind
  session?: string
  work: Partial<WorkState>
}

/** Checkpoints as a version wrote them that made claims of sentences: nothing in them is marked as overheard. */
async function writeOld(lab: Lab, name: string, points: OldPoint[]): Promise<void> {
  await lab.within(async ({ store, identity }) => {
    const stream = { id: streamId(identity.repository, name), ...identity, kind: 'work' as const, name }
    let after: string | null = null
    for (const [at, { kind, session, work }] of points.entries()) {
      lab.wait(MINUTE)
      const checkpoint = newCheckpoint(stream.id, at + 1, {
        ...{ parent: after, at: lab.now, work: { ...emptyWork(), ...work } },
        triggers: [{ kind, at: lab.now, note: '' }],
        ...(session === undefined ? {} : { session }),
      })
      const done = await store.acts.commit({
        workspace: identity.workspace,
        begins: at === 0 ? [stream] : [],
        appends: [{ checkpoint, after, foreign: false }],
      })
      if (!done.done) throw new Error(done.why)
      after = checkpoint.id
    }
  })
}

/** A session that an older version read to its end, as its row and its reading were then. */
async function readByOlder(lab: Lab, id: string, stream: string | null = null): Promise<void> {
  await lab.within(async ({ store }) => {
    const row = await store.log.readSession(keyOf(id))
    if (row === null) throw new Error('no row')
    const { readBy: _readBy, ...session } = row.session
    const size = statSync(lab.pathOf(id), { throwIfNoEntry: false })?.size ?? 900
    const reading = { offset: size, head: 'x', statistics: session.statistics, context: null, carry: {} }
    const harvest = { heard: [{ text: 'Overheard decision' }], files: [], commands: [] }
    await store.log.advance(
      { ...session, stream, transcriptRead: size, caughtUpAt: lab.now },
      row.version,
      JSON.stringify({ reading: { ...reading, compactions: 0, lastAt: lab.now }, harvest }),
    )
  })
}

async function begun(): Promise<Lab> {
  const lab = new Lab()
  await lab.trust()
  await lab.start(A)
  return lab
}

describe('what an older version overheard', () => {
  test('is told with a note where the transcript is gone, at every start', async () => {
    const lab = await begun()
    await readByOlder(lab, A)
    await writeOld(lab, streamOf(A), [{ kind: 'session-end', session: A, work: OVERHEARD }])
    lab.end(A)
    for (const id of [B, C]) {
      lab.wait(HOUR)
      const told = await lab.start(id)
      for (const words of [NOTE, 'Overheard goal', 'Overheard state', ...CLAIMS])
        expect(told).toContain(words)
      lab.end(id)
    }
    expect(await lab.streams()).toEqual({ [streamOf(A)]: 1 })
  })

  test('is told with the note also where a hook had heard the last prompt', async () => {
    const lab = await begun()
    lab.hear(A, 'UserPromptSubmit', { prompt: 'The last prompt that a hook heard of.' })
    lab.hear(A, 'Stop', { last_assistant_message: 'The last words of the agent.' })
    await lab.follow()
    await readByOlder(lab, A)
    await writeOld(lab, streamOf(A), [{ kind: 'session-end', session: A, work: OVERHEARD }])
    lab.end(A)
    lab.wait(HOUR)
    const told = await lab.start(B)
    for (const words of [NOTE, 'Overheard goal', ...CLAIMS]) expect(told).toContain(words)
  })

  test('is not told where the transcript is there: that is read anew', async () => {
    const lab = await begun()
    lab.talk(A)
    await writeOld(lab, streamOf(A), [{ kind: 'session-end', session: A, work: OVERHEARD }])
    lab.end(A)
    await lab.follow()
    await readByOlder(lab, A)
    lab.wait(HOUR)
    const told = await lab.start(B)
    expect(told).toMatch(/^<savepoint> Session a0000000 ended 1 hour ago/)
    expect(told).toContain('user: "Please move the login to tokens. Always use tabs for indentation."')
    expect(told).not.toContain('Overheard')
    expect(told).not.toContain(NOTE)
    expect(await lab.row(A)).toMatchObject({ readBy: 3, statistics: { toolUsageCounts: { Write: 1 } } })
    expect(await lab.work(streamOf(A))).toMatchObject({
      ...{ decisions: [], rules: [], constraints: [], facts: [], state: '' },
      intent: 'Please move the login to tokens. Always use tabs for indentation.',
    })
    const kept = await lab.within(({ store }) => store.log.readReading(keyOf(A)))
    expect(readState(kept)?.digest.requests).toHaveLength(1)
    lab.end(B)
    lab.wait(MINUTE)
    await lab.start(C)
    expect(await lab.streams()).toEqual({ [streamOf(A)]: 2 })
  })

  test.each([
    ['to the same stream', { stream: streamOf(A) }],
    ['without a name', {}],
  ])('is not told after a save by hand %s, on top of it', async (_, where) => {
    const lab = await begun()
    await readByOlder(lab, A)
    await writeOld(lab, streamOf(A), [{ kind: 'session-end', session: A, work: OVERHEARD }])
    lab.end(A)
    lab.wait(HOUR)
    await lab.save(null, {
      text: 'Saved by hand',
      decision: ['Passkeys over JWT because of phishing'],
      ...where,
    })
    lab.wait(HOUR)
    const told = await lab.start(B)
    for (const words of ['Saved state of', 'Saved by hand', 'Passkeys over JWT'])
      expect(told).toContain(words)
    for (const words of [NOTE, ...CLAIMS, 'Overheard state']) expect(told).not.toContain(words)
  })

  test('is not told among what was saved by hand, before it and after it, by that version', async () => {
    const lab = await begun()
    await readByOlder(lab, A, 'auth')
    const [first, overheard, last] = ['Saved first', 'Overheard rule', 'Saved last'].map(claim) as [
      Claim,
      Claim,
      Claim,
    ]
    await writeOld(lab, 'auth', [
      { kind: 'manual', work: { intent: 'Saved goal', state: 'Saved state', rules: [first] } },
      {
        ...{ kind: 'pressure', session: A },
        work: { ...OVERHEARD, intent: 'Saved goal', rules: [first, overheard] },
      },
      {
        ...{ kind: 'manual', session: A },
        work: { ...OVERHEARD, intent: 'Saved goal', state: 'Saved state', rules: [first, overheard, last] },
      },
    ])
    lab.end(A)
    lab.wait(HOUR)
    const told = await lab.start(B)
    for (const words of ['Saved state of auth', 'Saved goal', 'Saved first', 'Saved last'])
      expect(told).toContain(words)
    for (const words of [NOTE, ...CLAIMS]) expect(told).not.toContain(words)
  })

  test('gives way to what was saved by hand before it, which stays', async () => {
    const lab = await begun()
    lab.talk(A)
    await readByOlder(lab, A, 'auth')
    await writeOld(lab, 'auth', [
      {
        kind: 'manual',
        session: A,
        work: { intent: 'Saved goal', state: 'Saved state', rules: [claim('Saved rule')] },
      },
      {
        ...{ kind: 'session-end', session: A },
        work: { ...OVERHEARD, rules: [claim('Saved rule'), claim('Overheard rule')] },
      },
    ])
    lab.end(A)
    lab.wait(HOUR)
    const told = await lab.start(B)
    for (const words of ['Saved rule', 'Saved state', 'Please move the login to tokens'])
      expect(told).toContain(words)
    for (const words of [NOTE, ...CLAIMS, 'Overheard state']) expect(told).not.toContain(words)
  })

  test('is no agent’s word where the workspace is not trusted', async () => {
    const lab = new Lab()
    await lab.start(A)
    await readByOlder(lab, A)
    await writeOld(lab, streamOf(A), [{ kind: 'session-end', session: A, work: OVERHEARD }])
    lab.end(A)
    lab.wait(HOUR)
    const told = await lab.start(B)
    for (const words of CLAIMS) expect(told ?? '').not.toContain(words)
  })
})

test('where reading stopped is kept as the version before kept it, and both read on from there', async () => {
  const lab = await begun()
  lab.talk(A)
  await lab.within((context) => catchUpSession(context, keyOf(A), { kind: 'timer', note: '' }))
  const kept = await lab.within(({ store }) => store.log.readReading(keyOf(A)))
  const { size } = statSync(lab.pathOf(A))
  expect(JSON.parse(kept ?? '')).toMatchObject({
    reading: { offset: size, head: expect.any(String), carry: { version: 2 }, compactions: 0 },
  })
  lab.prompt(A, 'And what comes next?')
  const next = await lab.within((context) => catchUpSession(context, keyOf(A), { kind: 'timer', note: '' }))
  expect(next?.digest.requests).toHaveLength(2)
  expect(next?.row.session.transcriptRead).toBe(statSync(lab.pathOf(A)).size)
})

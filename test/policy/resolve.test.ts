import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runNameProblem } from '../../src/core/id.ts'
import {
  branchSlug,
  isSessionStream,
  type ResolveFacts,
  resolveStream,
  type StreamFacts,
  sessionStream,
} from '../../src/policy/resolve.ts'

const HOUR = 3_600_000
const NOW = 1_000 * HOUR

const stream = (name: string, more: Partial<StreamFacts> = {}): StreamFacts => ({
  name,
  standing: 'open',
  updatedMs: NOW - HOUR,
  branch: null,
  here: true,
  foreign: false,
  ...more,
})
const seen = (more: Partial<ResolveFacts>): ResolveFacts => ({
  named: null,
  bound: null,
  focused: null,
  plan: null,
  branch: null,
  streams: [],
  nowMs: NOW,
  ...more,
})
const all = [stream('n'), stream('b'), stream('f', { standing: 'focused' }), stream('p'), stream('x-y')]
const every = { named: 'n', bound: 'b', focused: 'f', plan: 'p', branch: 'x/y', streams: all }

describe('the order, for a save and a resume alike', () => {
  test.each([
    [{}, 'n', 'named'],
    [{ named: null }, 'b', 'bound'],
    [{ named: null, bound: null }, 'f', 'focused'],
    [{ named: null, bound: null, focused: null }, 'p', 'plan'],
    [{ named: null, bound: null, focused: null, plan: null }, 'x-y', 'branch'],
  ])('%j: %s, because it is %s', (more, name, why) => {
    const situation = seen({ ...every, ...more })
    expect(resolveStream(situation, 'save')).toEqual({ kind: 'stream', name, why, isNew: false })
    expect(resolveStream(situation, 'resume')).toEqual({ kind: 'stream', name, why, offered: false })
  })

  test('names are the same whatever their case, and the stream keeps its own', () => {
    const situation = seen({ named: 'OAUTH', streams: [stream('OAuth')] })
    expect(resolveStream(situation, 'save')).toMatchObject({ name: 'OAuth', isNew: false })
    expect(resolveStream(situation, 'resume')).toMatchObject({ name: 'OAuth' })
  })

  test('what is archived or foreign is passed over', () => {
    const streams = [stream('b', { standing: 'archived' }), stream('f', { foreign: true }), stream('x')]
    const situation = seen({ bound: 'b', focused: 'f', branch: 'x', streams })
    expect(resolveStream(situation, 'save')).toMatchObject({ name: 'x', why: 'branch' })
    expect(resolveStream(situation, 'resume')).toMatchObject({ name: 'x', why: 'branch' })
  })
})

describe('a save', () => {
  test.each([
    ['feature/oauth', 'feature-oauth', 'branch'],
    ['main', 'main', 'main'],
    ['master', 'main', 'main'],
    ['trunk', 'main', 'main'],
    [null, 'main', 'unbranched'],
  ])('on branch %s makes the stream %s', (branch, name, why) => {
    expect(resolveStream(seen({ branch }), 'save')).toEqual({ kind: 'stream', name, why, isNew: true })
  })

  test('a named stream and that of a plan are made as well', () => {
    expect(resolveStream(seen({ named: 'new' }), 'save')).toMatchObject({ name: 'new', isNew: true })
    expect(resolveStream(seen({ plan: 'auth' }), 'save')).toMatchObject({
      name: 'auth',
      why: 'plan',
      isNew: true,
    })
  })

  test('the trunk has one stream, whatever it is called', () => {
    const streams = [stream('main', { branch: 'main' })]
    expect(resolveStream(seen({ branch: 'master', streams }), 'save')).toMatchObject({
      name: 'main',
      isNew: false,
    })
  })

  test('two branches with one slug get two streams, and find them again', () => {
    const first = stream('a-b', { branch: 'a/b' })
    expect(resolveStream(seen({ branch: 'a-b', streams: [first] }), 'save')).toMatchObject({
      name: 'a-b-2',
      isNew: true,
    })
    const streams = [first, stream('a-b-2', { branch: 'a-b' })]
    expect(resolveStream(seen({ branch: 'a-b', streams }), 'save')).toMatchObject({
      name: 'a-b-2',
      isNew: false,
    })
    expect(resolveStream(seen({ branch: 'a/b', streams }), 'save')).toMatchObject({
      name: 'a-b',
      isNew: false,
    })
    expect(resolveStream(seen({ branch: 'a-b-2', streams }), 'save')).toMatchObject({ name: 'a-b-2-2' })
  })

  test('a stream of the branch that was saved by name on another branch is still its own', () => {
    const streams = [stream('feature-x', { branch: 'main' })]
    expect(resolveStream(seen({ branch: 'feature/x', streams }), 'save')).toMatchObject({
      name: 'feature-x',
      isNew: false,
    })
  })

  test('an archived stream is not taken up again', () => {
    const streams = [stream('x', { branch: 'x', standing: 'archived' })]
    expect(resolveStream(seen({ branch: 'x', streams }), 'save')).toMatchObject({ name: 'x-2', isNew: true })
  })
})

describe('a resume', () => {
  test('nothing is there', () => {
    expect(resolveStream(seen({ branch: 'x' }), 'resume')).toEqual({ kind: 'nothing' })
    const streams = [stream('old', { standing: 'archived' })]
    expect(resolveStream(seen({ streams }), 'resume')).toEqual({ kind: 'nothing' })
  })

  test('a name that is not there is not replaced by another', () => {
    const streams = [stream('one')]
    expect(resolveStream(seen({ named: 'two', streams }), 'resume')).toEqual({ kind: 'unknown', name: 'two' })
  })

  test('an archived stream is told when it is asked for', () => {
    const streams = [stream('old', { standing: 'archived' }), stream('new')]
    expect(resolveStream(seen({ named: 'old', streams }), 'resume')).toMatchObject({
      name: 'old',
      why: 'named',
    })
  })

  test('the only open one is meant', () => {
    const streams = [
      stream('one'),
      stream('old', { standing: 'archived' }),
      stream('theirs', { foreign: true }),
    ]
    expect(resolveStream(seen({ branch: 'x', streams }), 'resume')).toMatchObject({
      name: 'one',
      why: 'only',
    })
  })

  test('the only one that was saved on this branch is meant, whatever its name', () => {
    const streams = [stream('one', { branch: 'x' }), stream('two', { branch: 'y' })]
    expect(resolveStream(seen({ branch: 'x', streams }), 'resume')).toMatchObject({
      name: 'one',
      why: 'branch',
    })
  })

  test('where several could be meant, all are shown, the newest first', () => {
    const streams = [
      stream('a', { updatedMs: 1, here: false }),
      stream('b', { updatedMs: 3, branch: 'x' }),
      stream('c', { updatedMs: 2, branch: 'x' }),
      stream('d', { updatedMs: 4, foreign: true }),
      stream('e', { updatedMs: 5, standing: 'archived' }),
      stream('f', { updatedMs: 0 }),
    ]
    expect(resolveStream(seen({ branch: 'x', streams }), 'resume')).toEqual({
      kind: 'choose',
      candidates: [
        { name: 'd', why: 'foreign', updatedMs: 4, foreign: true },
        { name: 'b', why: 'branch', updatedMs: 3, foreign: false },
        { name: 'c', why: 'branch', updatedMs: 2, foreign: false },
        { name: 'a', why: 'open', updatedMs: 1, foreign: false },
        { name: 'f', why: 'here', updatedMs: 0, foreign: false },
      ],
    })
  })

  test('a foreign stream is never chosen, also where it is the only one or the named one', () => {
    const streams = [stream('theirs', { foreign: true })]
    for (const more of [{}, { named: 'theirs' }, { focused: 'theirs' }, { branch: 'theirs' }])
      expect(resolveStream(seen({ ...more, streams }), 'resume')).toMatchObject({
        kind: 'choose',
        candidates: [{ name: 'theirs', foreign: true }],
      })
  })

  test.each([
    ['older, on another branch', 73, 'y', { focused: 's' }, true],
    ['exactly 72 h', 72, 'y', { focused: 's' }, false],
    ['older, on this branch', 73, 'x', { focused: 's' }, false],
    ['older, on an unknown branch', 73, null, { focused: 's' }, false],
    ['older, the only one', 73, 'y', {}, true],
    ['older, but named', 73, 'y', { named: 's' }, false],
    ['older, but bound', 73, 'y', { bound: 's' }, false],
    ['from a clock that is ahead', -5, 'y', { focused: 's' }, false],
  ])('a head %s: offered or told', (_, hours, branch, more, offered) => {
    const streams = [stream('s', { updatedMs: NOW - hours * HOUR, branch })]
    expect(resolveStream(seen({ branch: 'x', ...more, streams }), 'resume')).toMatchObject({
      name: 's',
      offered,
    })
  })
})

describe('what the last session worked on', () => {
  const OWN = sessionStream('aaaa0000-aaaa-4bbb-8ccc-000000000000')
  const worked = { stream: OWN, atMs: NOW, isLive: false }
  const own = (more: Partial<StreamFacts> = {}) => stream(OWN, { updatedMs: NOW, branch: 'x', ...more })

  test.each<[string, Partial<ResolveFacts>, StreamFacts[], string, string]>([
    ['newer than the work of the branch', {}, [own(), stream('x')], OWN, 'session'],
    ['newer than the work in focus', { focused: 'f' }, [own(), stream('f')], OWN, 'session'],
    ['newer than the work of the plan', { plan: 'p' }, [own(), stream('p', { plan: 'p' })], OWN, 'session'],
    ['older than it', {}, [own({ updatedMs: NOW - 2 * HOUR }), stream('x')], 'x', 'branch'],
    ['as old as it', {}, [own({ updatedMs: NOW - HOUR }), stream('x')], 'x', 'branch'],
    ['newer, of another branch', {}, [own({ branch: 'y' }), stream('x')], 'x', 'branch'],
    ['newer, of a branch that nobody knows', {}, [own({ branch: null }), stream('x')], OWN, 'session'],
    ['newer, but this session is bound', { bound: 'b' }, [own(), stream('b')], 'b', 'bound'],
    ['newer, but other work is asked for', { named: 'x' }, [own(), stream('x')], 'x', 'named'],
    ['all there is, on another branch', {}, [own({ branch: 'y' })], OWN, 'session'],
    ['among several', {}, [own(), stream('v'), stream('w')], OWN, 'session'],
    ['archived', {}, [own({ standing: 'archived' }), stream('x')], 'x', 'branch'],
    ['foreign', {}, [own({ foreign: true }), stream('x')], 'x', 'branch'],
    ['gone', {}, [stream('x')], 'x', 'branch'],
  ])('%s', (_, more, streams, name, why) => {
    const situation = seen({ branch: 'x', worked, streams, ...more })
    expect(resolveStream(situation, 'resume')).toEqual({ kind: 'stream', name, why, offered: false })
  })

  test('is a stream that somebody named, where the session saved there', () => {
    const streams = [stream('docs', { updatedMs: NOW }), stream('x')]
    const situation = seen({ branch: 'x', worked: { ...worked, stream: 'docs' }, streams })
    expect(resolveStream(situation, 'resume')).toMatchObject({ name: 'docs', why: 'session' })
  })

  test('does not say where a save goes', () => {
    const situation = seen({ branch: 'x', worked, streams: [own(), stream('x')] })
    expect(resolveStream(situation, 'save')).toMatchObject({ name: 'x', why: 'branch', isNew: false })
    expect(resolveStream({ ...situation, streams: [own()] }, 'save')).toMatchObject({
      name: 'x',
      isNew: true,
    })
  })
})

describe('streams of sessions', () => {
  const [one, two] = [sessionStream('aaaa'), sessionStream('bbbb')]

  test('are no candidates beside others, and do not keep the only other one from being meant', () => {
    const named = [stream('v'), stream('w')]
    expect(resolveStream(seen({ streams: [stream(one), ...named, stream(two)] }), 'resume')).toMatchObject({
      kind: 'choose',
      candidates: [{ name: 'v' }, { name: 'w' }],
    })
    const situation = seen({ branch: 'x', streams: [stream(one, { branch: 'x' }), stream('v')] })
    expect(resolveStream(situation, 'resume')).toMatchObject({ name: 'v', why: 'only' })
  })

  test('are shown where there is nothing else, and never chosen by themselves', () => {
    expect(
      resolveStream(seen({ streams: [stream(one, { branch: 'x' })], branch: 'x' }), 'resume'),
    ).toMatchObject({
      kind: 'choose',
      candidates: [{ name: one }],
    })
  })

  test('are told to who asks for them, is bound to them or has them in focus', () => {
    for (const why of ['named', 'bound', 'focused'] as const)
      expect(
        resolveStream(seen({ [why]: one, streams: [stream(one), stream('v')] }), 'resume'),
      ).toMatchObject({
        name: one,
        why,
      })
  })

  test.each([
    ['session-aaaa0000aaaa', true],
    ['Session-AAAA0000AAAA', true],
    ['session-', false],
    ['session-aaaa0000aaaab', false],
    ['session-store-2', false],
    ['my-session-aaaa', false],
    ['sessions', false],
  ])('%s: %s', (name, is) => {
    expect(isSessionStream(name)).toBe(is)
  })

  test('have a name of their own for any id, whatever a client makes', () => {
    fc.assert(
      fc.property(fc.uuid(), (id) => {
        expect(isSessionStream(sessionStream(id))).toBe(true)
        expect(runNameProblem(sessionStream(id))).toBeNull()
      }),
    )
    expect(sessionStream('AAAA0000-aaaa-4bbb')).toBe('session-aaaa0000aaaa')
  })
})

describe('the slug of a branch', () => {
  test.each([
    ['feature/oauth', 'feature-oauth'],
    ['users/ann/fix #12', 'users-ann-fix-12'],
    ['a..b', 'a.b'],
    ['功能/登录', 'branch'],
    ['功能/main', 'branch-main'],
    ['aux', 'branch-aux'],
    ['con.fix', 'branch-con.fix'],
    ['Active', 'branch-Active'],
    ['learnings.md', 'branch-learnings.md'],
    ['', 'branch'],
    ['x'.repeat(300), 'x'.repeat(96)],
  ])('%s → %s', (branch, slug) => {
    expect(branchSlug(branch)).toBe(slug)
  })

  test('is always a name, and a slug has itself as slug', () => {
    const branch = fc.string({
      unit: fc.constantFrom('a', 'Z', '9', '.', '-', '_', '/', ' ', 'é', '字', '😀', '@{'),
    })
    fc.assert(
      fc.property(fc.oneof(branch, fc.string({ unit: 'binary', maxLength: 400 })), (text) => {
        const slug = branchSlug(text)
        expect(runNameProblem(slug)).toBeNull()
        expect(slug.length).toBeLessThanOrEqual(103)
        expect(branchSlug(slug)).toBe(slug.slice(0, 96).replace(/[._-]+$/, ''))
      }),
      { numRuns: 2_000 },
    )
  })
})

test('a save always has an answer, and what it made a resume on the same branch finds', () => {
  const name = fc.constantFrom('main', 'a-b', 'a-b-2', 'x', 'y')
  const branch = fc.constantFrom(null, 'main', 'master', 'a/b', 'a-b', 'x', 'y', '字')
  const any = fc.uniqueArray(
    fc.record({
      name,
      standing: fc.constantFrom('open' as const, 'archived' as const),
      updatedMs: fc.nat(),
      branch,
      here: fc.boolean(),
      foreign: fc.boolean(),
    }),
    { selector: (one) => one.name },
  )
  fc.assert(
    fc.property(any, branch, (streams, present) => {
      const situation = seen({ branch: present, streams })
      const target = resolveStream(situation, 'save')
      const known = streams.find((one) => one.name === target.name)
      expect(target.isNew).toBe(known === undefined)
      expect(known?.foreign ?? false).toBe(false)
      const after = [
        ...streams.filter((one) => one !== known),
        stream(target.name, { branch: present, updatedMs: NOW }),
      ]
      expect(resolveStream({ ...situation, streams: after }, 'resume')).toMatchObject({ name: target.name })
      expect(resolveStream({ ...situation, streams: after }, 'save')).toMatchObject({
        name: target.name,
        isNew: false,
      })
    }),
    { numRuns: 2_000 },
  )
})

import { describe, expect, test } from 'vitest'
import { ReasonError } from '../../src/core/reason.ts'
import type { Log } from '../../src/store/log.ts'
import { openComposed } from './composed.ts'
import { composeActs } from './composed-acts.ts'
import {
  appendTo,
  beginRun,
  contentOf,
  extend,
  freshFolder,
  grow,
  LATER,
  newCheckpoint,
  newStream,
  newView,
  noteOn,
  readmitTo,
  removeFrom,
  type Spanned,
  WORKSPACE,
} from './make.ts'
import { documentsOf, focusedIn, growWork, newPoint, newWork, rowOf, step, textOf } from './make-work.ts'
import { MemoryLog } from './memory-log.ts'

const RUN = newStream().id
const runPoint = (sequence: number) => newCheckpoint(RUN, sequence)
const NOTE = { kind: 'timer', at: LATER, note: 'again' } as const

/** Every act that changes both engines, on a run of three and a document with two versions. */
const ACTS: Record<string, (acts: Spanned['acts']) => Promise<unknown>> = {
  begin: (acts) => beginRun(acts, newStream('r2'), newCheckpoint(newStream('r2').id, 1), [newView('r2/1')]),
  append: (acts) => appendTo(acts, runPoint(4), runPoint(3).id, { takes: [1], views: [newView('r1/4')] }),
  coalesce: (acts) => noteOn(acts, RUN, { head: runPoint(3).id, notes: 0 }, NOTE, newView('latest')),
  readmit: (acts) => readmitTo(acts, runPoint(4), 4, [newView('r1/4')]),
  remove: (acts) => removeFrom(acts, RUN, [runPoint(1).id, runPoint(2).id], LATER),
  'commit a new document': (acts) => acts.commit({ ...step('fork', 1), focus: newWork('fork').id }),
  'commit a version': (acts) => acts.commit(step('auth', 3, { view: { state: 'pending' } })),
}

const POINTS = [
  ...([
    'before the intent',
    'after the intent',
    'after the log',
    'after the change',
    'after the end',
  ] as const),
]
type Point = (typeof POINTS)[number]
type Composed = Awaited<ReturnType<typeof openComposed>>

class Killed extends Error {}

/** The same object, but whoever calls a method of these dies before or after it. */
const deadlyAt = <T extends object>(of: T, methods: readonly (keyof T)[], when: 'before' | 'after'): T =>
  new Proxy(of, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      // `as`: a name that is in the list is a key.
      if (!methods.includes(name as keyof T)) return value.bind(target)
      return (...given: unknown[]) => {
        const done: unknown = when === 'after' ? value.apply(target, given) : null
        if (!(done instanceof Promise)) throw new Killed()
        return done.then(() => {
          throw new Killed()
        })
      }
    },
  })

const dyingAt: Record<Point, (store: Composed) => Composed['acts']> = {
  'before the intent': ({ log, local, intents }) =>
    composeActs(log, local, deadlyAt(intents, ['open'], 'before')),
  'after the intent': ({ log, local, intents }) =>
    composeActs(log, local, deadlyAt(intents, ['open'], 'after')),
  'after the log': ({ log, local, intents }) =>
    composeActs(deadlyAt(log, ['append'], 'after'), local, intents),
  'after the change': ({ log, local, intents }) =>
    composeActs(log, deadlyAt(local, ['apply'], 'after'), intents),
  'after the end': ({ log, local, intents }) => composeActs(log, local, deadlyAt(intents, ['end'], 'after')),
}

/** A log and a local state with something in both; `folder` outlives the process that has it open. */
async function furnished() {
  const [log, folder] = [new MemoryLog(), freshFolder()]
  const store = await openComposed({ log, folder })
  await grow(store, { length: 3 })
  await growWork(store, { length: 2 })
  await log.recordOutcome(
    RUN,
    { kind: 'shell', name: 'one', result: 'PASS', duration_ms: 1, summary: '' },
    LATER,
  )
  return { log, folder, store }
}

const all = async (store: Composed) => ({
  runs: await contentOf(store),
  documents: await documentsOf(store),
  intent: store.intents.read(),
  focus: await focusedIn(store),
})

describe.each(Object.entries(ACTS))('%s', (_name, act) => {
  test.each(POINTS)('a kill %s leaves all of it or nothing, and owes nothing twice', async (point) => {
    const { log, folder, store } = await furnished()
    const before = await all(store)
    const twin = await furnished()
    await act(twin.store.acts)
    const after = await all(twin.store)
    expect(after).not.toEqual(before)

    await expect(act(dyingAt[point](store))).rejects.toThrow(Killed)
    await store.close()
    const next = await openComposed({ log, folder })
    await next.acts.settle()
    const hasHappened = POINTS.indexOf(point) >= POINTS.indexOf('after the log')
    expect(await all(next)).toEqual(hasHappened ? after : before)
    expect(await next.check()).toEqual([])

    await act(next.acts)
    expect(await all(next)).toEqual(after)
  })
})

describe('an open intent', () => {
  test('is the only one', async () => {
    const { intents } = await openComposed()
    const intent = { added: 'cp_1', change: { workspace: WORKSPACE.id } }
    intents.open(intent)
    expect(() => intents.open({ ...intent, added: 'cp_2' })).toThrow()
    expect(intents.read()).toEqual(intent)
  })

  test('is settled by the next act, whatever that is', async () => {
    const { log, folder, store } = await furnished()
    const dying = dyingAt['after the log'](store)
    await expect(dying.commit(step('auth', 3, { view: { state: 'pending' } }))).rejects.toThrow(Killed)
    await store.close()
    const next = await openComposed({ log, folder })
    expect((await rowOf(next))?.view).toMatchObject({ checkpoint: newPoint('auth', 2).id })
    await extend(
      next,
      RUN,
      [1, 2, 3].map((sequence) => runPoint(sequence).id),
      4,
    )
    expect((await rowOf(next))?.view).toMatchObject({ checkpoint: newPoint('auth', 3).id, state: 'pending' })
    expect((await next.local.listOwedViews(WORKSPACE.id)).length).toBe(1)
  })

  test('of a note that somebody else was faster with is dropped', async () => {
    const { log, folder, store } = await furnished()
    const dying = dyingAt['after the intent'](store)
    const head = runPoint(3).id
    await expect(noteOn(dying, RUN, { head, notes: 0 }, NOTE, newView('latest'))).rejects.toThrow(Killed)
    await store.close()
    await log.append({
      note: { stream: RUN, head, number: 0, trigger: { ...NOTE, note: 'of another machine' } },
    })
    const next = await openComposed({ log, folder })
    await next.acts.settle()
    expect((await next.local.listViews({ stream: RUN })).map(({ path }) => path)).not.toContain('latest')
  })

  test('of a removal that did not happen lets all files stay, also where another machine took some', async () => {
    const { log, folder, store } = await furnished()
    const dying = dyingAt['after the intent'](store)
    await expect(removeFrom(dying, RUN, [runPoint(1).id, runPoint(2).id], LATER)).rejects.toThrow(Killed)
    await store.close()
    await log.append({ remove: { stream: RUN, checkpoints: [runPoint(2).id], at: LATER } })
    const next = await openComposed({ log, folder })
    await next.acts.settle()
    expect((await next.local.listViews({ stream: RUN })).map(({ state }) => state)).toEqual([
      ...['pending', 'pending', 'pending'],
    ])
  })

  test('stays where the answer of the log is lost, and the next act asks', async () => {
    const { log, store } = await furnished()
    const lost = new ReasonError('store_unavailable', { path: 'log', problem: 'no answer' })
    const deaf = Object.assign(Object.create(log), {
      append: async (change: Parameters<Log['append']>[0]) => {
        await log.append(change)
        throw lost
      },
    })
    const change = step('auth', 3, { view: { state: 'pending' } })
    await expect(composeActs(deaf, store.local, store.intents).commit(change)).rejects.toBe(lost)
    expect(await store.local.listOwedViews(WORKSPACE.id)).toEqual([])
    expect(await store.acts.commit(change)).toEqual({ done: false, why: 'head_moved' })
    expect(await store.local.listOwedViews(WORKSPACE.id)).toMatchObject([
      { checkpoint: newPoint('auth', 3).id },
    ])
  })

  test('of one who lives is left alone: others wait for their turn', async () => {
    const { log, folder, store } = await furnished()
    const beside = await openComposed({ log, folder })
    let goOn: () => void = () => undefined
    const slow = Object.assign(Object.create(log), {
      append: (change: Parameters<Log['append']>[0]) =>
        new Promise((resolve) => {
          goOn = () => resolve(log.append(change))
        }),
    })
    const mine = composeActs(slow, store.local, store.intents).commit(step('auth', 3))
    while (store.intents.read() === null) await new Promise(setImmediate)
    const theirs = beside.acts.settle().then(() => 'settled')
    const waited = new Promise((resolve) => setTimeout(() => resolve('waiting'), 50))
    expect(await Promise.race([theirs, waited])).toBe('waiting')
    expect(store.intents.read()).toMatchObject({ added: newPoint('auth', 3).id })
    goOn()
    expect(await mine).toEqual({ done: true })
    expect(await theirs).toBe('settled')
  })
})

test('a change without a checkpoint leaves at most a text that no file shows, and is done again', async () => {
  const { log, folder, store } = await furnished()
  const { texts = [] } = step('other', 1)
  const change = { workspace: WORKSPACE.id, texts, focus: newWork().id }
  await expect(dyingAt['after the log'](store).commit(change)).rejects.toThrow(Killed)
  await store.close()
  const next = await openComposed({ log, folder })
  expect([await log.readText(texts[0]?.hash ?? ''), await focusedIn(next)]).toEqual([textOf('other', 1), []])
  expect(await next.acts.commit(change)).toEqual({ done: true })
  expect(await focusedIn(next)).toEqual(['auth'])
})

test('two machines with one log: who was slower reads again, and owes nothing', async () => {
  const { log, store } = await furnished()
  const other = await openComposed({ log })
  await other.local.seeWorkspace({ ...WORKSPACE, path: '/on/another/machine' }, LATER)
  const late = step('auth', 3, { view: { state: 'pending' } })
  expect(await other.acts.commit(step('auth', 3))).toEqual({ done: true })
  expect(await store.acts.commit(late)).toEqual({ done: false, why: 'head_moved' })
  expect(await store.local.listOwedViews(WORKSPACE.id)).toEqual([])
  expect(await rowOf(store)).toMatchObject({ stream: { headSequence: 3 }, position: { sequence: 2 } })
})

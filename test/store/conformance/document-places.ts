import { expect, test } from 'vitest'
import { grow, WORKSPACE } from '../make.ts'
import {
  BESIDE,
  documentsOf,
  focusedIn,
  growWork,
  hashOf,
  leavingFrom,
  newDocument,
  newEntry,
  newWork,
  pathOf,
  rowOf,
  step,
} from '../make-work.ts'
import type { OpenActs } from '../subjects.ts'

const REPOSITORY = WORKSPACE.repository
const HERE = { workspace: WORKSPACE.id }

/** Where a document stands in a workspace, and what is owed to its files. */
export function provesPlaces(open: OpenActs): void {
  const archived = (more = {}) => newDocument('auth', 2, { path: pathOf('auth', 'archive'), ...more })

  test('a workspace without the document stands at the head', async () => {
    const store = await open()
    const { ids } = await growWork(store, { length: 2 })
    expect(await rowOf(store, 'auth', BESIDE.id)).toMatchObject({
      view: null,
      position: { checkpoint: ids[1], sequence: 2 },
    })
  })

  test('a workspace whose document shows an older version stands there', async () => {
    const store = await open()
    const { ids } = await growWork(store, { length: 3 })
    await store.acts.commit({ workspace: BESIDE.id, views: [newDocument('auth', 2, { current: true })] })
    expect(await rowOf(store, 'auth', BESIDE.id)).toMatchObject({
      stream: { headId: ids[2], headSequence: 3 },
      view: { checkpoint: ids[1], current: true },
      position: { checkpoint: ids[1], sequence: 2 },
    })
    expect((await rowOf(store))?.position.sequence).toBe(3)
  })

  test('placing a document takes the other place of its stream, here and not elsewhere', async () => {
    const store = await open()
    await growWork(store, { length: 2 })
    await growWork(store, { name: 'other' })
    await store.acts.commit({ workspace: BESIDE.id, views: [newDocument('auth', 1)] })
    await store.acts.commit({ ...HERE, views: [archived()] })
    expect((await store.local.listViews(HERE)).map(({ path }) => path)).toEqual([
      pathOf('other'),
      pathOf('auth', 'archive'),
    ])
    expect((await rowOf(store, 'auth', BESIDE.id))?.view).toMatchObject({ path: pathOf('auth') })
  })

  test('a file that is to go stays owed when its document is placed again', async () => {
    const store = await open()
    await growWork(store, { length: 2 })
    const leaving = leavingFrom(pathOf('auth'), 'auth', 2)
    await store.acts.commit({ ...HERE, views: [archived({ state: 'pending' }), leaving] })
    const pending = { kind: 'document', path: pathOf('auth', 'archive'), state: 'pending', base: null }
    expect(await store.local.listOwedViews(WORKSPACE.id)).toMatchObject([leaving, pending])
    await store.acts.commit({ ...HERE, views: [archived({ state: 'pending', base: hashOf('auth', 1) })] })
    expect(await store.local.listOwedViews(WORKSPACE.id)).toMatchObject([
      leaving,
      { ...pending, base: hashOf('auth', 1) },
    ])
    expect(await store.acts.listWork(REPOSITORY, WORKSPACE.id)).toHaveLength(1)
    await store.acts.commit({ ...HERE, views: [newDocument('auth', 2)] })
    expect(await store.local.listOwedViews(WORKSPACE.id)).toEqual([])
  })

  test('only documents and entries are owed as such, each to its workspace', async () => {
    const store = await open()
    await grow(store)
    await growWork(store)
    const entry = newEntry('auth', 1)
    await store.acts.commit({ ...HERE, views: [entry] })
    expect(await store.local.listOwedViews(WORKSPACE.id)).toEqual([entry])
    expect(await store.local.listOwedViews(BESIDE.id)).toEqual([])
    await store.local.forgetViews([entry])
    expect(await store.local.listOwedViews(WORKSPACE.id)).toEqual([])
  })

  test('published settles a document that still wants these bytes', async () => {
    const store = await open()
    await growWork(store)
    const base = hashOf('auth', 1)
    await store.acts.commit(step('auth', 2, { view: { state: 'pending', base, current: true } }))
    await store.local.markPublished([
      { ...HERE, path: pathOf('auth'), hash: hashOf('auth', 2), stamp: 'look' },
    ])
    expect((await rowOf(store))?.view).toMatchObject({
      ...{ state: 'published', base: null, stamp: 'look', current: true, hash: hashOf('auth', 2) },
    })
  })

  test('published leaves a row that wants other bytes, lies elsewhere or is to go', async () => {
    const store = await open()
    await growWork(store)
    const base = hashOf('auth', 1)
    await store.acts.commit(step('auth', 2, { view: { state: 'pending', base } }))
    await store.acts.commit({ ...HERE, views: [leavingFrom('gone.md', 'auth', 1)] })
    const before = await documentsOf(store)
    await store.local.markPublished([
      { ...HERE, path: pathOf('auth'), hash: base, stamp: 'old' },
      { ...HERE, path: 'gone.md', hash: base, stamp: 'leaving' },
      { workspace: BESIDE.id, path: pathOf('auth'), hash: hashOf('auth', 2), stamp: 'theirs' },
    ])
    expect(await documentsOf(store)).toEqual(before)
  })
}

/** The one stream that a workspace has in focus. */
export function provesFocus(open: OpenActs): void {
  test('one stream at most is in focus, in each workspace for itself [000.10]', async () => {
    const store = await open()
    for (const name of ['one', 'two', 'three']) await growWork(store, { name })
    const focus = (workspace: string, name: string | null) =>
      store.acts.commit({ workspace, focus: name === null ? null : newWork(name).id })
    expect(await focusedIn(store)).toEqual([])
    await focus(WORKSPACE.id, 'one')
    await focus(BESIDE.id, 'two')
    await focus(WORKSPACE.id, 'three')
    const focused = await store.local.listFocused()
    expect(focused.map(({ workspace, stream }) => `${workspace} ${stream}`).toSorted()).toEqual(
      [`${WORKSPACE.id} ${newWork('three').id}`, `${BESIDE.id} ${newWork('two').id}`].toSorted(),
    )
    expect(await focusedIn(store)).toEqual(['three'])
    expect(await focusedIn(store, BESIDE.id)).toEqual(['two'])
    for (const _ of ['again', 'and again']) await focus(WORKSPACE.id, 'one')
    expect(await focusedIn(store)).toEqual(['one'])
    await focus(WORKSPACE.id, null)
    expect(await focusedIn(store)).toEqual([])
    expect(await focusedIn(store, BESIDE.id)).toEqual(['two'])
  })

  test('whoever moves the focus at once with others, one has it', async () => {
    const store = await open()
    const names = ['one', 'two', 'three', 'four']
    for (const name of names) await growWork(store, { name })
    await Promise.all(names.map((name) => store.acts.commit({ ...HERE, focus: newWork(name).id })))
    expect(await focusedIn(store)).toHaveLength(1)
  })
}

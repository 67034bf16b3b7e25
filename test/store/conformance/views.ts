import { describe, expect, test } from 'vitest'
import type { Open } from '../conformance.ts'
import { AT, grow, LATER, newCheckpoint, newStream, newView, WORKSPACE } from '../make.ts'

/** What is owed to the disk, and what is there. */
export function provesViews(open: Open): void {
  describe('views', () => {
    test('are found by stream, by workspace, and by what is unsettled', async () => {
      const store = await open()
      const { stream } = await grow(store, { length: 2 })
      const elsewhere = { id: 'ws_2', repository: 'repo_1', path: '/somewhere/two' }
      await store.local.seeWorkspace(elsewhere, AT)
      const other = { ...newStream('r2'), workspace: 'ws_2' }
      await store.acts.begin(other, newCheckpoint(other.id, 1), [{ ...newView('r2/1'), workspace: 'ws_2' }])
      await store.local.markPublished([{ ...newView('r1/1'), expected: newView('r1/1').hash }])
      const paths = async (filter: Parameters<typeof store.local.listViews>[0]) =>
        (await store.local.listViews(filter)).map(({ path }) => path)
      expect(await paths({})).toEqual(['r1/1', 'r1/2', 'r2/1'])
      expect(await paths({ stream })).toEqual(['r1/1', 'r1/2'])
      expect(await paths({ workspace: 'ws_2' })).toEqual(['r2/1'])
      expect(await paths({ unsettled: true })).toEqual(['r1/2', 'r2/1'])
      expect(await paths({ stream, unsettled: true })).toEqual(['r1/2'])
      expect(await paths({ stream, workspace: 'ws_2' })).toEqual([])
    })

    test('published settles a view with the bytes that are on the disk', async () => {
      const store = await open()
      const { stream, ids } = await grow(store)
      const written = newView('r1/1', 'really written')
      await store.local.markPublished([{ ...written, expected: newView('r1/1').hash }])
      expect(await store.local.listViews({ stream })).toEqual([
        { ...written, stream, checkpoint: ids[0], state: 'published' },
      ])
    })

    test('a view that meanwhile wants other bytes stays pending', async () => {
      const store = await open()
      const { stream, ids } = await grow(store)
      const head = ids[0] ?? ''
      const wanted = newView('r1/1', 'newer')
      const note = { kind: 'manual', at: LATER, note: '' } as const
      await store.acts.coalesce(stream, { head, notes: 0 }, note, wanted)
      await store.local.markPublished([{ ...newView('r1/1'), expected: newView('r1/1').hash }])
      expect(await store.local.listViews({ stream })).toEqual([
        { ...wanted, stream, checkpoint: head, state: 'pending' },
      ])
    })

    test('a view that is leaving is never published', async () => {
      const store = await open()
      const { stream, ids } = await grow(store, { length: 2 })
      await store.acts.remove(stream, [ids[0] ?? ''], LATER)
      await store.local.markPublished([{ ...newView('r1/1'), expected: newView('r1/1').hash }])
      expect((await store.local.listViews({ stream }))[0]?.state).toBe('leaving')
    })

    test('owe makes a published view pending again, and leaves a leaving one', async () => {
      const store = await open()
      const { stream, ids } = await grow(store, { length: 3 })
      await store.local.markPublished([{ ...newView('r1/2'), expected: newView('r1/2').hash }])
      await store.acts.remove(stream, [ids[0] ?? ''], LATER)
      for (const path of ['r1/1', 'r1/2']) await store.local.oweView({ workspace: WORKSPACE.id, path })
      const states = (await store.local.listViews({ stream })).map(({ state }) => state)
      expect(states).toEqual(['leaving', 'pending', 'pending'])
    })

    test('putView says what a document shows from now on', async () => {
      const store = await open()
      const { stream, ids } = await grow(store, { length: 2 })
      const checkpoint = ids[0] ?? ''
      const found = { ...newView('r1/2', 'found'), state: 'published' as const }
      await store.local.putView({ id: checkpoint, stream }, found)
      await store.local.putView({ id: checkpoint, stream }, newView('r1/new'))
      expect((await store.local.listViews({ stream })).slice(1)).toEqual([
        { ...found, stream, checkpoint },
        { ...newView('r1/new'), stream, checkpoint },
      ])
    })

    test('replaceView puts one view in the place of another', async () => {
      const store = await open()
      const { stream, ids } = await grow(store)
      const compressed = { ...newView('r1/1.gz'), contentHash: newView('r1/1').contentHash }
      await store.local.replaceView({ workspace: WORKSPACE.id, path: 'r1/1' }, compressed)
      expect(await store.local.listViews({ stream })).toEqual([
        { ...compressed, stream, checkpoint: ids[0], state: 'published' },
      ])
    })

    test('replaceView of a view that is not there adds nothing', async () => {
      const store = await open()
      const { stream } = await grow(store)
      const before = await store.local.listViews({ stream })
      await store.local.replaceView({ workspace: WORKSPACE.id, path: 'nobody' }, newView('nobody.gz'))
      expect(await store.local.listViews({ stream })).toEqual(before)
    })

    test('forgetViews drops the rows it names and no other', async () => {
      const store = await open()
      const { stream } = await grow(store, { length: 3 })
      await store.local.forgetViews([{ workspace: WORKSPACE.id, path: 'r1/1' }, newView('r1/3')])
      expect((await store.local.listViews({ stream })).map(({ path }) => path)).toEqual(['r1/2'])
    })

    test('a later checkpoint takes over the path of an earlier view', async () => {
      const store = await open()
      const { stream, ids } = await grow(store)
      const next = newCheckpoint(stream, 2)
      await store.acts.append(next, ids[0] ?? '', { takes: [], views: [newView('r1/1', 'second')] })
      expect(await store.local.listViews({ stream })).toEqual([
        { ...newView('r1/1', 'second'), stream, checkpoint: next.id, state: 'pending' },
      ])
    })
  })
}

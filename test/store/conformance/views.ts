import { describe, expect, test } from 'vitest'
import type { LocalState } from '../../../src/store/local-state.ts'
import { AT, LATER, newCheckpoint, newStream, newView, type StartingView, WORKSPACE } from '../make.ts'
import type { OpenLocalState } from '../subjects.ts'

/** Owes a file of a run to the disk. */
const owe = (local: LocalState, { id, stream }: { id: string; stream: string }, view: StartingView) =>
  local.apply({ workspace: view.workspace, views: [{ ...view, stream, checkpoint: id }] })

/** The files of a run with `length` checkpoints, one each; answers its id and theirs. */
async function show(local: LocalState, { length = 1 } = {}): Promise<{ stream: string; ids: string[] }> {
  await local.seeWorkspace(WORKSPACE, AT)
  const { id: stream } = newStream()
  const checkpoints = Array.from({ length }, (_, at) => newCheckpoint(stream, at + 1))
  for (const [at, checkpoint] of checkpoints.entries()) await owe(local, checkpoint, newView(`r1/${at + 1}`))
  return { stream, ids: checkpoints.map(({ id }) => id) }
}

/** What is owed to the disk, and what is there. */
export function provesViews(open: OpenLocalState): void {
  describe('views', () => {
    test('are found by stream, by workspace, and by what is unsettled', async () => {
      const local = await open()
      const { stream } = await show(local, { length: 2 })
      const elsewhere = { id: 'ws_2', repository: 'repo_1', path: '/somewhere/two' }
      await local.seeWorkspace(elsewhere, AT)
      const other = { ...newStream('r2'), workspace: 'ws_2' }
      await owe(local, newCheckpoint(other.id, 1), { ...newView('r2/1'), workspace: 'ws_2' })
      await local.markPublished([{ ...newView('r1/1'), expected: newView('r1/1').hash }])
      const paths = async (filter: Parameters<typeof local.listViews>[0]) =>
        (await local.listViews(filter)).map(({ path }) => path)
      expect(await paths({})).toEqual(['r1/1', 'r1/2', 'r2/1'])
      expect(await paths({ stream })).toEqual(['r1/1', 'r1/2'])
      expect(await paths({ workspace: 'ws_2' })).toEqual(['r2/1'])
      expect(await paths({ unsettled: true })).toEqual(['r1/2', 'r2/1'])
      expect(await paths({ stream, unsettled: true })).toEqual(['r1/2'])
      expect(await paths({ stream, workspace: 'ws_2' })).toEqual([])
    })

    test('published settles a view with the bytes that are on the disk', async () => {
      const local = await open()
      const { stream, ids } = await show(local)
      const written = newView('r1/1', 'really written')
      await local.markPublished([{ ...written, expected: newView('r1/1').hash }])
      expect(await local.listViews({ stream })).toEqual([
        { ...written, stream, checkpoint: ids[0], state: 'published' },
      ])
    })

    test('a view that meanwhile wants other bytes stays pending', async () => {
      const local = await open()
      const { stream, ids } = await show(local)
      const head = ids[0] ?? ''
      const wanted = newView('r1/1', 'newer')
      await owe(local, { id: head, stream }, wanted)
      await local.markPublished([{ ...newView('r1/1'), expected: newView('r1/1').hash }])
      expect(await local.listViews({ stream })).toEqual([
        { ...wanted, stream, checkpoint: head, state: 'pending' },
      ])
    })

    test('a view that is leaving is never published', async () => {
      const local = await open()
      const { stream, ids } = await show(local, { length: 2 })
      await local.apply({
        workspace: WORKSPACE.id,
        remove: { stream, checkpoints: ids.slice(0, 1), at: LATER },
      })
      await local.markPublished([{ ...newView('r1/1'), expected: newView('r1/1').hash }])
      expect((await local.listViews({ stream }))[0]?.state).toBe('leaving')
    })

    test('owe makes a published view pending again, and leaves a leaving one', async () => {
      const local = await open()
      const { stream, ids } = await show(local, { length: 3 })
      await local.markPublished([{ ...newView('r1/2'), expected: newView('r1/2').hash }])
      await local.apply({
        workspace: WORKSPACE.id,
        remove: { stream, checkpoints: ids.slice(0, 1), at: LATER },
      })
      for (const path of ['r1/1', 'r1/2']) await local.oweView({ workspace: WORKSPACE.id, path })
      const states = (await local.listViews({ stream })).map(({ state }) => state)
      expect(states).toEqual(['leaving', 'pending', 'pending'])
    })

    test('a view that is put again says what a document shows from now on', async () => {
      const local = await open()
      const { stream, ids } = await show(local, { length: 2 })
      const checkpoint = ids[0] ?? ''
      const found = { ...newView('r1/2', 'found'), state: 'published' as const }
      await owe(local, { id: checkpoint, stream }, found)
      await owe(local, { id: checkpoint, stream }, newView('r1/new'))
      expect((await local.listViews({ stream })).slice(1)).toEqual([
        { ...found, stream, checkpoint },
        { ...newView('r1/new'), stream, checkpoint },
      ])
    })

    test('replaceView puts one view in the place of another', async () => {
      const local = await open()
      const { stream, ids } = await show(local)
      const compressed = { ...newView('r1/1.gz'), contentHash: newView('r1/1').contentHash }
      await local.replaceView({ workspace: WORKSPACE.id, path: 'r1/1' }, compressed)
      expect(await local.listViews({ stream })).toEqual([
        { ...compressed, stream, checkpoint: ids[0], state: 'published' },
      ])
    })

    test('replaceView of a view that is not there adds nothing', async () => {
      const local = await open()
      const { stream } = await show(local)
      const before = await local.listViews({ stream })
      await local.replaceView({ workspace: WORKSPACE.id, path: 'nobody' }, newView('nobody.gz'))
      expect(await local.listViews({ stream })).toEqual(before)
    })

    test('forgetViews drops the rows it names and no other', async () => {
      const local = await open()
      const { stream } = await show(local, { length: 3 })
      await local.forgetViews([{ workspace: WORKSPACE.id, path: 'r1/1' }, newView('r1/3')])
      expect((await local.listViews({ stream })).map(({ path }) => path)).toEqual(['r1/2'])
    })

    test('a later checkpoint takes over the path of an earlier view', async () => {
      const local = await open()
      const { stream } = await show(local)
      const next = newCheckpoint(stream, 2)
      await owe(local, next, newView('r1/1', 'second'))
      expect(await local.listViews({ stream })).toEqual([
        { ...newView('r1/1', 'second'), stream, checkpoint: next.id, state: 'pending' },
      ])
    })
  })
}

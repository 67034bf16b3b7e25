import { describe, expect, test } from 'vitest'
import {
  AT,
  appendTo,
  beginRun,
  checkpointName,
  contentOf,
  grow,
  LATER,
  newCheckpoint,
  newStream,
  newView,
  readmitTo,
  removeFrom,
  WORKSPACE,
} from '../make.ts'
import type { OpenActs } from '../subjects.ts'

/** What stays of a checkpoint: whole, pinned, removed, lost and found again. */
export function provesKeeping(open: OpenActs): void {
  describe('checkpoints', () => {
    test('a checkpoint is read whole, with its row', async () => {
      const store = await open()
      const { stream, ids } = await grow(store)
      const row = { id: ids[0], stream, sequence: 1, at: AT, progress: 'in_progress' }
      expect(await store.log.readCheckpoint(ids[0] ?? '')).toEqual({
        row: {
          ...row,
          pinned: false,
          removedAt: null,
          foreign: false,
          gist: { step: null, steps: 0, stepsDone: 0 },
        },
        state: 'whole',
        checkpoint: newCheckpoint(stream, 1),
        notes: [],
      })
      expect(await store.log.readCheckpoint('cp_nobody')).toBeNull()
    })

    test('a pin is told by the row and the situation, holds once, and comes off', async () => {
      const store = await open()
      const { stream, ids } = await grow(store, { length: 3 })
      const [one = '', two = ''] = ids
      await store.log.pin(two, true)
      await store.log.pin(one, true)
      await store.log.pin(one, true)
      expect((await store.log.readSituation(stream)).pinned).toEqual([one, two])
      expect((await store.log.readHistory(stream)).map(({ pinned }) => pinned)).toEqual([true, true, false])
      await store.log.pin(one, false)
      expect((await store.log.readSituation(stream)).pinned).toEqual([two])
    })
  })

  describe('remove', () => {
    test('leaves a tombstone with its sequence number, and the history names it', async () => {
      const store = await open()
      const { stream, ids } = await grow(store, { length: 3 })
      expect(await removeFrom(store.acts, stream, [ids[0] ?? ''], LATER)).toEqual({ done: true })
      const row = { id: ids[0], sequence: 1, removedAt: LATER }
      const gone = await store.log.readCheckpoint(ids[0] ?? '')
      expect(gone).toMatchObject({ state: 'removed', row })
      expect(gone).not.toHaveProperty('checkpoint')
      const history = await store.log.readHistory(stream)
      expect(history.map(({ sequence }) => sequence)).toEqual([1, 2, 3])
      expect(history.map(({ removedAt }) => removedAt)).toEqual([LATER, null, null])
      expect((await store.log.findStream('repo_1', 'r1'))?.live).toBe(2)
    })

    test('never takes the head', async () => {
      const store = await open()
      const { stream, ids } = await grow(store, { length: 2 })
      expect((await removeFrom(store.acts, stream, ids, LATER)).done).toBe(false)
      expect((await store.log.readCheckpoint(ids[1] ?? ''))?.state).toBe('whole')
    })

    test('never takes a pinned one', async () => {
      const store = await open()
      const { stream, ids } = await grow(store, { length: 3 })
      await store.log.pin(ids[0] ?? '', true)
      const before = await contentOf(store)
      expect((await removeFrom(store.acts, stream, ids.slice(0, 2), LATER)).done).toBe(false)
      expect(await contentOf(store)).toEqual(before)
    })

    test('counts a checkpoint once, and none of another stream', async () => {
      const store = await open()
      const { stream, ids } = await grow(store, { length: 3 })
      const other = await grow(store, { name: 'r2', length: 2 })
      const first = ids[0] ?? ''
      const theirs = [first, other.ids[0] ?? '']
      expect((await removeFrom(store.acts, stream, theirs, LATER)).done).toBe(false)
      for (const again of [[first, first], [first]])
        expect((await removeFrom(store.acts, stream, again, LATER)).done).toBe(true)
      expect((await store.log.readCheckpoint(other.ids[0] ?? ''))?.state).toBe('whole')
      expect((await store.log.findStream('repo_1', 'r1'))?.live).toBe(2)
    })

    test('makes the views of what it took leave, and no other', async () => {
      const store = await open()
      const { stream, ids } = await grow(store, { length: 2 })
      await removeFrom(store.acts, stream, [ids[0] ?? ''], LATER)
      const states = (await store.local.listViews({ stream })).map(({ path, state }) => [path, state])
      expect(states).toEqual([
        ['r1/1', 'leaving'],
        ['r1/2', 'pending'],
      ])
    })

    test('the numbers of removed checkpoints are never given again', async () => {
      const store = await open()
      const { stream, ids } = await grow(store, { length: 2 })
      await removeFrom(store.acts, stream, [ids[0] ?? ''], LATER)
      const next = newCheckpoint(stream, 3)
      const appended = await appendTo(store.acts, next, ids[1] ?? '', { takes: [], views: [] })
      expect(appended).toEqual({ done: true })
      const { stream: now } = await store.log.readSituation(stream)
      expect(now).toMatchObject({ headSequence: 3, live: 2 })
    })
  })

  test('maintained is told by the stream', async () => {
    const store = await open()
    const { stream } = await grow(store)
    await store.log.markMaintained(stream, LATER)
    expect((await store.log.findStream('repo_1', 'r1'))?.maintainedAt).toBe(LATER)
  })

  describe('what was lost', () => {
    test('readmit puts a checkpoint back at its number, ahead of the head it makes', async () => {
      const store = await open()
      const { stream } = await grow(store)
      const lost = newCheckpoint(stream, 4)
      expect(await readmitTo(store.acts, lost, 4, [])).toBe(true)
      expect(await store.log.readCheckpoint(lost.id)).toMatchObject({ state: 'whole', checkpoint: lost })
      const now = await store.log.findStream('repo_1', 'r1')
      expect(now).toMatchObject({ headId: lost.id, headSequence: 4, live: 2 })
    })

    test('readmit knows the views that were found with it', async () => {
      const store = await open()
      const { stream } = await grow(store)
      const lost = newCheckpoint(stream, 2)
      const view = { ...newView('r1/2'), state: 'published' as const }
      await readmitTo(store.acts, lost, 2, [view])
      expect(await store.local.listViews({ stream })).toContainEqual({ ...view, stream, checkpoint: lost.id })
    })

    test('readmit below the head leaves the head alone', async () => {
      const store = await open()
      const { stream } = await grow(store)
      const [two, three] = [newCheckpoint(stream, 2), newCheckpoint(stream, 3)]
      await readmitTo(store.acts, three, 3, [])
      expect(await readmitTo(store.acts, two, 2, [])).toBe(true)
      expect((await store.log.findStream('repo_1', 'r1'))?.headId).toBe(three.id)
      expect((await store.log.readHistory(stream)).map(({ sequence }) => sequence)).toEqual([1, 2, 3])
    })

    test('readmit answers false for one that is there, and changes nothing', async () => {
      const store = await open()
      const { stream } = await grow(store, { length: 2 })
      const before = await contentOf(store)
      expect(await readmitTo(store.acts, newCheckpoint(stream, 1), 1, [])).toBe(false)
      expect(await contentOf(store)).toEqual(before)
    })

    test('readmit never puts a removed checkpoint back', async () => {
      const store = await open()
      const { stream, ids } = await grow(store, { length: 2 })
      await removeFrom(store.acts, stream, [ids[0] ?? ''], LATER)
      expect(await readmitTo(store.acts, newCheckpoint(stream, 1), 1, [])).toBe(false)
      expect((await store.log.readCheckpoint(ids[0] ?? ''))?.state).toBe('removed')
    })

    test('readmit leaves out one whose number another has: it must not become the newest', async () => {
      const store = await open()
      const { stream } = await grow(store, { length: 2 })
      const twin = newCheckpoint(stream, 1, { id: checkpointName(stream, 1, 'twin') })
      expect(await readmitTo(store.acts, twin, 1, [])).toBe(false)
      expect((await store.log.readHistory(stream)).map(({ sequence }) => sequence)).toEqual([1, 2])
      expect(await store.log.readCheckpoint(twin.id)).toBeNull()
    })

    test('closeGaps leaves a tombstone for every number that nothing was found for', async () => {
      const store = await open()
      const { stream } = await grow(store)
      await readmitTo(store.acts, newCheckpoint(stream, 4), 4, [])
      expect(await store.check()).not.toEqual([])
      expect(await store.log.closeGaps(LATER)).toBe(2)
      const history = await store.log.readHistory(stream)
      expect(history.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4])
      expect(history.map(({ removedAt }) => removedAt)).toEqual([null, LATER, LATER, null])
      expect(await store.check()).toEqual([])
      expect(await store.log.closeGaps(LATER)).toBe(0)
    })

    test('a checkpoint that is found after its gap was closed still comes back', async () => {
      const store = await open()
      await store.local.seeWorkspace(WORKSPACE, AT)
      const stream = newStream()
      await beginRun(store.acts, stream, newCheckpoint(stream.id, 1), [newView('r1/1')])
      await readmitTo(store.acts, newCheckpoint(stream.id, 3), 3, [])
      await store.log.closeGaps(LATER)
      const found = newCheckpoint(stream.id, 2)
      expect(await readmitTo(store.acts, found, 2, [])).toBe(true)
      expect((await store.log.readCheckpoint(found.id))?.state).toBe('whole')
      expect(
        (await store.log.readHistory(stream.id)).map(({ id, sequence }) => [id, sequence]),
      ).toContainEqual([found.id, 2])
      expect((await store.log.readSituation(stream.id)).stream.headSequence).toBe(3)
      expect(await store.check()).toEqual([])
    })
  })
}

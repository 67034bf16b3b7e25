import { describe, expect, test } from 'vitest'
import type { Trigger } from '../../../src/core/checkpoint.ts'
import {
  AT,
  appendTo,
  beginRun,
  checkpointName,
  contentOf,
  extend,
  grow,
  LATER,
  NOTHING_MORE,
  newCheckpoint,
  newOutcome,
  newStream,
  newView,
  noteOn,
  type Spanned,
  WORKSPACE,
} from '../make.ts'
import type { OpenActs } from '../subjects.ts'

/** Beginning a stream, and moving its head. */
export function provesStreams(open: OpenActs): void {
  const trigger: Trigger = { kind: 'timer', at: LATER, note: 'again' }

  describe('workspaces and streams', () => {
    test('begin makes a stream with its first checkpoint and its views', async () => {
      const store = await open()
      await store.local.seeWorkspace(WORKSPACE, AT)
      const stream = newStream()
      const first = newCheckpoint(stream.id, 1)
      expect(await beginRun(store.acts, stream, first, [newView('a')])).toBe(true)
      const expected = { ...stream, headId: first.id, headSequence: 1, live: 1, createdAt: AT }
      expect(await store.log.findStream('repo_1', 'r1')).toEqual({ ...expected, maintainedAt: null })
      expect(await store.local.listViews({ stream: stream.id })).toEqual([
        { ...newView('a'), stream: stream.id, checkpoint: first.id, state: 'pending' },
      ])
    })

    test('begin answers false where the name is taken, whatever its case, and changes nothing', async () => {
      const store = await open()
      await grow(store, { name: 'Run-One' })
      const before = await contentOf(store)
      const twin = { ...newStream('rUN-oNE'), id: 'run_twin' }
      expect(await beginRun(store.acts, twin, newCheckpoint(twin.id, 1), [newView('twin')])).toBe(false)
      expect(await contentOf(store)).toEqual(before)
    })

    test('the same name in another repository is free', async () => {
      const store = await open()
      await grow(store)
      const other = newStream('r1', 'repo_2')
      expect(await beginRun(store.acts, other, newCheckpoint(other.id, 1), [])).toBe(true)
      expect((await store.log.listStreams('repo_2')).map(({ id }) => id)).toEqual([other.id])
      expect(await store.log.listStreams(null)).toHaveLength(2)
    })

    test('a stream is found ignoring case, and an unknown one is null', async () => {
      const store = await open()
      const { stream } = await grow(store, { name: 'Alpha' })
      expect((await store.log.findStream('repo_1', 'ALPHA'))?.id).toBe(stream)
      expect(await store.log.findStream('repo_1', 'beta')).toBeNull()
      expect(await store.log.findStream('repo_2', 'alpha')).toBeNull()
    })

    test('the situation of an unknown stream is refused as run_unknown', async () => {
      const store = await open()
      await expect(store.log.readSituation('run_nobody')).rejects.toMatchObject({ reason: 'run_unknown' })
    })
  })

  describe('append', () => {
    test('adds after the expected head, and the situation stands on the new one', async () => {
      const store = await open()
      const { stream, ids } = await grow(store)
      const next = newCheckpoint(stream, 2, { progress: 'paused' })
      const appended = await appendTo(store.acts, next, ids[0] ?? '', NOTHING_MORE)
      expect(appended).toEqual({ done: true })
      const { stream: now, base } = await store.log.readSituation(stream)
      expect(now).toMatchObject({ headId: next.id, headSequence: 2, live: 2 })
      expect(base).toMatchObject({ checkpoint: next, notes: [] })
    })

    test('does nothing at all where the head has moved', async () => {
      const store = await open()
      const { stream, ids } = await grow(store, { length: 2 })
      const event = await store.log.recordOutcome(stream, newOutcome('one'), AT)
      const before = await contentOf(store)
      const late = newCheckpoint(stream, 2, { id: checkpointName(stream, 2, 'late') })
      const more = { takes: [event], views: [newView('late')] }
      expect(await appendTo(store.acts, late, ids[0] ?? '', more)).toMatchObject({ done: false })
      expect(await contentOf(store)).toEqual(before)
      expect(await store.log.readCheckpoint(late.id)).toBeNull()
    })

    test('50 writers at once that retry leave a gap-free sequence with all of them', async () => {
      const store = await open()
      const { stream } = await grow(store)
      const tries = await Promise.all(
        Array.from({ length: 50 }, (_, writer) => appendWithRetry(store, stream, writer)),
      )
      const history = await store.log.readHistory(stream)
      expect(history.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 51 }, (_, n) => n + 1))
      expect(new Set(history.map(({ id }) => id)).size).toBe(51)
      expect(history.at(-1)?.id).toBe((await store.log.readSituation(stream)).stream.headId)
      expect(Math.max(...tries)).toBeGreaterThan(1)
    })

    test('an outcome waits until a checkpoint takes it in, and others go on waiting', async () => {
      const store = await open()
      const { stream, ids } = await grow(store)
      const one = await store.log.recordOutcome(stream, newOutcome('one'), AT)
      const two = await store.log.recordOutcome(stream, newOutcome('two'), AT)
      const both = [
        { event: one, outcome: newOutcome('one') },
        { event: two, outcome: newOutcome('two') },
      ]
      expect((await store.log.readSituation(stream)).pending).toEqual(both)
      const next = newCheckpoint(stream, 2)
      await appendTo(store.acts, next, ids[0] ?? '', { takes: [one], views: [] })
      expect((await store.log.readSituation(stream)).pending).toEqual(both.slice(1))
    })

    test('an outcome of one stream never waits in another', async () => {
      const store = await open()
      const { stream } = await grow(store)
      const other = await grow(store, { name: 'r2' })
      await store.log.recordOutcome(stream, newOutcome('mine'), AT)
      expect((await store.log.readSituation(other.stream)).pending).toEqual([])
    })

    test('the newest checkpoint is by sequence, whatever its clock says', async () => {
      const store = await open()
      const { stream, ids } = await grow(store)
      const back = newCheckpoint(stream, 2, { at: '2001-01-01T00:00:00.000Z' })
      await appendTo(store.acts, back, ids[0] ?? '', NOTHING_MORE)
      expect((await store.log.readSituation(stream)).base.checkpoint.id).toBe(back.id)
      expect((await store.log.readHistory(stream)).map(({ id }) => id)).toEqual([ids[0], back.id])
    })
  })

  describe('coalesce', () => {
    test('notes a trigger on the head and owes the view again', async () => {
      const store = await open()
      const { stream, ids } = await grow(store)
      const head = ids[0] ?? ''
      const view = newView('latest', 'with the note')
      expect(await noteOn(store.acts, stream, { head, notes: 0 }, trigger, view)).toEqual({ done: true })
      expect((await store.log.readSituation(stream)).base.notes).toEqual([trigger])
      expect(await store.log.readCheckpoint(head)).toMatchObject({ state: 'whole', notes: [trigger] })
      const rows = await store.local.listViews({ stream, unsettled: true })
      expect(rows).toContainEqual({ ...view, stream, checkpoint: head, state: 'pending' })
    })

    test('does nothing where another note came first', async () => {
      const store = await open()
      const { stream, ids } = await grow(store)
      const head = ids[0] ?? ''
      await noteOn(store.acts, stream, { head, notes: 0 }, trigger, newView('latest'))
      const before = await contentOf(store)
      const again = await noteOn(store.acts, stream, { head, notes: 0 }, trigger, newView('latest', 'other'))
      expect(again).toMatchObject({ done: false })
      expect(await contentOf(store)).toEqual(before)
      expect(await noteOn(store.acts, stream, { head, notes: 1 }, trigger, newView('latest'))).toMatchObject({
        done: true,
      })
    })

    test('does nothing where the head has moved', async () => {
      const store = await open()
      const { stream, ids } = await grow(store)
      const head = ids[0] ?? ''
      await extend(store, stream, ids, 2)
      const before = await contentOf(store)
      expect(await noteOn(store.acts, stream, { head, notes: 0 }, trigger, newView('x'))).toMatchObject({
        done: false,
      })
      expect(await contentOf(store)).toEqual(before)
    })
  })
}

/** As a save does it: read, decide, compare-and-set, again. Answers how many tries it took. */
async function appendWithRetry(store: Spanned, stream: string, writer: number): Promise<number> {
  for (let tries = 1; tries <= 200; tries += 1) {
    const { stream: now } = await store.log.readSituation(stream)
    const sequence = now.headSequence + 1
    const id = checkpointName(stream, sequence, `writer ${writer}`)
    const next = newCheckpoint(stream, sequence, { id, parent: now.headId })
    const appended = await appendTo(store.acts, next, now.headId, NOTHING_MORE)
    if (appended.done) return tries
  }
  throw new Error(`writer ${writer} never got through`)
}

import { describe, expect, test } from 'vitest'
import type { DocumentCommit } from '../../../src/store/acts.ts'
import { AT, grow, newCheckpoint, WORKSPACE } from '../make.ts'
import {
  BESIDE,
  documentsOf,
  focusedIn,
  growWork,
  hashOf,
  leavingFrom,
  newEntry,
  newPoint,
  newWork,
  pathOf,
  rowOf,
  step,
  textOf,
} from '../make-work.ts'
import type { OpenActs } from '../subjects.ts'
import { provesFocus, provesPlaces } from './document-places.ts'
import { provesMarks, provesTextsOfAll } from './document-texts.ts'
import { provesFiles } from './files.ts'

const REPOSITORY = WORKSPACE.repository
const HERE = { workspace: WORKSPACE.id }

/** Checkpoint documents: streams of work, their places, files and texts, focus and foreign marks. */
export function provesDocuments(open: OpenActs): void {
  describe('documents', () => {
    provesCommit(open)
    provesRefusals(open)
    provesPlaces(open)
    provesFocus(open)
    provesTextsOfAll(open)
    provesMarks(open)
    provesFiles(open)
  })
}

function provesCommit(open: OpenActs): void {
  test('a commit begins a stream with its checkpoint, text, version and document', async () => {
    const store = await open()
    const { stream, ids } = await growWork(store)
    const [head = ''] = ids
    const gist = {
      ...{ created: AT, parent: null, problem: '', next: '', why: 'manual' },
      ...{ archived: false, branch: null },
    }
    expect(await store.acts.listWork(REPOSITORY, WORKSPACE.id)).toEqual([
      {
        stream: { id: stream, name: 'auth', headId: head, headSequence: 1 },
        view: {
          ...{ path: pathOf('auth'), checkpoint: head, hash: hashOf('auth', 1), base: null, stamp: null },
          ...{ state: 'published', current: false },
        },
        position: {
          ...{ checkpoint: head, sequence: 1, at: AT, foreign: false },
          gist: { step: null, stepsDone: 0, steps: 0, document: gist },
        },
        focused: false,
      },
    ])
    expect(await store.log.readCheckpoint(head)).toMatchObject({
      state: 'whole',
      checkpoint: newPoint('auth', 1),
    })
    expect(await store.log.readText(hashOf('auth', 1))).toBe(textOf('auth', 1))
    expect(await store.log.findVersion(stream, hashOf('auth', 1))).toEqual({
      checkpoint: head,
      current: false,
      problem: null,
    })
    expect(await store.check()).toEqual([])
  })

  test('one commit may begin several streams and append to others', async () => {
    const store = await open()
    await growWork(store)
    const [one, two] = [step('auth', 2), step('fork', 1)]
    const both: DocumentCommit = {
      ...HERE,
      begins: two.begins ?? [],
      appends: [...(one.appends ?? []), ...(two.appends ?? [])],
      texts: [...(one.texts ?? []), ...(two.texts ?? [])],
      versions: [...(one.versions ?? []), ...(two.versions ?? [])],
      views: [...(one.views ?? []), ...(two.views ?? [])],
      focus: newWork('fork').id,
    }
    expect(await store.acts.commit(both)).toEqual({ done: true })
    expect((await rowOf(store))?.stream.headSequence).toBe(2)
    expect((await rowOf(store, 'fork'))?.stream.headSequence).toBe(1)
    expect(await focusedIn(store)).toEqual(['fork'])
    expect((await store.log.findStream(REPOSITORY, 'auth', 'work'))?.live).toBe(2)
  })

  test('one commit may append a chain to a stream, and begin a stream with one', async () => {
    const store = await open()
    await growWork(store)
    const parts = [step('auth', 2), step('auth', 3), step('fork', 1), step('fork', 2), step('auth', 4)]
    const chain: DocumentCommit = {
      ...HERE,
      begins: parts.flatMap(({ begins = [] }) => begins),
      appends: parts.flatMap(({ appends = [] }) => appends),
      texts: parts.flatMap(({ texts = [] }) => texts),
      versions: parts.flatMap(({ versions = [] }) => versions),
    }
    expect(await store.acts.commit(chain)).toEqual({ done: true })
    for (const [name, length] of [
      ['auth', 4],
      ['fork', 2],
    ] as const) {
      const { id } = newWork(name)
      const ids = Array.from({ length }, (_, at) => newPoint(name, at + 1).id)
      expect((await store.log.readHistory(id)).map((row) => [row.id, row.sequence])).toEqual(
        ids.map((one, at) => [one, at + 1]),
      )
      expect(await store.log.findStream(REPOSITORY, name, 'work')).toMatchObject({
        ...{ headId: ids.at(-1), headSequence: length, live: length },
      })
    }
    expect(await store.check()).toEqual([])
  })

  test('a commit of nothing changes nothing', async () => {
    const store = await open()
    await growWork(store, { length: 2 })
    await store.acts.commit({ ...HERE, focus: newWork().id })
    const before = await documentsOf(store)
    expect(await store.acts.commit(HERE)).toEqual({ done: true })
    expect(await documentsOf(store)).toEqual(before)
  })

  test('runs and work are kept apart, also under one name', async () => {
    const store = await open()
    const run = await grow(store, { name: 'auth' })
    const work = await growWork(store)
    expect((await store.log.listStreams(REPOSITORY)).map(({ id }) => id)).toEqual([run.stream])
    expect((await store.log.listStreams(null, 'work')).map(({ id }) => id)).toEqual([work.stream])
    expect((await store.log.listHeads(REPOSITORY, 'run')).map(({ stream }) => stream.id)).toEqual([
      run.stream,
    ])
    expect((await store.acts.listWork(REPOSITORY, WORKSPACE.id)).map(({ stream }) => stream.id)).toEqual([
      work.stream,
    ])
    expect((await store.log.findStream(REPOSITORY, 'AUTH'))?.id).toBe(run.stream)
    expect((await store.log.findStream(REPOSITORY, 'AUTH', 'work'))?.id).toBe(work.stream)
    expect(await store.log.findStream(REPOSITORY, 'other', 'work')).toBeNull()
  })

  test('the work of another repository is not shown', async () => {
    const store = await open()
    await growWork(store)
    expect(await store.acts.listWork('repo_2', WORKSPACE.id)).toEqual([])
  })
}

/** A commit that changes something of everything, after the given head. */
export function everything(after: string | null): DocumentCommit {
  const fresh = step('fork', 1)
  return {
    ...HERE,
    begins: fresh.begins ?? [],
    appends: [...(fresh.appends ?? []), { checkpoint: newPoint('auth', 3), after, foreign: true }],
    texts: fresh.texts ?? [],
    versions: fresh.versions ?? [],
    views: [
      ...(fresh.views ?? []),
      leavingFrom('checkpoints/active/old.md', 'auth', 2),
      newEntry('auth', 2, 'checkpoints/LEARNINGS.md#fork'),
    ],
    focus: newWork('fork').id,
  }
}

function provesRefusals(open: OpenActs): void {
  /** Two versions, a focus, and what a refused commit must leave as it is. */
  async function furnished(store: Awaited<ReturnType<OpenActs>>): Promise<unknown> {
    await growWork(store, { length: 2 })
    await store.acts.commit({ ...HERE, focus: newWork().id })
    return documentsOf(store)
  }

  async function provesNothingLeft(store: Awaited<ReturnType<OpenActs>>, before: unknown): Promise<void> {
    expect(await documentsOf(store)).toEqual(before)
    expect(await store.log.readText(hashOf('fork', 1))).toBeNull()
    expect(await store.log.readCheckpoint(newPoint('fork', 1).id)).toBeNull()
    expect(await store.check()).toEqual([])
  }

  test('everything at once goes through after the head that was seen', async () => {
    const store = await open()
    await furnished(store)
    expect(await store.acts.commit(everything(newPoint('auth', 2).id))).toEqual({ done: true })
    expect((await store.local.listOwedViews(WORKSPACE.id)).map(({ path }) => path)).toEqual([
      'checkpoints/LEARNINGS.md#fork',
      'checkpoints/active/old.md',
    ])
    expect((await rowOf(store))?.position).toMatchObject({ sequence: 2, foreign: false })
    expect(await rowOf(store, 'auth', BESIDE.id)).toMatchObject({
      view: null,
      position: { sequence: 3, foreign: true },
    })
    expect(await focusedIn(store)).toEqual(['fork'])
  })

  test.each([null, 'cp_nobody', newPoint('auth', 1).id])(
    'after another head than %s nothing is left behind',
    async (after) => {
      const store = await open()
      const before = await furnished(store)
      expect(await store.acts.commit(everything(after))).toEqual({ done: false, why: 'head_moved' })
      await provesNothingLeft(store, before)
    },
  )

  test('an append after a head that there is not, to a stream that there is not, is refused', async () => {
    const store = await open()
    const before = await furnished(store)
    const late = { ...everything(newPoint('auth', 2).id), begins: [newWork('fork')] }
    const appends = [{ checkpoint: newPoint('fork', 1), after: 'cp_nobody', foreign: false }]
    expect(await store.acts.commit({ ...late, appends })).toEqual({ done: false, why: 'head_moved' })
    await provesNothingLeft(store, before)
  })

  test.each([newPoint('auth', 2).id, 'cp_nobody'])(
    'a chain whose second link goes after %s leaves nothing behind',
    async (after) => {
      const store = await open()
      const before = await furnished(store)
      const change = everything(newPoint('auth', 2).id)
      const appends = [...(change.appends ?? []), { checkpoint: newPoint('auth', 4), after, foreign: false }]
      expect(await store.acts.commit({ ...change, appends })).toEqual({ done: false, why: 'head_moved' })
      await provesNothingLeft(store, before)
    },
  )

  test('a name that is taken, whatever its case, leaves nothing behind', async () => {
    const store = await open()
    const before = await furnished(store)
    const other = { ...newWork('AUTH'), id: 'work_other' }
    const change = everything(newPoint('auth', 2).id)
    const begins = [...(change.begins ?? []), other]
    const first = newCheckpoint(other.id, 1)
    const appends = [...(change.appends ?? []), { checkpoint: first, after: null, foreign: false }]
    expect(await store.acts.commit({ ...change, begins, appends })).toEqual({
      done: false,
      why: 'name_taken',
    })
    expect(await store.log.readCheckpoint(first.id)).toBeNull()
    await provesNothingLeft(store, before)
  })

  test('a stream that began meanwhile is no new one', async () => {
    const store = await open()
    await growWork(store)
    const before = await documentsOf(store)
    expect(await store.acts.commit(step('auth', 1))).toMatchObject({ done: false })
    expect(await documentsOf(store)).toEqual(before)
  })

  test('of ten that append after one head, one goes through', async () => {
    const store = await open()
    await growWork(store)
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, who) => {
        const id = `cp_20260102T030405000Z_2-0000000${who}`
        const checkpoint = newPoint('auth', 2, { id })
        return store.acts.commit({
          ...HERE,
          appends: [{ checkpoint, after: checkpoint.parent, foreign: false }],
        })
      }),
    )
    expect(answers.filter(({ done }) => done)).toHaveLength(1)
    expect(await store.log.readHistory(newWork().id)).toHaveLength(2)
  })
}

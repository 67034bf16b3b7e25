import { describe, expect, test } from 'vitest'
import type { Checkpoint, Trigger } from '../../../src/core/checkpoint.ts'
import type { Log, LogChange, NewStream } from '../../../src/store/log.ts'
import { AT, checkpointName, LATER, newCheckpoint, newOutcome, newStream, WORKSPACE } from '../make.ts'
import { growInLog, logStep } from '../make-log.ts'
import { newPoint } from '../make-work.ts'
import type { OpenLog } from '../subjects.ts'

const REPOSITORY = WORKSPACE.repository
const NOTE: Trigger = { kind: 'timer', at: LATER, note: 'again' }

/** A run with `length` checkpoints; answers its id and theirs. */
async function growRun(log: Log, { length = 1, stream = newStream() } = {}) {
  const chain = Array.from({ length }, (_, at) => newCheckpoint(stream.id, at + 1))
  expect(await log.append(begin(stream, chain))).toEqual({ done: true })
  return { stream: stream.id, ids: chain.map(({ id }) => id) }
}

const begin = (stream: NewStream, chain: ReturnType<typeof newCheckpoint>[]): LogChange => ({
  begins: [stream],
  appends: chain.map((checkpoint) => ({ checkpoint, after: checkpoint.parent, foreign: false })),
})

const putNote = async (log: Log, stream: string, expected: { head: string; number: number }) =>
  (await log.append({ note: { stream, ...expected, trigger: NOTE } })).done

const putBack = async (log: Log, checkpoint: Checkpoint, sequence: number) =>
  (await log.append({ readmit: { checkpoint, sequence } })).done

/** All that a log shows of one stream. */
const shown = async (log: Log, stream: string) => ({
  situation: await log.readSituation(stream),
  rows: await log.readHistory(stream),
})

/** Streams move by compare-and-set alone. */
export function provesLogStreams(open: OpenLog): void {
  describe('streams', () => {
    test('begin with their first checkpoints, and are found ignoring case', async () => {
      const log = await open()
      const { stream, ids } = await growRun(log, { length: 2, stream: newStream('Alpha') })
      const expected = { ...newStream('Alpha'), headId: ids[1], headSequence: 2, live: 2, createdAt: AT }
      expect(await log.findStream(REPOSITORY, 'ALPHA')).toEqual({ ...expected, maintainedAt: null })
      expect(await log.findStream(REPOSITORY, 'alpha', 'work')).toBeNull()
      expect(await log.findStream('repo_2', 'alpha')).toBeNull()
      expect((await log.listStreams(null)).map(({ id }) => id)).toEqual([stream])
      expect(await log.listStreams('repo_2')).toEqual([])
      const heads = [{ stream: expected, progress: 'in_progress', foreign: false }]
      expect(await log.listHeads(REPOSITORY, 'run')).toMatchObject(heads)
      expect(await log.listHeads(null, 'run')).toMatchObject(heads)
      expect(await log.listHeads('repo_2', 'run')).toEqual([])
      expect(await log.listHeads(REPOSITORY, 'work')).toEqual([])
      expect(await log.readStream(stream)).toMatchObject(expected)
      expect(await log.readStream('run_nobody')).toBeNull()
      expect(await log.count()).toEqual({ works: 0, runs: 1, checkpoints: 2, sessions: 0 })
      await expect(log.readSituation('run_nobody')).rejects.toMatchObject({ reason: 'run_unknown' })
    })

    test('a name that is taken leaves nothing behind', async () => {
      const log = await open()
      const { stream } = await growRun(log, { stream: newStream('Run-One') })
      const before = await shown(log, stream)
      const twin = { ...newStream('rUN-oNE'), id: 'run_twin' }
      const first = newCheckpoint(twin.id, 1)
      expect(await log.append(begin(twin, [first]))).toEqual({ done: false, why: 'name_taken' })
      expect(await log.readCheckpoint(first.id)).toBeNull()
      expect(await shown(log, stream)).toEqual(before)
    })

    test('an append after another head, or a chain with a wrong link, leaves nothing behind', async () => {
      const log = await open()
      const { stream, ids } = await growInLog(log, { length: 2 })
      const event = await log.recordOutcome(stream, newOutcome('one'), AT)
      const before = await shown(log, stream)
      const three = { checkpoint: newPoint('auth', 3), foreign: true, takes: [event] }
      const four = { checkpoint: newPoint('auth', 4), foreign: false }
      const { texts = [], versions = [] } = logStep('auth', 3)
      for (const appends of [
        [{ ...three, after: ids[0] ?? '' }],
        [{ ...three, after: null }],
        [
          { ...three, after: ids[1] ?? '' },
          { ...four, after: ids[1] ?? '' },
        ],
      ])
        expect(await log.append({ appends, texts, versions, reviews: ids })).toEqual({
          ...{ done: false, why: 'head_moved' },
        })
      expect(await shown(log, stream)).toEqual(before)
      expect(await log.readText(texts[0]?.hash ?? '')).toBeNull()
    })

    test('of ten that append after one head, one goes through', async () => {
      const log = await open()
      const { stream, ids } = await growRun(log)
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, who) => {
          const checkpoint = newCheckpoint(stream, 2, { id: checkpointName(stream, 2, `${who}`) })
          return log.append({ appends: [{ checkpoint, after: ids[0] ?? '', foreign: false }] })
        }),
      )
      expect(answers.filter(({ done }) => done)).toHaveLength(1)
      expect((await log.readHistory(stream)).map(({ sequence }) => sequence)).toEqual([1, 2])
    })

    test('an outcome waits until a checkpoint takes it in, and those of others go on waiting', async () => {
      const log = await open()
      const { stream, ids } = await growRun(log)
      const one = await log.recordOutcome(stream, newOutcome('one'), AT)
      const two = await log.recordOutcome(stream, newOutcome('two'), AT)
      const next = { checkpoint: newCheckpoint(stream, 2), after: ids[0] ?? '', foreign: false }
      await log.append({ appends: [{ ...next, takes: [one] }] })
      expect((await log.readSituation(stream)).pending).toEqual([{ event: two, outcome: newOutcome('two') }])
    })

    test('what was given is not changed by who gave it or by who read it', async () => {
      const log = await open()
      const { stream, ids } = await growRun(log)
      const stored = await log.readCheckpoint(ids[0] ?? '')
      if (stored?.state === 'whole') stored.checkpoint.work.now = 'changed by a reader'
      expect(await log.readCheckpoint(ids[0] ?? '')).toMatchObject({ checkpoint: newCheckpoint(stream, 1) })
    })
  })
}

/** What stays of a checkpoint. */
export function provesLogKeeping(open: OpenLog): void {
  describe('checkpoints', () => {
    test('the rows of some are read at once, and those that there are not are left out', async () => {
      const log = await open()
      const { stream, ids } = await growRun(log, { length: 3 })
      const rows = await log.readRows([ids[2] ?? '', 'cp_nobody', ids[0] ?? '', ids[0] ?? ''])
      expect(rows.map(({ sequence }) => sequence).sort()).toEqual([1, 3])
      expect((await log.readHistory(stream)).filter(({ id }) => rows.some((row) => row.id === id))).toEqual(
        rows.toSorted((a, b) => a.sequence - b.sequence),
      )
      expect(await log.readRows([])).toEqual([])
    })

    test('the newest of a history are told alone, and some checkpoints are read at once', async () => {
      const log = await open()
      const { stream, ids } = await growRun(log, { length: 3 })
      const numbers = async (most?: number) =>
        (await log.readHistory(stream, most)).map(({ sequence }) => sequence)
      expect(await numbers()).toEqual([1, 2, 3])
      expect(await numbers(2)).toEqual([2, 3])
      expect(await numbers(9)).toEqual([1, 2, 3])
      const [first = '', , last = ''] = ids
      const both = await log.readCheckpoints([first, 'cp_nobody', last, first])
      expect(both.map(({ row }) => row.id).toSorted()).toEqual([first, last].toSorted())
      for (const one of both) expect(one).toEqual(await log.readCheckpoint(one.row.id))
      expect(await log.readCheckpoints([])).toEqual([])
    })

    test('foreign marks stay until a review names them', async () => {
      const log = await open()
      const { stream, ids } = await growInLog(log, { length: 2, foreign: true })
      await log.append({ reviews: [ids[0] ?? '', 'cp_nobody'] })
      expect((await log.readHistory(stream)).map(({ foreign }) => foreign)).toEqual([false, true])
    })

    test('a note goes on the head with that many notes, and else nowhere', async () => {
      const log = await open()
      const { stream, ids } = await growRun(log, { length: 2 })
      const [first = '', head = ''] = ids
      expect(await putNote(log, stream, { head: first, number: 0 })).toBe(false)
      expect(await putNote(log, stream, { head, number: 1 })).toBe(false)
      expect(await putNote(log, stream, { head, number: 0 })).toBe(true)
      expect(await putNote(log, stream, { head, number: 0 })).toBe(false)
      expect((await log.readSituation(stream)).base.notes).toEqual([NOTE])
    })

    test('remove takes all the bodies or none: never the head, a pinned one or one of others', async () => {
      const log = await open()
      const { stream, ids } = await growRun(log, { length: 4 })
      const other = await growRun(log, { length: 2, stream: newStream('r2') })
      const [one = '', two = '', three = '', head = ''] = ids
      await log.pin(two, true)
      const isRemoved = async (checkpoints: string[]) =>
        (await log.append({ remove: { stream, checkpoints, at: LATER } })).done
      for (const refused of [two, head, other.ids[0] ?? '', 'cp_nobody'])
        expect(await isRemoved([one, refused])).toBe(false)
      expect((await log.readSituation(stream)).stream.live).toBe(4)
      expect([await isRemoved([one, one, three]), await isRemoved([one, three])]).toEqual([true, true])
      const rows = await log.readHistory(stream)
      expect(rows.map(({ removedAt }) => removedAt)).toEqual([LATER, null, LATER, null])
      expect(await log.readCheckpoint(one)).toEqual({ row: rows[0], state: 'removed' })
      expect(await log.readSituation(stream)).toMatchObject({ stream: { live: 2 }, pinned: [two] })
    })

    test('readmit puts back what was lost at its number, and nothing that is or was there', async () => {
      const log = await open()
      const { stream, ids } = await growRun(log, { length: 2 })
      await log.append({ remove: { stream, checkpoints: ids.slice(0, 1), at: LATER } })
      const twin = newCheckpoint(stream, 2, { id: checkpointName(stream, 2, 'twin') })
      expect(await putBack(log, newCheckpoint(stream, 1), 1)).toBe(false)
      expect(await putBack(log, twin, 2)).toBe(false)
      const lost = newCheckpoint(stream, 5)
      expect(await putBack(log, lost, 5)).toBe(true)
      expect(await putBack(log, newCheckpoint(stream, 3), 3)).toBe(true)
      expect(await log.closeGaps(LATER)).toBe(1)
      expect(await log.closeGaps(LATER)).toBe(0)
      expect(await log.readSituation(stream)).toMatchObject({
        stream: { headId: lost.id, headSequence: 5, live: 3 },
        base: { checkpoint: lost },
      })
      expect(await putBack(log, newCheckpoint(stream, 4), 4)).toBe(true)
      expect((await log.readHistory(stream)).map(({ sequence, removedAt }) => [sequence, removedAt])).toEqual(
        [
          [1, LATER],
          [2, null],
          [3, null],
          [4, null],
          [5, null],
        ],
      )
    })

    test('a stream gets another name, and keeps its id and all that it has', async () => {
      const log = await open()
      const { stream } = await growRun(log, { length: 2, stream: newStream('Alpha') })
      await growRun(log, { stream: { ...newStream('Beta'), id: 'run_beta' } })
      const before = await shown(log, stream)
      for (const [rename, why] of [
        [{ from: 'Alpha', name: 'BETA' }, 'name_taken'],
        [{ from: 'Gamma', name: 'Delta' }, 'head_moved'],
      ] as const)
        expect(await log.append({ renames: [{ stream, ...rename }] })).toEqual({ done: false, why })
      expect(await shown(log, stream)).toEqual(before)
      expect(await log.append({ renames: [{ stream, from: 'Alpha', name: 'Delta' }] })).toEqual({
        done: true,
      })
      expect(await log.findStream(REPOSITORY, 'alpha')).toBeNull()
      expect(await log.findStream(REPOSITORY, 'DELTA')).toMatchObject({ id: stream, headSequence: 2 })
      expect((await shown(log, stream)).rows).toEqual(before.rows)
      // In another case it is the same name.
      expect(await log.append({ renames: [{ stream, from: 'Delta', name: 'delta' }] })).toEqual({
        done: true,
      })
      const { ids } = await growRun(log, { stream: { ...newStream('Alpha'), id: 'run_alpha_2' } })
      expect(await log.findStream(REPOSITORY, 'Alpha')).toMatchObject({ headId: ids[0] })
      // One takes the name that another gives away with it.
      const passed = [
        { stream: 'run_alpha_2', from: 'Alpha', name: 'Alpha-2' },
        { stream, from: 'delta', name: 'Alpha' },
      ]
      expect(await log.append({ renames: passed })).toEqual({ done: true })
      expect(await log.findStream(REPOSITORY, 'Alpha')).toMatchObject({ id: stream })
      expect(await log.findStream(REPOSITORY, 'Alpha-2')).toMatchObject({ id: 'run_alpha_2' })
    })

    test('maintained is told by the stream', async () => {
      const log = await open()
      const { stream } = await growRun(log)
      await log.markMaintained(stream, LATER)
      expect((await log.findStream(REPOSITORY, 'r1'))?.maintainedAt).toBe(LATER)
    })

    test('a version is told with its problem once it has one', async () => {
      const log = await open()
      const { stream, ids } = await growInLog(log, { length: 2 })
      const [one = '', two = ''] = [1, 2].map((at) => logStep('auth', at).texts?.[0]?.hash)
      const readable = async () =>
        (await log.listVersions(stream)).filter(({ problem }) => problem === null).map(({ hash }) => hash)
      expect((await readable()).sort()).toEqual([one, two].sort())
      const broken = { stream, hash: two, checkpoint: ids[0] ?? '', current: false, problem: 'torn' }
      await log.append({ versions: [broken] })
      expect(await readable()).toEqual([one])
      expect(await log.listVersions('nobody')).toEqual([])
    })
  })
}

import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import type { Open } from '../conformance.ts'
import {
  AT,
  checkpointName,
  contentOf,
  freshFolder,
  grow,
  LATER,
  NOTHING_MORE,
  newCheckpoint,
  newOutcome,
  newView,
} from '../make.ts'

/** A store with something of everything in it. */
async function furnished(store: SqliteStore): Promise<void> {
  const { stream, ids } = await grow(store, { length: 4 })
  await store.log.pin(ids[1] ?? '', true)
  await store.acts.remove(stream, ids.slice(0, 2), LATER)
  await store.log.recordOutcome(stream, newOutcome('waiting'), AT)
  const note = { kind: 'manual', at: LATER, note: 'once more' } as const
  await store.acts.coalesce(stream, { head: ids[3] ?? '', notes: 0 }, note, newView('latest'))
  await store.local.markPublished([{ ...newView('r1/3'), expected: newView('r1/3').hash }])
  await store.log.markMaintained(stream, LATER)
}

/** The store as a whole: its own check, its copy, and that text comes back as it went in. */
export function provesWhole(open: Open): void {
  describe('the whole', () => {
    test('a sound store has nothing to tell', async () => {
      const store = await open()
      expect(await store.check()).toEqual([])
      await furnished(store)
      expect(await store.check()).toEqual([])
    })

    test('check tells of a number that is missing', async () => {
      const store = await open()
      const { stream } = await grow(store)
      await store.acts.readmit(newCheckpoint(stream, 3), 3, [])
      expect((await store.check()).map(({ what }) => what).join()).toContain('r1')
    })

    test('a backup opens and has the same content', async () => {
      const store = await open()
      await furnished(store)
      const file = join(freshFolder(), 'copy')
      await store.backup(file)
      const copy = await open(file)
      expect(await contentOf(copy)).toEqual(await contentOf(store))
      expect(await copy.check()).toEqual([])
    })

    test('a backup stands for its instant: what comes later is not in it', async () => {
      const store = await open()
      const { stream, ids } = await grow(store)
      const file = join(freshFolder(), 'copy')
      await store.backup(file)
      await store.acts.append(newCheckpoint(stream, 2), ids[0] ?? '', NOTHING_MORE)
      const copy = await open(file)
      expect((await copy.log.readHistory(stream)).map(({ id }) => id)).toEqual(ids)
    })

    test('a backup never overwrites', async () => {
      const store = await open()
      await grow(store)
      const file = join(freshFolder(), 'copy')
      await store.backup(file)
      const before = statSync(file)
      await expect(store.backup(file)).rejects.toMatchObject({ reason: 'backup_exists' })
      expect(statSync(file).mtimeMs).toBe(before.mtimeMs)
    })

    test('a backup into a folder that is not there leaves nothing behind', async () => {
      const store = await open()
      await grow(store)
      const folder = join(freshFolder(), 'nowhere')
      await expect(store.backup(join(folder, 'copy'))).rejects.toMatchObject({
        reason: 'checkpoint_atomic_write_failed',
      })
      expect(existsSync(folder)).toBe(false)
    })

    test('a backup is private', async () => {
      const store = await open()
      await grow(store)
      const file = join(freshFolder(), 'copy')
      await store.backup(file)
      expect(statSync(file).mode & 0o777).toBe(0o600)
    })

    test('any well-formed text in a checkpoint survives', async () => {
      const store = await open()
      const { stream } = await grow(store)
      const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }))
      await fc.assert(
        fc.asyncProperty(text, text, fc.nat(), async (problem, summary, duration) => {
          const { stream: now } = await store.log.readSituation(stream)
          const sequence = now.headSequence + 1
          const plain = newCheckpoint(stream, sequence)
          const next = {
            ...plain,
            id: checkpointName(stream, sequence, problem),
            work: { ...plain.work, problem, next: [{ text: summary }] },
            change: {
              ...plain.change,
              summary,
              commands: [{ ...newOutcome(problem), duration_ms: duration }],
            },
          }
          await store.acts.append(next, now.headId, NOTHING_MORE)
          const stored = await store.log.readCheckpoint(next.id)
          expect(stored).toMatchObject({ state: 'whole', checkpoint: next })
        }),
        { numRuns: 60 },
      )
      expect(await store.check()).toEqual([])
    })

    test('any well-formed text in an outcome, a note and a path survives', async () => {
      const store = await open()
      const { stream, ids } = await grow(store)
      const awkward = 'quote \' " ; \u0000 \u2028 \u{1F9D1}\u{200D}\u{1F680} \uFFFD \\n %_ ünï 日本'
      await store.log.recordOutcome(stream, newOutcome(awkward), AT)
      const note = { kind: 'manual', at: AT, note: awkward } as const
      await store.acts.coalesce(
        stream,
        { head: ids[0] ?? '', notes: 0 },
        note,
        newView(`p/${awkward.slice(9)}`),
      )
      const { base, pending } = await store.log.readSituation(stream)
      expect(pending[0]?.outcome).toEqual(newOutcome(awkward))
      expect(base.notes).toEqual([note])
    })
  })
}

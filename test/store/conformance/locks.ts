import { describe, expect, test } from 'vitest'
import type { OpenLocalState } from '../subjects.ts'

/** Named locks: one holder, a bounded wait, a queue. */
export function provesLocks(open: OpenLocalState): void {
  describe('locks', () => {
    test('a held lock answers null when the wait is over', { timeout: 5_000 }, async () => {
      const local = await open()
      const release = await local.takeLock('a', 0)
      expect(release).not.toBeNull()
      expect(await local.takeLock('a', 0)).toBeNull()
      expect(await local.takeLock('a', 30)).toBeNull()
      release?.()
    })

    test('a released lock can be taken again', async () => {
      const local = await open()
      for (let round = 0; round < 3; round += 1) {
        const release = await local.takeLock('a', 0)
        expect(release).not.toBeNull()
        release?.()
      }
    })

    test('locks of different names do not touch each other', async () => {
      const local = await open()
      const one = await local.takeLock('a', 0)
      const two = await local.takeLock('b', 0)
      expect(one).not.toBeNull()
      expect(two).not.toBeNull()
      one?.()
      two?.()
    })

    test('ten that wait come through one at a time', async () => {
      const local = await open()
      let inside = 0
      let most = 0
      const through: number[] = []
      await Promise.all(
        Array.from({ length: 10 }, async (_, who) => {
          const release = await local.takeLock('a', 10_000)
          if (release === null) return
          inside += 1
          most = Math.max(most, inside)
          // Others get their turn to break in here.
          for (let turn = 0; turn < 5; turn += 1) await local.listWorkspaces()
          through.push(who)
          inside -= 1
          release()
        }),
      )
      expect(most).toBe(1)
      expect(through.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    })

    test('patience begins anew with every holder, and has an end', { timeout: 20_000 }, async () => {
      const local = await open()
      let release = await local.takeLock('a', 0)
      const patient = local.takeLock('a', 200, 60_000)
      const waiting = new Set(['hurried', 'bounded'])
      const hurried = local.takeLock('a', 200).finally(() => waiting.delete('hurried'))
      const bounded = local.takeLock('a', 200, 300).finally(() => waiting.delete('bounded'))
      // Each holder keeps it for less than the patience.
      for (let turn = 0; turn < 100 && waiting.size > 0; turn += 1) {
        await new Promise((resolve) => setTimeout(resolve, 100))
        release?.()
        release = await local.takeLock('a', 0)
        expect(release).not.toBeNull()
      }
      expect(waiting.size).toBe(0)
      expect([await hurried, await bounded]).toEqual([null, null])
      release?.()
      const last = await patient
      expect(last).not.toBeNull()
      last?.()
    })

    test('one who gave up does not keep those behind it waiting', { timeout: 5_000 }, async () => {
      const local = await open()
      const release = await local.takeLock('a', 0)
      const impatient = local.takeLock('a', 0)
      const patient = local.takeLock('a', 10_000)
      expect(await impatient).toBeNull()
      release?.()
      const last = await patient
      expect(last).not.toBeNull()
      last?.()
    })
  })
}

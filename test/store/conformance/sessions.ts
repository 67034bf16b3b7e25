import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { PHASES } from '../../../src/core/session.ts'
import type { Open } from '../conformance.ts'
import { AT, freshFolder, LATER, WORKSPACE } from '../make.ts'
import { idsIn, keyOf, newSession } from '../make-session.ts'

const BESIDE = { id: 'ws_2', repository: WORKSPACE.repository, path: '/somewhere/two' }
const ELSEWHERE = { id: 'ws_3', repository: 'repo_2', path: '/somewhere/three' }

/** Rows of sessions: each change is made to the version that its writer saw, or not at all. */
export function provesSessions(open: Open): void {
  const opened = async () => {
    const store = await open()
    for (const workspace of [WORKSPACE, BESIDE, ELSEWHERE]) await store.local.seeWorkspace(workspace, AT)
    return store
  }

  describe('sessions', () => {
    test('a session is read as it was written, and one that nobody wrote is none', async () => {
      const store = await opened()
      const session = newSession('s1', { lastPrompt: { at: AT, text: 'Café → "x"\n' } })
      expect(await store.log.readSession(keyOf('s1'))).toBeNull()
      expect(await store.log.advance(session, null)).toBe(true)
      expect(await store.log.readSession(keyOf('s1'))).toEqual({ session, version: 1 })
      expect(await store.log.readSession(keyOf('S1'))).toBeNull()
    })

    test('one that is there is not begun again', async () => {
      const store = await opened()
      const session = newSession('s1', { accomplishments: ['first'] })
      await store.log.advance(session, null)
      expect(await store.log.advance(newSession('s1'), null, 'reading')).toBe(false)
      expect(await store.log.readSession(keyOf('s1'))).toEqual({ session, version: 1 })
      expect(await store.log.readReading(keyOf('s1'))).toBeNull()
    })

    test('a change to an older version is refused and changes nothing', async () => {
      const store = await opened()
      await store.log.advance(newSession('s1'), null)
      const second = newSession('s1', { phase: 'recent', endedAt: LATER })
      expect(await store.log.advance(second, 1)).toBe(true)
      expect(await store.log.advance(newSession('s1', { stream: 'lost' }), 1, 'lost')).toBe(false)
      expect(await store.log.advance(newSession('s1', { stream: 'lost' }), 3, 'lost')).toBe(false)
      expect(await store.log.advance(newSession('s2'), 1)).toBe(false)
      expect(await store.log.readSession(keyOf('s1'))).toEqual({ session: second, version: 2 })
      expect(await store.log.readSession(keyOf('s2'))).toBeNull()
      expect(await store.log.readReading(keyOf('s1'))).toBeNull()
    })

    test('what was read of a transcript goes with the row, and stays while nobody reads on', async () => {
      const store = await opened()
      await store.log.advance(newSession('s1'), null)
      expect(await store.log.readReading(keyOf('s1'))).toBeNull()
      await store.log.advance(newSession('s1'), 1, '{"offset":1}')
      await store.log.advance(newSession('s1'), 2)
      expect(await store.log.readReading(keyOf('s1'))).toBe('{"offset":1}')
      await store.log.advance(newSession('s1'), 3, '{"offset":2}')
      expect(await store.log.readReading(keyOf('s1'))).toBe('{"offset":2}')
      await store.log.advance(newSession('s1'), 3, null)
      expect(await store.log.readReading(keyOf('s1'))).toBe('{"offset":2}')
      await store.log.advance(newSession('s1'), 4, null)
      expect(await store.log.readReading(keyOf('s1'))).toBeNull()
      expect(await store.log.readReading(keyOf('s2'))).toBeNull()
    })

    test('are told by repository, by workspace and by phase, each of which narrows', async () => {
      const store = await opened()
      for (const phase of PHASES) await store.log.advance(newSession(`here-${phase}`, { phase }), null)
      await store.log.advance(newSession('beside', { workspace: BESIDE.id }), null)
      const elsewhere = { workspace: ELSEWHERE.id, repository: ELSEWHERE.repository }
      await store.log.advance(newSession('elsewhere', elsewhere), null)
      const found = async (filter: Parameters<typeof store.log.listSessions>[0]) =>
        (await idsIn(store, filter)).toSorted().join(' ')
      const here = 'here-active here-archived here-recent here-stale'
      expect(await found({})).toBe(`beside elsewhere ${here}`)
      expect(await found({ repository: WORKSPACE.repository })).toBe(`beside ${here}`)
      expect(await found({ workspace: WORKSPACE.id })).toBe(here)
      expect(await found({ workspace: WORKSPACE.id, repository: ELSEWHERE.repository })).toBe('')
      expect(await found({ phases: ['active'] })).toBe('beside elsewhere here-active')
      expect(await found({ workspace: WORKSPACE.id, phases: ['stale', 'recent'] })).toBe(
        'here-recent here-stale',
      )
      expect(await found({ phases: [] })).toBe('')
      expect(await found({ workspace: '' })).toBe('')
    })

    test('come by their last activity, the newest first, and of two at once the later written', async () => {
      const store = await opened()
      const at = (day: number) => ({ lastActivityAt: `2026-01-0${day}T00:00:00.000Z` })
      for (const [id, day] of [
        ['b', 2],
        ['d', 4],
        ['a', 1],
        ['c1', 3],
        ['c2', 3],
      ] as const)
        await store.log.advance(newSession(id, at(day)), null)
      expect(await idsIn(store)).toEqual(['d', 'c2', 'c1', 'b', 'a'])
      await store.log.advance(newSession('a', at(5)), 1)
      expect(await idsIn(store)).toEqual(['a', 'd', 'c2', 'c1', 'b'])
    })

    test('are told up to a number, and only those that were last heard of before a time', async () => {
      const store = await opened()
      for (const day of [1, 2, 3, 4])
        await store.log.advance(
          newSession(`d${day}`, { lastActivityAt: `2026-01-0${day}T00:00:00.000Z` }),
          null,
        )
      expect(await idsIn(store, { most: 2 })).toEqual(['d4', 'd3'])
      expect(await idsIn(store, { most: 9 })).toHaveLength(4)
      const heardBefore = '2026-01-03T00:00:00.000Z'
      expect(await idsIn(store, { heardBefore })).toEqual(['d2', 'd1'])
      expect(await idsIn(store, { heardBefore, most: 1, phases: ['active'] })).toEqual(['d2'])
    })

    test('tell how far each journal is read', async () => {
      const store = await opened()
      expect(await store.log.readJournalPositions()).toEqual(new Map())
      await store.log.advance(newSession('s1', { journalRead: 7 }), null)
      await store.log.advance(newSession('s2'), null)
      await store.log.advance(newSession('s1', { journalRead: 9 }), 1)
      expect(await store.log.readJournalPositions()).toEqual(
        new Map([
          ['claude/s1', 9],
          ['claude/s2', 0],
        ]),
      )
    })

    test('are in a backup, with what was read', async () => {
      const store = await opened()
      await store.log.advance(newSession('s1'), null, 'reading')
      await store.log.advance(newSession('s1', { stream: 'auth' }), 1)
      const file = join(freshFolder(), 'copy.db')
      await store.backup(file)
      const copy = await open(file)
      expect(await copy.log.listSessions({})).toEqual(await store.log.listSessions({}))
      expect(await copy.log.readSession(keyOf('s1'))).toMatchObject({
        version: 2,
        session: { stream: 'auth' },
      })
      expect(await copy.log.readReading(keyOf('s1'))).toBe('reading')
    })
  })
}

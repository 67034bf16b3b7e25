import { describe, expect, test } from 'vitest'
import { PHASES } from '../../../src/core/session.ts'
import { AT, LATER, WORKSPACE } from '../make.ts'
import { idsIn, keyOf, newSession } from '../make-session.ts'
import { BESIDE } from '../make-work.ts'
import { ELSEWHERE, type OpenLog } from '../subjects.ts'

/** Rows of sessions: each change is made to the version that its writer saw, or not at all. */
export function provesSessions(open: OpenLog): void {
  describe('sessions', () => {
    test('a session is read as it was written, and one that nobody wrote is none', async () => {
      const log = await open()
      const session = newSession('s1', { lastPrompt: { at: AT, text: 'Café → "x"\n' } })
      expect(await log.readSession(keyOf('s1'))).toBeNull()
      expect(await log.advance(session, null)).toBe(true)
      expect(await log.readSession(keyOf('s1'))).toEqual({ session, version: 1 })
      expect(await log.readSession(keyOf('S1'))).toBeNull()
    })

    test('one that is there is not begun again', async () => {
      const log = await open()
      const session = newSession('s1', { accomplishments: ['first'] })
      await log.advance(session, null)
      expect(await log.advance(newSession('s1'), null, 'reading')).toBe(false)
      expect(await log.readSession(keyOf('s1'))).toEqual({ session, version: 1 })
      expect(await log.readReading(keyOf('s1'))).toBeNull()
    })

    test('a change to an older version is refused and changes nothing', async () => {
      const log = await open()
      await log.advance(newSession('s1'), null)
      const second = newSession('s1', { phase: 'recent', endedAt: LATER })
      expect(await log.advance(second, 1)).toBe(true)
      expect(await log.advance(newSession('s1', { stream: 'lost' }), 1, 'lost')).toBe(false)
      expect(await log.advance(newSession('s1', { stream: 'lost' }), 3, 'lost')).toBe(false)
      expect(await log.advance(newSession('s2'), 1)).toBe(false)
      expect(await log.readSession(keyOf('s1'))).toEqual({ session: second, version: 2 })
      expect(await log.readSession(keyOf('s2'))).toBeNull()
      expect(await log.readReading(keyOf('s1'))).toBeNull()
    })

    test('what was read of a transcript goes with the row, and stays while nobody reads on', async () => {
      const log = await open()
      await log.advance(newSession('s1'), null)
      expect(await log.readReading(keyOf('s1'))).toBeNull()
      await log.advance(newSession('s1'), 1, '{"offset":1}')
      await log.advance(newSession('s1'), 2)
      expect(await log.readReading(keyOf('s1'))).toBe('{"offset":1}')
      await log.advance(newSession('s1'), 3, '{"offset":2}')
      expect(await log.readReading(keyOf('s1'))).toBe('{"offset":2}')
      await log.advance(newSession('s1'), 3, null)
      expect(await log.readReading(keyOf('s1'))).toBe('{"offset":2}')
      await log.advance(newSession('s1'), 4, null)
      expect(await log.readReading(keyOf('s1'))).toBeNull()
      expect(await log.readReading(keyOf('s2'))).toBeNull()
    })

    test('are told by repository, by workspace and by phase, each of which narrows', async () => {
      const log = await open()
      for (const phase of PHASES) await log.advance(newSession(`here-${phase}`, { phase }), null)
      await log.advance(newSession('beside', { workspace: BESIDE.id }), null)
      const elsewhere = { workspace: ELSEWHERE.id, repository: ELSEWHERE.repository }
      await log.advance(newSession('elsewhere', elsewhere), null)
      const found = async (filter: Parameters<typeof log.listSessions>[0]) =>
        (await idsIn({ log }, filter)).toSorted().join(' ')
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
      const log = await open()
      const at = (day: number) => ({ lastActivityAt: `2026-01-0${day}T00:00:00.000Z` })
      for (const [id, day] of [
        ['b', 2],
        ['d', 4],
        ['a', 1],
        ['c1', 3],
        ['c2', 3],
      ] as const)
        await log.advance(newSession(id, at(day)), null)
      expect(await idsIn({ log })).toEqual(['d', 'c2', 'c1', 'b', 'a'])
      await log.advance(newSession('a', at(5)), 1)
      expect(await idsIn({ log })).toEqual(['a', 'd', 'c2', 'c1', 'b'])
    })

    test('are told up to a number, and only those that were last heard of before a time', async () => {
      const log = await open()
      for (const day of [1, 2, 3, 4])
        await log.advance(newSession(`d${day}`, { lastActivityAt: `2026-01-0${day}T00:00:00.000Z` }), null)
      expect(await idsIn({ log }, { most: 2 })).toEqual(['d4', 'd3'])
      expect(await idsIn({ log }, { most: 9 })).toHaveLength(4)
      const heardBefore = '2026-01-03T00:00:00.000Z'
      expect(await idsIn({ log }, { heardBefore })).toEqual(['d2', 'd1'])
      expect(await idsIn({ log }, { heardBefore, most: 1, phases: ['active'] })).toEqual(['d2'])
    })

    test('are counted and told page by page, by branch, by outcome and by stream', async () => {
      const log = await open()
      const outcome = (path: string | null, outcomeName: string) => ({
        ...{ outcomeId: null, outcomeName, path, lastTask: '', workSummary: '' },
      })
      const { environment } = newSession('any')
      const add = async (day: number, branch: string | null, more: Parameters<typeof newSession>[1] = {}) =>
        log.advance(
          newSession(`d${day}`, {
            lastActivityAt: `2026-01-0${day}T00:00:00.000Z`,
            environment: { ...environment, gitBranch: branch },
            ...more,
          }),
          null,
        )
      await add(1, 'main', { stream: 'auth' })
      await add(2, 'it’s "x"', { outcomes: [outcome('plans/a.md', 'A'), outcome(null, 'B')] })
      await add(3, null, { stream: 'auth', repository: ELSEWHERE.repository, workspace: ELSEWHERE.id })
      await add(4, 'main', { outcomes: [outcome(null, 'B')], parent: 'd1' })
      expect(await idsIn({ log }, { most: 2, skip: 1 })).toEqual(['d3', 'd2'])
      expect(await idsIn({ log }, { skip: 3 })).toEqual(['d1'])
      expect(await idsIn({ log }, { branch: 'main' })).toEqual(['d4', 'd1'])
      expect(await idsIn({ log }, { branch: 'it’s "x"' })).toEqual(['d2'])
      expect(await idsIn({ log }, { outcome: 'B' })).toEqual(['d4', 'd2'])
      expect(await idsIn({ log }, { outcome: 'plans/a.md' })).toEqual(['d2'])
      expect(await idsIn({ log }, { stream: 'auth' })).toEqual(['d3', 'd1'])
      expect(await idsIn({ log }, { parent: 'd1' })).toEqual(['d4'])
      expect(await idsIn({ log }, { parent: 'd2' })).toEqual([])
      expect(await idsIn({ log }, { stream: 'auth', repository: WORKSPACE.repository })).toEqual(['d1'])
      expect(await log.countSessions({})).toBe(4)
      expect(await log.countSessions({ branch: 'main', most: 1 })).toBe(2)
      expect(await log.countSessions({ outcome: 'nobody’s' })).toBe(0)
      expect(await log.listSessionNames(null)).toEqual({
        ...{ agents: ['claude'], branches: ['it’s "x"', 'main'], outcomes: ['B', 'plans/a.md'] },
      })
      expect(await log.listSessionNames(ELSEWHERE.repository)).toEqual({
        ...{ agents: ['claude'], branches: [], outcomes: [] },
      })
    })

    test('tell how far each journal is read', async () => {
      const log = await open()
      expect(await log.readJournalPositions()).toEqual(new Map())
      await log.advance(newSession('s1', { journalRead: 7 }), null)
      await log.advance(newSession('s2'), null)
      await log.advance(newSession('s1', { journalRead: 9 }), 1)
      expect(await log.readJournalPositions()).toEqual(
        new Map([
          ['claude/s1', 9],
          ['claude/s2', 0],
        ]),
      )
    })
  })
}

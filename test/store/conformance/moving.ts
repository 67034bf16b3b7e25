import { describe, expect, test } from 'vitest'
import { gistOf, type Trigger } from '../../../src/core/checkpoint.ts'
import { LATER, newCheckpoint, newStream, WORKSPACE } from '../make.ts'
import { growInLog } from '../make-log.ts'
import { keyOf, newSession } from '../make-session.ts'
import { BESIDE } from '../make-work.ts'
import { ELSEWHERE, type OpenLocalState, type OpenLog } from '../subjects.ts'

const NOTE: Trigger = { kind: 'timer', at: LATER, note: 'again' }

/** What came from another log keeps its place, its notes and its pin; one repository under two ids becomes one. */
export function provesMoving(open: OpenLog): void {
  describe('what comes from another log', () => {
    test('a checkpoint without a body keeps its place, and nothing brings its body back', async () => {
      const log = await open()
      const stream = newStream()
      const [one, two, three] = [1, 2, 3].map((sequence) => newCheckpoint(stream.id, sequence))
      if (!one || !two || !three) throw new Error('there are three')
      const { id, at, progress } = one
      const gone = { id, stream: stream.id, at, progress, gist: gistOf(one), removedAt: LATER }
      const appends = [
        { checkpoint: gone, after: null, foreign: false },
        { checkpoint: two, after: one.id, foreign: true, notes: [NOTE, NOTE], pinned: true },
        { checkpoint: three, after: two.id, foreign: false },
      ]
      expect(await log.append({ begins: [stream], appends })).toEqual({ done: true })
      expect(await log.readHistory(stream.id)).toMatchObject([
        { id: one.id, sequence: 1, removedAt: LATER, pinned: false, gist: gistOf(one) },
        { id: two.id, sequence: 2, removedAt: null, pinned: true, foreign: true },
        { id: three.id, sequence: 3, removedAt: null, pinned: false, foreign: false },
      ])
      expect(await log.readCheckpoint(one.id)).toMatchObject({ state: 'removed' })
      expect(await log.readCheckpoint(two.id)).toMatchObject({ state: 'whole', notes: [NOTE, NOTE] })
      expect((await log.append({ readmit: { checkpoint: one, sequence: 1 } })).done).toBe(false)
      expect(await log.findStream(WORKSPACE.repository, 'r1')).toMatchObject({ live: 2, headSequence: 3 })
    })

    test('the versions of a stream are listed with what they show', async () => {
      const log = await open()
      const { stream, ids } = await growInLog(log, { length: 2 })
      const versions = await log.listVersions(stream)
      expect(versions.map(({ checkpoint }) => checkpoint).sort()).toEqual(ids.toSorted())
      expect(versions.map(({ hash }) => hash)).toEqual(versions.map(({ hash }) => hash).toSorted())
      expect(await log.listVersions('work_nobody')).toEqual([])
    })
  })

  describe('one repository under two ids', () => {
    const there = { repository: ELSEWHERE.repository, workspace: ELSEWHERE.id }
    const here = { repository: WORKSPACE.repository, workspace: WORKSPACE.id }

    test('becomes one: streams and sessions move, and a name that both have gets a number', async () => {
      const log = await open()
      const mine = newStream('r1')
      const theirs = ['R1', 'r1-2', 'r3'].map((name) => ({
        ...newStream(name, there.repository),
        ...{ id: `run_there-${name}`, workspace: there.workspace },
      }))
      for (const stream of [mine, ...theirs]) {
        const checkpoint = newCheckpoint(stream.id, 1)
        await log.append({ begins: [stream], appends: [{ checkpoint, after: null, foreign: false }] })
      }
      await log.advance(newSession('one', there), null)
      await log.advance(newSession('two', { ...there, workspace: BESIDE.id }), null)
      await log.advance(newSession('three'), null)
      expect(await log.moveRepository(there, here)).toEqual([
        { was: 'R1', now: 'R1-2' },
        { was: 'r1-2', now: 'r1-2-2' },
      ])
      expect(await log.listStreams(there.repository)).toEqual([])
      const moved = await log.listStreams(here.repository)
      expect(moved.map(({ name, workspace }) => [name, workspace]).sort()).toEqual(
        ['R1-2', 'r1', 'r1-2-2', 'r3'].map((name) => [name, here.workspace]),
      )
      const places = await Promise.all(
        ['one', 'two', 'three'].map(async (id) => (await log.readSession(keyOf(id)))?.session),
      )
      expect(places).toMatchObject([here, { ...here, workspace: BESIDE.id }, here])
      expect((await log.listSessions({ workspace: here.workspace })).length).toBe(2)
    })

    test('a workspace alone moves, and a session that did not is not touched', async () => {
      const log = await open()
      const { stream } = await growInLog(log)
      await log.advance(newSession('one', { workspace: BESIDE.id }), null)
      await log.advance(newSession('two'), null)
      expect(await log.moveRepository({ ...here, workspace: BESIDE.id }, here)).toEqual([])
      expect(await log.readSession(keyOf('one'))).toMatchObject({ session: here })
      expect(await log.readSession(keyOf('two'))).toMatchObject({ version: 1 })
      expect((await log.listStreams(here.repository, 'work')).map(({ id }) => id)).toEqual([stream])
    })
  })
}

/** By what a repository is known. */
export function provesRepositories(open: OpenLocalState): void {
  test('what a repository is known by is the last that was said', async () => {
    const local = await open()
    const row = { id: 'repo_1', name: 'one', remote: null, roots: [], declined: [] }
    expect(await local.listRepositories()).toEqual([])
    await local.seeRepository(row)
    const later = { ...row, remote: 'example.org/one', roots: ['a', 'b'], declined: ['/x'] }
    await local.seeRepository(later)
    await local.seeRepository({ ...row, id: 'repo_2' })
    expect(await local.listRepositories()).toEqual([later, { ...row, id: 'repo_2' }])
  })
}

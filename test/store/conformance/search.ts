import { describe, expect, test } from 'vitest'
import { noChange } from '../../../src/core/checkpoint.ts'
import { emptyWork } from '../../../src/core/work.ts'
import {
  AT,
  appendTo,
  grow,
  LATER,
  NOTHING_MORE,
  newCheckpoint,
  newStream,
  removeFrom,
  WORKSPACE,
} from '../make.ts'
import { decided, EVERYTHING, filled, found, foundAt, says, wordsOf } from '../make-search.ts'
import { keyOf, newSession } from '../make-session.ts'
import { newWork } from '../make-work.ts'
import type { OpenStore } from '../subjects.ts'

/** The search index: derived from what is committed, filled when somebody asks. */
export function provesSearch(open: OpenStore): void {
  describe('search', () => {
    test('an empty store has nothing, and its index is complete', async () => {
      const store = await open()
      expect(await found(store, 'anything')).toEqual({
        ...{ hits: [], total: 0, more: false, foreign: { records: 0, streams: [] } },
      })
      const { from, to } = await store.index.readUnsearched(10)
      expect(from).toBe(to)
    })

    test('finds what was committed, where it was first said, with the match marked', async () => {
      const store = await open()
      await says(store, 1, { state: 'Tokens refresh', decisions: [decided('Use JWT')] })
      await says(store, 2, { state: 'Tokens refresh', now: 'Logging out', decisions: [decided('Use JWT')] })
      expect(await foundAt(store, 'jwt')).toEqual(['decision auth@1'])
      expect(await foundAt(store, 'refreshing')).toEqual(['checkpoint auth@1'])
      expect(await foundAt(store, 'logging')).toEqual(['checkpoint auth@2'])
      const { hits } = await found(store, 'token')
      expect(hits).toMatchObject([
        {
          snippet: '\u0001Tokens\u0002 refresh',
          ...{ kind: 'checkpoint', at: AT, branch: 'main', repository: WORKSPACE.repository },
          place: { stream: 'auth', sequence: 1, archived: false },
          superseded: null,
        },
      ])
    })

    test('takes in only what came since, in parts, and what somebody else took in is not taken twice', async () => {
      const store = await open()
      for (const sequence of [1, 2, 3]) await says(store, sequence, { now: `Part ${sequence}` })
      const part = await store.index.readUnsearched(2)
      expect(part).toMatchObject({ anew: true, left: 1 })
      expect(
        part.checkpoints.map(({ parent, checkpoint }) => [checkpoint.work.now, parent?.work.now]),
      ).toEqual([
        ['Part 1', undefined],
        ['Part 2', 'Part 1'],
      ])
      expect(await store.index.putPart(part, [])).toBe(true)
      expect(await store.index.putPart(part, [])).toBe(false)
      const rest = await store.index.readUnsearched(2)
      expect(
        rest.checkpoints.map(({ parent, checkpoint }) => [checkpoint.work.now, parent?.work.now]),
      ).toEqual([['Part 3', 'Part 2']])
      expect(rest).toMatchObject({ anew: false, left: 0 })
      expect(await foundAt(store, 'part')).toEqual(['checkpoint auth@3'])
    })

    test('two that fill at once put nothing in twice', async () => {
      const store = await open()
      for (let sequence = 1; sequence <= 30; sequence += 1)
        await says(store, sequence, { now: `Part ${sequence}` })
      await Promise.all([filled(store), filled(store), filled(store)])
      expect(await found(store, 'part', { most: 50 })).toMatchObject({ total: 30, more: false })
    })

    test('thrown away, it is filled again', async () => {
      const store = await open()
      await says(store, 1, { now: 'Logging out' })
      await filled(store)
      await store.index.forget()
      expect(await store.index.search({ terms: wordsOf('logging'), of: 'all' }, EVERYTHING)).toMatchObject({
        total: 0,
      })
      expect(await foundAt(store, 'logging')).toEqual(['checkpoint auth@1'])
    })

    test('is narrowed by repository, kind, branch and time, and by a number', async () => {
      const store = await open()
      await store.local.seeWorkspace({ id: 'ws_9', repository: 'repo_9', path: '/nine' }, AT)
      await says(store, 1, { now: 'Tokens here', decisions: [decided('Tokens win')] })
      const provenance = { branch: 'fix', commit: null, author: null }
      await says(store, 2, { now: 'More tokens' }, { at: LATER, provenance })
      const other = newWork('auth', 'repo_9')
      const checkpoint = newCheckpoint(other.id, 1, { work: { ...emptyWork(), now: 'Tokens elsewhere' } })
      await store.acts.commit({
        workspace: 'ws_9',
        begins: [{ ...other, workspace: 'ws_9' }],
        appends: [{ checkpoint, after: null, foreign: false }],
      })
      const here = { repository: WORKSPACE.repository }
      expect((await found(store, 'tokens')).total).toBe(4)
      expect((await foundAt(store, 'tokens', here)).toSorted()).toEqual([
        ...['checkpoint auth@1', 'checkpoint auth@2', 'decision auth@1'],
      ])
      expect((await found(store, 'tokens', { repository: 'repo_9' })).hits[0]?.repository).toBe('repo_9')
      expect((await found(store, 'tokens', { repository: '' })).total).toBe(0)
      expect(await foundAt(store, 'tokens', { ...here, kind: 'decision' })).toEqual(['decision auth@1'])
      expect(await foundAt(store, 'tokens', { ...here, branch: 'fix' })).toEqual(['checkpoint auth@2'])
      expect(await foundAt(store, 'tokens', { ...here, since: LATER })).toEqual(['checkpoint auth@2'])
      expect(await found(store, 'tokens', { ...here, most: 1 })).toMatchObject({ total: 3, hits: [{}] })
    })

    test('a decision or a learning stands above a checkpoint that matches as well, and of equals the newer', async () => {
      const store = await open()
      await says(store, 1, {
        now: 'Refresh tokens',
        references: [{ kind: 'learning', text: 'Refresh tokens' }],
      })
      await says(store, 2, {
        now: 'Tokens refresh',
        references: [{ kind: 'learning', text: 'Refresh tokens' }],
      })
      expect(await foundAt(store, 'refresh tokens')).toEqual([
        ...['learning auth@1', 'checkpoint auth@2', 'checkpoint auth@1'],
      ])
    })

    test('a decision whose place another took says so, until it stands again', async () => {
      const store = await open()
      await says(store, 1, { decisions: [decided('Use JWT')] })
      await says(store, 2, { decisions: [decided('Use JWT', 'Use passkeys'), decided('Use passkeys')] })
      expect((await found(store, 'jwt')).hits).toMatchObject([{ superseded: 'Use passkeys' }])
      await says(store, 3, { decisions: [decided('Use JWT')] })
      expect((await found(store, 'jwt')).hits).toMatchObject([{ superseded: null, place: { sequence: 1 } }])
    })

    test('text that nobody reviewed is no hit, but counted; reviewed it is one', async () => {
      const store = await open()
      await says(store, 1, { now: 'Our tokens', decisions: [decided('Use JWT')] })
      const poisoned = {
        now: 'Their tokens',
        decisions: [decided('Use JWT', 'Their own tokens'), decided('Evil')],
      }
      const id = await says(store, 2, poisoned, { foreign: true })
      expect(await found(store, 'tokens')).toMatchObject({
        ...{ total: 1, hits: [{ snippet: 'Our \u0001tokens\u0002' }] },
        foreign: { records: 1, streams: ['auth'] },
      })
      expect(await foundAt(store, 'evil')).toEqual([])
      expect((await found(store, 'jwt')).hits).toMatchObject([{ superseded: null }])
      await store.acts.commit({ workspace: WORKSPACE.id, reviews: [id] })
      expect(await found(store, 'tokens')).toMatchObject({ total: 2, foreign: { records: 0, streams: [] } })
      expect((await found(store, 'jwt')).hits).toMatchObject([{ superseded: 'Their own tokens' }])
    })

    test('what only such text said is found where somebody says it too', async () => {
      const store = await open()
      await says(store, 1, { decisions: [decided('Use JWT')] }, { foreign: true })
      expect(await foundAt(store, 'jwt')).toEqual([])
      await says(store, 1, { decisions: [decided('Use JWT')] }, { name: 'ours' })
      expect(await foundAt(store, 'jwt')).toEqual(['decision ours@1'])
    })

    test('a decision is found by every reason that anybody gave, where that was first given', async () => {
      const store = await open()
      await says(store, 1, { decisions: [decided('Use Postgres', null, 'json columns')] })
      await says(store, 1, { decisions: [decided('Use Postgres')] }, { name: 'feat' })
      expect(await foundAt(store, 'json')).toEqual(['decision auth@1'])
      await says(store, 1, { decisions: [decided('Use Postgres', null, 'it is cheap')] }, { name: 'other' })
      await says(store, 2, { decisions: [decided('Use Postgres', null, 'it scales')] })
      await says(store, 1, { decisions: [decided('use postgres.', null, 'Json columns')] }, { name: 'same' })
      expect(await foundAt(store, 'json')).toEqual(['decision auth@1'])
      expect(await foundAt(store, 'cheap')).toEqual(['decision other@1'])
      expect(await foundAt(store, 'scales')).toEqual(['decision auth@2'])
      expect((await foundAt(store, 'postgres')).toSorted()).toEqual([
        ...['decision auth@1', 'decision auth@2', 'decision feat@1', 'decision other@1'],
      ])
      await says(store, 3, { decisions: [decided('Use Postgres', 'Use SQLite', 'it scales')] })
      const { hits } = await found(store, 'postgres')
      expect(hits.map(({ superseded }) => superseded)).toEqual(Array(4).fill('Use SQLite'))
    })

    test('a word between marks of an expression is found and marked beside a script without spaces', async () => {
      const store = await open()
      const marks = String.raw`a-b c/d e.f g*h (i) [j] {k} l|m n^o $p q+r s?t u\v w_x y%z #&~!,;:=@`
      await says(store, 1, { now: `猫が好き ${marks}` })
      for (const word of marks.split(' ').slice(0, -1))
        expect((await found(store, `${word} 猫`)).hits[0]?.snippet).toContain(`\u0001${word}\u0002`)
    })

    test('what was undone is not found, what is done again is; in whatever parts it is taken in', async () => {
      const one = { state: 'Tabs it is', decisions: [decided('Use tabs')] }
      const two = {
        state: 'Spaces it is',
        decisions: [decided('Use tabs', 'Use spaces'), decided('Use spaces')],
      }
      const look = async (store: Awaited<ReturnType<typeof open>>) => [
        ...(await foundAt(store, 'spaces')),
        ...(await found(store, 'tabs', { kind: 'decision' })).hits.map(({ superseded }) => superseded),
      ]
      for (const isAsked of [true, false]) {
        const store = await open()
        const asked = async (answer: unknown[]) => isAsked && expect(await look(store)).toEqual(answer)
        const first = await says(store, 1, one)
        const second = await says(store, 2, two)
        await asked(['decision auth@2', 'checkpoint auth@2', 'Use spaces'])
        await says(store, 3, one, { stands: first })
        await asked([null])
        await says(store, 4, {}, { stands: null })
        await asked([])
        await says(store, 5, two, { stands: second })
        expect(await look(store)).toEqual(['decision auth@2', 'checkpoint auth@2', 'Use spaces'])
        await says(store, 6, one, { stands: first })
        expect(await look(store)).toEqual([null])
      }
    })

    test('a snapshot that retention removed is not found; one of a timer never was', async () => {
      const store = await open()
      const { stream, ids } = await grow(store)
      const change = { ...noChange(), summary: 'Compiled everything' }
      for (const sequence of [2, 3, 4]) {
        const kind = sequence === 3 ? ('timer' as const) : ('step' as const)
        const checkpoint = newCheckpoint(stream, sequence, { change, triggers: [{ kind, at: AT, note: '' }] })
        await appendTo(store.acts, checkpoint, ids.at(-1) ?? '', NOTHING_MORE)
        ids.push(checkpoint.id)
      }
      expect(newStream().kind).toBe('run')
      expect((await foundAt(store, 'compiled')).toSorted()).toEqual(['run r1@2', 'run r1@4'])
      await removeFrom(store.acts, stream, [ids[1] ?? ''], LATER)
      // Also before the index has heard of it.
      const before = await store.index.search({ terms: wordsOf('compiled'), of: 'all' }, EVERYTHING)
      expect(before).toMatchObject({ total: 1, hits: [{ place: { sequence: 4 } }] })
      expect(await found(store, 'compiled')).toMatchObject({ total: 1 })
    })

    test('a session is found by what it says now, once', async () => {
      const store = await open()
      await store.local.seeWorkspace(WORKSPACE, AT)
      await store.log.advance(newSession('s1', { accomplishments: ['Tokens work'] }), null)
      expect(await foundAt(store, 'tokens')).toEqual(['session s1'])
      const later = newSession('s1', { accomplishments: ['Passkeys work'], lastActivityAt: LATER })
      await store.log.advance(later, 1)
      expect(await foundAt(store, 'tokens')).toEqual([])
      expect((await found(store, 'passkeys', { since: LATER })).hits).toMatchObject([
        { at: LATER, place: null },
      ])
      await store.log.advance(later, 2)
      expect(await found(store, 'work')).toMatchObject({ total: 1 })
      expect((await store.log.readSession(keyOf('s1')))?.version).toBe(3)
    })

    test('any of several words: the ones that tell', async () => {
      const store = await open()
      await says(store, 1, { now: 'The rare unicorn' })
      await says(store, 2, { now: 'Nothing of that' })
      await filled(store)
      const any = { terms: wordsOf('unicorn', 'absent'), of: 'any' as const }
      expect(await store.index.search(any, EVERYTHING)).toMatchObject({ total: 1 })
    })

    test('scripts without spaces are found inside their lines', async () => {
      const store = await open()
      await says(store, 1, { now: '更新トークンを検索する 100%' })
      await says(store, 2, { now: 'ค้นหาโทเค็น' })
      expect(await foundAt(store, '検索')).toEqual(['checkpoint auth@1'])
      expect((await found(store, '検索')).hits[0]?.snippet).toBe('更新トークンを\u0001検索\u0002する 100%')
      expect(await foundAt(store, 'โทเค็น')).toEqual(['checkpoint auth@2'])
      expect(await foundAt(store, '検索 %_%')).toEqual(['checkpoint auth@1'])
      expect(await foundAt(store, '検索 更新')).toEqual(['checkpoint auth@1'])
      expect(await foundAt(store, '検_')).toEqual([])
    })
  })
}

import { describe, expect, test } from 'vitest'
import type { NewAct } from '../../../src/store/local-state.ts'
import { AT, WORKSPACE } from '../make.ts'
import { BESIDE, growWork, newDocument, rowOf, step } from '../make-work.ts'
import type { OpenActs } from '../subjects.ts'

const newAct = (id: string, summary = id): NewAct => ({
  ...{ id, at: AT, verb: 'save', by: 'user', session: null },
  record: { what: 'auth #1', summary, streams: [], files: [], focus: null },
})

/** What was done in a workspace, so that it can be undone. */
export function provesActs(open: OpenActs): void {
  describe('acts', () => {
    const opened = async () => {
      const store = await open()
      for (const workspace of [WORKSPACE, BESIDE]) await store.local.seeWorkspace(workspace, AT)
      const put = (act: NewAct, workspace = WORKSPACE.id) => store.acts.commit({ workspace, act })
      const turn = (act: string, isUndone: boolean) =>
        store.acts.commit({ workspace: WORKSPACE.id, turn: { act, isUndone } })
      const list = async (workspace = WORKSPACE.id) =>
        (await store.local.listActs(workspace)).map(({ id, isUndone }) => (isUndone ? `(${id})` : id))
      return { store, put, turn, list }
    }

    test('are listed oldest first, each workspace its own, as they were given', async () => {
      const { store, put, list } = await opened()
      expect(await list()).toEqual([])
      await put(newAct('a'))
      await put(newAct('b'))
      await put(newAct('c'), BESIDE.id)
      expect(await list()).toEqual(['a', 'b'])
      expect(await store.local.listActs(BESIDE.id)).toEqual([{ ...newAct('c'), isUndone: false }])
    })

    test('one that goes on keeps its place, with what it has become', async () => {
      const { store, put } = await opened()
      await put(newAct('a'))
      await put(newAct('b'))
      await put(newAct('a', 'more'))
      expect((await store.local.listActs(WORKSPACE.id)).map(({ record }) => record.summary)).toEqual([
        'more',
        'b',
      ])
    })

    test('are undone and done again, until another one follows', async () => {
      const { put, turn, list } = await opened()
      for (const id of ['a', 'b']) await put(newAct(id))
      await turn('b', true)
      expect(await list()).toEqual(['a', '(b)'])
      await turn('b', false)
      expect(await list()).toEqual(['a', 'b'])
      await turn('b', true)
      await put(newAct('c'))
      expect(await list()).toEqual(['a', 'c'])
    })

    test('fifty are kept', async () => {
      const { put, list } = await opened()
      for (let number = 1; number <= 53; number += 1) await put(newAct(`a${number}`))
      const ids = await list()
      expect([ids.length, ids[0], ids.at(-1)]).toEqual([50, 'a4', 'a53'])
    })

    test('a commit that is refused records nothing', async () => {
      const { store, list } = await opened()
      await growWork(store)
      const late = { ...step('auth', 2), act: newAct('late') }
      expect((await store.acts.commit({ ...step('auth', 2), act: newAct('a') })).done).toBe(true)
      expect((await store.acts.commit(late)).done).toBe(false)
      expect(await list()).toEqual(['a'])
    })

    test('what an undone act wrote is owed to be removed, by its kind', async () => {
      const { store } = await opened()
      const { stream, ids } = await growWork(store)
      const { path, hash } = newDocument('auth', 1)
      const place = { stream, checkpoint: ids[0] ?? '' }
      await store.acts.commit({
        workspace: WORKSPACE.id,
        views: [
          { ...place, kind: 'document', path, hash, base: hash, state: 'leaving' },
          { ...place, kind: 'note', path: '.claude/checkpoints/1.json', hash: 'h', state: 'leaving' },
        ],
      })
      expect(await store.local.listOwedViews(WORKSPACE.id)).toMatchObject([
        { kind: 'note', state: 'leaving', hash: 'h', base: null },
        { kind: 'document', state: 'leaving', path, hash, base: hash },
      ])
      expect((await rowOf(store))?.view).toBeNull()
    })
  })
}

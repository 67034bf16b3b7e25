import { expect, test } from 'vitest'
import { sha256 } from '../../../src/core/canonical.ts'
import { AT, WORKSPACE } from '../make.ts'
import { BESIDE, growWork, hashOf, newDocument, rowOf } from '../make-work.ts'
import type { OpenActs } from '../subjects.ts'

/** What the log and the files of all workspaces have shown. */
export function provesTextsOfAll(open: OpenActs): void {
  test('the texts of a repository are those of its versions, files and ledgers, in all its workspaces', async () => {
    const store = await open()
    const { stream, ids } = await growWork(store, { length: 2 })
    const [checkpoint = ''] = ids
    const kept = (text: string) => ({ hash: sha256(text), text })
    const file = { kind: 'note', stream, checkpoint, base: null, state: 'pending' } as const
    const seen = { stream, checkpoint, current: false }
    await store.acts.commit({
      workspace: BESIDE.id,
      texts: ['a note', 'a ledger', 'half a save', 'nobody shows it'].map(kept),
      views: [{ ...file, path: '.claude/checkpoints/a.json', hash: sha256('a note') }],
      ledgers: [{ path: 'ledger.md', checkpoint, hash: sha256('a ledger'), at: AT }],
      versions: [{ ...seen, hash: sha256('half a save'), problem: 'it has no end' }],
    })
    expect([...(await store.acts.listTextHashes(WORKSPACE.repository))].sort()).toEqual(
      [hashOf('auth', 1), hashOf('auth', 2), sha256('a note'), sha256('a ledger')].sort(),
    )
    expect((await store.acts.listTextHashes('repo_2')).size).toBe(0)
  })
}

/** Which text nobody has reviewed. */
export function provesMarks(open: OpenActs): void {
  test('foreign marks are told by every read, and a review takes those it names', async () => {
    const store = await open()
    await growWork(store)
    const { stream, ids } = await growWork(store, { length: 3, from: 2, foreign: true })
    await growWork(store, { name: 'other', foreign: true })
    expect((await store.log.readHistory(stream)).map(({ foreign }) => foreign)).toEqual([false, true, true])
    expect((await store.log.readCheckpoint(ids[1] ?? ''))?.row.foreign).toBe(true)
    expect((await rowOf(store))?.position.foreign).toBe(true)
    await store.acts.commit({ workspace: BESIDE.id, views: [newDocument('auth', 1)] })
    expect((await rowOf(store, 'auth', BESIDE.id))?.position.foreign).toBe(false)
    await store.acts.commit({ workspace: BESIDE.id, reviews: ids.slice(2) })
    expect((await store.log.readHistory(stream)).map(({ foreign }) => foreign)).toEqual([false, true, false])
    await store.acts.commit({ workspace: BESIDE.id, reviews: [...ids, 'cp_nobody'] })
    expect((await store.log.readHistory(stream)).map(({ foreign }) => foreign)).toEqual([false, false, false])
    expect((await rowOf(store, 'other'))?.position.foreign).toBe(true)
  })
}

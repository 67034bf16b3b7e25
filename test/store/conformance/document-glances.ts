import { expect, test } from 'vitest'
import type { Glance, OverviewRow } from '../../../src/store/local-state.ts'
import type { Open } from '../conformance.ts'
import { WORKSPACE } from '../make.ts'
import { BESIDE, growWork, newDocument, step } from '../make-work.ts'

const glance = (names: string, ...marks: number[]): Glance => ({
  names,
  marks: new Uint8Array(Float64Array.from(marks).buffer),
})
const SEEN = glance('auth.md', 12, 0.5)
const ROW: OverviewRow = {
  name: 'auth',
  headSequence: 1,
  path: 'checkpoints/active/auth.md',
  isArchived: false,
  current: true,
  focused: false,
  sequence: 1,
  at: '2026-01-02T03:04:05.000Z',
  foreign: true,
  created: '2026-01-01T00:00:00Z',
  parent: null,
  problem: 'Tokens expire.',
  next: '',
}

/** What a list said is said again only while nothing has changed. */
export function provesGlances(open: Open): void {
  test('what a list said is given back for the same looks in the same workspace alone', async () => {
    const store = await open()
    await growWork(store)
    expect(await store.local.readGlance(WORKSPACE.id, SEEN)).toBeNull()
    await store.local.putGlance(WORKSPACE.id, SEEN, [ROW])
    expect(await store.local.readGlance(WORKSPACE.id, SEEN)).toEqual([ROW])
    expect(await store.local.readGlance(BESIDE.id, SEEN)).toBeNull()
    for (const other of [glance('auth.md', 12, 0.25), glance('other.md', 12, 0.5), glance('auth.md', 12)])
      expect(await store.local.readGlance(WORKSPACE.id, other)).toBeNull()
  })

  test('any change of documents, also in another workspace, makes it ask again', async () => {
    const store = await open()
    await growWork(store)
    for (const change of [step('auth', 2), { workspace: BESIDE.id, focus: null }]) {
      await store.local.putGlance(WORKSPACE.id, SEEN, [ROW])
      await store.acts.commit(change)
      expect(await store.local.readGlance(WORKSPACE.id, SEEN)).toBeNull()
    }
  })

  test('it is not given where something is owed to the disk', async () => {
    const store = await open()
    await growWork(store)
    await store.acts.commit({
      workspace: WORKSPACE.id,
      documents: [newDocument('auth', 1, { state: 'pending' })],
    })
    await store.local.putGlance(WORKSPACE.id, SEEN, [ROW])
    expect(await store.local.readGlance(WORKSPACE.id, SEEN)).toBeNull()
  })
}

import { expect, test } from 'vitest'
import type { Glance, OverviewRow } from '../../../src/store/local-state.ts'
import { AT, WORKSPACE } from '../make.ts'
import { BESIDE, newDocument } from '../make-work.ts'
import type { OpenLocalState } from '../subjects.ts'

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
export function provesGlances(open: OpenLocalState): void {
  test('what a list said is given back for the same looks in the same workspace alone', async () => {
    const local = await open()
    for (const workspace of [WORKSPACE, BESIDE]) await local.seeWorkspace(workspace, AT)
    expect(await local.readGlance(WORKSPACE.id, SEEN)).toBeNull()
    await local.putGlance(WORKSPACE.id, SEEN, [ROW])
    expect(await local.readGlance(WORKSPACE.id, SEEN)).toEqual([ROW])
    expect(await local.readGlance(BESIDE.id, SEEN)).toBeNull()
    for (const other of [glance('auth.md', 12, 0.25), glance('other.md', 12, 0.5), glance('auth.md', 12)])
      expect(await local.readGlance(WORKSPACE.id, other)).toBeNull()
  })

  test('any change of documents, also in another workspace, makes it ask again', async () => {
    const local = await open()
    for (const workspace of [WORKSPACE, BESIDE]) await local.seeWorkspace(workspace, AT)
    for (const change of [
      { workspace: WORKSPACE.id, views: [newDocument('auth', 2)] },
      { workspace: BESIDE.id, focus: null },
    ]) {
      await local.putGlance(WORKSPACE.id, SEEN, [ROW])
      await local.apply(change)
      expect(await local.readGlance(WORKSPACE.id, SEEN)).toBeNull()
    }
  })

  test('it is not given where something is owed to the disk', async () => {
    const local = await open()
    for (const workspace of [WORKSPACE, BESIDE]) await local.seeWorkspace(workspace, AT)
    const views = [newDocument('auth', 1, { state: 'pending' })]
    await local.apply({ workspace: WORKSPACE.id, views })
    await local.putGlance(WORKSPACE.id, SEEN, [ROW])
    expect(await local.readGlance(WORKSPACE.id, SEEN)).toBeNull()
  })
}

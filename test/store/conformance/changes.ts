import { describe, expect, test } from 'vitest'
import { sha256 } from '../../../src/core/canonical.ts'
import { AT, LATER, newView, WORKSPACE } from '../make.ts'
import { BESIDE, leavingFrom, newDocument, newWork } from '../make-work.ts'
import type { OpenLocalState } from '../subjects.ts'

const HERE = { workspace: WORKSPACE.id }

/** What an act changes in a workspace. */
export function provesChanges(open: OpenLocalState): void {
  const opened = async () => {
    const local = await open()
    for (const workspace of [WORKSPACE, BESIDE]) await local.seeWorkspace(workspace, AT)
    return local
  }

  describe('changes', () => {
    test('documents, focus and ledgers of a workspace are read as they were placed', async () => {
      const local = await opened()
      const [one, two] = [newDocument('auth', 1), newDocument('other', 1, { current: true, stamp: 'look' })]
      const leaving = leavingFrom('gone.md', 'auth', 1)
      const ledger = { path: 'ledger.md', checkpoint: one.checkpoint, hash: sha256('ledger'), at: LATER }
      const focus = newWork().id
      await local.apply({ ...HERE, views: [one, two], ledgers: [ledger, ledger], focus })
      await local.apply({ ...HERE, views: [leaving] })
      expect(await local.listViews(HERE)).toEqual([one, two, leaving])
      expect(await local.listViews({ workspace: BESIDE.id })).toEqual([])
      expect(await local.listLedgerTexts(WORKSPACE.id)).toEqual([{ ...ledger, number: 1 }])
      expect(await local.listLedgerTexts(BESIDE.id)).toEqual([])
      expect(await local.listFocused()).toEqual([{ ...HERE, stream: focus }])
      await local.apply({ ...HERE, focus: null })
      expect(await local.listFocused()).toEqual([])
    })

    test('the files of removed checkpoints leave, and no other', async () => {
      const local = await opened()
      for (const checkpoint of ['cp_1', 'cp_2'])
        await local.apply({ ...HERE, views: [{ ...newView(checkpoint), stream: 'run', checkpoint }] })
      await local.apply({ ...HERE, remove: { stream: 'run', checkpoints: ['cp_1', 'cp_9'], at: LATER } })
      expect((await local.listViews(HERE)).map(({ path, state }) => [path, state])).toEqual([
        ['cp_1', 'leaving'],
        ['cp_2', 'pending'],
      ])
    })
  })
}

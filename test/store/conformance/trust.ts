import { expect, test } from 'vitest'
import { AT, LATER, WORKSPACE } from '../make.ts'
import { BESIDE } from '../make-work.ts'
import type { OpenLocalState } from '../subjects.ts'

/** Where a workspace is, and whether it is trusted there. */
export function provesTrust(open: OpenLocalState): void {
  test('a workspace keeps its id when its path changes', async () => {
    const local = await open()
    await local.seeWorkspace(WORKSPACE, AT)
    await local.seeWorkspace({ ...WORKSPACE, path: '/somewhere/else' }, LATER)
    expect(await local.listWorkspaces()).toEqual([{ ...WORKSPACE, path: '/somewhere/else' }])
  })

  test('trust holds for one workspace at one path, until it is taken', async () => {
    const local = await open()
    for (const workspace of [WORKSPACE, BESIDE]) await local.seeWorkspace(workspace, AT)
    const { id, path } = WORKSPACE
    expect(await local.readTrust(id, path)).toBe('none')
    await local.setTrust(id, path, 'own', AT)
    expect(await local.readTrust(id, path)).toBe('own')
    expect(await local.readTrust(id, BESIDE.path)).toBe('none')
    expect(await local.readTrust(BESIDE.id, path)).toBe('none')
    await local.setTrust(id, '/moved', 'vouched', LATER)
    expect(await local.readTrust(id, '/moved')).toBe('vouched')
    expect(await local.readTrust(id, path)).toBe('none')
    await local.setTrust(BESIDE.id, BESIDE.path, 'withdrawn', LATER)
    expect(await local.readTrust(id, '/moved')).toBe('vouched')
    for (const _ of ['once', 'again']) await local.setTrust(id, '/moved', 'withdrawn', LATER)
    for (const place of ['/moved', path, '']) expect(await local.readTrust(id, place)).toBe('withdrawn')
    await local.setTrust(id, path, 'own', LATER)
    expect(await local.readTrust(id, path)).toBe('own')
  })
}
